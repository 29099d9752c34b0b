// The start page of a project and of each folder in it: what it is, what it contains, and where to start reading.

import * as api from "./api.js";
import { ago, bytes, count, h, pathNodes, plural, splitPath } from "./dom.js";
import { mapPreview } from "./graph.js";
import { questions } from "./questions.js";
import { skeleton } from "./results.js";
import * as state from "./state.js";
import * as status from "./status.js";

const LISTED = 12;
const FEW = 6;
const QUESTIONS_WITHIN_MS = 400;
/** Number of languages with their own colour; the others share one. */
const COLOURED = 6;
const REASONS = {
  defines_main: () => "defines main",
  program_name: () => "program",
  package: ({ reaches }) => (reaches ? `package, reaches ${plural(reaches, "file")}` : "package"),
  not_imported: ({ reaches }) => `imports ${plural(reaches, "file")}, imported by none`,
};

/** The page as a node that updates itself while it is attached. */
export function landing() {
  const box = h("div", { class: "landing" });
  let shown = "";
  const draw = (now) => {
    if (!now.index) return box.replaceChildren(first(now));
    const key = `${now.index.files}:${now.index.symbols}`;
    if (!shown) box.replaceChildren(skeleton());
    if (key !== shown) load(box, now.index).then((passing) => { if (passing) shown = ""; });
    shown = key;
    box.querySelector(".working")?.replaceChildren(...working(now));
  };
  status.follow(draw, box);
  return box;
}

/** Returns true after a temporary failure, so that the next change of the status tries again. */
async function load(box, index) {
  const { folder, ref } = state.get();
  const project = state.shownProject();
  const answer = await api.get("overview", { folder, project, limit: LISTED }).catch((error) => error);
  // Fetched together with the rest, because a row that arrives later would push it down. A slow history is not waited for.
  const isStart = !folder && !(answer instanceof Error);
  const offered = isStart ? await Promise.race([questions(project, answer), later(QUESTIONS_WITHIN_MS, [])]) : [];
  if (state.get().folder !== folder || state.get().ref !== ref || state.shownProject() !== project) return false;
  if (answer instanceof Error) {
    box.replaceChildren(h("div", { class: "empty problem", role: "alert" }, h("h2", null, answer.message), answer.hint && h("p", null, answer.hint),
      folder && h("a", { href: state.address({ project }) }, "To the project's start page")));
    return answer.status === 0 || answer.status === 503;
  }
  box.replaceChildren(...page(answer, index, offered));
  box.querySelector(".working").replaceChildren(...working(status.current()));
  return false;
}

function page(about, index, offered) {
  return [
    heading(about, index),
    h("div", { class: "working" }),
    about.folder ? inFolder(about) : examples(offered),
    h("div", { class: "columns" },
      card(about.folder ? "What is in it" : "Its parts", parts(about)),
      h("div", { class: "stack" },
        about.entry_points.length > 0 && card("Where to start reading", entryPoints(about.entry_points)),
        about.most_imported.length > 0 && card("Most depended on", central(about.most_imported)),
        about.hot_files?.length > 0 && card("Changed most often", hot(about.hot_files)))),
    mapPreview(about.folder),
    !about.folder && h("p", { class: "keys" }, key("/"), "search", key("f"), "files", key("m"), "map", key("?"), "all shortcuts"),
  ].filter(Boolean);
}

const later = (ms, value) => new Promise((resolve) => setTimeout(resolve, ms, value));
const key = (name) => h("kbd", null, name);
const card = (title, ...content) => h("section", { class: "card" }, h("h3", null, title), content);

function heading({ project, folder, readme, files, tests, bytes: size, languages }, index) {
  const [above, name] = splitPath(folder);
  const parts = above.split("/").filter(Boolean);
  const crumb = (part, at) => [h("a", { href: state.address({ folder: parts.slice(0, at + 1).join("/"), project: state.shownProject() }) }, part), " / "];
  const symbols = !folder && !state.shownProject() && ` · ${plural(index.symbols, "symbol")}`;
  return h("header", { class: "about" },
    folder && h("p", { class: "path" }, h("a", { href: state.address({ project: state.shownProject() }) }, project), " / ", parts.map(crumb)),
    h("h2", null, folder ? name : project),
    readme?.summary && h("p", { class: "what-it-is" }, readme.summary),
    h("p", { class: "dim" }, `${plural(files, "file")}${tests ? `, ${count(tests)} of them tests` : ""}`, symbols, ` · ${bytes(size)}`,
      readme && [" · ", h("a", { href: state.address({ file: readme.path, project: state.shownProject() }) }, splitPath(readme.path)[1])]),
    languageBar(languages));
}

