// Runs searches and lists their results. A newer query always wins over the response to an older one.

import * as api from "./api.js";
import { $, count, h, pathNodes, plural } from "./dom.js";
import { hitList, keepMatches, placeKey, skeleton } from "./results.js";
import * as state from "./state.js";
import { landing } from "./landing.js";
import * as pane from "./pane.js";
import * as tree from "./tree.js";
import { showMarks } from "./viewer.js";
import * as where from "./where.js";

const TYPING_PAUSE_MS = 110;
/** Pause before the preview is loaded, so that it is not fetched for every letter typed. */
const PREVIEW_PAUSE_MS = 150;
const SKELETON_AFTER_MS = 250;
const PAGE = 20;

const list = $("#results");
const summary = $("#summary");
const symbols = $("#symbols");
let running = new AbortController();
let pause = 0;
/** The results that are listed. */
let shown = [];

/** Searches again, after a pause while the user is typing. With `preview` the best result is shown next to the list. */
export function refresh({ typing = false, preview = true } = {}) {
  clearTimeout(pause);
  running.abort();
  if (!state.get().q.trim()) return showStart();
  pause = setTimeout(() => run({ typing, preview }), typing ? TYPING_PAUSE_MS : 0);
}

function showStart() {
  summary.textContent = "";
  symbols.hidden = true;
  list.replaceChildren(landing());
  where.hide();
  tree.showHits([]);
  delete list.dataset.answers;
}

async function run({ typing, preview }) {
  running = new AbortController();
  const { signal } = running;
  const asked = state.get();
  const ghost = setTimeout(() => { if (!list.querySelector(".hits")) list.replaceChildren(skeleton()); }, SKELETON_AFTER_MS);
  list.setAttribute("aria-busy", "true");
  try {
    const [answer, names] = await Promise.all([api.get("search", query(asked), signal), definitions(asked, signal)]);
    show(answer, asked);
    showSymbols(names);
    const before = placeKey(state.get());
    const open = () => placeKey(state.get()) === before && previewFirst();
    // At once if nobody is typing, because results that are drawn for the whole width and then for a part of it would jump.
    if (preview && typing) pause = setTimeout(open, PREVIEW_PAUSE_MS);
    else if (preview) open();
  } catch (error) {
    if (error.name !== "AbortError") showProblem(error);
  } finally {
    clearTimeout(ghost);
    if (!signal.aborted) list.removeAttribute("aria-busy");
  }
}

function query(asked, cursor) {
  const { q, language, kind, tests, mode, path, match, projects } = asked;
  return { q, language, kind, class: asked.class, tests, mode, path, match, projects, limit: PAGE, explain: true, markup: true,
    threshold: asked.weak ? 0 : "", cursor };
}

function show(answer, asked) {
  const notes = answer.notes.map((note) => h("p", { class: "note" }, note));
  const found = answer.hits.length ? [hitList(answer.hits, "Results"), more(answer, asked)] : [nothing(asked)];
  list.replaceChildren(...notes, ...found.filter(Boolean));
  list.dataset.answers = asked.q;
  shown = answer.hits;
  place(shown);
  summary.textContent = answer.hits.length ? counted(answer) : "";
  markOpen();
}

/** Shows the locations of the results: in the picture, in the tree and in the text of the open file. */
function place(hits) {
  where.show(hits).then(markOpen);
  tree.showHits(hits.filter((hit) => (hit.project ?? "") === state.shownProject()).map((hit) => hit.file_path));
  keepMatches(hits);
  showMarks();
}

/** Summary line: how many results there are, and how many of them probably answer the query. */
function counted({ weak, likely, total, hits, took_ms: took }) {
  const all = Math.max(total, hits.length);
  if (weak) return "Nothing fits well. These are the nearest.";
  const found = likely < all ? `${plural(likely, "good result")}, ${count(all - likely)} weaker` : plural(all, "result");
  return `${found} in ${took.toFixed(took < 10 ? 1 : 0)} ms`;
}

