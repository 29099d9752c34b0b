// The commits that changed a file, newest first.

import * as api from "./api.js";
import { ago, h, plural } from "./dom.js";

const LIMIT = 50;

/** Fills `body` with the commits of the file that the state names. */
export async function historyView(body, { file, project }, signal) {
  const answer = await api.get("history", { path: file, project, limit: LIMIT }, signal).catch((error) => {
    if (error.status !== 404) throw error;
    return { commits: [], total: 0, notes: [] };
  });
  const hidden = answer.total - answer.commits.length;
  body.replaceChildren(...[
    answer.commits.length ? h("ol", { class: "commits", "aria-label": "Commits" }, once(answer.commits).map(commitNode))
      : h("div", { class: "empty" }, h("p", null, "No known commit changed this file.")),
    ...answer.notes.map((note) => h("p", { class: "note" }, note)),
    hidden > 0 && h("p", { class: "dim" }, `${plural(hidden, "older commit")} not listed.`),
  ].filter(Boolean));
}

/** Merges commits of the same change on several branches into one entry, with all of its ids. */
function once(commits) {
  const changes = new Map();
  for (const commit of commits) {
    const key = [commit.author, commit.subject, commit.body].join("\0");
    if (changes.has(key)) changes.get(key).ids.push(commit.id);
    else changes.set(key, { ...commit, ids: [commit.id] });
  }
  return [...changes.values()];
}

function commitNode({ ids, time, author, subject, body, files, too_many_files: many }) {
  const others = many ? "many files" : plural(files.length, "file");
  return h("li", null,
    body ? h("details", null, h("summary", null, subject), h("p", { class: "message" }, body)) : h("p", null, subject),
    h("p", { class: "dim" }, author, " · ", h("time", { datetime: time, title: time }, ago(time)), ` · ${others} · `, ids.map((id, at) => [at > 0 && ", ", h("code", null, id.slice(0, 10))])));
}
