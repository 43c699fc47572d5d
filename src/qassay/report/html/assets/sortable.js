"use strict";

// Tables of the class "sortable": a click on a heading sorts the rows by that column, a second click turns them round.
(() => {
  const valueOf = (row, i) => {
    const cell = row.cells[i];
    const text = cell.dataset.value ?? cell.textContent.trim();
    const number = text === "" ? NaN : Number(text);
    return { text, number, missing: text === "" || text === "–" };
  };
  const compare = (a, b, direction) => {
    if (a.missing || b.missing) return a.missing - b.missing;
    const order = Number.isNaN(a.number) || Number.isNaN(b.number)
      ? a.text.localeCompare(b.text, undefined, { numeric: true })
      : a.number - b.number;
    return direction * order;
  };
  document.querySelectorAll("table.sortable").forEach((table) => {
    const heads = [...table.tHead.rows[table.tHead.rows.length - 1].cells];
    heads.forEach((head, i) => {
      if (!head.textContent.trim()) return;
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const first = head.dataset.first === "high" ? "descending" : "ascending";
        const other = first === "ascending" ? "descending" : "ascending";
        const sort = head.getAttribute("aria-sort") === first ? other : first;
        heads.forEach((each) => each.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", sort);
        const column = heads.slice(0, i).reduce((sum, each) => sum + each.colSpan, 0) + head.colSpan - 1;
        const keyed = [...table.tBodies[0].rows].map((row) => [valueOf(row, column), row]);
        keyed.sort(([a], [b]) => compare(a, b, sort === "ascending" ? 1 : -1));
        table.tBodies[0].append(...keyed.map(([, row]) => row));
      });
    });
  });
})();
