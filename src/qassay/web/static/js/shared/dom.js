// Elements from text: nothing here, or anywhere in these pages, reads a string as HTML.

const SVG = "http://www.w3.org/2000/svg";
const DRAWN = new Set(["svg", "g", "line", "circle", "rect", "text", "title", "path"]);

/**
 * Return an element. Attributes that are null or false are left out, `onclick` and its like are listeners, and children
 * are elements, lists of them, or texts.
 */
export function h(tag, attributes = {}, ...children) {
  const made = DRAWN.has(tag) ? document.createElementNS(SVG, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? "" : String(value));
  }
  append(made, children);
  return made;
}

function append(parent, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    parent.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

/** Replace what an element holds; the focus stays on the element with the same `data-key`. */
export function fill(parent, ...children) {
  const key = parent.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
  parent.replaceChildren();
  append(parent, children);
  if (key !== undefined) [...parent.querySelectorAll("[data-key]")].find((each) => each.dataset.key === key)?.focus();
  return parent;
}

/** Return a text of people or systems, which may run from right to left. */
export function said(text, tag = "p", attributes = {}) {
  return h(tag, { dir: "auto", ...attributes }, text);
}

/** Return a button. */
export function button(label, onclick, attributes = {}) {
  return h("button", { type: "button", onclick, ...attributes }, label);
}

/** Return a table in a frame that scrolls sideways where it must; `columns` are `{label, number}`. */
export function table(caption, columns, rows, attributes = {}) {
  const heads = columns.map((each) => h("th", { scope: "col", class: each.number ? "number" : null }, each.label));
  return h(
    "div",
    { class: "wide", tabindex: "0", role: "region", "aria-label": caption },
    h(
      "table",
      attributes,
      h("caption", { class: "visually-hidden" }, caption),
      h("thead", {}, h("tr", {}, heads)),
      h("tbody", {}, rows),
    ),
  );
}

/** Return a row of a table, its first cell the row's heading. */
export function row(columns, cells, attributes = {}) {
  return h(
    "tr",
    attributes,
    cells.map((cell, i) =>
      i === 0
        ? h("th", { scope: "row", dir: "auto" }, cell)
        : h("td", { class: columns[i].number ? "number" : null, dir: columns[i].number ? null : "auto" }, cell),
    ),
  );
}
