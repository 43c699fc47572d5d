// Instructions: paragraphs, headings, lists, bold, emphasis and code, as elements with text nodes.

import { h, said } from "./dom.js";

const MARKED = /\*\*(.+?)\*\*|\*(.+?)\*|`(.+?)`/g;

function inline(text) {
  const found = [];
  let from = 0;
  for (const match of text.matchAll(MARKED)) {
    found.push(text.slice(from, match.index));
    if (match[1] !== undefined) found.push(h("strong", {}, match[1]));
    else if (match[2] !== undefined) found.push(h("em", {}, match[2]));
    else found.push(h("code", {}, match[3]));
    from = match.index + match[0].length;
  }
  return [...found, text.slice(from)];
}

/** Return the elements of a text. */
export function rendered(text) {
  const found = [];
  let list = null;
  for (const line of text.split("\n").map((each) => each.trim())) {
    if (line.startsWith("- ")) {
      if (list === null) found.push((list = h("ul")));
      list.append(h("li", { dir: "auto" }, inline(line.slice(2))));
      continue;
    }
    list = null;
    const heading = /^#{1,6} (.*)$/.exec(line);
    if (heading) found.push(h("h2", { dir: "auto" }, inline(heading[1])));
    else if (line) found.push(h("p", { dir: "auto" }, inline(line)));
  }
  return found;
}

/** Return the judged examples. */
export function examples(guideline, scale) {
  if (guideline.examples.length === 0) return [];
  return [
    h("h3", {}, "Examples"),
    h(
      "ol",
      { class: "examples" },
      guideline.examples.map((each) => {
        const grade = scale.find((one) => one.value === each.value);
        return h(
          "li",
          {},
          h(
            "dl",
            { class: "texts" },
            h("div", {}, h("dt", {}, "Question"), said(each.question, "dd")),
            h("div", {}, h("dt", {}, "Correct answer"), said(each.reference, "dd")),
            h("div", {}, h("dt", {}, each.other ? "First answer" : "Predicted answer"), said(each.candidate, "dd")),
            each.other ? h("div", {}, h("dt", {}, "Second answer"), said(each.other, "dd")) : null,
          ),
          h("p", {}, h("strong", {}, grade ? `${grade.key} ${grade.short}` : each.value), each.why ? `: ${each.why}` : ""),
        );
      }),
    ),
  ];
}
