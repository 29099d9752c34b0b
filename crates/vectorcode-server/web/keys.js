// Keyboard shortcuts, and the dialog that lists them.

import { $, h } from "./dom.js";
import * as pane from "./pane.js";
import * as state from "./state.js";
import { closeButton } from "./status.js";
import * as tree from "./tree.js";

const KEYS = [
  ["/", "Focus the search box"], ["↓ ↑ or j k", "Next and previous result"], ["Enter", "Open the result"],
  ["c  r  g  h  s", "Code, references, graph, history, similar code of the open file"], ["f", "Files"], ["m", "Map of the project or folder"], ["t", "Colour theme: light, dark or system"],
  ["Esc", "Close the pane, then go to the search box"], ["+  −  0", "Zoom the graph: in, out, fit"], ["?", "This list"],
];

const box = $("#q");
const links = () => [...document.querySelectorAll("#results .hit-link, #symbols a")];

export function start({ toggleTheme }) {
  document.addEventListener("keydown", (event) => onKey(event, toggleTheme));
  $("#help").addEventListener("click", showHelp);
}

function onKey(event, toggleTheme) {
  if (event.ctrlKey || event.metaKey || event.altKey || $("dialog[open]")) return;
  const typing = event.target.matches("input:not([type=checkbox]), select, textarea");
  const act = typing ? inField(event) : outsideFields(event, toggleTheme);
  if (!act) return;
  event.preventDefault();
  act();
}

function inField(event) {
  if (event.key === "Escape") return () => (pane.isOpen() ? pane.close() : event.target.blur());
  if (event.target !== box) return null;
  if (event.key === "ArrowDown") return () => focusResult(0);
  if (event.key === "Enter") return () => links()[0]?.click();
  return null;
}

function outsideFields(event, toggleTheme) {
  const { file } = state.get();
  const inPane = event.target.closest("#pane");
  const view = { c: "code", r: "references", g: "graph", h: "history", s: "similar" }[event.key];
  if (view) return file ? () => $(`#tab-${view}`)?.click() : null;
  if (event.key === "Escape" && tree.isOpenDrawer()) return () => tree.show(false);
  if (inPane && event.key.startsWith("Arrow")) return null;
  return {
    "/": () => box.select(),
    "?": showHelp,
    f: () => $("#files").click(),
    m: () => $("#map").click(),
    t: toggleTheme,
    j: () => step(1), ArrowDown: () => step(1), k: () => step(-1), ArrowUp: () => step(-1),
    Escape: () => (pane.isOpen() ? pane.close() : box.select()),
  }[event.key];
}

/** Goes to the next or previous result; above the first is the search box. */
function step(by) {
  const all = links();
  const at = all.findIndex((link) => link === document.activeElement || link.closest(".hit")?.contains(document.activeElement));
  if (at === 0 && by < 0) return box.select();
  focusResult(at < 0 ? 0 : at + by);
}

function focusResult(at) {
  const link = links()[at];
  link?.focus({ preventScroll: true });
  (link?.closest(".hit") ?? link)?.scrollIntoView({ block: "nearest" });
}

function showHelp() {
  const dialog = $("#help-dialog");
  const keys = (names) => names.split(/ +/).map((name) => (name === "or" ? " or " : h("kbd", null, name)));
  dialog.replaceChildren(h("header", null, h("h2", null, "Keyboard shortcuts"), closeButton(dialog)),
    h("dl", { class: "keys-list" }, KEYS.map(([names, what]) => [h("dt", null, keys(names)), h("dd", null, what)])));
  dialog.showModal();
}
