// Search and choice of system over the list of summaries; without it all of them are shown.
(() => {
  const form = document.querySelector("#summaries .controls");
  if (!form) return;
  form.hidden = false;
  form.addEventListener("submit", (event) => event.preventDefault());
  const items = [...document.querySelectorAll("#summaries .item")];
  const texts = items.map((item) => item.textContent.toLowerCase());
  const query = document.getElementById("query");
  const system = document.getElementById("system");
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
  query.addEventListener("input", show);
  if (system) system.addEventListener("change", show);
})();
