// Connects the parts: each follows the changes of the state.

import { setToken } from "./api.js";
import { $, h } from "./dom.js";
import * as filters from "./filters.js";
import * as keys from "./keys.js";
import * as pane from "./pane.js";
import * as search from "./search.js";
import * as state from "./state.js";
import * as status from "./status.js";

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

/** Opens locations on click; with a modifier the browser follows the link itself. */
function onClick(event) {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  const target = event.target.closest("[data-open]");
  if (!target || getSelection()?.toString()) return;
  event.preventDefault();
  const hit = target.closest(".hit, li");
  pane.open(JSON.parse(target.dataset.open));
  hit?.querySelector("a")?.focus({ preventScroll: true });
}

/** A server that other machines can reach requires a token. */
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

function follow(now, changed) {
  document.title = now.q ? `${now.q} · vectorcode` : "vectorcode";
  if (box.value !== now.q && (document.activeElement !== box || !changed.has("q"))) box.value = now.q;
  if (box.value.trim() !== now.q.trim()) box.value = now.q;
  filters.draw();
  if (state.SEARCH_KEYS.some((key) => changed.has(key))) search.refresh({ typing: document.activeElement === box });
  if (state.PANE_KEYS.some((key) => changed.has(key))) pane.refresh(changed);
  search.markOpen();
}

box.value = state.get().q;
box.addEventListener("input", () => state.set({ q: box.value }, { push: !state.get().q }));
box.form.addEventListener("submit", (event) => event.preventDefault());
document.addEventListener("click", onClick);
$("#theme").addEventListener("click", toggleTheme);
$("#map").addEventListener("click", () => pane.open({ view: "graph" }));
for (const dialog of document.querySelectorAll("dialog")) {
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
}

showTheme();
state.subscribe(follow);
status.follow(askForToken);
status.follow(({ problem }) => problem || search.retry());
filters.start();
keys.start({ toggleTheme });
status.start();
search.refresh();
pane.refresh();
if (!pane.isOpen()) box.focus();
