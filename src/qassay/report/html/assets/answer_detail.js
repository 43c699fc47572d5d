"use strict";

// What an opened answer shows: texts with matching words, weights, scores, signals, and the other systems' answers.
const AnswerDetail = (() => {
  const { data, specs, systems, make, textOf, answerText, format, formatJudgement, tint, nothing, assertedIn, piecesOf, marked, scoreCell } = Answers;

  const section = (title, ...children) => make("div", { class: "part" }, make("h4", {}, title), ...children);
  const fact = (name, value) => (value === undefined || value === "" ? [] : [
    make("dt", {}, name), make("dd", { dir: "auto" }, String(value)),
  ]);
  const opinionOf = (opinion) => (opinion ? make("span", { class: "tag" }, opinion) : null);

  // Weights are [gap, length, step, …] in code points, steps from 1 to 9 of the strongest weight.
  const heated = (number, runs, spans = []) => {
    const points = Array.from(textOf(number));
    const box = make("p", { class: "text heat", dir: "auto" });
    let at = 0;
    for (let i = 0; i < runs.length; i += 3) {
      const start = at + runs[i];
      const end = start + runs[i + 1];
      const word = make("span", {}, ...piecesOf(points, start, end, spans));
      word.style.setProperty("--weight", runs[i + 2] / 9);
      box.append(...piecesOf(points, at, start, spans), word);
      at = end;
    }
    box.append(...piecesOf(points, at, points.length, spans));
    return box;
  };
  const heatPart = (answer, i) => (answer.weights || []).map(([candidate, ...references], k) => {
    if (answer.candidate === null || !references[i]) return null;
    return make("div", { class: "heats" }, make("h4", {}, "Weights of answer and reference: ", make("code", {}, data.weightings[k])),
      heated(answer.candidate, candidate, assertedIn(answer)), heated(answer.references[i].text, references[i]));
  }).filter(Boolean);
  const signalsPart = (answer) => Object.entries(answer.parts || {}).map(([spec, parts]) => {
    const signed = (part) => (part > 0 ? "+" : "") + part.toFixed(2);
    const topics = new Map();
    parts.forEach((part) => {
      const topic = data.signals[part[0]].topic;
      topics.set(topic, [...(topics.get(topic) || []), part]);
    });
    const sum = (several) => several.reduce((total, [, , part]) => total + part, 0);
    const most = Math.max(...[...topics.values()].map((several) => Math.abs(sum(several))));
    const largestFirst = [...topics].sort(([, one], [, other]) => Math.abs(sum(other)) - Math.abs(sum(one)));
    const rows = largestFirst.flatMap(([topic, several]) => {
      const bar = make("i", {});
      bar.style.setProperty("--share", most ? Math.abs(sum(several)) / most : 0);
      const shown = several.filter(([signal]) => data.signals[signal].label !== topic);
      return [
        make("tr", { class: sum(several) > 0 ? "for" : "against" }, make("th", { scope: "row" }, topic), make("td", {}),
          make("td", {}, signed(sum(several))), make("td", { class: "pull" }, bar)),
        ...shown.map(([signal, value, part]) => make("tr", { class: "muted", title: data.signals[signal].description },
          make("td", {}, data.signals[signal].label), make("td", {}, value.toFixed(2)), make("td", {}, signed(part)), make("td", {}))),
      ];
    });
    const names = ["Signal", "value", "adds"].map((name) => make("th", { scope: "col" }, name));
    const head = make("tr", {}, ...names, make("th", { scope: "col", class: "pull" }, make("span", { class: "visually-hidden" }, "Against and for")));
    const meanings = parts.map(([signal]) => data.signals[signal]).filter((signal) => signal.description);
    const legend = make("details", { class: "meanings" }, make("summary", { class: "muted" }, "What the signals mean"),
      make("dl", {}, ...meanings.flatMap((signal) => [make("dt", {}, signal.label), make("dd", {}, signal.description)])));
    return make("details", { class: "judged", open: parts.length ? "" : false },
      make("summary", {}, "Signals of ", make("code", {}, specs[spec])),
      make("table", { class: "signals" }, make("thead", {}, head), make("tbody", {}, ...rows)),
      meanings.length ? legend : null);
  });

  // Sentences are [start, end, probability, start and end of what is wrong, nearest passage] in code points.
  const claimsPart = (answer) => Object.entries(answer.claims || {}).map(([spec, claims]) => {
    const points = Array.from(textOf(answer.candidate));
    const cut = (from, to) => points.slice(from, to).join("");
    const rows = claims.map(([start, end, likely, from, to, support]) => make("tr", { class: likely < 0.5 ? "unsupported" : "" },
      make("td", { class: "number" }, `${likely < 0.5 ? "no" : "yes"} ${format(likely)}`),
      make("td", { dir: "auto" }, ...(from === null ? [cut(start, end)] : [cut(start, from), make("mark", { class: "fault" }, cut(from, to)), cut(to, end)])),
      make("td", { class: "muted", dir: "auto" }, support === null ? "–" : textOf(support))));
    const names = ["supported", "sentence", "nearest passage"].map((name) => make("th", { scope: "col" }, name));
    return section(`Sentences checked by ${specs[spec]}`,
      make("table", { class: "claims" }, make("thead", {}, make("tr", {}, ...names)), make("tbody", {}, ...rows)));
  });

  const answerPart = (answer) => {
    const holder = make("div", {});
    const heat = make("div", {});
    const empty = nothing(answer.candidate);
    const compareWith = (i) => {
      const reference = answer.references[i];
      holder.replaceChildren(empty || marked(answer.candidate, reference ? reference.candidate : [], assertedIn(answer)));
      heat.replaceChildren(...(empty ? [] : heatPart(answer, i)));
      list.querySelectorAll("li").forEach((item, k) => item.classList.toggle("compared", k === i));
      list.querySelectorAll("button").forEach((button, k) => button.setAttribute("aria-pressed", String(k === i)));
    };
    const several = answer.references.length > 1;
    const list = make("ol", { class: several ? "references several" : "references" }, ...answer.references.map((reference, i) => {
      const button = several && !empty ? make("button", { type: "button", class: "quiet" }, "Compare") : null;
      if (button) button.addEventListener("click", () => compareWith(i));
      const times = reference.times ? make("span", { class: "muted" }, `given ${reference.times} times`) : null;
      const blank = textOf(reference.text).trim() ? null : make("em", { class: "none" }, "empty: the question is unanswerable");
      return make("li", {}, blank || marked(reference.text, reference.reference), opinionOf(reference.opinion), times, button);
    }));
    compareWith(answer.closest);
    const hidden = answer.hidden ? make("p", { class: "muted" }, `… ${answer.hidden} more references`) : null;
    const legend = empty ? null : make("p", { class: "legend muted" },
      make("mark", { class: "ordered" }, "same words, same order"), " ",
      make("mark", { class: "shared" }, "same words elsewhere"),
      answer.asserted ? make("b", { class: "asserted" }, "what the answer asserts") : null);
    return [
      section("Answer", holder, opinionOf(answer.opinion)),
      answer.references.length ? section(several ? "References" : "Reference", list, hidden) : null,
      answer.references.length ? legend : null,
      ...claimsPart(answer),
      heat,
    ];
  };

  const scoresPart = (answer) => section("Scores", make("table", { class: "score-list" }, make("tbody", {}, ...specs.flatMap((spec, i) => {
    const reason = answer.reasons && answer.reasons[i];
    const row = make("tr", {}, make("th", { scope: "row" }, make("code", {}, spec)), scoreCell("td", answer, i));
    if (reason) row.append(make("td", { class: "reason" }, reason));
    const lines = [answer.says && answer.says[i], answer.behind && answer.behind[i]].filter(Boolean);
    return [row, ...lines.map((line) => make("tr", {}, make("td", { class: "says", colspan: "3", dir: "auto" }, line)))];
  }))));

  const otherAnswers = (others, reveal) => {
    if (!others.length) return null;
    return section("Same question, other systems", make("ul", { class: "others" }, ...others.map((other) => {
      const button = make("button", { type: "button", class: "quiet", dir: "auto" }, nothing(other.candidate) || answerText(other));
      button.addEventListener("click", () => reveal(other));
      return make("li", { class: tint(other.system) }, make("span", { class: "system" }, systems[other.system]), button,
        make("span", { class: "number" }, format(other.value)));
    })));
  };

  return (answer, others, reveal) => make("div", { class: "detail" },
    make("div", { class: "texts" },
      textOf(answer.question) ? section("Question", marked(answer.question, [])) : null,
      ...answerPart(answer),
      otherAnswers(others, reveal)),
    make("aside", {},
      scoresPart(answer),
      ...signalsPart(answer),
      make("dl", { class: "facts" },
        ...fact("System", systems.length > 1 ? systems[answer.system] : undefined),
        ...fact("Judgement", answer.judgement === undefined ? undefined : formatJudgement(answer.judgement)),
        ...fact("Type", answer.type),
        ...fact("Entities", answer.entities && answer.entities.join(" · ")),
        ...fact("Id", answer.id))));
})();
