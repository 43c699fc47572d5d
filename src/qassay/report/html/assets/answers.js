"use strict";

// The table of answers: search, filter, sort, page, open. Texts enter the page as text nodes only, never as markup.
(() => {
  const data = JSON.parse(document.getElementById("answers-data").textContent);
  const PAGE = 50;
  const { specs, maxima, systems, answers } = data;
  const severalSystems = systems.length > 1;
  const nowhere = data.left_out
    ? `None of these ${answers.length.toLocaleString("en")} answers matches; ${data.left_out.toLocaleString("en")} others are not in this page. Clear the search or choose another system.`
    : "No answer matches. Clear the search or choose another system.";
  const judged = answers.some((answer) => answer.judgement !== undefined);
  const find = (id) => document.getElementById(id);
  const table = find("table");
  const head = table.tHead;
  const body = table.tBodies[0];

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
  const isUnscored = (answer) => answer.scores.some((score) => score === null);
  const format = (score) => (score === null ? "–" : score.toFixed(3));
  const tint = (answer) => `tint-${answer.system % 8}`;

  const rest = (number) => {
    const more = data.more[number];
    return more ? make("span", { class: "more" }, `… ${more.toLocaleString("en")} more characters`) : null;
  };
  const nothing = (candidate) => {
    if (candidate === null) return make("em", { class: "none" }, "no answer given");
    return textOf(candidate).trim() ? null : make("em", { class: "none" }, "empty answer");
  };
  // Runs are [gap, length, gap, length, …] in code points; a negative length marks words out of order.
  const marked = (number, runs) => {
    const points = Array.from(textOf(number));
    const box = make("p", { class: "text", dir: "auto" });
    let at = 0;
    for (let i = 0; i < runs.length; i += 2) {
      const start = at + runs[i];
      const end = start + Math.abs(runs[i + 1]);
      box.append(points.slice(at, start).join(""));
      const kind = runs[i + 1] < 0 ? "shared" : "ordered";
      box.append(make("mark", { class: kind }, points.slice(start, end).join("")));
      at = end;
    }
    box.append(points.slice(at).join(""));
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

  const byText = (get) => (a, b) => get(a).localeCompare(get(b), undefined, { numeric: true });
  const byNumber = (get) => (a, b) => get(a) - get(b);
  const answerText = (answer) => (answer.candidate === null ? "" : textOf(answer.candidate));
  const columns = [
    { label: "#", name: "worst first", kind: "rank", compare: byNumber((a) => a.rank) },
    severalSystems && { label: "System", kind: "system", compare: byText((a) => systems[a.system]) },
    { label: "Question", kind: "question", compare: byText((a) => textOf(a.question)) },
    {
      label: "Answer",
      kind: "answer",
      compare: byText(answerText),
      missing: (a) => a.candidate === null,
    },
    ...specs.map((spec, i) => ({
      label: spec,
      kind: "score",
      compare: byNumber((a) => a.scores[i]),
      missing: (a) => a.scores[i] === null,
    })),
    judged && {
      label: "Judgement",
      kind: "score",
      compare: byNumber((a) => a.judgement),
      missing: (a) => a.judgement === undefined,
    },
  ].filter(Boolean);

  const state = { words: [], system: -1, unscored: false, column: 0, direction: 1, page: 0, open: new Set() };

  const haystacks = answers.map((answer) => [
    answer.id, systems[answer.system], textOf(answer.question), answerText(answer),
    ...answer.references.map((reference) => textOf(reference.text)),
  ].join("\n").toLowerCase());
  const order = (rows) => {
    const { compare, missing } = columns[state.column];
    return rows.sort((a, b) => {
      const lacking = missing ? missing(a) - missing(b) : 0;
      return lacking || state.direction * compare(a, b) || a.rank - b.rank;
    });
  };
  const selected = () => order(answers.filter((answer, i) =>
    (state.system < 0 || answer.system === state.system)
    && (!state.unscored || isUnscored(answer))
    && state.words.every((word) => haystacks[i].includes(word))));

  const section = (title, ...children) => make("div", { class: "part" }, make("h4", {}, title), ...children);
  const fact = (name, value) => (value === undefined || value === "" ? [] : [
    make("dt", {}, name), make("dd", { dir: "auto" }, String(value)),
  ]);
  const opinionOf = (opinion) => (opinion ? make("span", { class: "tag" }, opinion) : null);

  // Weights are [gap, length, step, …] in code points, steps from 1 to 9 of the strongest weight.
  const heated = (number, runs) => {
    const points = Array.from(textOf(number));
    const box = make("p", { class: "text heat", dir: "auto" });
    let at = 0;
    for (let i = 0; i < runs.length; i += 3) {
      const start = at + runs[i];
      const end = start + runs[i + 1];
      const word = make("span", {}, points.slice(start, end).join(""));
      word.style.setProperty("--weight", runs[i + 2] / 9);
      box.append(points.slice(at, start).join(""), word);
      at = end;
    }
    box.append(points.slice(at).join(""));
    return box;
  };
  const heatPart = (answer, i) => (answer.weights || []).map(([candidate, ...references], k) => {
    if (answer.candidate === null || !references[i]) return null;
    return make("div", { class: "heats" }, make("h4", {}, "Weights of answer and reference: ", make("code", {}, data.weightings[k])),
      heated(answer.candidate, candidate), heated(answer.references[i].text, references[i]));
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
    const rows = [...topics].flatMap(([topic, several]) => {
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
    const head = make("tr", {}, ...names, make("th", { scope: "col", class: "pull" }, make("span", { class: "said" }, "Against and for")));
    return make("details", { class: "judged", open: parts.length ? "" : false },
      make("summary", {}, "What ", make("code", {}, specs[spec]), " goes by"),
      make("table", { class: "signals" }, make("thead", {}, head), make("tbody", {}, ...rows)));
  });

  const answerPart = (answer) => {
    const holder = make("div", {});
    const heat = make("div", {});
    const empty = nothing(answer.candidate);
    const compareWith = (i) => {
      const reference = answer.references[i];
      holder.replaceChildren(empty || marked(answer.candidate, reference ? reference.candidate : []));
      heat.replaceChildren(...(empty ? [] : heatPart(answer, i)));
      list.querySelectorAll("li").forEach((item, k) => item.classList.toggle("compared", k === i));
      list.querySelectorAll("button").forEach((button, k) => button.setAttribute("aria-pressed", String(k === i)));
    };
    const several = answer.references.length > 1;
    const list = make("ol", { class: several ? "references several" : "references" }, ...answer.references.map((reference, i) => {
      const button = several && !empty ? make("button", { type: "button", class: "quiet" }, "Compare") : null;
      if (button) button.addEventListener("click", () => compareWith(i));
      const times = reference.times ? make("span", { class: "muted" }, `given ${reference.times} times`) : null;
      const blank = textOf(reference.text).trim() ? null : make("em", { class: "none" }, "empty: the right answer is to give none");
      return make("li", {}, blank || marked(reference.text, reference.reference), opinionOf(reference.opinion), times, button);
    }));
    compareWith(answer.closest);
    const hidden = answer.hidden ? make("p", { class: "muted" }, `… ${answer.hidden} more references`) : null;
    const legend = empty ? null : make("p", { class: "legend muted" },
      make("mark", { class: "ordered" }, "same words, same order"), " ",
      make("mark", { class: "shared" }, "same words elsewhere"));
    return [
      section("Answer", holder, opinionOf(answer.opinion)),
      section(several ? "References" : "Reference", list, hidden),
      legend,
      heat,
    ];
  };

  const scoresPart = (answer) => section("Scores", make("table", { class: "marks" }, make("tbody", {}, ...specs.map((spec, i) => {
    const reason = answer.reasons && answer.reasons[i];
    const row = make("tr", {}, make("th", { scope: "row" }, make("code", {}, spec)), scoreCell("td", answer, i));
    if (reason) row.append(make("td", { class: "reason" }, reason));
    return row;
  }))));

  const otherAnswers = (answer) => {
    const others = answers.filter((other) => other !== answer && other.id === answer.id && other.question === answer.question);
    if (!others.length) return null;
    return section("Same question, other systems", make("ul", { class: "others" }, ...others.map((other) => {
      const button = make("button", { type: "button", class: "quiet", dir: "auto" }, nothing(other.candidate) || answerText(other));
      button.addEventListener("click", () => reveal(other));
      return make("li", { class: tint(other) }, make("span", { class: "system" }, systems[other.system]), button,
        make("span", { class: "number" }, format(other.value)));
    })));
  };

  const detail = (answer) => make("div", { class: "detail" },
    make("div", { class: "texts" },
      textOf(answer.question) ? section("Question", marked(answer.question, [])) : null,
      ...answerPart(answer),
      otherAnswers(answer)),
    make("aside", {},
      scoresPart(answer),
      ...signalsPart(answer),
      make("dl", { class: "facts" },
        ...fact("System", severalSystems ? systems[answer.system] : undefined),
        ...fact("Judgement", answer.judgement),
        ...fact("Type", answer.type),
        ...fact("Entities", answer.entities && answer.entities.join(" · ")),
        ...fact("Id", answer.id))));

  const cells = (answer) => columns.map((column) => {
    if (column.kind === "rank") {
      const isOpen = state.open.has(answer);
      const button = make("button", {
        type: "button", class: "open", "aria-expanded": String(isOpen), "aria-controls": `detail-${answer.rank}`,
        "aria-label": `Answer ${answer.rank}: details`,
      }, String(answer.rank));
      return make("td", { class: "rank" }, button);
    }
    if (column.kind === "system") return make("td", { class: "system", dir: "auto" }, systems[answer.system]);
    if (column.kind === "question") {
      const question = textOf(answer.question);
      return make("td", { class: "question" }, make("div", { class: "clamp", dir: "auto" }, question || answer.id));
    }
    if (column.kind === "answer") {
      const empty = nothing(answer.candidate);
      return make("td", { class: "answer" }, make("div", { class: "clamp", dir: "auto" }, empty || answerText(answer)));
    }
    if (column.label === "Judgement" && judged) {
      const value = answer.judgement;
      return make("td", { class: "score judgement", "data-label": "judgement" }, make("span", {}, value === undefined ? "–" : String(value)));
    }
    return scoreCell("td", answer, specs.indexOf(column.label));
  });
  const detailRow = (answer) => make("tr", { class: "opened", id: `detail-${answer.rank}` },
    make("td", { colspan: columns.length }, detail(answer)));
  const row = (answer) => {
    const element = make("tr", { class: tint(answer), id: `answer-${answer.rank}` }, ...cells(answer));
    element.addEventListener("click", (event) => {
      // Selecting words to copy is not a click on the row.
      if (!event.target.closest("a") && !String(getSelection())) toggle(answer, element);
    });
    return element;
  };
  const toggle = (answer, element) => {
    const isOpen = state.open.delete(answer);
    if (isOpen) element.nextElementSibling.remove();
    else {
      state.open.add(answer);
      element.after(detailRow(answer));
    }
    element.querySelector(".open").setAttribute("aria-expanded", String(!isOpen));
    const place = isOpen ? location.pathname + location.search : `#answer-${answer.rank}`;
    try { history.replaceState(null, "", place); } catch { /* an address that cannot change is no harm */ }
  };

  const paint = () => {
    const rows = selected();
    const pages = Math.max(1, Math.ceil(rows.length / PAGE));
    state.page = Math.min(state.page, pages - 1);
    const first = state.page * PAGE;
    const shown = rows.slice(first, first + PAGE);
    body.replaceChildren(...shown.flatMap((answer) => (state.open.has(answer) ? [row(answer), detailRow(answer)] : [row(answer)])));
    if (!rows.length) {
      body.append(make("tr", { class: "nothing" }, make("td", { colspan: columns.length }, nowhere)));
    }
    const of = rows.length === answers.length ? "" : ` that match, of ${answers.length.toLocaleString("en")}`;
    find("count").textContent = rows.length
      ? `${(first + 1).toLocaleString("en")}–${(first + shown.length).toLocaleString("en")} of ${rows.length.toLocaleString("en")}${of}`
      : `0 of ${answers.length.toLocaleString("en")}`;
    find("page").textContent = `Page ${state.page + 1} of ${pages}`;
    find("previous").disabled = state.page === 0;
    find("next").disabled = state.page === pages - 1;
    document.querySelector(".pager").hidden = pages === 1;
    [...head.rows[0].cells].forEach((cell, i) => {
      if (i === state.column) cell.setAttribute("aria-sort", state.direction > 0 ? "ascending" : "descending");
      else cell.removeAttribute("aria-sort");
    });
    find("sort").value = `${state.column} ${state.direction}`;
  };
  const restart = (change) => { Object.assign(state, change, { page: 0 }); paint(); };
  const turn = (step) => {
    state.page += step;
    paint();
    find("answers").scrollIntoView();
  };
  const sortBy = (i) => restart({ column: i, direction: state.column === i ? -state.direction : 1 });
  const reveal = (answer) => {
    state.open.add(answer);
    Object.assign(state, { words: [], system: -1, unscored: false });
    find("query").value = "";
    find("system").value = "-1";
    find("unscored").checked = false;
    state.page = Math.floor(selected().indexOf(answer) / PAGE);
    paint();
    const element = find(`answer-${answer.rank}`);
    element.scrollIntoView({ block: "start" });
    element.querySelector(".open").focus({ preventScroll: true });
  };

  head.append(make("tr", {}, ...columns.map((column, i) => {
    const button = make("button", { type: "button", title: `Sort by ${column.name || column.label}` }, ...breakable(column.label));
    button.addEventListener("click", () => sortBy(i));
    return make("th", { scope: "col", class: column.kind }, button);
  })));
  find("system").append(make("option", { value: "-1" }, "all"), ...systems.map((name, i) => make("option", { value: i }, name)));
  find("system-control").hidden = !severalSystems;
  find("unscored-control").hidden = !answers.some(isUnscored);
  find("sort").append(...columns.flatMap((column, i) => {
    const name = column.name || column.label;
    if (column.kind === "rank") return [make("option", { value: `${i} 1` }, name), make("option", { value: `${i} -1` }, "best first")];
    if (column.kind === "score") return [1, -1].map((way) => make("option", { value: `${i} ${way}` }, `${name}, ${way > 0 ? "lowest" : "highest"} first`));
    return [make("option", { value: `${i} 1` }, name.toLowerCase()), make("option", { value: `${i} -1` }, `${name.toLowerCase()}, backwards`)];
  }));
  find("query").addEventListener("input", (event) => restart({ words: event.target.value.toLowerCase().split(/\s+/).filter(Boolean) }));
  find("system").addEventListener("change", (event) => restart({ system: Number(event.target.value) }));
  find("unscored").addEventListener("change", (event) => restart({ unscored: event.target.checked }));
  find("sort").addEventListener("change", (event) => {
    const [column, direction] = event.target.value.split(" ").map(Number);
    restart({ column, direction });
  });
  find("previous").addEventListener("click", () => turn(-1));
  find("next").addEventListener("click", () => turn(1));
  const controls = document.querySelector(".controls");
  controls.hidden = false;
  controls.addEventListener("submit", (event) => event.preventDefault());

  // The table scrolls only where it has no room: the headings of one that fits stay in view.
  const room = find("room");
  document.body.style.setProperty("--columns", columns.filter((column) => column.kind === "score").length);
  new ResizeObserver(() => room.classList.toggle("wide", table.offsetWidth > room.clientWidth)).observe(room);

  paint();
  const linked = /^#answer-(\d+)$/.exec(location.hash);
  if (linked && answers[linked[1] - 1]) reveal(answers[linked[1] - 1]);
})();
