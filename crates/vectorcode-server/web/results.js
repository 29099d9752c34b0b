// The list of hits: path, symbol, score with its explanation, and an excerpt.

import { bestWindow, lineNode, toLines } from "./code.js";
import { h, icon, pathNodes } from "./dom.js";
import * as editor from "./editor.js";
import { symbolAddress } from "./names.js";
import * as state from "./state.js";
import { explanation } from "./why.js";

const EXCERPT_LINES = 9;
const ICONS = {
  references: "M4 6h8M4 10h12M4 14h6",
  similar: "M4 4h8v8H4zM8 12v4h8V8h-4",
  graph: "M5 10h4M9 10l5-5M9 10l5 5M3 10h1M15 4h2M15 16h2",
  editor: "M12 4l4 4-8 8H4v-4z",
};

export function hitList(hits, label) {
  const items = hits.map(hitNode);
  const firstWeak = hits.findIndex((hit) => hit.weak);
  if (firstWeak > 0) items[firstWeak].prepend(h("p", { class: "note" }, "Nothing below fits well."));
  return h("ol", { class: "hits", "aria-label": label }, items);
}

function hitNode(hit) {
  const place = { file: hit.file_path, project: hit.project ?? "", line: String(hit.start_line), end: String(hit.end_line) };
  const item = h("li", { class: "hit", data: { place: placeKey(place) } });
  item.append(heading(hit, place), note(hit) ?? "", excerpt(hit, place), footer(hit, place));
  return item;
}

/** What tells one hit from another in the list. */
export const placeKey = ({ project, file, line }) => `${project}:${file}:${line}`;

function heading(hit, place) {
  const lines = hit.start_line === hit.end_line ? hit.start_line : `${hit.start_line}–${hit.end_line}`;
  return h("div", { class: "hit-head" }, h("h2", null,
    h("a", { class: "hit-link", href: state.link({ ...state.CLOSED_PANE, ...place }) },
      hit.project && h("span", { class: "tag" }, hit.project),
      hit.artifact && h("span", { class: "tag" }, hit.artifact),
      h("span", { class: "path" }, pathNodes(hit.file_path, `:${lines}`))),
    h("span", { class: "what" }, hit.symbol && h("a", { class: "symbol", href: symbolLink(hit, place), title: `Who uses ${hit.symbol}?` }, hit.symbol),
      h("span", { class: "dim" }, kindName(hit.kind)))), score(hit));
}

/** A heading of a document has no users: its name leads to its place. */
const symbolLink = (hit, place) => (hit.class === "code"
  ? state.link({ ...state.placeOf(state.read(symbolAddress(hit.file_path, hit.symbol, place.project, place))) })
  : state.link({ ...state.CLOSED_PANE, ...place }));

/** `function_item` in plain words. */
const kindName = (kind) => kind.replace(/_(item|declaration|definition|statement|spec)$/, "").replaceAll("_", " ");

function score(hit) {
  const bar = h("i", { class: "meter" }, h("i"));
  bar.firstChild.style.width = `${Math.round(hit.score * 100)}%`;
  const value = h("span", { class: "score-value" }, hit.score.toFixed(2));
  return h("span", { class: "score", title: "Relevance score, 0 to 1" }, bar, value);
}

function note(hit) {
  if (hit.freshness?.state !== "stale") return null;
  return h("p", { class: "stale" }, "This file has changed since it was indexed.");
}

function excerpt(hit, place) {
  const lines = toLines(hit.content, hit.markup);
  const [from, to] = bestWindow(lines, lines.length <= EXCERPT_LINES + 2 ? lines.length : EXCERPT_LINES);
  const line = (number) => ({ ...state.CLOSED_PANE, ...place, line: String(number), end: String(number) });
  const row = (text, at) => lineNode(text, hit.start_line + at, { href: state.link(line(hit.start_line + at)) });
  const code = h("div", { class: "code", tabindex: "0", role: "group", "aria-label": `Lines of ${hit.file_path}`, data: { open: JSON.stringify(place) } },
    lines.slice(from, to).map((line, at) => row(line, from + at)));
  const hidden = lines.length - (to - from);
  if (!hidden) return code;
  const more = h("button", { type: "button", class: "more" }, `Show all ${lines.length} lines`);
  more.addEventListener("click", () => {
    code.replaceChildren(...lines.map(row));
    more.remove();
  });
  return h("div", null, code, more);
}

function footer(hit, place) {
  const symbol = hit.symbol && hit.class === "code" ? `${hit.file_path}#${hit.symbol}` : "";
  const tab = (view, label, of = {}) => h("a", { class: "action", href: state.link({ ...state.CLOSED_PANE, ...place, ...of, view }) }, icon(ICONS[view]), label);
  const reasons = hit.signals?.length ? explanation(hit) : null;
  const why = reasons && h("button", { type: "button", class: "action", "aria-expanded": "false" }, "Why this?");
  why?.addEventListener("click", () => {
    reasons.hidden = !reasons.hidden;
    why.setAttribute("aria-expanded", String(!reasons.hidden));
  });
  return h("div", { class: "hit-foot" },
    h("div", { class: "actions" }, tab("references", "References", { symbol }), tab("graph", "Graph", { symbol }), tab("similar", "Similar"),
      editor.link(place, "action", icon(ICONS.editor)), why),
    reasons);
}

/** Placeholder rows while the first results are loading. */
export function skeleton() {
  const row = () => h("li", { class: "hit ghost" }, h("i"), h("i"), h("i"));
  return h("ol", { class: "hits", "aria-hidden": "true" }, [row(), row(), row()]);
}
