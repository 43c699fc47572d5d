// Scored runs: systems side by side, their answers, where two differ, and answers that one types. All choices stand in the address.

import { h, fill, button, row, said, table } from "./shared/dom.js";
import { get } from "./shared/api.js";
import { main, announce, whoLooks, fail, showBar, openDialog } from "./shared/frame.js";
import { explanation, scoresTable } from "./shared/explanation.js";
import { barsFigure } from "./shared/figures.js";
import { count, decimals, interval } from "./shared/wording.js";
import { typedAnswer } from "./typed.js";

const LIMIT = 50;
const BINS = 20;
const PAUSE_MS = 300;
const VIEWS = [["answers", "Answers"], ["differences", "Two systems"], ["typed", "Type an answer"]];
const FILTERS = ["system", "metric", "low", "high", "text", "attempted", "judged"];

const charts = h("div");
const list = h("div");
let runs;
/** Counts what was asked for, so that a late reply does not replace a newer one. */
let latest = 0;

const choices = () => Object.fromEntries(new URLSearchParams(location.search));
const address = (changes) => {
  const words = new URLSearchParams(Object.entries({ ...choices(), ...changes }).filter(([, value]) => value !== null && value !== "" && value !== undefined));
  return words.size ? `/explore?${words}` : "/explore";
};

/** Change choices, in the address and on the screen. */
function choose(changes, { replace = false } = {}) {
  history[replace ? "replaceState" : "pushState"](null, "", address({ offset: null, ...changes }));
  return refresh();
}

async function start() {
  const me = await whoLooks();
  if (me === null) return;
  showBar(me);
  try {
    runs = await get("runs");
    show();
    addEventListener("popstate", show);
    const { row: wanted } = choices();
    if (wanted !== undefined) await openAnswer(wanted);
  } catch (problem) {
    fail(problem);
  }
}

function show() {
  const view = choices().view ?? "answers";
  fill(
    main,
    h("h1", {}, "Scored runs"),
    h("p", { class: "muted" }, `${count(runs.answers)} answers; ${runs.systems.map((each) => `${each.name} (${count(each.n)})`).join(", ")}`),
    h("section", { class: "panel" }, h("h2", {}, "Systems side by side"), means()),
    h("section", { class: "panel" }, h("h2", {}, "Distribution"), charts),
    h(
      "nav",
      { class: "tabs panel", "aria-label": "Views" },
      VIEWS.map(([name, label]) =>
        h(
          "a",
          {
            class: "button",
            href: address({ view: name === "answers" ? null : name, offset: null }),
            "aria-current": name === view ? "page" : null,
            onclick: (event) => {
              if (event.ctrlKey || event.metaKey || event.shiftKey) return;
              event.preventDefault();
              history.pushState(null, "", event.currentTarget.href);
              show();
              main.querySelector(".tabs [aria-current]").focus();
            },
          },
          label,
        ),
      ),
    ),
    h("section", { class: "panel" }, controls(view), list),
  );
  fill(list);
  refresh();
}

function controls(view) {
  if (view === "typed") return typedAnswer(runs);
  return view === "differences" ? pairControls() : filterControls();
}

async function refresh() {
  const mine = ++latest;
  const view = choices().view ?? "answers";
  try {
    const drawn = await distribution();
    const shown = view === "typed" ? null : await (view === "differences" ? differences() : answers());
    if (mine !== latest) return;
    fill(charts, drawn);
    if (shown !== null) fill(list, shown);
  } catch (problem) {
    if (problem.status === 401) fail(problem);
    else announce(problem.message, true);
  }
}

function means() {
  const columns = [{ label: "Metric" }, ...runs.systems.map((each) => ({ label: h("bdi", {}, each.name), number: true }))];
  const rows = runs.metrics.map((metric) =>
    row(columns, [
      h("code", { title: metric.summary }, metric.spec),
      ...runs.systems.map((system) => {
        const found = runs.aggregates.find((each) => each.system === system.name && each.metric === metric.spec);
        if (found === undefined) return "–";
        return [h("strong", {}, decimals(found.value)), h("span", { class: "small muted" }, interval(found.low, found.high)), found.unscored ? h("span", { class: "small muted" }, `${count(found.unscored)} unscored`) : null];
      }),
    ]),
  );
  const notes = runs.metrics.filter((metric) => metric.note).map((metric) => h("p", { class: "muted small" }, h("code", {}, metric.spec), `: ${metric.note}.`));
  return [table("Means of each system, with 95 % intervals", columns, rows), notes];
}

function chosenMetric() {
  const { metric } = choices();
  return runs.metrics.some((each) => each.spec === metric) ? metric : runs.metrics[0].spec;
}

