// An answer that one types, scored while one types it.

import { h, fill } from "./shared/dom.js";
import { get, post } from "./shared/api.js";
import { announce } from "./shared/frame.js";
import { explanation } from "./shared/explanation.js";

const PAUSE_MS = 300;
const nameOf = (spec) => spec.split(/[:(]/)[0];

/** Return the fields, and below them what they score. */
export function typedAnswer(runs) {
  const question = h("input", { value: "where does natural gas come from", dir: "auto" });
  const reference = h("textarea", { rows: 2, dir: "auto" }, "from deep beneath the earth");
  const candidate = h("textarea", { rows: 2, dir: "auto" }, "it is found deep under the ground");
  const metrics = h("input", { autocomplete: "off", spellcheck: "false" });
  const found = h("div", { "aria-live": "off" });
  let timer;
  let latest = 0;

  async function score() {
    const mine = ++latest;
    const specs = metrics.value.split(/\s+/).filter(Boolean);
    if (specs.length === 0 || !reference.value.trim()) return;
    try {
      const answer = { question: question.value, references: [reference.value], candidate: candidate.value };
      const reply = await post("explain", { answer, metrics: specs });
      if (mine !== latest) return;
      fill(found, explanation(reply));
      announce(Object.entries(reply.scores).map(([spec, value]) => `${spec} ${value === null ? "none" : value.toFixed(2)}`).join(", "));
    } catch (problem) {
      if (mine === latest) announce(problem.message, true);
    }
  }

  const later = () => {
    clearTimeout(timer);
    timer = setTimeout(score, PAUSE_MS);
  };
  // Metrics that a file of scores names, and that nobody here can compute, are left out.
  get("metrics-catalogue").then(
    (catalogue) => {
      const known = new Set(catalogue.metrics.map((each) => each.name));
      const usable = runs.metrics.map((each) => each.spec).filter((each) => known.has(nameOf(each)));
      metrics.value = (usable.length ? usable : ["token_f1"]).join(" ");
      score();
    },
    (problem) => announce(problem.message, true),
  );
  const labelled = (label, made) => h("label", {}, h("span", { class: "caption" }, label), made);
  return h(
    "div",
    { class: "typed" },
    h(
      "form",
      { oninput: later, onsubmit: (event) => event.preventDefault(), "aria-label": "An answer to score" },
      labelled("Question", question),
      labelled("Correct answer", reference),
      labelled("Predicted answer", candidate),
      labelled("Metrics, with spaces between", metrics),
    ),
    found,
  );
}
