// Lists the users of a symbol or the importers of a file, and what it uses itself, each with its line of source.

import * as api from "./api.js";
import { count, h, pathNodes, plural } from "./dom.js";
import { symbolAddress } from "./names.js";
import * as state from "./state.js";
import { unknownSymbol } from "./unknown.js";

const LIMIT = 1000;
/** Rows that are drawn at once. */
const PAGE = 60;
const DOUBT = { possible: "possible", guess: "guess" };

/** Fills `body` with the references of the selected symbol, of the symbol at the selected line, or of the file. */
export async function referencesView(body, { file, line, symbol, project }, signal) {
  const asked = symbol ? { target: symbol } : { target: file, line };
  const answer = await api.get("references", { ...asked, project, limit: LIMIT }, signal).catch((error) => unknownSymbol(error, { symbol, file, project, view: "references" }));
  if (answer instanceof Node) return body.replaceChildren(answer);
  const isFile = !answer.definitions.length;
  const [incoming, outgoing] = isFile ? ["Imported by", "Imports"] : ["Used by", "Calls"];
  const here = (site) => state.address({ file: site.path, project, line: String(site.line), end: String(site.line) });
  body.classList.add("references");
  body.replaceChildren(...[
    isFile ? null : definitionList(answer, project),
    ...answer.notes.map((note) => h("p", { class: "note" }, note)),
    isUntracked(answer) && untracked(answer.definitions[0]),
    section(incoming, answer.incoming, answer.incoming_total, here, isFile ? "No file of the project imports this one." : "No use of it was found in the project."),
    section(outgoing, answer.outgoing, answer.outgoing_total, here, isFile ? "It imports nothing." : "It calls nothing that the project defines."),
  ].filter(Boolean));
}

/** The index records calls and types, but not every occurrence of a name. */
const isUntracked = ({ definitions, incoming }) => !incoming.length && ["variable", "constant", "field"].includes(definitions[0]?.kind);

const untracked = ({ name }) => h("p", { class: "note" }, "Uses of variables, constants and fields are not recorded. ",
  h("a", { href: state.address({ q: name }) }, `Search for ${name}`));

function definitionList({ definitions }, project) {
  const several = definitions.length > 1;
  const item = (definition) => {
    const { path, start_line: line, end_line: end, qualified, kind, signature } = definition;
    return h("li", null,
      h("a", { class: "signature", href: state.address({ file: path, project, line: String(line), end: String(end) }) }, signature || qualified),
      h("p", null, h("span", { class: "kind" }, kind), h("span", { class: "path" }, pathNodes(path, `:${line}`)),
        several && h("a", { href: symbolAddress(path, qualified, project, { line, end }) }, "Only this one"),
        h("a", { href: state.address({ file: path, project, line: String(line), end: String(end), symbol: `${path}#${qualified}`, view: "graph" }) }, "Call graph")));
  };
  return h("ul", { class: "defined", "aria-label": several ? "Definitions" : "Definition" }, definitions.map(item));
}

function section(title, sites, total, here, nothing) {
  const packages = sites.filter((site) => site.node === "external");
  const inside = sites.filter((site) => site.node !== "external");
  const rows = h("div", { class: "uses" });
  const fill = (from) => {
    rows.append(...grouped(inside.slice(from, from + PAGE), here));
    const left = inside.length - from - PAGE;
    if (left > 0) rows.append(moreButton(Math.min(left, PAGE), left, () => fill(from + PAGE)));
  };
  fill(0);
  const hidden = total - sites.length;
  return h("section", null,
    h("h3", null, title, h("span", { class: "count" }, count(total))),
    total ? rows : h("p", { class: "dim" }, nothing),
    packages.length > 0 && h("p", { class: "packages" }, h("span", { class: "dim" }, plural(packages.length, "external package")), packages.map(({ name }) => h("code", { class: "tag" }, name))),
    hidden > 0 && h("p", { class: "dim" }, `${count(hidden)} more are not listed.`));
}

function moreButton(next, left, act) {
  const button = h("button", { type: "button", class: "button wide" }, `Show ${count(next)} more of ${count(left)}`);
  button.addEventListener("click", () => {
    button.remove();
    act();
  });
  return button;
}

/** Groups sites by file, in their order; within a file from top to bottom. */
function grouped(sites, here) {
  const files = new Map();
  for (const site of sites) files.set(site.path, [...(files.get(site.path) ?? []), site]);
  return [...files].map(([path, group]) => h("div", { class: "use-file" },
    h("h4", { class: "path" }, h("span", null, pathNodes(path)), group[0].is_test && h("span", { class: "tag" }, "test")),
    h("ul", null, group.toSorted((a, b) => a.line - b.line).map((site) => row(site, here)))));
}

function row(site, here) {
  const doubt = DOUBT[site.confidence];
  return h("li", null, h("a", { class: "use", href: here(site) },
    h("span", { class: "use-line" }, site.line),
    h("code", null, site.text || site.name),
    site.node === "symbol" && h("span", { class: "dim use-in" }, site.name),
    doubt && h("span", { class: "tag", title: "It is not certain which definition is meant." }, doubt)));
}
