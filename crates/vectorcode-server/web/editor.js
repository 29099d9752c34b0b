// Links that open a place in the reader's own editor.

import { h } from "./dom.js";

/** Address of a file in each editor; `%` stands for the path. */
const EDITORS = {
  "VS Code": "vscode://file/%:#", Cursor: "cursor://file/%:#", Zed: "zed://file/%:#", "VSCodium": "vscodium://file/%:#",
  JetBrains: "idea://open?file=/%&line=#", "Sublime Text": "subl://open?url=file:///%&line=#",
};

let roots = {};

export const names = Object.keys(EDITORS);
export const chosen = () => (EDITORS[localStorage.getItem("editor")] ? localStorage.getItem("editor") : names[0]);
export const choose = (name) => localStorage.setItem("editor", name);

/** Where projects are on disk, by name; the one at hand is called "". */
export const setRoot = (project, root) => { roots = { ...roots, [project]: root }; };

/** The address of a place in the chosen editor; null while the project's root is not known. */
export function address({ project, file, line }) {
  const root = roots[project];
  if (!root) return null;
  const path = `${root}/${file}`.replaceAll("\\", "/").replace(/^\/+/, "").split("/").map(encodeURIComponent).join("/");
  return EDITORS[chosen()].replace("%", path).replace("#", line || "1");
}

export function link(place, className, ...children) {
  const href = address(place);
  return href && h("a", { class: className, href, rel: "noreferrer" }, ...children, "Editor");
}
