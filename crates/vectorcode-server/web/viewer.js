// The source of a file with its outline; scrolls to the selected lines.

import * as api from "./api.js";
import { lineNode, toLines } from "./code.js";
import { h, plural, prefersStill } from "./dom.js";
import * as state from "./state.js";

/** Lines are grouped so that the browser can skip rendering those outside the viewport. */
const BLOCK = 200;
const LINE_PX = 20;
const BADGES = { function: "ƒ", method: "ƒ", class: "C", struct: "S", enum: "E", interface: "I", trait: "T", type: "T", module: "M", constant: "K", section: "§", macro: "!" };

/** Fills `body` with the file that the state names. */
export async function fileView(body, { file, project }, signal) {
  const answer = await api.get("file", { path: file, project, markup: true }, signal);
  const lines = toLines(answer.content, answer.markup);
  const outline = answer.definitions;
  const code = h("div", { class: "code whole", tabindex: "0", role: "region", "aria-label": `${file}, ${plural(lines.length, "line")}` });
  for (let at = 0; at < lines.length; at += BLOCK) code.append(block(lines.slice(at, at + BLOCK), at));
  code.addEventListener("click", onLine);
  body.classList.add("viewer");
  body.replaceChildren(code, outline.length ? outlineNode(outline) : "");
}

function block(lines, first) {
  const node = h("div", { class: "block" }, lines.map((line, at) => lineNode(line, first + at + 1)));
  node.style.containIntrinsicSize = `auto ${lines.length * LINE_PX}px`;
  return node;
}

/** A click on a line number selects the line; Shift extends the selection. */
function onLine(event) {
  if (!event.target.classList.contains("line")) return;
  const number = event.target.dataset.n;
  const { line } = state.get();
  const from = event.shiftKey && line ? Math.min(line, number) : number;
  const to = event.shiftKey && line ? Math.max(line, number) : number;
  state.set({ line: String(from), end: String(to) });
}

function outlineNode(definitions) {
  const item = (definition) => {
    const { start_line: start, end_line: end, kind } = definition;
    const depth = Math.min(3, definition.qualified.split(/\.|::|#/).length - 1);
    return h("li", { class: `depth-${depth}`, data: { line: start, end } },
      h("button", { type: "button", title: `${kind} ${definition.signature}`, on: { click: () => state.set({ line: String(start), end: String(end) }, { push: true }) } },
        h("span", { class: `badge k-${kind}`, "aria-hidden": "true" }, BADGES[kind] ?? kind[0]), h("span", null, definition.name)));
  };
  const list = h("ul", null, definitions.map(item));
  return h("nav", { class: "outline", "aria-label": "Definitions" },
    h("details", { open: matchMedia("(min-width: 700px)").matches }, h("summary", null, plural(definitions.length, "definition")), list));
}

/** Highlights the selected lines and scrolls to them; false while the text is not loaded. */
export function showRange(pane, { line, end }) {
  const code = pane.querySelector(".code.whole");
  if (!code) return false;
  const [from, to] = [Number(line) || 0, Number(end) || Number(line) || 0];
  let first = null;
  for (const node of code.querySelectorAll(".line")) {
    const inside = from > 0 && node.dataset.n >= from && node.dataset.n <= to;
    node.classList.toggle("target", inside);
    if (inside) first ??= node;
  }
  for (const item of pane.querySelectorAll(".outline li")) {
    item.classList.toggle("current", Number(item.dataset.line) === from);
  }
  if (first) reveal(code, first);
  return true;
}

function reveal(code, node) {
  const box = code.getBoundingClientRect();
  const at = node.getBoundingClientRect();
  if (at.top >= box.top + 40 && at.bottom <= box.bottom - 80) return;
  const top = code.scrollTop + at.top - box.top - Math.min(120, box.height / 4);
  code.scrollTo({ top, behavior: code.dataset.shown && !prefersStill() ? "smooth" : "instant" });
  code.dataset.shown = "yes";
}
