"use strict";

// Search, choice of system and order of the list of summaries; without it all of them are shown, the worst first.
(() => {
  const form = document.querySelector("#summaries .controls");
  if (!form) return;
  form.hidden = false;
  form.addEventListener("submit", (event) => event.preventDefault());
  const items = [...document.querySelectorAll("#summaries .item")];
  const texts = items.map((item) => item.textContent.toLowerCase());
  const scores = items.map((item) => item.dataset.scores.split(",").map((score) => (score === "" ? null : Number(score))));
  const query = document.getElementById("query");
  const system = document.getElementById("system");
  const sort = document.getElementById("sort");
  const count = document.getElementById("count");
  const show = () => {
    const words = query.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    items.forEach((item, i) => {
      const fits = (!system || !system.value || item.dataset.system === system.value) && words.every((word) => texts[i].includes(word));
      item.hidden = !fits;
      shown += fits;
    });
    count.textContent = shown === items.length ? "" : shown ? `${shown} of ${items.length}` : "No summary matches.";
  };
  const reorder = () => {
    const [column, way] = sort.value.split(" ");
    const name = (i) => items[i].dataset.name;
    const compare = (a, b) => {
      if (column === "rank") return way * (a - b);
      if (column === "name") return name(a).localeCompare(name(b), undefined, { numeric: true }) || a - b;
      const [one, other] = [scores[a][column], scores[b][column]];
      if (one === null || other === null) return (one === null) - (other === null) || a - b;
      return way * (one - other) || a - b;
    };
    const parent = items[0].parentNode;
    [...items.keys()].sort(compare).forEach((i) => parent.append(items[i]));
  };
  query.addEventListener("input", show);
  sort.addEventListener("change", reorder);
  if (system) system.addEventListener("change", show);
})();