function more(answer, asked) {
  if (answer.next == null) return null;
  const button = h("button", { type: "button", class: "button wide" }, "More results");
  button.addEventListener("click", async () => {
    button.disabled = true;
    const page = await api.get("search", query(asked, answer.next), running.signal).catch((error) => error);
    if (page instanceof Error) {
      button.textContent = page.message;
      return;
    }
    shown = [...shown, ...page.hits];
    place(shown);
    const items = [...hitList(page.hits).children];
    list.querySelector(".hits").append(...items);
    items[0]?.querySelector(".hit-link").focus();
    button.replaceWith(more(page, asked) ?? "");
  });
  return button;
}

/** Shown if nothing was found: names the likely reason, and offers to remove it. */
function nothing(asked) {
  const filtered = state.FILTER_KEYS.some((key) => asked[key] !== state.DEFAULTS[key]);
  const clear = Object.fromEntries(state.FILTER_KEYS.map((key) => [key, state.DEFAULTS[key]]));
  const offer = (label, patch) => h("button", { type: "button", class: "button", on: { click: () => state.set(patch) } }, label);
  return h("div", { class: "empty" },
    h("h2", null, "No results"),
    h("p", null, filtered ? "The filters may be too narrow." : "Describe what the code does in other words, or type the name of a function or type."),
    h("div", { class: "offers" },
      filtered && offer("Search without filters", clear),
      !asked.weak && offer("Show weak matches too", { weak: "1" })));
}

/** Repeats a failed search when the server is back. */
export const retry = () => list.querySelector(":scope > .problem") && refresh();

function showProblem(error) {
  summary.textContent = "";
  symbols.hidden = true;
  where.hide();
  const again = h("button", { type: "button", class: "button", on: { click: () => refresh() } }, "Try again");
  list.replaceChildren(h("div", { class: "empty problem", role: "alert" },
    h("h2", null, error.message), error.hint && h("p", null, error.hint), again));
}

const NAME = /^[\p{L}_$][\p{L}\p{N}_$.:#]{2,}$/u;

/** A query of one word may be meant as a name, so definitions with that name are listed first. */
async function definitions(asked, signal) {
  const name = asked.q.trim();
  if (!NAME.test(name) || asked.projects) return [];
  const answer = await api.get("symbols", { name, limit: 6 }, signal).catch((error) => {
    if (error.name === "AbortError") throw error;
    return { symbols: [] };
  });
  return answer.symbols;
}

function showSymbols(found) {
  symbols.hidden = !found.length;
  symbols.replaceChildren(h("ul", { "aria-label": "Definitions" }, found.map((symbol) => {
    const place = { file: symbol.path, project: "", line: String(symbol.start_line), end: String(symbol.end_line) };
    const graph = { ...place, symbol: `${symbol.path}#${symbol.qualified}`, view: "graph" };
    return h("li", null, h("a", { class: "definition", href: state.link({ ...state.CLOSED_PANE, ...place }) },
      h("span", { class: "kind" }, symbol.kind), h("span", { class: "symbol" }, symbol.qualified),
      h("span", { class: "path" }, pathNodes(symbol.path, `:${symbol.start_line}`))),
      h("a", { class: "action", href: state.link({ ...state.CLOSED_PANE, ...graph }), data: { view: "graph" } }, "Graph"));
  })));
}

/** Previews the best result without a click. */
function previewFirst() {
  const first = list.querySelector(".hit-link");
  if (first) pane.preview(state.placeOf(state.read(first.href)));
  else if (pane.isBeside()) state.set(state.CLOSED_PANE);
}

/** Marks the hit whose file is open. */
export function markOpen() {
  const key = placeKey(state.get());
  for (const item of document.querySelectorAll("#results .hit, .where .dot")) item.classList.toggle("open", item.dataset.place === key);
}
