// Shows three kinds of graphs: the neighbourhood of a file (imports), of a symbol (calls), and the map of a folder.

import * as api from "./api.js";
import { $, h, icon, plural, s, splitPath } from "./dom.js";
import { Drawing, EDGE_NAMES, ZOOM_STEP, isUncertain, mark } from "./drawing.js";
import { fold } from "./fold.js";
import { ROW } from "./layout.js";
import * as state from "./state.js";
import { unknownSymbol } from "./unknown.js";

/** Maximum number of nodes to fetch; those that do not fit are folded into their folders. */
const LIMIT = 600;
/** The approximate area in pixels that a node of a map needs. */
const NODE_AREA = 30_000;
const MAP_NODES = [8, 40];
const PREVIEW_NODES = [8, 14];
/** The classes of a node as drawn, and what they mean. */
const LEGEND = [["centre", "selected"], ["file", "file"], ["file test", "test file"], ["symbol", "symbol"], ["symbol test", "symbol of a test"],
  ["folder", "folder, click to open"], ["folder test", "folder of tests"], ["external", "external package"]];
const SIDES = { symbol: ["Used by", "Calls and uses"], file: ["Imported by", "Imports"] };
/** Definitions that have callers. */
const CALLABLE = new Set(["function", "method", "class", "struct", "trait", "interface", "enum", "type", "macro"]);

/** Fills `body` with the graph that the state selects. */
export async function graphView(body, now, signal) {
  body.classList.add("graph");
  const asked = now.symbol ? symbolGraph(now, signal) : now.file ? fileGraph(now, signal) : folderMap(now, body, signal);
  const graph = await asked.catch((error) => unknownSymbol(error, now));
  if (graph instanceof Node) return body.replaceChildren(graph);
  const kept = withoutPackages(graph, now.externals === "1");
  const rows = Math.floor((body.clientHeight - 90) / ROW);
  // On a narrow screen both sides share one column.
  const room = Math.max(5, isNarrow(body) ? rows >> 1 : rows);
  const drawn = graph.isMap ? kept : fold(kept, { room, open: now.open });
  if (drawn.nodes.length < 2) {
    body.replaceChildren(controls(graph, drawn), h("div", { class: "empty" }, h("p", null, lonely(now)), notes(graph)));
    return;
  }
  const drawing = new Drawing(drawn, { centred: !graph.isMap, narrow: isNarrow(body), height: graph.isMap ? undefined : Math.ceil(room * 1.3),
    room: { width: body.clientWidth - 32, height: body.clientHeight - 110 }, sides: graph.isMap ? null : SIDES[now.symbol ? "symbol" : "file"], follow, open: openSource });
  body.replaceChildren(controls(graph, drawn, drawing), drawing.svg, legend(drawn, drawing), notes(graph) ?? "");
  drawing.fit();
  if (now.file) addSymbols(body.querySelector(".graph-tools"), now, signal);
}

/** Adds a menu to switch to the graph of any definition in the file. */
async function addSymbols(tools, { file, project, symbol }, signal) {
  const { definitions } = await api.get("file", { path: file, project, start: 1, end: 1 }, signal).catch(() => ({ definitions: [] }));
  const known = definitions.filter(({ kind }) => CALLABLE.has(kind));
  if (!known.length || signal.aborted) return;
  const target = ({ qualified }) => `${file}#${qualified}`;
  const options = known.map((definition) => h("option", { value: target(definition), selected: target(definition) === symbol }, definition.qualified));
  const choose = ({ target: { value } }) => {
    const found = known.find((definition) => target(definition) === value);
    state.set({ symbol: value, line: String(found?.start_line ?? ""), end: String(found?.end_line ?? ""), open: "" }, { push: true });
  };
  tools.querySelector("b")?.after(h("select", { id: "graph-symbol", "aria-label": "Symbol", on: { change: choose } }, h("option", { value: "" }, "Imports of the file"), options));
}

/** Columns side by side need at least this width. */
const isNarrow = (box) => box.clientWidth < 600;

const fileGraph = ({ file, project, depth }, signal) => api.get("graph/show", { target: file, project, depth, limit: LIMIT }, signal);

