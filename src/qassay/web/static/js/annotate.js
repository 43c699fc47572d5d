// Judging: instructions, practice, then one key per answer.

import { h, fill, said, button } from "./shared/dom.js";
import { get, post, projectNumber } from "./shared/api.js";
import { main, announce, whoLooks, fail, showBar, openDialog, isTyping } from "./shared/frame.js";
import { rendered, examples } from "./shared/guideline.js";
import { insist, Outbox } from "./shared/outbox.js";
import { Stopwatch } from "./shared/stopwatch.js";

const number = projectNumber();
const path = `projects/${number}`;
const watch = new Stopwatch();
const CHECK_SECONDS = 5;

let project;
let guideline;
/** Where the browser keeps which version of the instructions was read. */
let readKey;
let outbox;
/** The item on the screen, and what one may do: "judge", "feedback" or "wait". */
let item = null;
let mode = "wait";
let mine = { done: 0, practice_left: 0, left: 0 };
/** Items that one judged, newest first, while one looks back; `place` is the one on the screen. */
let earlier = [];
let place = -1;
/** Ignores keys while a judgement is on its way. */
let busy = false;

const KEYS = [
  ["u", "undo the last judgement"],
  ["s", "cannot judge this one"],
  ["f", "flag: something is wrong with the item"],
  ["c", "comment"],
  ["←", "look at earlier items, and judge them anew"],
  ["→", "forward again"],
  ["i", "instructions"],
  ["?", "these keys"],
];

async function start() {
  const me = await whoLooks();
  if (me === null) return;
  showBar(me, number);
  outbox = new Outbox(number, me.person.id, (problem) => announce(`not saved yet: ${problem.message}; trying again`, true));
  try {
    [project, guideline] = await Promise.all([get(path), get(`${path}/guideline`)]);
    document.title = `${project.name} · Qassay`;
    const sent = await outbox.flush();
    if (sent > 0) announce(`sent ${sent} that waited`);
    readKey = `qassay-read-${number}-${me.person.id}`;
    if (localStorage.getItem(readKey) === String(guideline.version)) await advance();
    else showInstructions();
  } catch (problem) {
    fail(problem);
  }
}

function showInstructions() {
  mode = "read";
  const begin = () => {
    localStorage.setItem(readKey, String(guideline.version));
    advance();
  };
  const heading = h("h1", { tabindex: "-1", dir: "auto" }, project.name);
  fill(
    main,
    h("article", { class: "reading" }, heading, rendered(guideline.text), examples(guideline, project.scale), h("h3", {}, "Keys"), keysTable()),
    h("p", { class: "foot" }, button("Begin", begin, { class: "primary", id: "begin" }), h("span", { class: "muted" }, " or press Enter")),
  );
  heading.focus();
}

function keysTable() {
  const rows = [...project.scale.map((each) => [each.key, each.label]), ...KEYS];
  return h("dl", { class: "keys" }, rows.map(([key, label]) => h("div", {}, h("dt", {}, h("kbd", {}, key)), h("dd", {}, label))));
}

async function advance(spoken = "") {
  try {
    // Asking twice returns the same item.
    const reply = await insist(() => post(`${path}/next`), (problem) => announce(`${spoken ? `${spoken}; ` : ""}the next item is not here yet: ${problem.message}; trying again`, true));
    ({ item, mine } = reply);
    place = -1;
    if (reply.guideline !== guideline.version) {
      guideline = await insist(() => get(`${path}/guideline`), (problem) => announce(problem.message, true));
      showInstructions();
      return announce(`${spoken ? `${spoken}; ` : ""}the instructions have changed, please read them`, true);
    }
    if (item === null) return showEnd(reply.reason, spoken);
    mode = "judge";
    showItem();
    const what = item.kind === "practice" ? "practice" : `item ${mine.done + 1}`;
    announce(spoken ? `${spoken}, ${what}` : what);
  } catch (problem) {
    fail(problem);
  }
}

function showEnd(reason, spoken) {
  mode = reason === "wait" ? "wait" : "end";
  const texts = {
    finished: ["All done", "There is nothing left for you to judge. Thank you!"],
    closed: ["This study is closed", "No more judgements are taken. Thank you!"],
    wait: ["One moment", "Others have the last items open; this page looks again by itself."],
  };
  const [title, text] = texts[reason] ?? texts.finished;
  const heading = h("h1", { tabindex: "-1" }, title);
  fill(main, progress(), h("div", { class: "reading" }, heading, h("p", {}, text), h("p", {}, `You judged ${mine.done}.`), tools(reason !== "closed")));
  heading.focus();
  announce(spoken ? `${spoken}; ${title}` : title);
  if (reason === "wait") setTimeout(() => mode === "wait" && advance(), CHECK_SECONDS * 1000);
}

