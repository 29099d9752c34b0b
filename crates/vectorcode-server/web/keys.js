// Keyboard shortcuts, and the dialog that lists them.

import { $, h } from "./dom.js";
import * as pane from "./pane.js";
import * as state from "./state.js";
import { closeButton } from "./status.js";
import * as tree from "./tree.js";

const KEYS = [
  ["/", "Focus the search box"], ["↓ ↑ or j k", "Next and previous result, shown beside the list"], ["Enter", "Read the result: go to its text"],
  ["c  r  g  h  s", "Code, references, graph, history, similar code of the result or the open file"], ["f", "Files"], ["m", "Map of the project or folder"], ["t", "Colour theme: light, dark or system"],
  ["Esc", "Back: from the text to the result, close the pane, search box"], ["+  −  0", "Zoom the graph: in, out, fit"], ["?", "This list"],
  ["lang:go path:src/ kind:class match:regex", "Filters typed in the search box, each followed by a space"],
];

const box = $("#q");
const links = () => [...document.querySelectorAll("#results .hit-link, #symbols .definition")];

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
  if (event.key === "Escape") return () => (pane.isOpen() && !pane.isBeside() ? pane.close() : event.target.blur());
  if (event.target !== box) return null;
  // No query starts with `?`, and the box has the focus when the page opens.
  if (event.key === "?" && !box.value) return showHelp;
  if (event.key === "ArrowDown") return () => focusResult(0);
  if (event.key === "Enter") return () => openLink(links()[0]);
  return null;
}

/** The index of the result that is shown in the pane. */
const openResult = () => links().findIndex((link) => link.closest(".hit")?.classList.contains("open"));

/** Opens a result, or moves to its text if it is already open. */
function openLink(link) {
  if (!link) return;
  if (link.closest(".hit.open") && pane.isBeside() && pane.isOpen()) return pane.enter();
  link.click();
}

function outsideFields(event, toggleTheme) {
  const { file } = state.get();
  const inPane = event.target.closest("#pane");
  const view = { c: "code", r: "references", g: "graph", h: "history", s: "similar" }[event.key];
  const ofResult = event.target.closest("#results .hit, #symbols li")?.querySelector(`[data-view="${view}"]`);
  if (ofResult) return () => ofResult.click();
  if (view) return file ? () => $(`#tab-${view}`)?.click() : null;
  if (event.key === "Escape" && tree.isOpenDrawer()) return () => tree.show(false);
  if (event.key === "Escape" && inPane && pane.isBeside()) return pane.leaveToResult;
  if (event.key === "Enter" && event.target.matches(".hit-link")) return () => openLink(event.target);
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

/** Moves to the next or previous result, or from the first one up to the search box. */
function step(by) {
  const all = links();
  const focused = all.findIndex((link) => link === document.activeElement || link.closest(".hit")?.contains(document.activeElement));
  const at = focused < 0 ? openResult() : focused;
  if (at === 0 && by < 0) return box.select();
  focusResult(at < 0 ? 0 : at + by);
}

function focusResult(at) {
  const link = links()[at];
  link?.focus({ preventScroll: true });
  (link?.closest(".hit") ?? link)?.scrollIntoView({ block: "nearest" });
  if (link) pane.preview(state.placeOf(state.read(link.href)));
}

function showHelp() {
  const dialog = $("#help-dialog");
  const keys = (names) => names.split(/ +/).map((name) => (name === "or" ? " or " : h("kbd", null, name)));
  dialog.replaceChildren(h("header", null, h("h2", null, "Keyboard shortcuts"), closeButton(dialog)),
    h("dl", { class: "keys-list" }, KEYS.map(([names, what]) => [h("dt", null, keys(names)), h("dd", null, what)])));
  dialog.showModal();
}
