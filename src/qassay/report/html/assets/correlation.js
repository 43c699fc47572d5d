"use strict";

// Numbers in the scatter plots and the answers below belong together: pointing at one shows the other.
(() => {
  const peek = document.getElementById("peek");
  const hide = () => { peek.hidden = true; };

  const show = (marker, answer) => {
    const heading = document.createElement("p");
    heading.className = "muted";
    heading.textContent = answer.querySelector("summary").innerText.replace(/\s+/g, " ");
    peek.replaceChildren(...answer.querySelector(".body").cloneNode(true).childNodes);
    if (!peek.querySelector("h4")) peek.prepend(heading);
    peek.hidden = false;
    const place = marker.getBoundingClientRect();
    const room = document.documentElement.clientWidth - peek.offsetWidth - 8;
    const above = place.top - peek.offsetHeight - 8;
    peek.style.left = `${Math.max(8, Math.min(room, place.left + 14)) + scrollX}px`;
    peek.style.top = `${(above > 0 ? above : place.bottom + 8) + scrollY}px`;
  };

  document.querySelectorAll("a.marker").forEach((marker) => {
    const answer = document.getElementById(marker.getAttribute("href").slice(1));
    const light = (on) => [marker, answer].forEach((each) => each.classList.toggle("lit", on));
    const enter = () => { light(true); show(marker, answer); };
    const leave = () => { light(false); hide(); };
    marker.addEventListener("mouseenter", enter);
    marker.addEventListener("mouseleave", leave);
    marker.addEventListener("focus", enter);
    marker.addEventListener("blur", leave);
    marker.addEventListener("click", (event) => {
      event.preventDefault();
      answer.open = true;
      hide();
      answer.querySelector("summary").focus({ preventScroll: true });
      answer.scrollIntoView({ block: "nearest" });
    });
    answer.addEventListener("mouseenter", () => light(true));
    answer.addEventListener("mouseleave", () => light(false));
    // The answer itself is shown instead of the browser's own small label.
    marker.setAttribute("aria-label", marker.querySelector("title").textContent);
    marker.querySelector("title").remove();
  });
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });
  const linked = /^#wrong-/.test(location.hash) && document.getElementById(location.hash.slice(1));
  if (linked) linked.open = true;
})();
