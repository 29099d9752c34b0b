// Suggests queries that this project can answer, from subjects of recent commits and names of central definitions.

import * as api from "./api.js";

const [COMMITS, MOST_QUESTIONS, MOST_NAMES, MOST_LETTERS] = [80, 3, 2, 60];
/** Commit subjects about maintenance, which make no query for code. */
const UPKEEP = /^(merge|revert|bump|release|prepare|update|upgrade|version|changelog|typo|fix typo|fmt|format|clippy|lint|docs?|readme|ci|build|chore|deps|cargo|begin|wip|\W)\b|\d+\.\d+|https?:|\.md\b|[@#`"'\\]|\b(typos?|changelog|readme|release)\b/i;
const KINDS = new Set(["function", "method", "class", "struct", "trait", "interface", "enum"]);

/** Returns up to five queries: `{text, isName}`. */
export async function questions(project, { most_imported: central }) {
  const history = api.get("history", { project, limit: COMMITS }).catch(() => ({ commits: [] }));
  const files = central.slice(0, MOST_NAMES).map(({ path }) => api.get("file", { path, project, start: 1, end: 1 }).catch(() => ({ definitions: [] })));
  const [{ commits }, ...texts] = await Promise.all([history, ...files]);
  const names = texts.map(({ definitions }) => bestName(definitions)).filter(Boolean);
  return [...ofCommits(commits).map((text) => ({ text })), ...[...new Set(names)].map((text) => ({ text, isName: true }))];
}

/** Turns the subjects of recent commits into queries, from different folders if possible. */
function ofCommits(commits) {
  const found = commits.map(({ subject, files }) => ({ text: cleaned(subject), folder: folderOf(files[0] ?? "") })).filter(({ text }) => text);
  const folders = new Set();
  const first = found.filter(({ folder }) => !folders.has(folder) && folders.add(folder));
  return [...new Set([...first, ...found].map(({ text }) => text))].slice(0, MOST_QUESTIONS);
}

const folderOf = (path) => path.split("/").slice(0, 2).join("/");

/** Turns `fix(walk): Skip links (#12).` into `skip links`. Empty if the subject makes no useful query. */
function cleaned(subject) {
  const [, text] = subject.replace(/\s*\(#\d+\)\s*$/, "").replace(/[.\s]+$/, "").match(/^(?:[\w,()./-]+!?:\s+)?(.*)$/);
  const words = text.split(/\s+/);
  if (UPKEEP.test(text) || words.length < 3 || text.length > MOST_LETTERS) return "";
  return /^[A-Z][a-z]/.test(text) ? text[0].toLowerCase() + text.slice(1) : text;
}

/** The most descriptive name: of several words rather than one, and at the top level rather than nested. */
function bestName(definitions) {
  const parts = (name) => name.split(/_|(?<=[a-z])(?=[A-Z])/).filter(Boolean).length;
  const named = definitions.filter(({ kind, name, qualified }) => KINDS.has(kind) && parts(name) > 1 && !/test/i.test(qualified));
  return (named.find(({ name, qualified }) => name === qualified) ?? named[0])?.name;
}