function progress() {
  const total = mine.done + mine.left;
  const practice = item?.kind === "practice";
  const label = practice ? `practice, ${mine.practice_left} to go` : `${mine.done} of at most ${total}`;
  return h(
    "div",
    { class: "progress" },
    h("progress", { max: Math.max(1, total), value: mine.done, "aria-label": "Your progress" }),
    h("span", {}, label),
    h("span", { class: "grow" }),
    button(["Instructions ", h("kbd", {}, "i")], openInstructions, { class: "quiet", "aria-keyshortcuts": "i" }),
    button(["Keys ", h("kbd", {}, "?")], openKeys, { class: "quiet", "aria-keyshortcuts": "?" }),
  );
}

function showItem(chosen = null) {
  watch.restart();
  const back = place >= 0;
  const question = h("h1", { class: "question", tabindex: "-1", dir: "auto", id: "question" }, item.question || "(no question)");
  const names = item.candidates.length > 1 ? ["First answer", "Second answer"] : ["Predicted answer"];
  const correct = item.references.length > 1 ? "Correct answers" : "Correct answer";
  fill(
    main,
    progress(),
    item.kind === "practice" ? h("p", { class: "badge" }, "Practice: you will be told what was expected") : null,
    back ? h("p", { class: "badge" }, "An earlier item; judging it again replaces what you said") : null,
    item.context ? h("details", { class: "passage" }, h("summary", {}, "Passage"), said(item.context)) : null,
    h("h2", { class: "label", id: "what" }, "Question"),
    question,
    h(
      "div",
      { class: "answers" },
      h(
        "section",
        { class: "reference" },
        h("h2", { class: "label" }, correct),
        item.references.length === 0 ? h("p", { class: "muted" }, "none is known") : item.references.map((each) => said(each)),
      ),
      item.candidates.map((each, i) =>
        h("section", { class: "candidate" }, h("h2", { class: "label" }, names[i]), said(each || "(empty)", "p", { class: each ? null : "muted" })),
      ),
    ),
    h("div", { id: "feedback", "aria-live": "assertive" }),
    h("div", { class: "judging" }, grades(chosen), tools(true)),
  );
  question.focus();
}

// Buttons, not radio buttons: to choose is to send, and the arrows that walk through radio buttons would send as well.
function grades(chosen) {
  return h(
    "div",
    { class: `grades of-${project.scale.length}`, role: "group", "aria-label": "Your judgement" },
    project.scale.map((each) =>
      button([h("kbd", {}, each.key), " ", h("span", {}, each.short)], () => judge(each.value), {
        title: each.label,
        "aria-keyshortcuts": each.key,
        "aria-pressed": chosen === null ? null : String(chosen === each.value),
        class: `grade${chosen === each.value ? " chosen" : ""}`,
      }),
    ),
  );
}

function tools(canJudge) {
  const judging = item !== null;
  const entry = (key, label, act) => button([h("kbd", {}, key), ` ${label}`], act, { class: "tool", "aria-keyshortcuts": key === "←" ? "ArrowLeft" : key });
  return h(
    "div",
    { class: "tools" },
    canJudge ? entry("u", "undo", undo) : null,
    judging ? entry("s", "cannot judge", cannot) : null,
    judging ? entry("f", "flag", () => openNote("flag")) : null,
    judging ? entry("c", "comment", () => openNote("comment")) : null,
    canJudge ? entry("←", "back", goBack) : null,
  );
}

/** Send what one did, with the version of the instructions that one read. */
const record = (event) => outbox.send({ guideline: guideline.version, ...event });

/** Run something that talks to the server, one thing at a time. */
async function once(act) {
  if (busy) return;
  busy = true;
  main.setAttribute("aria-busy", "true");
  try {
    await act();
  } catch (problem) {
    if (problem.status === 401) fail(problem);
    else if (problem.code === "taken") await advance("others were faster with that one");
    else announce(problem.message, true);
  } finally {
    busy = false;
    main.removeAttribute("aria-busy");
  }
}

