"use strict";

// The answers of the page, and how their texts and scores are written. Texts enter the page as text nodes only, never
// as markup.
const Answers = (() => {
  const data = JSON.parse(document.getElementById("answers-data").textContent);
  const { specs, maxima, systems, answers } = data;
  answers.forEach((answer, i) => { answer.rank = i + 1; });

  const make = (tag, attributes, ...children) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) {
      if (value !== undefined && value !== null && value !== false) element.setAttribute(name, value);
    }
    element.append(...children.filter((child) => child !== null && child !== undefined));
    return element;
  };
  // Long specs may break after their marks, not inside a word.
  const breakable = (spec) => spec.split(/(?<=[_:,=])/).flatMap((part) => [part, make("wbr")]);
  const textOf = (number) => data.texts[number];
  const answerText = (answer) => (answer.candidate === null ? "" : textOf(answer.candidate));
  const format = (score) => (score === null || score === undefined ? "–" : score.toFixed(3));
  // A person's rating has no more places than it needs, and three at most: a mean of six may have sixteen.
  const formatJudgement = (value) => (value === undefined ? "–" : String(Number(value.toFixed(3))));
  const tint = (system) => `tint-${system % 8}`;

  const rest = (number) => {
    const more = data.more[number];
    return more ? make("span", { class: "more" }, `… ${more.toLocaleString("en")} more characters`) : null;
  };
  const nothing = (candidate) => {
    if (candidate === null) return make("em", { class: "none" }, "no answer given");
    return textOf(candidate).trim() ? null : make("em", { class: "none" }, "empty answer");
  };
  // What the answer asserts, as [start, end] in code points, from [gap, length, …].
  const assertedIn = (answer) => {
    const spans = [];
    let at = 0;
    for (let i = 0; i < (answer.asserted || []).length; i += 2) {
      const start = at + answer.asserted[i];
      at = start + answer.asserted[i + 1];
      spans.push([start, at]);
    }
    return spans;
  };
  // Some characters of a text, with those marked that the answer asserts.
  const piecesOf = (points, from, to, spans) => {
    const edges = [...new Set([from, to, ...spans.flat()])].filter((edge) => edge >= from && edge <= to).sort((a, b) => a - b);
    return edges.slice(1).map((end, i) => {
      const text = points.slice(edges[i], end).join("");
      return spans.some(([first, last]) => first <= edges[i] && end <= last) ? make("b", { class: "asserted" }, text) : text;
    });
  };
  // Runs are [gap, length, gap, length, …] in code points; a negative length marks words out of order.
  const marked = (number, runs, spans = []) => {
    const points = Array.from(textOf(number));
    const box = make("p", { class: "text", dir: "auto" });
    let at = 0;
    for (let i = 0; i < runs.length; i += 2) {
      const start = at + runs[i];
      const end = start + Math.abs(runs[i + 1]);
      box.append(...piecesOf(points, at, start, spans));
      const kind = runs[i + 1] < 0 ? "shared" : "ordered";
      box.append(make("mark", { class: kind }, ...piecesOf(points, start, end, spans)));
      at = end;
    }
    box.append(...piecesOf(points, at, points.length, spans));
    const left = rest(number);
    if (left) box.append(" ", left);
    return box;
  };
  const scoreCell = (tag, answer, i) => {
    const score = answer.scores[i];
    const reason = answer.reasons && answer.reasons[i];
    const cell = make(tag, { class: score === null ? "score" : "score known", title: reason, "data-label": specs[i] }, make("span", {}, format(score)));
    if (score !== null) cell.style.setProperty("--share", Math.max(0, Math.min(1, score / maxima[i])));
    return cell;
  };

  return { data, specs, maxima, systems, answers, make, breakable, textOf, answerText, format, formatJudgement, tint, nothing, assertedIn, piecesOf, marked, scoreCell };
})();
