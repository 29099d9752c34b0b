// Lists the registered projects: which of them this server has open, and which are watched.

import * as api from "./api.js";
import { ago, h, plural } from "./dom.js";
import * as state from "./state.js";

/** The projects; empty until they have been loaded. */
let projects = [];

export async function loadProjects() {
  projects = (await api.get("projects").catch(() => ({ projects }))).projects;
  return projects;
}

/** A list for the dialog; empty until the projects have been loaded. */
export function projectList() {
  if (!projects.length) return "";
  return h("section", { class: "projects" }, h("h3", null, "Projects"), h("ul", null, projects.map(row)));
}

function row(project) {
  const { name, root, files, current, state: how, last_sync_at: synced } = project;
  const label = current || how !== "ready" ? h("b", null, name) : h("a", { href: state.address({ projects: name }) }, name);
  const facts = [how === "ready" ? plural(files ?? 0, "file") : how.replaceAll("_", " "), doing(project), synced && `updated ${ago(synced)}`];
  return h("li", { class: project.open ? "open" : "" }, h("span", { title: root }, label), h("span", { class: "dim" }, facts.filter(Boolean).join(" · ")));
}

/** Whether this server holds its index in memory, and whether some process watches its files. */
function doing({ open, watched }) {
  return [open ? "open" : "not open", watched && "watched"].filter(Boolean).join(", ");
}
