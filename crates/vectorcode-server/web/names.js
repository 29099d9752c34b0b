// Decides which words of a file are links: uses link to their definition, definitions to their references.

import * as state from "./state.js";

const WORD = /[\p{L}_$][\p{L}\p{N}_$]*[!?]?/gu;
/** Words in these tokens are prose. */
const PROSE = new Set(["comment", "string"]);

/**
 * Returns a function that maps a line and its number to the links on that line.
 * @param {{path: string, definitions: Array, links?: {targets: Array, names: Array}}} file
 */
export function linker({ path, definitions, links }, project) {
  const known = new Map();
  const add = (name, from, to, link) => known.set(name, [...(known.get(name) ?? []), { from, to, link }]);
  for (const { name, start_line: from, end_line: to, targets } of links?.names ?? []) {
    const link = leading(name, targets.map((at) => links.targets[at]), project);
    if (link) add(name, from, to, link);
  }
  for (const definition of definitions) {
    if (definition.kind === "section") continue;
    const { name, name_line: line, qualified } = definition;
    add(name, line, line, { kind: "its-users", title: `Who uses ${qualified}?`, href: symbolAddress(path, qualified, project, { line: definition.start_line, end: definition.end_line }) });
  }
  const modules = [...known.keys()].filter((name) => /[^\p{L}\p{N}_$!?]/u.test(name));
  return (line, number) => [...moduleLinks(line, number, known, modules), ...wordLinks(line, number, known)];
}

/** The address of the references of a symbol. */
export function symbolAddress(path, qualified, project, { line = "", end = "" } = {}) {
  return state.address({ file: path, project, line: String(line), end: String(end), symbol: `${path}#${qualified}`, view: "references" });
}

/** A link to the definition. If there are several, it leads to a list to choose from. */
function leading(name, targets, project) {
  const [first] = targets;
  if (targets.length > 1) {
    const title = `${targets.length} definitions: ${targets.slice(0, 4).map((target) => target.path).join(", ")}`;
    return { kind: "its-definitions", title, href: state.address({ file: first.path, project, symbol: name, view: "references" }) };
  }
  const title = first.symbol ? `${first.signature}\n${first.path}:${first.start_line}` : first.path;
  const lines = first.symbol ? { line: String(first.start_line), end: String(first.end_line) } : {};
  return { kind: "its-definition", title, href: state.address({ file: first.path, project, ...lines }) };
}

/** The link for a name on a line: that of the narrowest range around the line. */
function lookup(known, name, number) {
  const around = (known.get(name) ?? []).filter(({ from, to }) => from <= number && number <= to);
  return around.sort((a, b) => a.to - a.from - (b.to - b.from))[0]?.link;
}

function wordLinks({ text, tokens }, number, known) {
  const found = [];
  for (const match of text.matchAll(WORD)) {
    const start = match.index;
    const word = known.has(match[0]) ? match[0] : match[0].replace(/[!?]$/, "");
    if (!known.has(word) || isProse(tokens, start)) continue;
    const link = lookup(known, word, number);
    if (link) found.push({ ...link, start, end: start + word.length });
  }
  return found;
}

const isProse = (tokens, at) => tokens.some(([start, end, kind]) => start <= at && at < end && PROSE.has(kind));

/** Links modules as written in import statements: `./gateway`, `crate::auth`. */
function moduleLinks({ text }, number, known, modules) {
  return modules.flatMap((name) => {
    const link = lookup(known, name, number);
    const start = link ? text.indexOf(name) : -1;
    return start < 0 ? [] : [{ ...link, start, end: start + name.length }];
  });
}
