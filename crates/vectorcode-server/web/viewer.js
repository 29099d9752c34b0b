// The source of a file with its outline; scrolls to the selected lines and says which definition they are in.

import * as api from "./api.js";
import { lineNode, toLines } from "./code.js";
import { h, plural, prefersStill } from "./dom.js";
import { linker, symbolAddress } from "./names.js";
import * as state from "./state.js";

/** Lines are grouped so that the browser can skip rendering those outside the viewport. */
const BLOCK = 200;
const LINE_PX = 20;
const BADGES = { function: "ƒ", method: "ƒ", class: "C", struct: "S", enum: "E", interface: "I", trait: "T", type: "T", module: "M", constant: "K", variable: "V", field: "·", section: "§", macro: "!" };

/** The definitions of the file that is shown. */
let shown = { file: "", project: "", definitions: [] };

/** Fills `body` with the file that the state names. Its names become links when it is known where they lead. */
export async function fileView(body, { file, project }, signal) {
  const linked = api.get("file", { path: file, project, links: true, start: 1, end: 1 }, signal).catch(() => null);
  const answer = await api.get("file", { path: file, project, markup: true }, signal);
  const lines = toLines(answer.content, answer.markup);
  const linksOf = linker(answer, project);
  const href = `${state.address({ file, project })}&line=`;
  shown = { file, project, definitions: answer.definitions };
  const code = h("div", { class: "code whole", tabindex: "0", role: "region", "aria-label": `${file}, ${plural(lines.length, "line")}` });
  const node = (line, number, links = linksOf(line, number)) => lineNode(line, number, { href: `${href}${number}`, links });
  for (let at = 0; at < lines.length; at += BLOCK) code.append(block(lines.slice(at, at + BLOCK).map((line, index) => node(line, at + index + 1))));
  if (!answer.content) code.append(h("p", { class: "empty" }, "This file is empty."));
  code.addEventListener("click", onLine);
  body.classList.add("viewer");
  const stale = answer.freshness?.state === "stale" && h("p", { class: "stale" }, "This file has changed since it was indexed: its names are not links until the index has caught up.");
  body.replaceChildren(h("div", { class: "above" }, stale, h("nav", { class: "scopes", "aria-label": "Definition" })),
    answer.definitions.length ? outlineNode(answer.definitions) : "", code);
  linked.then((known) => known?.links.names.length && addLinks(code, lines, linker({ ...answer, links: known.links }, project), node));
}

/** Draws the lines again that have names which lead elsewhere. */
function addLinks(code, lines, linksOf, draw) {
  for (const old of code.querySelectorAll(".line")) {
    const number = Number(old.dataset.n);
    const links = linksOf(lines[number - 1], number);
    if (!links.some(({ kind }) => kind !== "its-users")) continue;
    const line = draw(lines[number - 1], number, links);
    line.className = old.className;
    old.replaceWith(line);
  }
}

function block(lines) {
  const node = h("div", { class: "block" }, lines);
  node.style.containIntrinsicSize = `auto ${lines.length * LINE_PX}px`;
  return node;
}

/** With Shift, a click on a line number extends the selection. */
function onLine(event) {
  const number = Number(event.target.closest(".n")?.dataset.n);
  const { line } = state.get();
  if (!number || !event.shiftKey || !line) return;
  event.preventDefault();
  state.set({ line: String(Math.min(line, number)), end: String(Math.max(line, number)) }, { push: true });
}

function outlineNode(definitions) {
  const item = (definition) => {
    const { start_line: start, end_line: end, kind } = definition;
    const depth = Math.min(3, definition.qualified.split(/\.|::|#/).length - 1);
    return h("li", { class: `depth-${depth}`, data: { line: start, end } },
      h("a", { href: placeAddress(start, end), title: `${kind} ${definition.signature}` },
        h("span", { class: `badge k-${kind}`, "aria-hidden": "true" }, BADGES[kind] ?? kind[0]), h("span", null, definition.name)));
  };
  const list = h("ul", null, definitions.map(item));
  return h("nav", { class: "outline", "aria-label": "Definitions" },
    h("details", { open: matchMedia("(min-width: 700px)").matches }, h("summary", null, plural(definitions.length, "definition")), list));
}

const placeAddress = (line, end) => state.address({ file: shown.file, project: shown.project, line: String(line), end: String(end) });

/** Highlights the selected lines and scrolls to them; false while the text is not loaded. */
export function showRange(pane, { line, end }) {
  const code = pane.querySelector(".code.whole");
  if (!code) return false;
  const [from, to] = [Number(line) || 0, Math.max(Number(end) || 0, Number(line) || 0)];
  let first = null;
  for (const node of code.querySelectorAll(".line")) {
    const inside = from > 0 && node.dataset.n >= from && node.dataset.n <= to;
    node.classList.toggle("target", inside);
    if (inside) first ??= node;
  }
  for (const item of pane.querySelectorAll(".outline li")) {
    item.classList.toggle("current", Number(item.dataset.line) === from);
  }
  pane.querySelector(".scopes").replaceChildren(...scopes(from));
  if (first) reveal(code, first);
  return true;
}

/** The definitions around a line, outermost first, and what can be asked about the innermost. */
function scopes(line) {
  const around = line ? shown.definitions.filter((definition) => definition.start_line <= line && line <= definition.end_line) : [];
  const inner = around.at(-1);
  if (!inner) return [];
  const crumb = ({ kind, name, start_line: start, end_line: end }) =>
    h("a", { class: "scope", href: placeAddress(start, end) }, h("span", { class: `badge k-${kind}`, "aria-hidden": "true" }, BADGES[kind] ?? kind[0]), name);
  const asked = inner.kind !== "section" && [
    h("a", { class: "action", href: symbolAddress(shown.file, inner.qualified, shown.project, { line: inner.start_line, end: inner.end_line }) }, "References"),
    h("a", { class: "action", href: state.address({ ...placeOfSymbol(inner), view: "graph" }) }, "Call graph")];
  return [h("span", { class: "grow" }, around.map(crumb)), ...(asked || [])];
}

const placeOfSymbol = ({ qualified, start_line: line, end_line: end }) =>
  ({ file: shown.file, project: shown.project, line: String(line), end: String(end), symbol: `${shown.file}#${qualified}` });

function reveal(code, node) {
  const box = code.getBoundingClientRect();
  const at = node.getBoundingClientRect();
  if (at.top >= box.top + 40 && at.bottom <= box.bottom - 80) return;
  const top = code.scrollTop + at.top - box.top - Math.min(120, box.height / 4);
  code.scrollTo({ top, behavior: code.dataset.shown && !prefersStill() ? "smooth" : "instant" });
  code.dataset.shown = "yes";
}
