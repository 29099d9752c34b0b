// Draws where in the project the results are: folders as areas, each result as a dot in its folder.

import * as api from "./api.js";
import { $, h, plural, s, splitPath } from "./dom.js";
import * as state from "./state.js";

const box = $("#where");
/** The size used while the list is hidden; the picture is scaled to the available width. */
const [WIDTH, HEIGHT] = [480, 84];
const FOLDERS = 20;
/** Areas grow more slowly than folders, and none is smaller than this fraction of the largest, so that all stay visible. */
const GROWTH = 0.55;
const SMALLEST = 0.15;
const DOT = 9;
/** The approximate size of a label. */
const [LETTER_PX, LABEL_PX] = [6.1, 15];

/** The folders of each project, by its name and the commit that is shown. */
const known = new Map();
let asked = 0;

/** Draws the picture for results of a single project. For several projects there is none. */
export async function show(hits) {
  const mine = (asked += 1);
  const project = state.shownProject();
  const isOne = hits.length > 1 && hits.every((hit) => (hit.project ?? "") === project || !hit.project);
  if (isOne && box.hidden && !known.has(keyOf(project))) expect();
  const parts = isOne ? await partsOf(project).catch(() => []) : [];
  if (mine !== asked) return;
  box.hidden = parts.length < 2;
  if (box.hidden) return void box.replaceChildren();
  const areas = withHits(parts, hits);
  box.replaceChildren(picture(areas, box.clientWidth || WIDTH), h("p", { class: "dim" }, "Areas are folders, dots are the results below. Click an area to search in it."));
}

export function hide() {
  asked += 1;
  box.hidden = true;
  box.replaceChildren();
}

/** Reserves the space of a picture whose folders are not loaded yet, so that the results below it do not move. */
function expect() {
  box.hidden = false;
  box.replaceChildren(h("div", { class: "expected" }));
}

const keyOf = (project) => `${project} ${state.get().ref}`;

async function partsOf(project) {
  const key = keyOf(project);
  if (!known.has(key)) {
    const { parts } = await api.get("overview", { project, limit: FOLDERS });
    known.set(key, parts.filter((part) => part.kind === "folder" && part.bytes > 0));
  }
  return known.get(key);
}

/** Assigns each result to the most specific folder. Results outside of all folders share one area. */
function withHits(parts, hits) {
  const areas = [...parts, { path: "", bytes: Math.min(...parts.map((part) => part.bytes)) }].map((part) => ({ ...part, hits: [] }));
  const bySize = [...areas].sort((a, b) => b.path.length - a.path.length);
  for (const hit of hits) bySize.find(({ path }) => !path || hit.file_path.startsWith(`${path}/`)).hits.push(hit);
  return areas.filter(({ path, hits: mine }) => path || mine.length);
}

function picture(areas, width) {
  const largest = Math.max(...areas.map(({ bytes }) => bytes)) ** GROWTH;
  const sized = areas.map((area) => ({ ...area, size: Math.max(area.bytes ** GROWTH, largest * SMALLEST) })).sort((a, b) => b.size - a.size);
  const described = sized.filter(({ hits }) => hits.length).map(({ path, hits }) => `${path || "elsewhere"} ${hits.length}`).join(", ");
  return s("svg", { viewBox: `0 0 ${width} ${HEIGHT}`, width, height: HEIGHT, role: "img", "aria-label": `Results by folder: ${described}` },
    squarified(sized, { x: 0, y: 0, width, height: HEIGHT }).map(area));
}

function area({ path, hits, box: { x, y, width, height } }) {
  const name = splitPath(path)[1] === "src" ? path.split("/").slice(-2).join("/") : splitPath(path)[1] || "elsewhere";
  const room = Math.floor((width - 8) / LETTER_PX);
  const hasLabel = room >= 4 && height >= LABEL_PX;
  const shape = s("g", { class: hits.length ? "area" : "area none" },
    s("title", null, `${path || "elsewhere"}: ${plural(hits.length, "result")}`),
    s("rect", { x: x + 0.5, y: y + 0.5, width: Math.max(0, width - 2), height: Math.max(0, height - 2), rx: 3 }),
    hasLabel && s("text", { x: x + 5, y: y + 12 }, name.length > room ? `${name.slice(0, room - 1)}…` : name));
  if (path) shape.addEventListener("click", () => state.set({ path: `${path}/` }));
  return [shape, dots(hits, { x: x + 4, y: y + (hasLabel ? LABEL_PX : 3), width: width - 8, height: height - (hasLabel ? LABEL_PX : 3) - 4 })];
}

/** One dot for each result, in their order. Dots that do not fit are left out. */
function dots(hits, { x, y, width, height }) {
  const [across, down] = [Math.max(1, Math.floor(width / DOT)), Math.max(1, Math.floor(height / DOT))];
  return hits.slice(0, across * down).map((hit, at) => {
    const place = { file: hit.file_path, project: hit.project ?? "", line: String(hit.start_line), end: String(hit.end_line) };
    const dot = s("circle", { class: hit.weak ? "dot weak" : "dot", cx: x + DOT / 2 + (at % across) * DOT, cy: y + DOT / 2 + Math.floor(at / across) * DOT, r: 3.2 },
      s("title", null, `${hit.file_path}:${hit.start_line}${hit.symbol ? ` ${hit.symbol}` : ""}`));
    dot.dataset.place = `${place.project}:${place.file}:${place.line}`;
    dot.addEventListener("click", () => state.set({ ...state.CLOSED_PANE, ...place }, { push: true }));
    return dot;
  });
}

/** Boxes with areas proportional to `size`, as square as possible: a row is filled as long as that improves its worst box. */
function squarified(items, { x, y, width, height }) {
  if (!items.length) return [];
  const total = items.reduce((sum, { size }) => sum + size, 0);
  const isUpright = width < height;
  const [side, long] = isUpright ? [width, height] : [height, width];
  const scale = (width * height) / total;
  let row = items.slice(0, 1);
  while (row.length < items.length && worst([...row, items[row.length]], side, scale) <= worst(row, side, scale)) row = items.slice(0, row.length + 1);
  const thick = Math.min(long, (row.reduce((sum, { size }) => sum + size, 0) * scale) / side);
  let at = 0;
  const placed = row.map((item) => {
    const length = (item.size * scale) / thick;
    const box = isUpright ? { x: x + at, y, width: length, height: thick } : { x, y: y + at, width: thick, height: length };
    at += length;
    return { ...item, box };
  });
  const rest = isUpright ? { x, y: y + thick, width, height: height - thick } : { x: x + thick, y, width: width - thick, height };
  return [...placed, ...squarified(items.slice(row.length), rest)];
}

function worst(row, side, scale) {
  const thick = (row.reduce((sum, { size }) => sum + size, 0) * scale) / side;
  return Math.max(...row.map(({ size }) => Math.max(thick / ((size * scale) / thick), (size * scale) / thick / thick)));
}
