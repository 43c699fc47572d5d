// What a lead watches and does: rounds, agreement, accuracy, metrics against people, annotators, invitations, exports.

import { h, fill, button, table, row } from "./shared/dom.js";
import { get, post, projectNumber, put, watched } from "./shared/api.js";
import { main, announce, whoLooks, fail, showBar } from "./shared/frame.js";
import { intervalFigure } from "./shared/figures.js";
import { examples, rendered } from "./shared/guideline.js";
import { TASKS, count, decimals, interval } from "./shared/wording.js";

const number = projectNumber();
const path = `projects/${number}`;
const EVERY_SECONDS = 3;
const EXPORTS = ["ratings.csv", "ratings.jsonl", "judgements.csv", "judgements.jsonl", "labels.csv", "labels.jsonl", "scores.jsonl", "answers.jsonl", "events.jsonl"];

const parts = Object.fromEntries(["head", "agreement", "accuracy", "metrics", "rounds", "annotators", "remarks", "notes"].map((each) => [each, h("div")]));
const least = Number(new URLSearchParams(location.search).get("least")) || null;
const fetchDashboard = watched(least === null ? `${path}/dashboard` : `${path}/dashboard?least=${least}`);
let people = [];

async function start() {
  const me = await whoLooks();
  if (me === null) return;
  showBar(me, number);
  try {
    const first = await load();
    const guideline = await get(`${path}/guideline`);
    fill(
      main,
      parts.head,
      panel("Agreement", parts.agreement),
      panel("Accuracy of each system", parts.accuracy),
      panel("Metrics against people", parts.metrics),
      panel("Rounds", parts.rounds, roundForm(first.project)),
      panel("Annotators", parts.annotators, parts.remarks, invitationForm()),
      panel("Instructions", guidelineForm(guideline, first.project)),
      panel("Files", exportsList()),
      parts.notes,
    );
    setTimeout(poll, EVERY_SECONDS * 1000);
  } catch (problem) {
    fail(problem);
  }
}

function panel(title, ...content) {
  return h("section", { class: "panel" }, h("h2", {}, title), content);
}

/** Fetch what is new and show it; return it, or null where nothing is. */
async function load() {
  const found = await fetchDashboard();
  if (found === null) return null;
  ({ people } = await get(`${path}/people`));
  document.title = `${found.project.name} · Qassay`;
  showHead(found);
  showAgreement(found.agreement);
  showAccuracy(found);
  showMetrics(found.correlations);
  showRounds(found.rounds);
  showAnnotators(found.annotators);
  showRemarks(found.remarks);
  fill(parts.notes, found.notes.length ? panel("To know", h("ul", { class: "notes" }, found.notes.map((each) => h("li", {}, each)))) : null);
  return found;
}

async function poll() {
  try {
    if (!document.hidden) await load();
  } catch (problem) {
    if (problem.status === 401) return fail(problem);
    announce(problem.message, true);
  }
  setTimeout(poll, EVERY_SECONDS * 1000);
}

async function act(what, done) {
  try {
    const reply = await what();
    announce(done);
    await load();
    return reply;
  } catch (problem) {
    announce(problem.message, true);
    return null;
  }
}

function tile(label, value, beside = null) {
  return h("div", { class: "tile" }, h("dt", {}, label), h("dd", {}, value, beside ? h("small", {}, beside) : null));
}

function showHead({ project }) {
  const { progress } = project;
  const other = project.state === "open" ? "closed" : "open";
  fill(
    parts.head,
    h(
      "div",
      { class: "spread" },
      h("h1", { dir: "auto" }, project.name),
      button(other === "closed" ? "Close the study" : "Open the study", () => act(() => post(`${path}/state`, { state: other }), `the study is ${other}`), { "data-key": "state" }),
    ),
    h("p", { class: "muted" }, `${TASKS[project.task]}, ${project.k} per item, ${project.state}`, project.judge ? `, judge ${project.judge}` : ""),
    h(
      "dl",
      { class: "tiles" },
      tile("Judgements", count(progress.judgements), `of ${count(progress.needed)} in the rounds so far`),
      tile("Complete items", count(progress.complete), `of ${count(progress.drawn)} drawn, ${count(progress.items)} in all`),
      tile("Cannot judge", count(progress.cannot)),
      tile("People", count(progress.people)),
    ),
  );
}

function showAgreement(found) {
  if (found === null) return fill(parts.agreement, h("p", { class: "muted" }, "Not yet: two people must have judged the same items."));
  const alpha = (each) => [decimals(each.value), each.reason ?? interval(each.low, each.high)];
  fill(
    parts.agreement,
    h(
      "dl",
      { class: "tiles" },
      tile("Krippendorff's α", ...alpha(found.alpha)),
      tile("α before cleaning", ...alpha(found.alpha_before_cleaning)),
      tile("Pearson of pairs of people", decimals(found.pearson.value), found.pearson.reason ?? `${count(found.pearson.pairs)} pairs of people`),
      tile("Ratings", count(found.ratings), `on ${count(found.items)} items; ${count(found.removed)} removed as noise`),
    ),
  );
}