async function distribution() {
  const metric = chosenMetric();
  const found = await get("distribution", { metric, bins: BINS });
  const highest = Math.max(1, ...found.systems.flatMap((each) => each.counts));
  return [
    h("p", { class: "muted small" }, "Scores of ", h("code", {}, metric), "; all systems have the same height and width."),
    h(
      "div",
      { class: "charts" },
      found.systems.map((each, i) =>
        h(
          "figure",
          {},
          h("figcaption", { dir: "auto" }, each.name, each.missing ? `, ${count(each.missing)} without a score` : ""),
          barsFigure(each.counts, highest, { tint: i, what: `answers of ${each.name} by ${metric}, from ${decimals(found.edges[0], 2)} to ${decimals(found.edges.at(-1), 2)}` }),
          h("div", { class: "ends", "aria-hidden": "true" }, h("span", {}, decimals(found.edges[0], 2)), h("span", {}, decimals(found.edges.at(-1), 2))),
        ),
      ),
    ),
  ];
}

/** Return a labelled field that writes its value into the address. */
function field(name, label, made, { typed = false } = {}) {
  made.value = choices()[name] ?? made.value;
  let timer;
  made.addEventListener(typed ? "input" : "change", () => {
    clearTimeout(timer);
    timer = setTimeout(() => choose({ [name]: made.value }, { replace: typed }), typed ? PAUSE_MS : 0);
  });
  return h("label", {}, h("span", { class: "caption" }, label), made);
}

const options = (pairs) => pairs.map(([value, label]) => h("option", { value }, label));
const systemOptions = () => runs.systems.map((each) => [each.name, each.name]);
const metricOptions = () => runs.metrics.map((each) => [each.spec, each.spec]);

function filterControls() {
  const whether = (name, label, yes, no) => field(name, label, h("select", {}, options([["", "all"], ["true", yes], ["false", no]])));
  return h(
    "form",
    { class: "fields", role: "search", "aria-label": "Filters", onsubmit: (event) => event.preventDefault() },
    field("text", "Text", h("input", { type: "search", maxlength: 500, dir: "auto" }), { typed: true }),
    field("system", "System", h("select", {}, options([["", "all"], ...systemOptions()]))),
    field("metric", "Metric", h("select", {}, options([["", "any"], ...metricOptions()]))),
    field("low", "from", h("input", { type: "number", step: "any" }), { typed: true }),
    field("high", "to", h("input", { type: "number", step: "any" }), { typed: true }),
    whether("attempted", "Attempted", "yes", "no"),
    runs.has_judgements ? whether("judged", "Judged", "yes", "no") : null,
    button("Clear", () => {
      history.pushState(null, "", "/explore");
      show();
    }),
  );
}

async function answers() {
  const wanted = choices();
  const query = Object.fromEntries(FILTERS.map((each) => [each, wanted[each]]));
  if (query.low !== undefined || query.high !== undefined) query.metric = chosenMetric();
  const offset = Number(wanted.offset) || 0;
  const { total, rows } = await get("answers", { ...query, sort: wanted.sort, order: wanted.order, offset, limit: LIMIT });
  announce(`${count(total)} answers`);
  const columns = [
    { label: "Answer", sort: "id" },
    { label: "System", sort: "system" },
    { label: "Question and predicted answer" },
    ...runs.metrics.map((each) => ({ label: each.spec, sort: each.spec, number: true })),
    ...(runs.has_judgements ? [{ label: "Judgement", sort: "judgement", number: true }] : []),
  ];
  const body = rows.map((each) =>
    row(columns, [
      button(each.id, () => openAnswer(each.row), { "aria-label": `Open ${each.id} of ${each.system}`, "data-key": `row-${each.row}` }),
      each.system,
      texts(each.question, each.candidate),
      ...runs.metrics.map(({ spec }) => h("span", { title: each.unscored?.[spec] }, decimals(each.scores[spec]))),
      ...(runs.has_judgements ? [decimals(each.judgement, 2)] : []),
    ]),
  );
  return [sortable(table("Answers", columns, body), columns), pager(offset, total)];
}

function texts(question, ...candidates) {
  return h("div", { class: "text-cell" }, question ? h("span", { class: "small muted", dir: "auto" }, question) : null, candidates.map((each) => h("div", { dir: "auto" }, each ?? "")));
}