/** Combines two responses that have the symbol in common: callers on the left, callees on the right. */
async function symbolGraph({ symbol, project, depth }, signal) {
  const ask = (action) => api.get(`graph/${action}`, { target: symbol, project, depth, limit: LIMIT }, signal);
  const [callers, callees] = await Promise.all([ask("callers"), ask("callees")]);
  const places = new Map();
  const nodes = [];
  const place = (node) => {
    const key = [node.kind, node.name, node.path, node.line].join("\0");
    if (!places.has(key)) places.set(key, nodes.push(node) - 1);
    return places.get(key);
  };
  const edges = [callers, callees].flatMap((answer) => {
    const at = answer.nodes.map(place);
    return answer.edges.map((edge) => ({ ...edge, from: at[edge.from], to: at[edge.to] }));
  });
  const seen = new Set();
  const once = edges.filter(({ from, to }) => !seen.has(`${from} ${to}`) && seen.add(`${from} ${to}`));
  return { nodes, edges: once, total: nodes.length, truncated: callers.truncated || callees.truncated, notes: [...new Set([...callers.notes, ...callees.notes])] };
}

async function folderMap({ folder, project }, body, signal) {
  const fitting = Math.floor((body.clientWidth * body.clientHeight) / NODE_AREA);
  const limit = Math.min(MAP_NODES[1], Math.max(MAP_NODES[0], fitting));
  return { ...(await api.get("map", { folder, project, limit }, signal)), isMap: true };
}

function lonely({ symbol, file }) {
  if (symbol) return "No calls from or to this symbol were found in the project.";
  return file ? "This file has no imports or importers in the project." : "No file in here imports another.";
}

const notes = (answer) => (answer.notes.length ? h("p", { class: "note" }, answer.notes.join(" ")) : null);

/** Leaves out external packages unless they are requested, and renumbers the edges. */
function withoutPackages(graph, externals) {
  const index = new Map();
  const nodes = graph.nodes.filter((node, at) => (externals || node.kind !== "external") && index.set(at, index.size));
  const edges = graph.edges.filter(({ from, to }) => index.has(from) && index.has(to))
    .map((edge) => ({ ...edge, from: index.get(edge.from), to: index.get(edge.to) }));
  return { ...graph, nodes, edges };
}

/** A click on the centre opens its source, a click on a folder opens it, and any other node becomes the centre. */
function follow(node, at) {
  const { file, symbol } = state.get();
  if (node.kind === "external") return;
  if (node.members) return state.set({ open: node.name }, { push: true });
  if (node.kind === "folder") return state.set({ folder: node.name }, { push: true });
  if (at === 0 && (symbol || file === node.name)) return openSource(node);
  const line = String(node.line ?? "");
  const place = node.kind === "symbol" ? { file: node.path, line, end: line, symbol: `${node.path}#${node.name}` } : { file: node.name, line: "", end: "", symbol: "" };
  state.set({ ...place, folder: "", open: "" }, { push: true });
}

function openSource(node) {
  const line = String(node.line ?? "");
  const file = node.kind === "symbol" ? node.path : node.name;
  if (node.kind !== "folder") state.set({ file, line, end: line, view: "code", symbol: "", folder: "", open: "" }, { push: true });
}

function controls(graph, drawn, drawing) {
  const now = state.get();
  const packages = graph.nodes.filter((node) => node.kind === "external").length;
  const button = (label, path, act) => h("button", { type: "button", class: "quiet icon", "aria-label": label, title: label, on: { click: act } }, icon(path));
  return h("div", { class: "graph-tools" },
    graph.isMap ? mapCrumbs(now) : subjects(now),
    !graph.isMap && depthChoice(now.depth),
    packages > 0 && packageChoice(now.externals, packages),
    h("span", { class: "dim grow" }, graph.truncated ? `${graph.isMap ? `the ${drawn.nodes.length} most connected` : `${graph.nodes.length}`} of ${graph.total}` : ""),
    now.open && h("button", { type: "button", class: "link", on: { click: () => state.set({ open: "" }, { push: true }) } }, `Fold ${splitPath(now.open)[1] || now.open}`),
    now.file && h("a", { href: state.address({ view: "graph", folder: splitPath(now.file)[0].replace(/\/$/, ""), project: now.project }) }, "Map"),
    drawing && button("Zoom out", "M4 10h12", () => drawing.zoom(1 / ZOOM_STEP)),
    drawing && button("Zoom in", "M4 10h12M10 4v12", () => drawing.zoom(ZOOM_STEP)),
    drawing && button("Fit", "M4 8V4h4M16 8V4h-4M4 12v4h4M16 12v4h-4", () => drawing.fit()));
}