function showAccuracy({ accuracy, project, least: needed }) {
  if (accuracy === null) {
    const why = project.task === "pair" ? "Comparisons of two answers say nothing about accuracy." : `Not yet: it needs a judge, and items with ${needed} judgements.`;
    return fill(parts.accuracy, h("p", { class: "muted" }, why));
  }
  const columns = [{ label: "System" }, { label: "Accuracy", number: true }, { label: "95 % interval", number: true }, { label: "0 to 1; dashed: the judge alone" }, { label: "Labels", number: true }, { label: "To halve the interval" }];
  const rows = accuracy.systems.map((each, i) =>
    row(columns, [
      each.system,
      decimals(each.estimate),
      interval(each.low, each.high),
      intervalFigure({ value: each.estimate, low: each.low, high: each.high }, { tint: i, faint: each.judge, what: `accuracy of ${each.system}` }),
      `${count(each.labels)} of ${count(each.n)}`,
      each.labels === each.n ? "all are labelled" : halving(each.halving),
    ]),
  );
  const alone = accuracy.systems.filter((each) => each.labels === 0).map((each) => [each.system, "nothing is labelled yet: the judge alone, whose errors the interval does not include"]);
  const notes = [...alone, ...accuracy.systems.flatMap((each) => (each.notes ?? []).map((note) => [each.system, note]))];
  fill(
    parts.accuracy,
    table("Accuracy of each system", columns, rows),
    h("p", { class: "small muted" }, `From the judge ${accuracy.judge} and items with at least ${needed} judgements.`),
    notes.length ? h("ul", { class: "notes" }, notes.map(([system, note]) => h("li", {}, system ? [h("bdi", {}, system), ": "] : null, note))) : null,
  );
}

function halving(found) {
  if (found === null) return "–";
  return [`${count(found.more)} more labels`, h("span", { class: "small muted" }, `to ±${decimals(found.width / 2)}${found.assumed ? ", as far as the judge's scores tell" : ""}`)];
}

function showMetrics(found) {
  if (found === null) return fill(parts.metrics, h("p", { class: "muted" }, "Not yet: it needs stored scores and judged items."));
  const columns = [{ label: "Metric" }, { label: "Pearson", number: true }, { label: "95 % interval", number: true }, { label: "−1 to 1" }, { label: "Spearman", number: true }, { label: "Kendall", number: true }, { label: "Items", number: true }];
  const rows = found.correlations
    .filter((each) => each.level === "answer" && each.by === null)
    .map((each, i) =>
      row(columns, [
        h("code", {}, each.metric),
        decimals(each.pearson),
        interval(each.pearson_low, each.pearson_high),
        intervalFigure({ value: each.pearson, low: each.pearson_low, high: each.pearson_high }, { from: -1, tint: i, what: `Pearson of ${each.metric}` }),
        decimals(each.spearman),
        decimals(each.kendall),
        count(each.n),
      ]),
    );
  fill(parts.metrics, table("Metrics against people", columns, rows));
}

function showRounds(rounds) {
  const columns = [{ label: "Round" }, { label: "Items", number: true }, { label: "Complete", number: true }, { label: "Drawn" }];
  const rows = rounds.map((each) => row(columns, [each.round, count(each.n), count(each.complete), each.uniform ? "uniformly" : "by the judge's doubts"]));
  fill(parts.rounds, rounds.length ? table("Rounds", columns, rows) : h("p", { class: "muted" }, "None is drawn yet."));
}

function roundForm(project) {
  const size = h("input", { type: "number", min: 1, max: 100000, value: project.round_size || 50, required: true });
  const uniform = h("input", { type: "checkbox" });
  const send = (event) => {
    event.preventDefault();
    act(() => post(`${path}/rounds`, { n: size.valueAsNumber, uniform: uniform.checked }), "a round was drawn");
  };
  return h(
    "form",
    { class: "fields", onsubmit: send },
    h("label", {}, h("span", { class: "caption" }, "Items in a new round"), size),
    h("label", { class: "check" }, uniform, "drawn uniformly"),
    h("button", {}, "Draw a round"),
  );
}

