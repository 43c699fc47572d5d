// What all screens share: the bar at the top, the line that is read aloud, and what is said when something fails.

import { h, fill, button } from "./dom.js";
import { actFor, get, post } from "./api.js";

export const main = document.getElementById("main");
const live = document.getElementById("live");

/** Show a line that screen readers read aloud. */
export function announce(text, urgent = false) {
  live.classList.toggle("warn", urgent);
  live.textContent = text;
}

/** Return who looks at the page; where nobody is known, say what to do and return null. */
export async function whoLooks() {
  try {
    const me = await get("me");
    actFor(me.person.id);
    return me;
  } catch (problem) {
    fail(problem);
    return null;
  }
}

/** Fill the page with a problem. */
export function fail(problem) {
  const remedy =
    problem.code === "other_person"
      ? "Somebody else opened a link in this browser. Open your own again to go on; what you judged is kept."
    : problem.status === 401
      ? "You are not known here. Open your invitation link (again); the owner's link is printed where the server runs."
      : "Load the page again; if that does not help, tell whoever runs the server.";
  const heading = h("h1", { tabindex: "-1" }, problem.status === 401 ? "Please open your link" : "This did not work");
  fill(main, heading, problem.status === 401 ? null : h("p", { class: "warn" }, problem.message), h("p", {}, remedy));
  heading.focus();
}

/** Fill the bar with links to the screens that a person may see. */
export function showBar(me, project = null) {
  const { role } = me.person;
  const here = location.pathname;
  const links = [];
  if (role === "owner") links.push(["/", "Start"]);
  if (project !== null) {
    if (role === "owner") links.push([`/projects/${project}`, "Dashboard"]);
    if (role !== "annotator") links.push([`/projects/${project}/adjudicate`, "Adjudicate"]);
    if (role !== "annotator") links.push([`/annotate/${project}`, "Judge"]);
  }
  if (me.explore && role === "owner") links.push(["/explore", "Explore"]);
  const bar = document.getElementById("links");
  fill(
    bar,
    links.map(([href, label]) => h("a", { href, "aria-current": href === here ? "page" : null }, label)),
    h("span", { class: "muted name", dir: "auto" }, me.person.name),
    button("Leave", leave, { class: "quiet" }),
  );
}

async function leave() {
  if (!confirm("Leave? You need your invitation link to come back.")) return;
  await post("leave");
  location.replace("/");
}

/** Ask in a dialog; `build(close)` returns what it holds. The focus returns to where it was. */
export function openDialog(label, build) {
  const before = document.activeElement;
  const close = () => shown.close();
  const head = h("div", { class: "spread" }, h("h2", {}, label), button("Close", close, { class: "quiet" }));
  const shown = h("dialog", { "aria-label": label }, head, build(close));
  shown.addEventListener("close", () => {
    shown.remove();
    if (before?.isConnected) before.focus();
  });
  document.body.append(shown);
  shown.showModal();
  shown.querySelector("textarea, input")?.focus();
}

/** Whether a key belongs to what has the focus, or to the browser. */
export function isTyping(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.isComposing) return true;
  return document.querySelector("dialog[open]") !== null || event.target.closest?.("input, textarea, select") !== null;
}
