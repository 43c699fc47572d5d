// The first screen: what there is to do.

import { h, fill } from "./shared/dom.js";
import { main, whoLooks, showBar } from "./shared/frame.js";
import { TASKS } from "./shared/wording.js";

async function start() {
  const me = await whoLooks();
  if (me === null) return;
  showBar(me);
  const owner = me.person.role === "owner";
  fill(
    main,
    h("h1", {}, me.projects.length === 1 ? "Study" : "Studies"),
    me.projects.map((each) => card(each, me.person.role)),
    me.explore && owner
      ? h("section", { class: "card" }, h("h2", {}, "Scored runs"), h("p", {}, "Systems side by side, their answers, and answers that you type."), h("p", {}, h("a", { class: "button primary", href: "/explore" }, "Explore")))
      : null,
    me.projects.length === 0 && !me.explore
      ? h("p", {}, "There is no study and no run here. ", h("code", {}, "qassay serve answers.jsonl --task likert5 --k 3"), " makes a study; programs can score over HTTP.")
      : null,
  );
}

function card(project, role) {
  const { progress } = project;
  const text = `${progress.judgements} of ${progress.needed} judgements in the rounds drawn so far; ${progress.drawn} of ${progress.items} items drawn, ${progress.complete} complete; people: ${progress.people}`;
  return h(
    "section",
    { class: "card" },
    h("h2", { dir: "auto" }, project.name),
    h("p", { class: "muted" }, `${TASKS[project.task]}, ${project.k} per item, ${project.state}`),
    h("progress", { max: Math.max(1, progress.needed), value: progress.judgements, "aria-label": "Judgements" }),
    h("p", {}, text),
    h(
      "p",
      { class: "fields" },
      role === "owner" ? h("a", { class: "button primary", href: `/projects/${project.id}` }, "Dashboard and invitations") : null,
      role === "annotator" ? null : h("a", { class: "button", href: `/projects/${project.id}/adjudicate` }, "Adjudicate"),
      h("a", { class: role === "annotator" ? "button primary" : "button", href: `/annotate/${project.id}` }, "Judge"),
    ),
  );
}

start();