function showAnnotators(found) {
  const columns = [
    { label: "Name" },
    { label: "Judged", number: true },
    { label: "Cannot", number: true },
    { label: "Flags, comments", number: true },
    { label: "Gold", number: true },
    { label: "Seconds", number: true },
    { label: "Bias", number: true },
    { label: "Agreement", number: true },
    { label: "Removed", number: true },
    { label: h("span", { class: "visually-hidden" }, "Actions") },
  ];
  const known = new Set(found.map((each) => each.id));
  const others = people.filter((each) => !known.has(each.id) && each.role !== "owner").map((each) => ({ ...each, gold: { total: 0 }, seconds: {} }));
  const rows = [...found, ...others].map((each) =>
    row(
      columns,
      [
        [each.name, h("span", { class: "small muted" }, ` ${each.role}${each.revoked ? ", link revoked" : ""}${each.excluded ? ", excluded" : ""}`)],
        count(each.judgements),
        count(each.cannot),
        `${count(each.flags)}, ${count(each.comments)}`,
        each.gold.total ? `${each.gold.right} of ${each.gold.total}` : "–",
        decimals(each.seconds.median, 1),
        decimals(each.bias, 2),
        decimals(each.agreement, 2),
        count(each.removed),
        actions(each),
      ],
      { class: each.excluded ? "out" : null },
    ),
  );
  fill(parts.annotators, rows.length ? table("Annotators", columns, rows) : h("p", { class: "muted" }, "Nobody is invited yet."), h("p", { class: "small muted" }, "Bias: how far above or below the others. Agreement: Pearson with the mean of the others. Seconds: the median."));
}

/** Show what was said of gold and practice items, which nobody adjudicates. */
function showRemarks(found) {
  const said = (each) => h("li", {}, h("bdi", {}, each.name), `, ${each.type} on the ${each.kind} item “`, h("bdi", {}, each.question), "”", each.text ? [": ", h("bdi", {}, each.text)] : "");
  fill(parts.remarks, found.length ? [h("h3", {}, "Said of gold and practice items"), h("ul", { class: "notes" }, found.map(said))] : null);
}

function actions(person) {
  if (person.role === "owner") return "";
  const to = `${path}/people/${person.id}`;
  return [
    person.role === "program"
      ? null
      : button(person.excluded ? "Include" : "Exclude", () => act(() => post(`${to}/exclude`, { excluded: !person.excluded }), `${person.name} is ${person.excluded ? "included" : "excluded"}`), {
          "data-key": `exclude-${person.id}`,
          "aria-label": `${person.excluded ? "Include" : "Exclude"} ${person.name}`,
        }),
    button("New link", async () => showLink(await act(() => post(`${to}/link`), "a new link was made"), person.name), { "data-key": `link-${person.id}`, "aria-label": `New link for ${person.name}` }),
    person.revoked
      ? null
      : button("Revoke", () => confirm(`Stop the link of ${person.name}?`) && act(() => post(`${to}/revoke`), `${person.name}'s link stopped`), { "data-key": `revoke-${person.id}`, "aria-label": `Revoke the link of ${person.name}` }),
  ];
}

const shownLink = h("div", { "aria-live": "polite" });

function showLink(reply, name) {
  if (reply === null) return;
  const whole = new URL(reply.link, location.href).href;
  fill(shownLink, h("div", { class: "link" }, h("p", {}, `The link of ${name}, shown this once:`), h("code", {}, whole), navigator.clipboard ? button("Copy", () => navigator.clipboard.writeText(whole).then(() => announce("copied"))) : null));
}

function invitationForm() {
  const name = h("input", { required: true, maxlength: 80, autocomplete: "off", dir: "auto" });
  const role = h("select", {}, ["annotator", "adjudicator", "program"].map((each) => h("option", { value: each }, each)));
  const send = async (event) => {
    event.preventDefault();
    const given = name.value.trim();
    const reply = await act(() => post(`${path}/people`, { name: given, role: role.value }), `${given} is invited`);
    if (reply !== null) name.value = "";
    showLink(reply, given);
  };
  return [
    h(
      "form",
      { class: "fields", onsubmit: send },
      h("label", {}, h("span", { class: "caption" }, "Invite"), name),
      h("label", {}, h("span", { class: "caption" }, "as"), role),
      h("button", {}, "Make a link"),
    ),
    shownLink,
  ];
}

function guidelineForm(guideline, project) {
  let current = guideline;
  const version = h("span", { class: "muted" }, `version ${current.version}`);
  const text = h("textarea", { rows: 12, maxlength: 50000, required: true, dir: "auto" }, current.text);
  const preview = h("div", { class: "reading" });
  const show = () => fill(preview, rendered(text.value), examples(current, project.scale));
  const send = async (event) => {
    event.preventDefault();
    const reply = await act(() => put(`${path}/guideline`, { text: text.value, examples: current.examples }), "the instructions are saved; everyone reads them before going on");
    if (reply === null) return;
    current = reply;
    fill(version, `version ${current.version}`);
  };
  text.addEventListener("input", show);
  show();
  return h(
    "details",
    { class: "passage" },
    h("summary", {}, "Read and change them"),
    h(
      "div",
      { class: "typed" },
      h(
        "form",
        { onsubmit: send },
        h("label", {}, h("span", { class: "caption" }, "Paragraphs, # headings, - lists, **bold**, *emphasis*, `code`"), text),
        h("div", { class: "fields" }, h("button", {}, "Save the instructions"), version),
      ),
      preview,
    ),
  );
}

function exportsList() {
  return h("ul", { class: "list" }, EXPORTS.map((each) => h("li", {}, h("a", { href: `/api/v1/${path}/export/${each}`, download: each }, each))));
}

start();
