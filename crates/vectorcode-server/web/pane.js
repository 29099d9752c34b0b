// The pane next to the results: the source of a file, its references, history, similar code, or a graph.

import * as api from "./api.js";
import { $, h, icon, isWide, splitPath } from "./dom.js";
import * as editor from "./editor.js";
import { graphView } from "./graph.js";
import { historyView } from "./history.js";
import { referencesView } from "./references.js";
import { hitList, skeleton } from "./results.js";
import * as state from "./state.js";
import { fileView, showRange } from "./viewer.js";

const SKELETON_AFTER_MS = 300;
const TABS = [["code", "Code"], ["references", "References"], ["graph", "Graph"], ["history", "History"], ["similar", "Similar"]];

const pane = $("#pane");
let loading = new AbortController();
let cameFrom = null;
/** Whether the user closed the pane. No preview opens then until the user opens a result. */
let dismissed = false;

/** Whether results are shown next to the pane. */
export const isBeside = () => isWide() && state.get().q.trim() !== "";

export const isOpen = ({ file, symbol, view } = state.get()) => file !== "" || symbol !== "" || view === "graph";

export function close() {
  dismissed = isBeside();
  state.set(state.CLOSED_PANE, { push: true });
}

/** Previews a location next to the results while the user goes through them. Updates the address without a new history entry. */
export function preview(place) {
  if (isBeside() && !dismissed) state.set({ ...state.CLOSED_PANE, ...place });
}

/** Moves the focus into the text of the open file; `leaveToResult` moves it back. */
export function enter() {
  cameFrom = document.activeElement.closest(".hit-link") ?? $(".hit.open .hit-link");
  focusBody();
}

const focusBody = () => (pane.querySelector(".code.whole") ?? pane.querySelector(".pane-body"))?.focus({ preventScroll: true });

export const leaveToResult = () => (cameFrom?.isConnected ? cameFrom : $(".hit.open .hit-link") ?? $("#q")).focus();

/** Opens a location: `{file, project, line, end, view, symbol, folder}`. */
export function open(place) {
  if (!pane.contains(document.activeElement)) cameFrom = document.activeElement;
  dismissed = false;
  state.set({ ...state.CLOSED_PANE, ...place }, { push: true });
}

/** Updates the pane to the current state. */
export function refresh(changed) {
  const now = state.get();
  const shown = isOpen(now);
  document.body.classList.toggle("has-pane", shown);
  pane.hidden = !shown;
  if (!shown) return leave();
  const sameText = now.view === "code" && changed && !["ref", "file", "project", "view"].some((key) => changed.has(key));
  if (sameText && showRange(pane, now)) return drawHead(now);
  draw(now);
}

function leave() {
  loading.abort();
  pane.replaceChildren();
  if (cameFrom?.isConnected) cameFrom.focus();
  cameFrom = null;
}

async function draw(now) {
  loading.abort();
  loading = new AbortController();
  const { signal } = loading;
  const labelled = now.file ? { role: "tabpanel", "aria-labelledby": `tab-${now.view}` } : {};
  const body = h("div", { class: "pane-body", ...labelled, tabindex: "-1" });
  pane.replaceChildren(head(now), body);
  const ghost = setTimeout(() => body.append(skeleton()), SKELETON_AFTER_MS);
  const focus = pane.contains(document.activeElement) || document.activeElement === document.body;
  try {
    await (VIEWS[now.view] ?? VIEWS.code)(body, now, signal);
    if (now.view === "code") showRange(pane, now);
    if (signal.aborted) return;
    // The user moved the focus to the text before it was loaded.
    if (document.activeElement === body) focusBody();
    else if (focus && !pane.contains(document.activeElement)) body.focus({ preventScroll: true });
  } catch (error) {
    if (error.name !== "AbortError") body.replaceChildren(problem(error));
  } finally {
    clearTimeout(ghost);
  }
}

const VIEWS = {
  code: fileView,
  graph: graphView,
  history: historyView,
  references: referencesView,
  async similar(body, { file, line, project }, signal) {
    const answer = await api.get("similar", { location: `${file}:${line || 1}`, project, limit: 12, explain: true, markup: true }, signal);
    answer.hits.forEach((hit) => { hit.project ??= project; });
    const found = answer.hits.length ? hitList(answer.hits, "Similar code") : h("div", { class: "empty" }, h("p", null, "No similar code."));
    body.replaceChildren(h("p", { class: "summary" }, `Code similar to ${file}:${line || 1}`), found);
  },
};

const problem = (error) => h("div", { class: "empty problem", role: "alert" }, h("h2", null, error.message), error.hint && h("p", null, error.hint));

function drawHead(now) {
  pane.querySelector(".pane-head").replaceWith(head(now));
}

function head(now) {
  const shut = h("button", { type: "button", class: "quiet icon", id: "close-pane", "aria-label": "Close", title: "Close (Esc)", on: { click: close } }, icon("M5 5l10 10M15 5L5 15"));
  const tools = h("div", { class: "tools" },
    now.file && copyButton("Copy link", "M8 12l4-4M7 9l-2 2a2.8 2.8 0 0 0 4 4l2-2M13 11l2-2a2.8 2.8 0 0 0-4-4L9 7", () => new URL(state.address(state.placeOf(state.get())), location.href).href),
    now.file && copyButton("Copy path", "M7 7h9v9H7zM4 13V4h9", () => (now.line ? `${now.file}:${now.line}` : now.file)),
    now.file && editor.link({ project: now.project, file: now.file, line: now.line }, "quiet button-link"), shut);
  return h("header", { class: "pane-head" }, h("div", { class: "pane-title" }, title(now), tools), now.file && tabs(now));
}

function title({ file, folder, symbol, project, ref }) {
  if (file) return h("h2", { class: "path crumbs" }, [project, ref].filter(Boolean).map((name) => h("span", { class: "tag" }, name)), crumbs(file, project));
  if (symbol) return h("h2", { class: "symbol" }, symbol);
  return h("h2", null, folder ? `Map of ${folder}` : "Project map");
}

/** Each folder of a path as a link to its overview. */
function crumbs(file, project) {
  const [folders, name] = splitPath(file);
  const parts = folders.split("/").filter(Boolean);
  const crumb = (part, at) => [h("a", { href: state.address({ folder: parts.slice(0, at + 1).join("/"), project }) }, part), h("span", { class: "dim" }, "/"), h("wbr")];
  return [...parts.map(crumb), h("b", null, name)];
}

function copyButton(label, path, text) {
  const button = h("button", { type: "button", class: "quiet icon", "aria-label": label, title: label }, icon(path));
  button.addEventListener("click", async () => {
    await navigator.clipboard?.writeText(text()).catch(() => {});
    button.classList.add("done");
    setTimeout(() => button.classList.remove("done"), 900);
  });
  return button;
}

function tabs(now) {
  const go = (view) => state.set({ view, open: "", ...(view === "graph" || view === "references" ? {} : { symbol: "" }) }, { push: true });
  const tab = ([view, label]) =>
    h("button", {
      type: "button", role: "tab", id: `tab-${view}`, "aria-selected": String(view === now.view), tabindex: view === now.view ? "0" : "-1",
      on: { click: () => go(view) },
    }, label);
  const list = h("div", { class: "tabs", role: "tablist", "aria-label": "Views of this file" }, TABS.map(tab));
  list.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const at = TABS.findIndex(([view]) => view === now.view);
    const [view] = TABS[(at + step + TABS.length) % TABS.length];
    event.stopPropagation();
    go(view);
    $(`#tab-${view}`)?.focus();
  });
  return list;
}