/** Make the headings of a table sort on the server. */
function sortable(framed, columns) {
  const { sort, order = "asc" } = choices();
  framed.querySelectorAll("thead th").forEach((head, i) => {
    const name = columns[i].sort;
    if (name === undefined) return;
    const now = sort === name ? order : null;
    if (now !== null) head.setAttribute("aria-sort", now === "asc" ? "ascending" : "descending");
    const label = `${columns[i].label}${now === null ? "" : now === "asc" ? " ↑" : " ↓"}`;
    fill(head, button(label, () => choose({ sort: name, order: now === "asc" ? "desc" : "asc" }), { class: "sort", "data-key": `sort-${name}` }));
  });
  return framed;
}

function pager(offset, total) {
  const go = (to) => choose({ offset: to > 0 ? to : null });
  return h(
    "nav",
    { class: "pager", "aria-label": "Pages" },
    button("Earlier", () => go(offset - LIMIT), { disabled: offset === 0, "data-key": "earlier" }),
    h("span", {}, total === 0 ? "nothing fits" : `${count(offset + 1)} to ${count(Math.min(total, offset + LIMIT))} of ${count(total)}`),
    button("Later", () => go(offset + LIMIT), { disabled: offset + LIMIT >= total, "data-key": "later" }),
  );
}

async function openAnswer(number) {
  try {
    const found = await get(`answers/${number}`);
    const explained = runs.has_texts ? await get(`answers/${number}/explanation`).catch((problem) => problem) : null;
    openDialog(`${found.id}, ${found.system}`, () => [
      h(
        "dl",
        { class: "texts" },
        h("div", {}, h("dt", {}, "Question"), h("dd", { dir: "auto" }, found.question ?? "–")),
        (found.references ?? []).map((each) => h("div", {}, h("dt", {}, "Correct answer"), h("dd", { dir: "auto" }, each))),
        h("div", {}, h("dt", {}, "Predicted answer"), h("dd", { dir: "auto" }, found.candidate ?? "–")),
        found.judgement === null || found.judgement === undefined ? null : h("div", {}, h("dt", {}, "Judgement"), h("dd", {}, decimals(found.judgement, 2))),
      ),
      found.context ? h("details", { class: "passage" }, h("summary", {}, "Passage"), said(found.context)) : null,
      explained === null || explained instanceof Error
        ? [explained ? h("p", { class: "warn" }, explained.message) : null, scoresTable(found.scores, found.unscored)]
        : explanation(explained),
    ].flat());
    history.replaceState(null, "", address({ row: number }));
    document.querySelector("dialog").addEventListener("close", () => history.replaceState(null, "", address({ row: null })));
  } catch (problem) {
    announce(problem.message, true);
  }
}

function pairControls() {
  if (runs.systems.length < 2) return h("p", { class: "muted" }, "There is one system only.");
  const [first, second] = runs.systems;
  return h(
    "form",
    { class: "fields", "aria-label": "Systems to compare", onsubmit: (event) => event.preventDefault() },
    field("a", "First system", withValue(h("select", {}, options(systemOptions())), first.name)),
    field("b", "Second system", withValue(h("select", {}, options(systemOptions())), second.name)),
    field("metric", "Metric", h("select", {}, options(metricOptions()))),
    field("order", "Order", h("select", {}, options([["desc", "first is better"], ["asc", "second is better"]]))),
  );
}

function withValue(made, value) {
  made.value = value;
  return made;
}

async function differences() {
  if (runs.systems.length < 2) return [];
  const wanted = choices();
  const [a, b] = [wanted.a ?? runs.systems[0].name, wanted.b ?? runs.systems[1].name];
  const offset = Number(wanted.offset) || 0;
  const metric = chosenMetric();
  const found = await get("differences", { a, b, metric, order: wanted.order ?? "desc", offset, limit: LIMIT });
  announce(`${count(found.total)} answers of both`);
  const columns = [{ label: "Question" }, { label: a }, { label: b }, { label: a, number: true }, { label: b, number: true }, { label: "Difference", number: true }];
  const side = (each) => h("div", { class: "text-cell" }, each.candidate ?? "", " ", button("Open", () => openAnswer(each.row), { "aria-label": `Open answer ${each.row}`, "data-key": `row-${each.row}` }));
  const rows = found.rows.map((each) =>
    row(columns, [each.question ?? each.id, side(each.a), side(each.b), decimals(each.a.score), decimals(each.b.score), `${each.difference > 0 ? "+" : ""}${decimals(each.difference)}`]),
  );
  return [
    h(
      "p",
      { class: "muted" },
      `By ${metric}, ${a} is better in ${count(found.better.a)} answers, ${b} in ${count(found.better.b)}, and they are equal in ${count(found.better.equal)}; mean difference ${decimals(found.mean)}.`,
    ),
    found.note ? h("p", { class: "muted small" }, h("code", {}, metric), `: ${found.note}.`) : null,
    table("Differences", columns, rows),
    pager(offset, found.total),
  ];
}

start();
