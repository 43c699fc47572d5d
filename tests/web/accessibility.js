// Returns what is wrong for people who cannot see well, or who use a screen reader.
const seen = (each) => each.checkVisibility({visibilityProperty: true}) && !each.closest("[hidden]");
const name = (each) => (each.getAttribute("aria-label") || [...(each.labels || [])].map((one) => one.textContent).join(" ")
  || (each.matches("input, select, textarea") ? "" : each.textContent) || each.title || "").trim();
const faults = [];
for (const each of document.querySelectorAll("button, a[href], input, select, textarea, progress, dialog, [role=group], [role=region]"))
  if (seen(each) && !name(each)) faults.push(`no name: ${each.outerHTML.slice(0, 90)}`);
for (const each of document.querySelectorAll("img:not([alt]), svg:not([aria-hidden]):not([role=img])"))
  faults.push(`no text beside: ${each.outerHTML.slice(0, 90)}`);
for (const each of document.querySelectorAll("svg[role=img]")) if (!name(each)) faults.push(`unnamed picture: ${each.outerHTML.slice(0, 90)}`);
if (document.querySelectorAll("main").length !== 1 || document.querySelectorAll("h1").length !== 1) faults.push("not one main and one h1");
if (!document.documentElement.lang || !document.title) faults.push("no language or title");
const ids = [...document.querySelectorAll("[id]")].map((each) => each.id);
if (new Set(ids).size !== ids.length) faults.push("ids that occur twice");
for (const each of document.querySelectorAll("th:not([scope])")) faults.push(`a heading of nothing: ${each.textContent}`);
const channels = (text) => text.match(/[\d.]+/g).map(Number);
const over = (top, below) => { const a = top[3] ?? 1; return [0, 1, 2].map((i) => top[i] * a + below[i] * (1 - a)); };
const paper = (each) => {
  const layers = [];
  for (let at = each; at; at = at.parentElement) layers.push(channels(getComputedStyle(at).backgroundColor));
  return layers.reduceRight((below, top) => over(top, below), [255, 255, 255]);
};
const light = (rgb) => { const [r, g, b] = rgb.map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const each = walker.currentNode.parentElement;
  if (!walker.currentNode.textContent.trim() || !seen(each) || each.closest("button:disabled, .visually-hidden, noscript, option")) continue;
  const [a, b] = [light(over(channels(getComputedStyle(each).color), paper(each))), light(paper(each))].sort((x, y) => y - x);
  if ((a + 0.05) / (b + 0.05) < 4.5) faults.push(`contrast ${((a + 0.05) / (b + 0.05)).toFixed(2)}: ${each.textContent.slice(0, 40)}`);
}
for (const each of document.querySelectorAll("main button, main a.button, main input:not([type=checkbox]), main select")) {
  const box = each.getBoundingClientRect();
  if (seen(each) && !each.closest("td, th") && (box.height < 43.5 || box.width < 43.5)) faults.push(`small target ${box.width}x${box.height}: ${name(each)}`);
}
return faults;
