// Small drawings. Each says in words what it shows.

import { h } from "./dom.js";
import { decimals, interval } from "./wording.js";

const WIDTH = 200;

/** Return an interval on an axis; `faint` is another one behind it. */
export function intervalFigure(found, { from = 0, to = 1, tint = 0, faint = null, what = "" }) {
  const x = (value) => (8 + ((Math.min(to, Math.max(from, value)) - from) / (to - from)) * (WIDTH - 16)).toFixed(1);
  const known = [found.value, found.low, found.high].every((each) => typeof each === "number");
  const label = known ? `${what}: ${decimals(found.value)}, ${interval(found.low, found.high)}, on an axis from ${from} to ${to}` : `${what}: unknown`;
  return h(
    "svg",
    { class: `drawing tint-${tint % 8}`, viewBox: `0 0 ${WIDTH} 24`, preserveAspectRatio: "none", role: "img", "aria-label": label },
    h("line", { class: "axis", x1: 8, x2: WIDTH - 8, y1: 20, y2: 20 }),
    [from, (from + to) / 2, to].map((each) => h("line", { class: "axis", x1: x(each), x2: x(each), y1: 4, y2: 20 })),
    faint ? h("line", { class: "faint", x1: x(faint.low), x2: x(faint.high), y1: 16, y2: 16 }) : null,
    known ? h("line", { class: "whisker", x1: x(found.low), x2: x(found.high), y1: 10, y2: 10 }) : null,
    known ? h("line", { class: "whisker", x1: x(found.value), x2: x(found.value), y1: 4, y2: 16 }) : null,
  );
}

/** Return counts as bars. */
export function barsFigure(counts, highest, { tint = 0, what = "" }) {
  const wide = WIDTH / counts.length;
  return h(
    "svg",
    { class: `drawing bars tint-${tint % 8}`, viewBox: `0 0 ${WIDTH} 100`, preserveAspectRatio: "none", role: "img", "aria-label": `${what}: ${counts.join(", ")}` },
    h("line", { class: "axis", x1: 0, x2: WIDTH, y1: 99.5, y2: 99.5 }),
    counts.map((each, i) => {
      const tall = highest > 0 ? (each / highest) * 98 : 0;
      return h("rect", { x: (i * wide + 0.5).toFixed(2), width: (wide - 1).toFixed(2), y: (99 - tall).toFixed(2), height: tall.toFixed(2) });
    }),
  );
}
