"use strict";

// Follows the system's light or dark setting until the reader chooses.
(() => {
  const root = document.documentElement;
  const button = document.getElementById("theme");
  const system = matchMedia("(prefers-color-scheme: dark)");
  const store = {
    // Pages opened from disk may have no storage.
    get: () => { try { return localStorage.getItem("qassay-theme"); } catch { return null; } },
    set: (value) => { try { localStorage.setItem("qassay-theme", value); } catch { /* the choice lasts for this visit */ } },
  };
  const current = () => root.dataset.theme || (system.matches ? "dark" : "light");
  const label = () => { button.textContent = current() === "dark" ? "Light" : "Dark"; };

  const chosen = store.get();
  if (chosen === "dark" || chosen === "light") root.dataset.theme = chosen;
  button.hidden = false;
  button.addEventListener("click", () => {
    root.dataset.theme = current() === "dark" ? "light" : "dark";
    store.set(root.dataset.theme);
    label();
  });
  system.addEventListener("change", label);
  label();
})();
