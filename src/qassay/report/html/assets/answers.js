"use strict";

// The table of answers: search, filter, sort, page, open; one row per answer, or one per question with the systems
// side by side.
(() => {
  const { data, specs, maxima, systems, answers, make, breakable, textOf, answerText, format, formatJudgement, tint, nothing, scoreCell } = Answers;
  const PAGE = 50;
  const find = (id) => document.getElementById(id);
  const table = find("table");
  const head = table.tHead;
  const body = table.tBodies[0];
  const severalSystems = systems.length > 1;
  const judged = answers.some((answer) => answer.judgement !== undefined);
  const types = [...new Set(answers.map((answer) => answer.type).filter(Boolean))].sort();
  const counted = (number) => number.toLocaleString("en");

  // Answers to one question share its id, or where no id comes twice, its text.
  const sharedIds = new Set(answers.map((answer) => answer.id)).size < answers.length;
  const questionOf = (answer) => (sharedIds || !textOf(answer.question) ? `${answer.id}\n${answer.question}` : answer.question);
  const groups = new Map();
  answers.forEach((answer) => {
    const key = questionOf(answer);
    if (!groups.has(key)) groups.set(key, { answers: [], rank: answer.rank });
    answer.group = groups.get(key);
    answer.group.answers.push(answer);
  });
  const spread = (values) => (values.length > 1 ? Math.max(...values) - Math.min(...values) : 0);
  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  [...groups.values()].forEach((group) => {
    group.first = group.answers[0];
    group.difference = spread(group.answers.map((answer) => answer.value).filter((value) => value !== null));
  });
  const isUnscored = (answer) => answer.scores.some((score) => score === null);
  // How far the metrics that order the answers are from the others; from each other where there are no others.
  const disagreement = (answer) => {
    const known = answer.scores.map((score, i) => [i, score]).filter(([, score]) => score !== null);
    const share = ([i, score]) => score / maxima[i];
    const leading = known.filter(([i]) => data.leading.includes(i)).map(share);
    const others = known.filter(([i]) => !data.leading.includes(i)).map(share);
    return leading.length && others.length ? Math.abs(mean(leading) - mean(others)) : spread(known.map(share));
  };
  answers.forEach((answer) => { answer.disagreement = disagreement(answer); });

  const byText = (get) => (a, b) => get(a).localeCompare(get(b), undefined, { numeric: true });
  const byNumber = (get) => (a, b) => get(a) - get(b);
  const referenceText = (answer) => (answer.references.length ? textOf(answer.references[answer.closest].text) : "");
  const clamp = (...children) => make("div", { class: "clamp", dir: "auto" }, ...children);
  const rankCell = (row, answer) => {
    const button = make("button", {
      type: "button", class: "open", "aria-expanded": String(state.open.has(row)), "aria-controls": `detail-${answer.rank}`,
      "aria-label": `Answer ${answer.rank}: details`,
    }, String(row.rank));
    return make("td", { class: "rank" }, button);
  };
  const questionCell = (answer) => make("td", { class: "question" }, clamp(textOf(answer.question) || answer.id));
  const referenceCell = (answer) => {
    const text = referenceText(answer);
    const more = answer.references.length - 1 + (answer.hidden || 0);
    return make("td", { class: "reference", "data-label": "reference" }, clamp(text.trim() ? text : make("em", { class: "none" }, "none"),
      more > 0 ? make("span", { class: "muted" }, ` +${more}`) : null));
  };

  const noAttempt = (answer) => (answer.attempted === false ? [make("span", { class: "tag" }, "no attempt"), " "] : []);

  // Columns of the two views. A row is an answer, or a question with the answers of all systems.
  const ranked = { label: "#", name: "worst first", kind: "rank", compare: byNumber((row) => row.rank) };
  const answerColumns = () => [
    { ...ranked, cell: (answer) => rankCell(answer, answer) },
    severalSystems && {
      label: "System", kind: "system", compare: byText((a) => systems[a.system]),
      cell: (a) => make("td", { class: "system", dir: "auto" }, systems[a.system]),
    },
    { label: "Question", kind: "question", compare: byText((a) => textOf(a.question)), cell: questionCell },
    { label: "Reference", kind: "reference", compare: byText(referenceText), cell: referenceCell },
    {
      label: "Answer", kind: "answer", compare: byText(answerText), missing: (a) => a.candidate === null,
      // Where there is no room for a column of references, they stand below the answers.
      cell: (a) => make("td", { class: "answer" }, clamp(...noAttempt(a), nothing(a.candidate) || answerText(a)),
        make("div", { class: "clamp beside-answer", dir: "auto", "aria-hidden": "true" }, referenceText(a))),
    },
    ...specs.map((spec, i) => ({
      label: spec, kind: "score", compare: byNumber((a) => a.scores[i]), missing: (a) => a.scores[i] === null,
      cell: (a) => scoreCell("td", a, i),
    })),
    judged && {
      label: "Judgement", kind: "score", compare: byNumber((a) => a.judgement), missing: (a) => a.judgement === undefined,
      cell: (a) => make("td", { class: "score judgement", "data-label": "judgement" }, make("span", {}, formatJudgement(a.judgement))),
    },
  ].filter(Boolean);
  const bySystem = (group, i) => group.answers.filter((answer) => answer.system === i);
  const valueOf = (group, i) => { const [found] = bySystem(group, i); return found ? found.value : null; };
  const systemCell = (group, i) => make("td", { class: `side ${tint(i)}`, "data-label": systems[i] }, ...bySystem(group, i).map((answer) => {
    const value = make("span", { class: answer.value === null ? "share" : "share known" }, make("span", {}, format(answer.value)));
    if (answer.value !== null) value.style.setProperty("--share", Math.max(0, Math.min(1, answer.value)));
    const box = make("div", { class: "given" }, value, clamp(...noAttempt(answer), nothing(answer.candidate) || answerText(answer)));
    box.addEventListener("click", () => { group.chosen = answer; });
    return box;
  }));
  const questionColumns = () => [
    { ...ranked, cell: (group) => rankCell(group, group.first) },
    { label: "Question", kind: "question", compare: byText((group) => textOf(group.first.question)), cell: (group) => questionCell(group.first) },
    { label: "Reference", kind: "reference", compare: byText((group) => referenceText(group.first)), cell: (group) => referenceCell(group.first) },
    ...systems.map((name, i) => ({
      label: name, kind: "side", compare: byNumber((group) => valueOf(group, i)), missing: (group) => valueOf(group, i) === null,
      cell: (group) => systemCell(group, i),
    })),
    {
      label: "Difference", kind: "score", compare: byNumber((group) => group.difference),
      cell: (group) => make("td", { class: "score", "data-label": "difference" }, make("span", {}, format(group.difference))),
    },
  ];

  const nobody = { words: [], system: -1, unscored: false, type: "", metric: 0, low: -Infinity, high: Infinity, disagree: 0, differ: 0 };
  const state = { ...nobody, questions: severalSystems && data.view === "questions", column: 0, direction: 1, page: 0, open: new Set() };
  let columns = [];

  const haystacks = answers.map((answer) => [
    answer.id, systems[answer.system], textOf(answer.question), answerText(answer),
    ...answer.references.map((reference) => textOf(reference.text)),
  ].join("\n").toLowerCase());
  const measured = (answer) => (state.metric < specs.length ? answer.scores[state.metric] : answer.judgement ?? null);
  const inRange = (answer) => {
    if (state.low === -Infinity && state.high === Infinity) return true;
    const score = measured(answer);
    return score !== null && score >= state.low && score <= state.high;
  };
  const fits = (answer) =>
    (state.system < 0 || answer.system === state.system)
    && (!state.unscored || isUnscored(answer))
    && (!state.type || answer.type === state.type)
    && inRange(answer)
    && answer.disagreement >= state.disagree
    && answer.group.difference >= state.differ
    && state.words.every((word) => haystacks[answer.rank - 1].includes(word));
  const selected = () => {
    const rows = state.questions ? [...groups.values()].filter((group) => group.answers.some(fits)) : answers.filter(fits);
    const { compare, missing } = columns[state.column];
    return rows.sort((a, b) => {
      const lacking = missing ? missing(a) - missing(b) : 0;
      return lacking || state.direction * compare(a, b) || a.rank - b.rank;
    });
  };

  const opened = (row) => (state.questions ? row.chosen || row.first : row);
  const detailRow = (row) => {
    const answer = opened(row);
    const others = answer.group.answers.filter((other) => other !== answer);
    return make("tr", { class: `opened ${tint(answer.system)}`, id: `detail-${answer.rank}` },
      make("td", { colspan: columns.length }, AnswerDetail(answer, others, reveal)));
  };
  const rowOf = (row) => {
    const element = make("tr", { class: state.questions ? "" : tint(row.system), id: `answer-${opened(row).rank}` }, ...columns.map((column) => column.cell(row)));
    element.addEventListener("click", (event) => {
      // Selecting words to copy is not a click on the row.
      if (!event.target.closest("a") && !String(getSelection())) toggle(row, element);
    });
    return element;
  };
  const toggle = (row, element) => {
    const shown = state.open.has(row) ? element.nextElementSibling : null;
    const isOpen = shown !== null && shown.id === `detail-${opened(row).rank}`;
    if (shown) shown.remove();
    if (isOpen) state.open.delete(row);
    else {
      state.open.add(row);
      element.after(detailRow(row));
    }
    element.querySelector(".open").setAttribute("aria-expanded", String(!isOpen));
    const place = isOpen ? location.pathname + location.search : `#answer-${opened(row).rank}`;
    try { history.replaceState(null, "", place); } catch { /* an address that cannot change is no harm */ }
  };

  const nothingFits = () => {
    const others = data.left_out ? `; ${counted(data.left_out)} others are not in this page` : "";
    return `None of these ${counted(answers.length)} answers matches${others}. Clear the search and the filters.`;
  };
  const paint = () => {
    const rows = selected();
    const all = state.questions ? groups.size : answers.length;
    const pages = Math.max(1, Math.ceil(rows.length / PAGE));
    state.page = Math.min(state.page, pages - 1);
    const first = state.page * PAGE;
    const shown = rows.slice(first, first + PAGE);
    body.replaceChildren(...shown.flatMap((row) => (state.open.has(row) ? [rowOf(row), detailRow(row)] : [rowOf(row)])));
    if (!rows.length) {
      body.append(make("tr", { class: "nothing" }, make("td", { colspan: columns.length }, nothingFits())));
    }
    const of = rows.length === all ? "" : ` that match, of ${counted(all)}`;
    const noun = state.questions ? " questions" : "";
    find("count").textContent = rows.length
      ? `${counted(first + 1)}–${counted(first + shown.length)} of ${counted(rows.length)}${of}${noun}`
      : `0 of ${counted(all)}${noun}`;
    find("page").textContent = `Page ${state.page + 1} of ${pages}`;
    find("previous").disabled = state.page === 0;
    find("next").disabled = state.page === pages - 1;
    document.querySelector(".pager").hidden = pages === 1;
    [...head.rows[0].cells].forEach((cell, i) => {
      if (i === state.column) cell.setAttribute("aria-sort", state.direction > 0 ? "ascending" : "descending");
      else cell.removeAttribute("aria-sort");
    });
    find("sort").value = `${state.column} ${state.direction}`;
    find("clear").hidden = Object.keys(nobody).every((name) => String(state[name]) === String(nobody[name]));
  };
  const restart = (change) => { Object.assign(state, change, { page: 0 }); paint(); };
  const turn = (step) => {
    state.page += step;
    paint();
    find("answers").scrollIntoView();
  };
  const sortBy = (i) => restart({ column: i, direction: state.column === i ? -state.direction : columns[i].label === "Difference" ? -1 : 1 });
  const emptyControls = () => {
    document.querySelectorAll(".controls input").forEach((input) => { input.value = ""; input.checked = false; });
    document.querySelectorAll(".controls select[data-filter]").forEach((select) => { select.selectedIndex = 0; });
  };
  const reveal = (answer) => {
    const row = state.questions ? answer.group : answer;
    answer.group.chosen = answer;
    state.open.add(row);
    Object.assign(state, nobody);
    emptyControls();
    state.page = Math.floor(selected().indexOf(row) / PAGE);
    paint();
    const element = find(`answer-${answer.rank}`);
    element.scrollIntoView({ block: "start" });
    element.querySelector(".open").focus({ preventScroll: true });
  };

  const drawHead = () => {
    columns = state.questions ? questionColumns() : answerColumns();
    head.replaceChildren(make("tr", {}, ...columns.map((column, i) => {
      const button = make("button", { type: "button", title: `Sort by ${column.name || column.label}` }, ...breakable(column.label));
      button.addEventListener("click", () => sortBy(i));
      return make("th", { scope: "col", class: column.kind === "side" ? `side ${tint(systems.indexOf(column.label))}` : column.kind }, button);
    })));
    const option = (i, way, name) => make("option", { value: `${i} ${way}` }, name);
    find("sort").replaceChildren(...columns.flatMap((column, i) => {
      const name = column.name || column.label;
      if (column.kind === "rank") return [option(i, 1, name), option(i, -1, "best first")];
      if (column.kind === "score" || column.kind === "side") return [1, -1].map((way) => option(i, way, `${name}, ${way > 0 ? "lowest" : "highest"} first`));
      return [option(i, 1, name.toLowerCase()), option(i, -1, `${name.toLowerCase()}, backwards`)];
    }));
    table.classList.toggle("sides", state.questions);
    find("system-control").hidden = !severalSystems || state.questions;
    const narrow = columns.filter((column) => column.kind === "score").length;
    document.body.style.setProperty("--columns", narrow);
    document.body.style.setProperty("--sides", columns.filter((column) => column.kind === "side").length);
  };
  const fill = (id, ...options) => find(id).append(...options.map(([value, text]) => make("option", { value }, text)));
  const bound = (input, without) => (input.value === "" || Number.isNaN(Number(input.value)) ? without : Number(input.value));

  fill("system", ["-1", "all"], ...systems.map((name, i) => [i, name]));
  fill("type", ["", "all"], ...types.map((name) => [name, name]));
  fill("metric", ...specs.map((spec, i) => [i, spec]), ...(judged ? [[specs.length, "Judgement"]] : []));
  find("metric").value = String(data.leading[0] ?? 0);
  nobody.metric = state.metric = Number(find("metric").value);
  for (const id of ["disagree", "differ"]) fill(id, ["0", "show all"], ...[0.1, 0.25, 0.5].map((least) => [least, `by ${least} or more`]));
  find("view-control").hidden = !severalSystems;
  find("differ-control").hidden = groups.size === answers.length;
  find("disagree-control").hidden = specs.length < 2;
  find("type-control").hidden = !types.length;
  find("unscored-control").hidden = !answers.some(isUnscored);
  find("view").value = state.questions ? "questions" : "answers";
  find("query").addEventListener("input", (event) => restart({ words: event.target.value.toLowerCase().split(/\s+/).filter(Boolean) }));
  find("system").addEventListener("change", (event) => restart({ system: Number(event.target.value) }));
  find("type").addEventListener("change", (event) => restart({ type: event.target.value }));
  find("metric").addEventListener("change", (event) => restart({ metric: Number(event.target.value) }));
  find("low").addEventListener("input", (event) => restart({ low: bound(event.target, -Infinity) }));
  find("high").addEventListener("input", (event) => restart({ high: bound(event.target, Infinity) }));
  find("disagree").addEventListener("change", (event) => restart({ disagree: Number(event.target.value) }));
  find("differ").addEventListener("change", (event) => restart({ differ: Number(event.target.value) }));
  find("unscored").addEventListener("change", (event) => restart({ unscored: event.target.checked }));
  find("clear").addEventListener("click", () => { emptyControls(); find("metric").value = String(nobody.metric); restart(nobody); });
  find("view").addEventListener("change", (event) => {
    state.questions = event.target.value === "questions";
    state.open.clear();
    state.system = -1;
    find("system").value = "-1";
    drawHead();
    restart({ column: 0, direction: 1 });
  });
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
  const fit = () => {
    const style = getComputedStyle(document.body);
    const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
    const [columnCount, score, texts] = ["--columns", "--score", "--texts"].map((name) => parseFloat(style.getPropertyValue(name)));
    room.classList.toggle("tight", room.clientWidth < (7.8 + columnCount * score + texts) * rem);
    room.classList.toggle("wide", table.offsetWidth > room.clientWidth);
  };
  new ResizeObserver(fit).observe(room);

  drawHead();
  paint();
  const linked = /^#answer-(\d+)$/.exec(location.hash);
  if (linked && answers[linked[1] - 1]) reveal(answers[linked[1] - 1]);
})();
