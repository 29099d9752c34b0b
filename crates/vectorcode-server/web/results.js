// Builds the list of hits: path, symbol, score with its explanation, and an excerpt.

import { lineNode, toLines } from "./code.js";
import { h, icon, isWide, pathNodes } from "./dom.js";
import * as editor from "./editor.js";
import { excerpt, wordWeights } from "./excerpt.js";
import { symbolAddress } from "./names.js";
import * as state from "./state.js";
import { explanation } from "./why.js";

/** Number of lines per result, alone and with the whole text next to it. */
const EXCERPT_LINES = { alone: 9, beside: 6 };
const ICONS = {
  references: "M4 6h8M4 10h12M4 14h6",
  similar: "M4 4h8v8H4zM8 12v4h8V8h-4",
  graph: "M5 10h4M9 10l5-5M9 10l5 5M3 10h1M15 4h2M15 16h2",
  editor: "M12 4l4 4-8 8H4v-4z",
};

export function hitList(hits, label) {
  const texts = hits.map((hit) => toLines(hit.content, hit.markup));
  const weights = wordWeights(texts);
  const items = hits.map((hit, at) => hitNode(hit, texts[at], weights));
  const firstWeak = hits.findIndex((hit) => hit.weak);
  if (firstWeak > 0) items.splice(firstWeak, 0, h("li", { class: "divider" }, "Weaker results"));
  return h("ol", { class: "hits", "aria-label": label }, items);
}

function hitNode(hit, lines, weights) {
  const place = { file: hit.file_path, project: hit.project ?? "", line: String(hit.start_line), end: String(hit.end_line) };
  const item = h("li", { class: "hit", data: { place: placeKey(place) } });
  const { code, more } = excerptNode(hit, place, lines, weights);
  item.append(heading(hit, place), note(hit) ?? "", code, footer(hit, place, more));
  return item;
}

/** The lines with marked words of all results, by file. */
let matches = new Map();

export function keepMatches(hits) {
  matches = new Map();
  for (const hit of hits) {
    const key = `${hit.project ?? ""}:${hit.file_path}`;
    const lines = matches.get(key) ?? new Map();
    toLines(hit.content, hit.markup).forEach((line, at) => line.matches.length && lines.set(hit.start_line + at, line));
    matches.set(key, lines);
  }
}

/** The marked words of a file's lines, by line. */
export const matchesIn = (project, file) => matches.get(`${project}:${file}`);

/** The key that identifies a hit in the list. */
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

/** The link on the name of a hit. A heading of a document has no users, so its name links to its location. */
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

function excerptNode(hit, place, lines, weights) {
  const ranges = excerpt(lines, isWide() ? EXCERPT_LINES.beside : EXCERPT_LINES.alone, weights, hit.symbol);
  const line = (number) => ({ ...state.CLOSED_PANE, ...place, line: String(number), end: String(number) });
  const row = (text, at) => lineNode(text, hit.start_line + at, { href: state.link(line(hit.start_line + at)) });
  const run = ([from, to], at) => [at > 0 && h("div", { class: "gap", "aria-hidden": "true" }, "⋯"), lines.slice(from, to).map((text, index) => row(text, from + index))];
  const code = h("div", { class: "code", tabindex: "0", role: "group", "aria-label": `Lines of ${hit.file_path}` }, ranges.map(run));
  if (code.querySelectorAll(".line").length === lines.length) return { code };
  const more = h("button", { type: "button", class: "more" }, `Show all ${lines.length} lines`);
  more.addEventListener("click", () => {
    code.replaceChildren(...lines.map(row));
    more.remove();
  });
  return { code, more };
}

function footer(hit, place, more) {
  const symbol = hit.symbol && hit.class === "code" ? `${hit.file_path}#${hit.symbol}` : "";
  const tab = (view, label, of = {}) => h("a", { class: "action", href: state.link({ ...state.CLOSED_PANE, ...place, ...of, view }), title: label, data: { view } }, icon(ICONS[view]), h("span", null, label));
  const reasons = hit.signals?.length ? explanation(hit) : null;
  const why = reasons && h("button", { type: "button", class: "action", "aria-expanded": "false" }, "Why this?");
  why?.addEventListener("click", () => {
    reasons.hidden = !reasons.hidden;
    why.setAttribute("aria-expanded", String(!reasons.hidden));
  });
  return h("div", { class: "hit-foot" },
    more, h("div", { class: "actions" }, tab("references", "References", { symbol }), tab("graph", "Graph", { symbol }), tab("similar", "Similar"),
      editor.link(place, "action", icon(ICONS.editor)), why),
    reasons);
}

/** Placeholder rows while the first results are loading. */
export function skeleton() {
  const row = () => h("li", { class: "hit ghost" }, h("i"), h("i"), h("i"));
  return h("ol", { class: "hits", "aria-hidden": "true" }, [row(), row(), row()]);
}
