// The words behind a score: heat maps, the asserted span, and the judge's parts.

import { h, row, table } from "./dom.js";
import { decimals } from "./wording.js";

const STEPS = 8;

/** Return a text with its words tinted by weight and underlined where they are shared; words without a weight stay plain. */
function heated(text, words, weighting) {
  const most = Math.max(1e-9, ...words.map((each) => each.weights?.[weighting] ?? 0));
  const found = [];
  let from = 0;
  for (const each of words) {
    const weight = each.weights?.[weighting];
    const step = weight === undefined ? 0 : Math.round((weight / most) * STEPS);
    const title = weight === undefined ? null : `${weighting} ${decimals(weight)}`;
    found.push(text.slice(from, each.start), h("span", { class: `heat-${step} ${each.match === "none" ? "" : each.match}`, title }, text.slice(each.start, each.end)));
    from = each.end;
  }
  return h("p", { class: "heat", dir: "auto" }, found, text.slice(from));
}

/** Return a text in which the span that was found to be asserted is marked. */
export function asserted(text, span) {
  const at = span ? text.indexOf(span) : -1;
  return at < 0 ? [text] : [text.slice(0, at), h("mark", {}, text.slice(at, at + span.length)), text.slice(at + span.length)];
}

/** Return the scores of an answer as a table. */
export function scoresTable(scores, unscored = {}, definitions = {}) {
  const columns = [{ label: "Metric" }, { label: "Score", number: true }, { label: "What it is" }];
  const rows = Object.entries(scores).map(([spec, value]) => row(columns, [h("code", {}, spec), decimals(value), unscored[spec] ?? definitions[spec] ?? ""]));
  return table("Scores", columns, rows);
}

/** Return everything that explains an answer. */
export function explanation(found) {
  const best = found.references[found.closest] ?? found.references[0];
  const spans = Object.entries(found.asserted ?? {});
  const weightings = best ? [...new Set([...best.candidate_words, ...best.reference_words].flatMap((each) => Object.keys(each.weights ?? {})))] : [];
  return h(
    "div",
    { class: "explained" },
    spans.map(([spec, span]) =>
      h("div", {}, h("h3", { class: "label" }, span ? `Asserted, as ${spec} reads it` : `${spec} finds nothing asserted`), h("p", { dir: "auto" }, asserted(found.candidate, span))),
    ),
    best
      ? (weightings.length ? weightings : [null]).map((each) =>
          h(
            "div",
            {},
            h("h3", { class: "label" }, each === null ? "Words in common" : `Weights of ${each}: the stronger the colour, the more a word counts`),
            h("p", { class: "small muted" }, "underlined: in the same order in both; dotted: in both, elsewhere"),
            h("p", { class: "small muted" }, "Predicted answer"),
            heated(found.candidate, best.candidate_words, each),
            h("p", { class: "small muted" }, "Correct answer"),
            heated(best.text, best.reference_words, each),
          ),
        )
      : null,
    scoresTable(found.scores, found.unscored, found.definitions),
    Object.entries(found.parts ?? {}).map(([spec, parts]) => partsTable(spec, parts)),
  );
}

function partsTable(spec, parts) {
  const columns = [{ label: "Signal" }, { label: "Value", number: true }, { label: "Part", number: true }, { label: "Meaning" }];
  const rows = parts.map((each) => row(columns, [each.label, decimals(each.value, 2), `${each.part > 0 ? "+" : ""}${decimals(each.part, 2)}`, each.description]));
  return h("details", { class: "passage" }, h("summary", {}, `What moved ${spec}`), table(`Parts of ${spec}`, columns, rows));
}
