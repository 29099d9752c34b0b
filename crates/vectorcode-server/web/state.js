// The state of the page. All of it is in the URL, so that links, reloads and the back button work.

/** The default of each parameter; parameters with these values are left out of the URL. */
export const DEFAULTS = Object.freeze({
  q: "", language: "", class: "all", kind: "", tests: "demote", mode: "auto", path: "", match: "", projects: "", weak: "",
  ref: "", file: "", project: "", line: "", end: "", view: "code", symbol: "", folder: "", open: "", depth: "1", externals: "",
});

/** Keys that a new search depends on. */
export const SEARCH_KEYS = ["q", "language", "class", "kind", "tests", "mode", "path", "match", "projects", "weak"];
/** Keys that narrow a search. */
export const FILTER_KEYS = ["language", "class", "kind", "tests", "mode", "path", "match"];
/** Keys of what is open next to the results: a file, a symbol, a folder, and how it is shown. */
export const PANE_KEYS = ["file", "project", "line", "end", "view", "symbol", "folder", "open", "depth", "externals"];
export const CLOSED_PANE = Object.freeze(Object.fromEntries(PANE_KEYS.map((key) => [key, DEFAULTS[key]])));

/** @type {Array<(state: Object, changed: Set<string>) => void>} */
const listeners = [];
let state = fromQuery(location.search);

export const get = () => state;

/** Calls `listener` after every change with the new state and the keys that changed. */
export const subscribe = (listener) => listeners.push(listener);

/**
 * Changes the state. With `push` the change becomes a history entry; typing does not need one.
 * @param {Object} patch
 * @param {{push?: boolean}} [options]
 */
export function set(patch, { push = false } = {}) {
  const next = { ...state, ...patch };
  const url = toUrl(next);
  if (url === toUrl(state)) return;
  history[push ? "pushState" : "replaceState"](null, "", url);
  become(next);
}

/** The URL of the current state with `patch` applied. */
export const link = (patch) => toUrl({ ...state, ...patch });

/**
 * The URL of a location without the search, for sharing. A link to another project drops the commit, which that project does
 * not have.
 */
export const address = (place) => toUrl({ ...DEFAULTS, ref: place.projects === undefined ? state.ref : "", ...place });

/** The state that a URL of this page stands for. */
export const read = (url) => fromQuery(new URL(url, location.href).search);

/** The project whose start page and files are shown: that of the open location, or the one that is searched; "" is this one. */
export function shownProject({ project, projects } = state) {
  const isOne = projects && projects !== "all" && projects !== "linked" && !projects.includes(",");
  return project || (isOne ? projects : "");
}

/** The part of a state that describes the open location, without the search. */
export const placeOf = (of) => Object.fromEntries(PANE_KEYS.map((key) => [key, of[key]]));

addEventListener("popstate", () => become(fromUrl()));

function become(next) {
  const changed = new Set(Object.keys(DEFAULTS).filter((key) => next[key] !== state[key]));
  state = next;
  if (changed.size) listeners.forEach((listener) => listener(state, changed));
}

const fromUrl = () => fromQuery(location.search);

function fromQuery(query) {
  const given = new URLSearchParams(query);
  return Object.fromEntries(Object.entries(DEFAULTS).map(([key, value]) => [key, given.get(key) ?? value]));
}

function toUrl(of) {
  const given = new URLSearchParams();
  for (const [key, value] of Object.entries(DEFAULTS)) if (of[key] !== value) given.set(key, of[key]);
  const query = given.toString();
  return query ? `/?${query}` : "/";
}
