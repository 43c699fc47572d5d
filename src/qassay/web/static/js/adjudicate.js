// Items that people disagree on, widest spread first, and the verdicts on them.

import { h, fill, button, said } from "./shared/dom.js";
import { get, newUuid, post, projectNumber } from "./shared/api.js";
import { main, announce, whoLooks, fail, showBar, openDialog } from "./shared/frame.js";
import { explanation } from "./shared/explanation.js";
import { count, decimals } from "./shared/wording.js";

const number = projectNumber();
const path = `projects/${number}`;
const LIMIT = 10;
let project;
let offset = 0;
let open = true;

async function start() {
  const me = await whoLooks();
  if (me === null) return;
  showBar(me, number);
  try {
    project = await get(path);
    document.title = `${project.name} · Qassay`;
    await load();
  } catch (problem) {
    fail(problem);
  }
}

async function load(key = null) {
  const { total, items } = await get(`${path}/adjudication`, { offset, limit: LIMIT, open });
  const all = h("input", { type: "checkbox", onchange: (event) => turn(0, !event.target.checked), "data-key": "all" });
  all.checked = !open;
  fill(
    main,
    h("div", { class: "spread" }, h("h1", {}, "Adjudicate"), h("label", { class: "check" }, all, "also those with a verdict")),
    h("p", { class: "muted" }, `${count(total)} items; the widest spread comes first. A verdict becomes the item's label; ratings stay as they are.`),
    items.map(card),
    h(
      "nav",
      { class: "pager", "aria-label": "Pages" },
      button("Earlier", () => turn(offset - LIMIT, open), { disabled: offset === 0, "data-key": "earlier" }),
      h("span", {}, total === 0 ? "nothing to decide" : `${offset + 1} to ${Math.min(total, offset + LIMIT)} of ${count(total)}`),
      button("Later", () => turn(offset + LIMIT, open), { disabled: offset + LIMIT >= total, "data-key": "later" }),
    ),
  );
  if (key !== null) main.querySelector(".card .grade")?.focus();
}

async function turn(to, onlyOpen) {
  offset = Math.max(0, to);
  open = onlyOpen;
  try {
    await load();
    scrollTo(0, 0);
  } catch (problem) {
    announce(problem.message, true);
  }
}

// Comparisons are stored as 1, -1 and 0; the keys for them are 1, 2 and 0.
const shown = (value) => (project.task === "pair" && value === -1 ? 2 : value);

function gradeOf(value) {
  return project.scale.find((each) => each.value === shown(value));
}

function card(item) {
  const names = item.candidates.length > 1 ? ["First answer", "Second answer"] : ["Predicted answer"];
  const verdict = item.verdict === null ? null : gradeOf(item.verdict);
  return h(
    "article",
    { class: "card" },
    h("h2", { dir: "auto" }, item.question || "(no question)"),
    h("p", { class: "small muted" }, `${item.system}, ${item.example_id}; spread ${decimals(item.spread, 1)}, mean ${decimals(item.mean, 2)}`),
    item.context ? h("details", { class: "passage" }, h("summary", {}, "Passage"), said(item.context)) : null,
    h(
      "div",
      { class: "answers" },
      h("section", {}, h("h3", { class: "label" }, "Correct answer"), item.references.map((each) => said(each))),
      item.candidates.map((each, i) => h("section", { class: "candidate" }, h("h3", { class: "label" }, names[i]), said(each || "(empty)"))),
    ),
    h("p", {}, item.ratings.map((each, i) => [i ? ", " : "", h("bdi", {}, each.name), " ", h("strong", {}, gradeOf(each.value)?.short ?? each.value), ` (${shown(each.value)})`])),
    item.comments.length
      ? h("ul", { class: "notes" }, item.comments.map((each) => h("li", {}, h("bdi", {}, each.name), `, ${each.type === "cannot" ? "cannot judge" : each.type}`, each.text ? ": " : "", h("bdi", {}, each.text ?? ""))))
      : null,
    Object.keys(item.scores).length ? h("p", { class: "small muted" }, Object.entries(item.scores).map(([spec, value]) => `${spec} ${decimals(value)}`).join(", ")) : null,
    verdict ? h("p", {}, "Verdict: ", h("strong", {}, verdict.label)) : null,
    h(
      "div",
      { class: `grades of-${project.scale.length}`, role: "group", "aria-label": `Verdict on ${item.question || item.example_id}` },
      project.scale.map((each) => button([h("kbd", {}, each.key), " ", h("span", {}, each.short)], () => decide(item, each), { class: `grade${verdict === each ? " chosen" : ""}`, title: each.label, "aria-pressed": String(verdict === each) })),
    ),
    h("div", { class: "tools" }, button("Words behind the scores", () => explain(item), { class: "tool" })),
  );
}

async function decide(item, grade) {
  try {
    await post(`${path}/events`, { uuid: newUuid(), type: "adjudicate", item: item.id, value: grade.value });
    await load("next");
    announce(`decided: ${grade.label}`);
  } catch (problem) {
    announce(problem.message, true);
  }
}

async function explain(item) {
  try {
    const found = await get(`${path}/items/${item.id}/explanation`);
    openDialog("Words behind the scores", () => explanation(found));
  } catch (problem) {
    announce(problem.message, true);
  }
}

// The keys of the scale decide the item that has the focus.
document.addEventListener("keydown", (event) => {
  const held = event.target.closest?.(".card");
  if (!held || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  const at = project.scale.findIndex((each) => each.key === event.key.toLowerCase());
  if (at >= 0) held.querySelectorAll(".grade")[at].click();
});

start();
