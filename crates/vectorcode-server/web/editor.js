// Links that open a location in the user's editor.

import { h } from "./dom.js";
import * as state from "./state.js";

/** Address of a file in each editor; `%` stands for the path, `#` for the line. */
const EDITORS = {
  "VS Code": "vscode://file/%:#", VSCodium: "vscodium://file/%:#", Cursor: "cursor://file/%:#", Zed: "zed://file/%:#",
  JetBrains: "idea://open?file=/%&line=#", "Sublime Text": "subl://open?url=file:///%&line=#",
};

/** Root directories of projects by name; the name of this project is "". */
const roots = new Map();

export const names = Object.keys(EDITORS);
export const chosen = () => (names.includes(localStorage.getItem("editor")) ? localStorage.getItem("editor") : names[0]);

export function choose(name) {
  localStorage.setItem("editor", name);
  refresh();
}

export function setRoot(project, root) {
  if (roots.get(project) === root) return;
  roots.set(project, root);
  refresh();
}

/** A link to `{project, file, line}`. Hidden while the project's root is unknown, and for a commit, which has no files on disk. */
export function link(place, className, ...children) {
  const node = h("a", { class: className, rel: "noreferrer", data: { editor: JSON.stringify(place) } }, ...children, h("span", null, "Editor"));
  point(node);
  return node;
}

const refresh = () => document.querySelectorAll("a[data-editor]").forEach(point);

function point(node) {
  const { project, file, line } = JSON.parse(node.dataset.editor);
  const root = roots.get(project);
  node.hidden = !root || state.get().ref !== "";
  if (!root) return;
  const parts = `${root}/${file}`.replaceAll("\\", "/").replace(/^\/+/, "").split("/");
  node.href = EDITORS[chosen()].replace("%", parts.map(encodeURIComponent).join("/")).replace("#", line || "1");
  node.title = `Open in ${chosen()}`;
}