/** The shares of the languages as one bar. A click searches in that language. */
function languageBar(languages) {
  const total = languages.reduce((sum, language) => sum + language.bytes, 0) || 1;
  const share = (language) => (100 * language.bytes) / total;
  const shown = languages.filter((language, at) => at < COLOURED && share(language) >= 0.5);
  const bar = h("div", { class: "share", "aria-hidden": "true" }, languages.map((language, at) => {
    const part = h("i", { class: `c${Math.min(at, COLOURED)}` });
    part.style.width = `${share(language)}%`;
    return part;
  }));
  const choose = (name) => () => {
    state.set({ language: name });
    document.querySelector("#q").focus();
  };
  const item = (language, at) => h("li", null, h("button", { type: "button", title: `Search ${language.name} only`, on: { click: choose(language.name) } },
    h("i", { class: `spot c${at}` }), language.name, h("span", { class: "dim" }, `${share(language) < 10 ? share(language).toFixed(1) : Math.round(share(language))} %`)));
  return [bar, h("ul", { class: "languages", "aria-label": "Languages" }, shown.map(item))];
}

/** Queries suggested by the project's own commits and definitions. Without any, nothing is shown. */
function examples(offered) {
  const offer = ({ text, isName }) => h("li", null, h("a", { class: isName ? "chip symbol" : "chip", href: state.link({ ...state.CLOSED_PANE, q: text }) }, text));
  return offered.length > 0 && h("div", { class: "try" }, h("span", { class: "dim" }, "Try:"), h("ul", null, offered.map(offer)));
}

function inFolder({ folder }) {
  const search = () => {
    state.set({ path: `${folder}/` });
    document.querySelector("#q").focus();
  };
  return h("div", { class: "try" },
    h("button", { type: "button", class: "button", on: { click: search } }, "Search in this folder"),
    h("a", { class: "button", href: state.address({ folder, project: state.shownProject(), view: "graph" }) }, "Map of this folder"));
}

function parts({ parts: listed, parts_total: total, folder }) {
  const project = state.shownProject();
  const largest = Math.max(1, ...listed.map((part) => part.bytes));
  const start = folder ? folder.length + 1 : 0;
  const row = (part) => {
    const isFolder = part.kind === "folder";
    const bar = h("i", { class: part.is_test ? "meter test" : "meter" }, h("i"));
    bar.firstChild.style.width = `${Math.max(1, (100 * part.bytes) / largest)}%`;
    return h("li", null, h("a", { href: state.address(isFolder ? { folder: part.path, project } : { file: part.path, project }) },
      h("span", { class: "path" }, part.path.slice(start), isFolder && h("span", { class: "dim" }, "/")),
      h("span", { class: "dim note-of" }, isFolder ? plural(part.files, "file") : "", part.is_test ? " · tests" : ""),
      h("span", { class: "dim language-of" }, part.language), bar));
  };
  return [h("ul", { class: "parts" }, listed.map(row)), total > listed.length && h("p", { class: "dim" }, `and ${plural(total - listed.length, "smaller one")}`)];
}

function entryPoints(points) {
  const row = (point) => h("li", null, place(point.path, point.line), h("span", { class: "dim" }, REASONS[point.reason]?.(point) ?? ""));
  return h("ul", { class: "places" }, points.slice(0, FEW).map(row));
}

function central(degrees) {
  return h("ul", { class: "places" }, degrees.slice(0, FEW).map(({ path, importers }) =>
    h("li", null, place(path), h("a", { class: "dim", href: state.address({ file: path, project: state.shownProject(), view: "references" }) }, `imported by ${count(importers)}`))));
}

function hot(files) {
  return h("ul", { class: "places" }, files.slice(0, FEW).map(({ path, commits, last_changed_at: time }) =>
    h("li", null, place(path), h("a", { class: "dim", title: `Last changed ${ago(time)}`, href: state.address({ file: path, project: state.shownProject(), view: "history" }) }, plural(commits, "recent commit")))));
}

function place(path, line) {
  const at = line > 1 ? { line: String(line), end: String(line) } : {};
  return h("a", { class: "path", href: state.address({ file: path, project: state.shownProject(), ...at }) }, pathNodes(path));
}

/** Progress of the index, while it is being built. */
function working(now) {
  return now.activity?.state === "running" ? [status.progress(now)] : [];
}

/** The page while there is no index yet. */
function first(now) {
  const running = now.activity?.state === "running";
  return h("div", { class: "empty" },
    h("h2", null, running ? "Indexing the project" : now.problem ? now.problem.message : "Starting"),
    running ? status.progress(now) : now.problem?.hint && h("p", null, now.problem.hint),
    h("p", { class: "dim" }, "Search works as soon as the files are read; embeddings are built in the background."));
}
