// Connects the parts of the page, which all react to changes of the state.

import { setRef, setToken } from "./api.js";
import { $, h, splitPath, visible } from "./dom.js";
import * as filters from "./filters.js";
import * as keys from "./keys.js";
import * as pane from "./pane.js";
import * as search from "./search.js";
import * as state from "./state.js";
import * as status from "./status.js";
import * as tree from "./tree.js";

const box = $("#q");
const THEMES = ["", "light", "dark"];

function toggleTheme() {
  const now = document.documentElement.dataset.theme ?? "";
  const next = THEMES[(THEMES.indexOf(now) + 1) % THEMES.length];
  if (next) document.documentElement.dataset.theme = next;
  else delete document.documentElement.dataset.theme;
  localStorage.setItem("theme", next);
  showTheme();
}

function showTheme() {
  const name = document.documentElement.dataset.theme ?? "system";
  $("#theme").title = `Colour theme: ${name} (t)`;
}

/**
 * Handles links to this page without reloading it; with a modifier key, the browser handles them itself. A link in the
 * pane or in the tree opens another location and keeps the search. A click on an excerpt opens the result.
 */
function onClick(event) {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || event.button) return;
  const link = event.target.closest("a[href]") ?? (getSelection()?.toString() ? null : event.target.closest(".hit .code")?.closest(".hit").querySelector(".hit-link"));
  if (!link || link.target || !isOwn(link)) return;
  event.preventDefault();
  link.closest("dialog")?.close();
  const next = state.read(link.href);
  const isPlaceOnly = link.closest("#pane, #tree") && !next.q;
  if (link.closest("#results, #symbols")) link.closest(".hit, li")?.querySelector("a")?.focus({ preventScroll: true });
  if (pane.isOpen(next)) pane.open(isPlaceOnly ? state.placeOf(next) : next);
  else state.set(isPlaceOnly ? { ...state.placeOf(next), ...(next.folder ? { q: "" } : {}) } : next, { push: true });
}

/** Without a query there are no results next to the pane, and nothing to filter. */
function showLayout({ q }) {
  document.body.classList.toggle("has-query", q.trim() !== "");
}

/** Updates the state while the user types. If the query becomes empty, the previewed result is closed along with the list. */
function onInput() {
  const isPreview = !box.value.trim() && document.querySelector(".hit.open");
  const asked = filters.typed(box.value);
  if (asked.q !== box.value) box.value = asked.q;
  state.set({ ...asked, ...(isPreview ? state.CLOSED_PANE : {}) }, { push: !state.get().q });
}

const isOwn = (link) => link.origin === location.origin && link.pathname === "/" && !link.hash;

/** Asks for the token that a server reachable from other machines requires. */
function askForToken({ problem }) {
  if (problem?.status !== 401 || $("#token")) return;
  const field = h("input", { id: "token", type: "password", "aria-label": "Token", autocomplete: "current-password" });
  const form = h("form", { class: "empty" }, h("h2", null, "This server requires a token"), field, h("button", { class: "button" }, "Continue"));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    setToken(field.value.trim());
    location.reload();
  });
  $("#results").replaceChildren(form);
  field.focus();
}

const VIEW_NAMES = { references: "references", graph: "graph", map: "map", history: "history", similar: "similar code" };

/**
 * Sets the title of the browser tab: the query or the open file first, then the location, so that several tabs of one project
 * differ in their first words.
 */
function showTitle({ q, file, folder, symbol, view, line, ref }) {
  const [above, name] = splitPath(file || folder);
  const read = symbol ? symbol.slice(symbol.indexOf("#") + 1) : file && line ? `${name}:${line}` : name;
  const what = q.trim() ? [q.trim()] : [[read, VIEW_NAMES[file || symbol ? view : view === "graph" && "map"]].filter(Boolean).join(", "), above.replace(/\/$/, "")];
  document.title = visible([...what, ref, state.shownProject() || status.current().project, "vectorcode"].filter(Boolean).join(" · "));
}

function follow(now, changed) {
  setRef(now.ref);
  showTitle(now);
  if (box.value !== now.q && (document.activeElement !== box || !changed.has("q"))) box.value = now.q;
  if (box.value.trim() !== now.q.trim()) box.value = now.q;
  showLayout(now);
  filters.draw();
  const isNewLanding = !now.q && (changed.has("folder") || changed.has("project"));
  const isNewRef = changed.has("ref");
  const isNewPlace = isNewRef || state.PANE_KEYS.some((key) => changed.has(key));
  if (isNewLanding || isNewRef || state.SEARCH_KEYS.some((key) => changed.has(key))) search.refresh({ typing: document.activeElement === box, preview: !isNewPlace || !pane.isOpen() });
  if (isNewPlace) pane.refresh(changed);
  if (["ref", "file", "folder", "project", "projects"].some((key) => changed.has(key))) tree.follow();
  search.markOpen();
}

box.value = state.get().q;
box.addEventListener("input", onInput);
box.form.addEventListener("submit", (event) => event.preventDefault());
document.addEventListener("click", onClick);
$("#theme").addEventListener("click", toggleTheme);
$("#map").addEventListener("click", () => pane.open({ view: "graph", folder: state.get().folder, project: state.shownProject() }));
for (const dialog of document.querySelectorAll("dialog")) {
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
}

setRef(state.get().ref);
showTheme();
showLayout(state.get());
state.subscribe(follow);
status.follow(askForToken);
status.follow(() => showTitle(state.get()));
status.follow(({ problem }) => problem || search.retry());
filters.start();
keys.start({ toggleTheme });
tree.start();
status.start();
search.refresh({ preview: !pane.isOpen() });
pane.refresh();
// Not on a touch screen, where the keyboard would cover half of the page.
if (!pane.isOpen() && matchMedia("(hover: hover)").matches) box.focus();