/** The imports of the file, or the calls of the symbol. */
const subjects = ({ symbol }) => h("b", null, symbol ? `Calls of ${symbol.slice(symbol.indexOf("#") + 1)}` : "Imports");

/** Breadcrumbs from the project to the folder that is shown. */
function mapCrumbs({ folder, project }) {
  if (!folder) return h("b", null, "Who imports whom");
  const parts = folder.split("/");
  const to = (length) => state.address({ view: "graph", folder: parts.slice(0, length).join("/"), project });
  return h("nav", { class: "path", "aria-label": "Folder" }, h("a", { href: to(0) }, "Whole project"),
    parts.map((part, at) => [" / ", at === parts.length - 1 ? h("b", null, part) : h("a", { href: to(at + 1) }, part)]));
}

function depthChoice(depth) {
  return h("select", { "aria-label": "Maximum distance", on: { change: (event) => state.set({ depth: event.target.value }) } },
    ["1", "2", "3"].map((value) => h("option", { value, selected: value === depth }, plural(Number(value), "step"))));
}

function packageChoice(externals, packages) {
  const toggle = h("input", { type: "checkbox", checked: externals === "1", on: { change: (event) => state.set({ externals: event.target.checked ? "1" : "" }) } });
  return h("label", { class: "dim" }, toggle, ` External packages (${packages})`);
}

/** Explains each shape, colour and line that occurs in this drawing. */
function legend({ nodes, edges }, drawing) {
  const used = new Set(nodes.map((node, at) => (drawing.centred && at === 0 ? "centre" : `${node.kind}${node.is_test ? " test" : ""}`)));
  const shape = (kind) => (kind === "centre" ? nodes[0].kind : kind.split(" ")[0]);
  const item = ([kind, label]) => h("li", null, s("svg", { viewBox: "-10 -10 20 20", class: `sample ${shape(kind)} ${kind}`, "aria-hidden": "true" }, mark(shape(kind))), label);
  const line = (kind, label) => h("li", null, s("svg", { viewBox: "0 0 26 10", class: "sample line-sample", "aria-hidden": "true" }, s("g", { class: `edge ${kind}` }, s("path", { class: "edge-line", d: "M1 5h24" }))), label);
  const kinds = [...new Set(edges.map(({ kind }) => EDGE_NAMES[kind] ?? kind))];
  const isSide = ({ from, to }) => drawing.isSide(from, to);
  return h("ul", { class: "legend", "aria-label": "Legend" },
    LEGEND.filter(([kind]) => used.has(kind)).map(item),
    edges.some((edge) => !isSide(edge)) && line("", `→ ${kinds.join(", ")}`),
    edges.some((edge) => isUncertain(edge.confidence)) && line("uncertain", "not certain"),
    edges.some(isSide) && line("side", drawing.centred ? "between the others" : "hover over a node to see its edges"),
    edges.some(({ count }) => count > 1) && h("li", null, "wider: more than one place"));
}

/** A small map for the start page, hidden unless there is something to draw. */
export function mapPreview(folder) {
  const project = state.shownProject();
  const box = h("section", { class: "card map-card", hidden: true });
  const isSmall = matchMedia("(max-width: 700px)").matches;
  api.get("map", { folder, project, limit: PREVIEW_NODES[isSmall ? 0 : 1] }).then((graph) => {
    if (graph.nodes.length < 3 || !box.isConnected) return;
    box.hidden = false;
    const drawing = new Drawing(graph, { centred: false, narrow: isNarrow(box), room: isNarrow(box) ? null : { width: box.clientWidth - 60, height: 280 }, follow: (node, at) => { state.set({ view: "graph", folder, project }); follow(node, at); }, open: openSource });
    box.append(h("h3", null, "Who imports whom"), drawing.svg, h("a", { class: "corner", href: state.address({ view: "graph", folder, project }) }, "Open the map"));
    if (isNarrow(box)) drawing.svg.style.height = `${graph.nodes.length * ROW}px`;
    drawing.fit();
  }, () => {});
  return box;
}
