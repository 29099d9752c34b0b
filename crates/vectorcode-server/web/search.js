// Runs searches and lists their results. A newer query always wins over the response to an older one.

import * as api from "./api.js";
import { $, count, h, pathNodes, plural } from "./dom.js";
import { hitList, placeKey, skeleton } from "./results.js";
import * as state from "./state.js";
import { landing } from "./landing.js";
import * as status from "./status.js";

const TYPING_PAUSE_MS = 110;
const SKELETON_AFTER_MS = 250;
const PAGE = 20;

const list = $("#results");
const summary = $("#summary");
const symbols = $("#symbols");
let running = new AbortController();
let pause = 0;

/** Searches again, after a pause while the user is typing. */
export function refresh({ typing = false } = {}) {
  clearTimeout(pause);
  running.abort();
  if (!state.get().q.trim()) return showStart();
  pause = setTimeout(run, typing ? TYPING_PAUSE_MS : 0);
}

function showStart() {
  summary.textContent = "";
  symbols.hidden = true;
  list.replaceChildren(landing());
  delete list.dataset.answers;
}

async function run() {
  running = new AbortController();
  const { signal } = running;
  const asked = state.get();
  const ghost = setTimeout(() => { if (!list.querySelector(".hits")) list.replaceChildren(skeleton()); }, SKELETON_AFTER_MS);
  list.setAttribute("aria-busy", "true");
  try {
    const [answer, names] = await Promise.all([api.get("search", query(asked), signal), definitions(asked, signal)]);
    show(answer, asked);
    showSymbols(names);
  } catch (error) {
    if (error.name !== "AbortError") showProblem(error);
  } finally {
    clearTimeout(ghost);
    if (!signal.aborted) list.removeAttribute("aria-busy");
  }
}

function query(asked, cursor) {
  const { q, language, kind, tests, mode, path, projects } = asked;
  return { q, language, kind, class: asked.class, tests, mode, path, projects, limit: PAGE, explain: true, markup: true,
    threshold: asked.weak ? 0 : "", cursor };
}

function show(answer, asked) {
  const weak = answer.weak ? ["Nothing fits well; the nearest are:"] : [];
  const notes = [...weak, ...answer.notes].map((note) => h("p", { class: "note" }, note));
  const found = answer.hits.length ? [hitList(answer.hits, "Results"), more(answer, asked)] : [nothing(asked)];
  list.replaceChildren(...notes, ...found.filter(Boolean));
  list.dataset.answers = asked.q;
  const total = answer.total > answer.hits.length ? `${count(answer.total)} results` : plural(answer.hits.length, "result");
  const partly = h("span", null);
  summary.replaceChildren(answer.hits.length ? `${total} in ${answer.took_ms.toFixed(answer.took_ms < 10 ? 1 : 0)} ms` : "", partly);
  const draw = (now) => { partly.textContent = answer.semantic_coverage == null ? "" : status.remark(now); };
  status.follow(draw, partly);
  markOpen();
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
    const items = [...hitList(page.hits).children];
    list.querySelector(".hits").append(...items);
    items[0]?.querySelector(".hit-link").focus();
    button.replaceWith(more(page, asked) ?? "");
  });
  return button;
}

/** Nothing was found: name the likely reason, and offer to remove it. */
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

/** The server is back: repeats a search that failed. */
export const retry = () => list.querySelector(":scope > .problem") && refresh();

function showProblem(error) {
  summary.textContent = "";
  symbols.hidden = true;
  const again = h("button", { type: "button", class: "button", on: { click: () => refresh() } }, "Try again");
  list.replaceChildren(h("div", { class: "empty problem", role: "alert" },
    h("h2", null, error.message), error.hint && h("p", null, error.hint), again));
}

const NAME = /^[\p{L}_$][\p{L}\p{N}_$.:#]{2,}$/u;

/** A query that is one name may be meant as a name: its definitions are listed first. */
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
    return h("li", null, h("a", { href: state.link({ ...state.CLOSED_PANE, ...place }) },
      h("span", { class: "kind" }, symbol.kind), h("span", { class: "symbol" }, symbol.qualified),
      h("span", { class: "path" }, pathNodes(symbol.path, `:${symbol.start_line}`))));
  })));
}

/** Marks the hit whose file is open. */
export function markOpen() {
  const key = placeKey(state.get());
  for (const item of list.querySelectorAll(".hit[data-place]")) item.classList.toggle("open", item.dataset.place === key);
}
