// The filters and the project selection, bound to the state.

import { get } from "./api.js";
import { $, count, h } from "./dom.js";
import * as editor from "./editor.js";
import { loadProjects } from "./projects.js";
import * as state from "./state.js";
import * as status from "./status.js";

const form = $(".filters");
const projects = $("#projects");
const ref = $("#ref");

export function start() {
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", ({ target }) => state.set({ [target.name]: target.value.trim() }));
  projects.addEventListener("change", () => state.set({ projects: projects.value, ref: "" }));
  ref.addEventListener("change", () => state.set({ ref: ref.value.trim() }, { push: true }));
  $("#clear").addEventListener("click", () => {
    state.set(Object.fromEntries(state.FILTER_KEYS.map((key) => [key, state.DEFAULTS[key]])));
    $("#q").focus();
  });
  status.follow(fillLanguages);
  fillProjects();
  fillRefs();
  draw();
}

/** Filters as words of the query, as in other code search tools. A word is complete once a space follows. */
const TYPED = { lang: "language", language: "language", path: "path", file: "path", kind: "kind", match: "match" };

/** The query without such words, and the filters that they set. */
export function typed(text) {
  const patch = {};
  const q = text.replace(/(^|\s)(lang|language|path|file|kind|match):(\S+)\s/g, (all, before, name, value) => {
    patch[TYPED[name]] = value;
    return before;
  });
  return { q, ...patch };
}

/** Shows the state in the fields. */
export function draw() {
  const now = state.get();
  for (const key of state.FILTER_KEYS) {
    const field = form.elements[key];
    if (field !== document.activeElement || field.tagName === "SELECT") field.value = now[key];
    field.classList.toggle("set", now[key] !== state.DEFAULTS[key]);
  }
  projects.value = now.projects;
  if (ref !== document.activeElement) ref.value = now.ref;
  ref.classList.toggle("set", now.ref !== "");
  $("#clear").hidden = state.FILTER_KEYS.every((key) => now[key] === state.DEFAULTS[key]);
}

function fillLanguages({ index }) {
  const field = form.elements.language;
  const names = (index?.languages ?? []).map(([name]) => name);
  const known = [...field.options].slice(1).map((option) => option.value);
  const wanted = state.get().language;
  const all = wanted && !names.includes(wanted) ? [...names, wanted] : names;
  if (all.join() === known.join()) return;
  const counts = new Map(index?.languages ?? []);
  field.replaceChildren(field.options[0], ...all.map((name) => h("option", { value: name }, `${name} (${count(counts.get(name))})`)));
  field.value = wanted;
}

async function fillProjects() {
  const known = await loadProjects();
  const others = known.filter((project) => !project.current);
  known.forEach((project) => editor.setRoot(project.name, project.root));
  if (!others.length) return;
  const here = known.find((project) => project.current);
  const option = (value, label, props) => h("option", { value, ...props }, label);
  const linked = others.some((project) => project.linked) && option("linked", "With linked projects");
  projects.replaceChildren(...[option("", here?.name ?? "This project"), linked, option("all", "All projects"),
    ...others.map(({ name, state: how }) => option(name, name, { disabled: how !== "ready" }))].filter(Boolean));
  projects.hidden = false;
  projects.value = state.get().projects;
}

/** Lists branches and tags to choose from; any commit may be typed. Hidden without a repository. */
async function fillRefs() {
  const { current, local, remote, tags } = await get("branches", { project: state.shownProject() }).catch(() => ({ local: [], remote: [], tags: [] }));
  const names = [...local.filter((name) => name !== current), ...tags.toReversed(), ...remote];
  $("#refs").replaceChildren(...names.map((value) => h("option", { value })));
  ref.placeholder = current || "on disk";
  ref.hidden = !current && !names.length && !state.get().ref;
}
