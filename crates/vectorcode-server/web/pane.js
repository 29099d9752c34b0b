// The pane beside the results: the source of a file, similar code, or its graph.

import * as api from "./api.js";
import { $, h, icon, splitPath } from "./dom.js";
import * as editor from "./editor.js";
import { graphView } from "./graph.js";
import { hitList } from "./results.js";
import * as state from "./state.js";
import { fileView, showRange } from "./viewer.js";

const TABS = [["code", "Code"], ["similar", "Similar"], ["graph", "Graph"]];

const pane = $("#pane");
let loading = new AbortController();
let cameFrom = null;

export const isOpen = ({ file, view } = state.get()) => file !== "" || view === "graph";

export const close = () => state.set(state.CLOSED_PANE, { push: true });

/** Opens a place: `{file, project, line, end, view}`. */
export function open(place) {
  cameFrom = document.activeElement;
  state.set({ ...state.CLOSED_PANE, ...place }, { push: true });
}

/** Brings the pane to the state. */
export function refresh(changed) {
  const now = state.get();
  const shown = isOpen(now);
  document.body.classList.toggle("has-pane", shown);
  document.body.classList.toggle("has-map", shown && !now.file && !now.q);
  pane.hidden = !shown;
  if (!shown) return leave();
  const sameText = now.view === "code" && changed && !changed.has("file") && !changed.has("project") && !changed.has("view");
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
  const body = h("div", { class: "pane-body", role: "tabpanel", "aria-labelledby": `tab-${now.view}`, tabindex: "-1" });
  pane.replaceChildren(head(now), body);
  try {
    await VIEWS[now.view]?.(body, now, signal);
    if (now.view === "code") showRange(pane, now);
  } catch (error) {
    if (error.name !== "AbortError") body.replaceChildren(problem(error));
  }
}

const VIEWS = {
  code: fileView,
  graph: graphView,
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
  const [folder, name] = splitPath(now.file);
  const title = now.file
    ? h("h2", { class: "path", title: now.file }, h("span", { class: "dim" }, h("bdi", null, folder)), h("b", null, name))
    : h("h2", null, "Project map");
  const shut = h("button", { type: "button", class: "quiet icon", id: "close-pane", "aria-label": "Close", title: "Close (Esc)", on: { click: close } }, icon("M5 5l10 10M15 5L5 15"));
  const tools = h("div", { class: "tools" },
    now.file && copyButton(now), now.file && editor.link({ project: now.project, file: now.file, line: now.line }, "quiet button-link"), shut);
  return h("header", { class: "pane-head" }, h("div", { class: "pane-title" }, title, tools), now.file && tabs(now));
}

function copyButton({ file, line }) {
  const text = line ? `${file}:${line}` : file;
  const button = h("button", { type: "button", class: "quiet icon", "aria-label": "Copy path", title: `Copy ${text}` }, icon("M7 7h9v9H7zM4 13V4h9"));
  button.addEventListener("click", async () => {
    await navigator.clipboard?.writeText(text).catch(() => {});
    button.classList.add("done");
    setTimeout(() => button.classList.remove("done"), 900);
  });
  return button;
}

function tabs(now) {
  const tab = ([view, label]) =>
    h("button", {
      type: "button", role: "tab", id: `tab-${view}`, "aria-selected": String(view === now.view), tabindex: view === now.view ? "0" : "-1",
      on: { click: () => state.set({ view }, { push: true }) },
    }, label);
  const list = h("div", { class: "tabs", role: "tablist", "aria-label": "Views of this file" }, TABS.map(tab));
  list.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const at = TABS.findIndex(([view]) => view === now.view);
    const [view] = TABS[(at + step + TABS.length) % TABS.length];
    event.stopPropagation();
    state.set({ view }, { push: true });
    $(`#tab-${view}`)?.focus();
  });
  return list;
}
