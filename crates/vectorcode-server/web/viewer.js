// Shows the source of a file with its outline. Scrolls to the selected lines and shows the definition around them.

import * as api from "./api.js";
import { Blocks, topOf } from "./blocks.js";
import { lineNode, toLines } from "./code.js";
import { h, plural, prefersStill } from "./dom.js";
import { linker, symbolAddress } from "./names.js";
import { matchesIn } from "./results.js";
import * as state from "./state.js";

/** In a pane up to this width, the outline is above the text, as in the style sheet, and closed. */
const NARROW_PX = 860;
const BADGES = { function: "ƒ", method: "ƒ", class: "C", struct: "S", enum: "E", interface: "I", trait: "T", type: "T", module: "M", constant: "K", variable: "V", field: "·", section: "§", macro: "!" };

/** The file that is shown, and its text in blocks. */
let shown = { file: "", project: "", definitions: [], blocks: null };

/** Fills `body` with the selected file. Names become links once their targets have been loaded. */
export async function fileView(body, { file, project }, signal) {
  const linked = api.get("file", { path: file, project, links: true, start: 1, end: 1 }, signal).catch(() => null);
  const answer = await api.get("file", { path: file, project, markup: true }, signal);
  const lines = toLines(answer.content, answer.markup);
  const href = `${state.address({ file, project })}&line=`;
  const drawer = (linksOf) => (line, number) => lineNode(marked(line, number), number, { href: `${href}${number}`, links: linksOf(line, number) });
  const code = h("div", { class: "code whole", tabindex: "0", role: "region", "aria-label": `${file}, ${plural(lines.length, "line")}` });
  code.style.setProperty("--digits", String(lines.length).length);
  shown = { file, project, definitions: answer.definitions, blocks: null };
  const blocks = new Blocks(code, lines, drawer(linker(answer, project)));
  shown.blocks = blocks;
  if (!answer.content) code.append(h("p", { class: "empty" }, "This file is empty."));
  code.addEventListener("click", onLine);
  body.classList.add("viewer");
  const stale = answer.freshness?.state === "stale" && h("p", { class: "stale" }, "This file has changed since it was indexed: its names are not links until the index has caught up.");
  body.replaceChildren(h("div", { class: "above" }, stale, h("nav", { class: "scopes", "aria-label": "Definition" })),
    answer.definitions.length ? outlineNode(answer.definitions, body.clientWidth > NARROW_PX) : "", code);
  linked.then((known) => known?.links.names.length && blocks.redraw(drawer(linker({ ...answer, links: known.links }, project))));
}

/** A line with the words of the query marked, as in the result. */
function marked(line, number) {
  const found = matchesIn(shown.project, shown.file)?.get(number);
  return found?.text === line.text ? { ...line, matches: found.matches } : line;
}

/** Redraws the marks after the query has changed. */
export const showMarks = () => shown.blocks?.redraw(shown.blocks.draw);

/** With Shift, a click on a line number extends the selection. */
function onLine(event) {
  const number = Number(event.target.closest(".n")?.dataset.n);
  const { line } = state.get();
  if (!number || !event.shiftKey || !line) return;
  event.preventDefault();
  state.set({ line: String(Math.min(line, number)), end: String(Math.max(line, number)) }, { push: true });
}

function outlineNode(definitions, isRoomy) {
  const item = (definition) => {
    const { start_line: start, end_line: end, kind } = definition;
    const depth = Math.min(3, definition.qualified.split(/\.|::|#/).length - 1);
    return h("li", { class: `depth-${depth}`, data: { line: start, end } },
      h("a", { class: `k-${kind}`, href: placeAddress(start, end), title: `${kind} ${definition.signature}`, data: { badge: BADGES[kind] ?? kind[0] } }, definition.name));
  };
  const list = h("ul", null, definitions.map(item));
  return h("nav", { class: "outline", "aria-label": "Definitions" },
    h("details", { open: isRoomy }, h("summary", null, plural(definitions.length, "definition")), list));
}

const placeAddress = (line, end) => state.address({ file: shown.file, project: shown.project, line: String(line), end: String(end) });

/** Highlights the selected lines and scrolls to them. Returns false while the text is not loaded. */
export function showRange(pane, { line, end }) {
  const code = pane.querySelector(".code.whole");
  if (!code) return false;
  const [from, to] = [Number(line) || 0, Math.max(Number(end) || 0, Number(line) || 0)];
  shown.blocks.select(from, to);
  const around = from ? shown.definitions.filter((definition) => definition.start_line <= from && from <= definition.end_line) : [];
  pane.querySelector(".scopes").replaceChildren(...scopes(around));
  markInOutline(pane, around.at(-1));
  if (from) reveal(code, topOf(from));
  return true;
}

function markInOutline(pane, definition) {
  const list = pane.querySelector(".outline");
  for (const item of list?.querySelectorAll("li") ?? []) {
    const isCurrent = Number(item.dataset.line) === definition?.start_line;
    item.classList.toggle("current", isCurrent);
    if (isCurrent) list.scrollTop = item.offsetTop - list.offsetTop - list.clientHeight / 3;
  }
}

/** The definitions around a line, outermost first, and links for the innermost one. */
function scopes(around) {
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

function reveal(code, top) {
  const box = code.getBoundingClientRect();
  if (top >= code.scrollTop + 40 && top <= code.scrollTop + box.height - 100) return;
  code.scrollTo({ top: top - Math.min(120, box.height / 4), behavior: code.dataset.shown && !prefersStill() ? "smooth" : "instant" });
  code.dataset.shown = "yes";
}