const judge = (value) =>
  once(async () => {
    if (mode !== "judge") return;
    const grade = project.scale.find((each) => each.value === value);
    const reply = await record({ type: "judge", item: item.id, value, elapsed_ms: watch.milliseconds });
    if (reply.feedback) showFeedback(reply.feedback, grade);
    else await advance(`saved ${grade.key}`);
  });

const cannot = () =>
  once(async () => {
    if (mode !== "judge") return;
    await record({ type: "cannot", item: item.id, elapsed_ms: watch.milliseconds });
    await advance("saved: cannot judge");
  });

const undo = () =>
  once(async () => {
    const { events } = await get(`${path}/mine`, { limit: 1 });
    if (events.length === 0) return announce("there is nothing to undo", true);
    await record({ type: "undo", item: events[0].item.id, reverts: events[0].uuid });
    await advance("undone");
  });

function showFeedback(feedback, grade) {
  mode = "feedback";
  const expected = project.scale.find((each) => each.value === feedback.expected);
  const text = feedback.right ? `${grade.key} is what we expected` : `You said ${grade.key} ${grade.short}; we expected ${expected.key} ${expected.short}`;
  const go = button(["Go on ", h("kbd", {}, "Enter")], () => once(() => advance()), { class: "primary", id: "go-on" });
  fill(
    document.getElementById("feedback"),
    h("div", { class: feedback.right ? "feedback right" : "feedback" }, h("p", {}, h("strong", {}, text), feedback.why ? `: ${feedback.why}` : ""), go),
  );
  main.querySelector(".judging").hidden = true;
  go.focus();
}

const goBack = () => once(() => look(place + 1));
const goForward = () => once(async () => (place > 0 ? look(place - 1) : place === 0 ? advance() : undefined));

async function look(wanted) {
  if (mode === "feedback") return;
  if (place < 0) earlier = (await get(`${path}/mine`, { limit: 50 })).events.filter((each) => each.item.kind !== "practice");
  if (wanted >= earlier.length) return announce("there is nothing earlier", true);
  place = wanted;
  mode = "judge";
  item = earlier[place].item;
  showItem(earlier[place].type === "judge" ? earlier[place].value : null);
  announce(`earlier item, ${wanted + 1} back`);
}

function openNote(type) {
  if (item === null || mode !== "judge") return;
  const about = item.id;
  const title = type === "flag" ? "Flag this item" : "Comment on this item";
  openDialog(title, (close) => {
    const label = type === "flag" ? "What is wrong with it? (may stay empty)" : "Your comment";
    const area = h("textarea", { rows: 4, maxlength: 2000, id: "note", dir: "auto" });
    const send = (event) => {
      event.preventDefault();
      const text = area.value.trim();
      if (type === "comment" && text === "") return area.focus();
      close();
      once(async () => {
        await record({ type, item: about, ...(text ? { text } : {}) });
        announce(type === "flag" ? "flagged" : "comment saved");
      });
    };
    area.addEventListener("keydown", (event) => event.key === "Enter" && (event.ctrlKey || event.metaKey) && send(event));
    return h(
      "form",
      { onsubmit: send },
      h("label", { for: "note" }, label),
      area,
      h("p", { class: "foot" }, h("button", { class: "primary" }, "Save"), h("span", { class: "muted" }, " Ctrl+Enter saves, Esc closes")),
    );
  });
}

const openInstructions = () => openDialog("Instructions", () => h("div", { class: "reading" }, rendered(guideline.text), examples(guideline, project.scale)));
const openKeys = () => openDialog("Keys", () => h("div", { class: "reading" }, keysTable()));

const ACTIONS = { u: undo, s: cannot, f: () => openNote("flag"), c: () => openNote("comment"), i: openInstructions, "?": openKeys, ArrowLeft: goBack, ArrowRight: goForward };

document.addEventListener("keydown", (event) => {
  if (project === undefined || isTyping(event)) return;
  if (event.key === "Enter" && event.target.closest("button, a, summary") === null) {
    document.querySelector("#begin, #go-on")?.click();
    return;
  }
  if (mode === "read") return;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const grade = project.scale.find((each) => each.key === key);
  const act = grade && mode === "judge" ? () => judge(grade.value) : ACTIONS[key];
  if (act === undefined) return;
  event.preventDefault();
  act();
});

start();
