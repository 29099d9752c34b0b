// The page for a symbol that the index does not know, for example one defined by a macro, with alternatives.

import { h } from "./dom.js";
import * as state from "./state.js";

/** Replaces the view of an unknown symbol. Any other error is rethrown. */
export function unknownSymbol(error, { symbol, file, project, view }) {
  if (error.status !== 404 || !symbol) throw error;
  const name = symbol.slice(symbol.indexOf("#") + 1);
  return h("div", { class: "empty" },
    h("h2", null, `No definition of ${name} is known`),
    h("p", null, "It may be defined by a macro, or outside of the project."),
    h("div", { class: "offers" },
      h("a", { class: "button", href: state.address({ q: name.split(/[.:#]+/).at(-1), projects: project }) }, `Search for ${name}`),
      file && h("a", { class: "button", href: state.address({ file, project, view }) }, view === "graph" ? "Imports of the file" : "Who imports the file?")));
}
