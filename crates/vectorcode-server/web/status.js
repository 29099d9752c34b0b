// Shows the live state of the index and its activity: the chip in the corner, the dialog behind it, and the banner while
// the server cannot be reached.

import * as api from "./api.js";
import { $, ago, bytes, count, h, plural } from "./dom.js";
import * as editor from "./editor.js";
import { loadProjects, projectList } from "./projects.js";

const RETRY_MS = 1500;
const PHASES = { "discovering files": "Finding files", chunking: "Reading files", embedding: "Building embeddings" };

/** The latest state: `{index, activity, problem}`. */
let now = { index: null, activity: null, problem: null };
const followers = new Map();

/** Calls `draw` now and after each change, until `node` has left the page. */
export function follow(draw, node) {
  followers.set(draw, node);
  draw(now);
}

export const current = () => now;

function become(patch) {
  now = { ...now, ...patch };
  for (const [draw, node] of followers) {
    if (node && !node.isConnected) followers.delete(draw);
    else draw(now);
  }
}

export async function load() {
  try {
    const { index, activity, project } = await api.get("status");
    if (index) editor.setRoot("", index.project_root);
    become({ index, activity, project, problem: null });
  } catch (problem) {
    become({ problem });
  }
}

/** Listens to the server's events for as long as the page is open. */
export async function watch() {
  for (;;) {
    await load();
    await api.events(onEvent).catch((problem) => become({ problem, activity: null }));
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

function onEvent(name, data) {
  if (now.problem) become({ problem: null });
  const activity = data.activity ?? (data.state ? data : null);
  if (!activity) return void load();
  const ended = now.activity?.state === "running" && activity.state !== "running";
  become({ activity });
  if (ended || !now.index) load();
}

/**
 * The progress that is shown everywhere: `{label, done, total, percent, rate}`, or null if there is nothing to wait
 * for. While embeddings are computed, it counts all chunks, not only those of the current run.
 */
export function figure({ index, activity }) {
  const running = activity?.state === "running";
  if (running && activity.phase !== "embedding") return figureOf(PHASES[activity.phase] ?? activity.phase, activity.done, activity.total, activity.per_second);
  if (!index?.coverage.total) return null;
  const { embedded, total } = index.coverage;
  const done = running ? Math.max(0, total - (activity.total - activity.done)) : embedded;
  // Ignores a small rest, since a provider may have refused a few texts permanently.
  return running || done < 0.995 * total ? figureOf(running ? PHASES.embedding : "Embedded", done, total, running ? activity.per_second : 0) : null;
}

const figureOf = (label, done, total, rate) => ({ label, done, total, rate, percent: total ? Math.floor((100 * done) / total) : null });

const percentOf = ({ percent }) => (percent == null ? "" : ` ${percent} %`);

/** A progress bar with a description. */
export function progress(state) {
  const now = figure(state);
  if (!now) return h("div", { class: "progress" });
  const { label, done, total, rate } = now;
  const bar = h("progress", total ? { max: total, value: done, "aria-label": label } : { "aria-label": label });
  const left = rate > 0 && total > done ? ` · ${duration((total - done) / rate)} left` : "";
  const text = total ? `${count(done)} of ${count(total)}${left}` : done ? count(done) : "";
  return h("div", { class: "progress" }, h("p", null, `${label}${percentOf(now)}`, h("span", { class: "dim" }, text)), bar);
}

const duration = (seconds) => (seconds < 90 ? plural(Math.ceil(seconds), "second") : plural(Math.round(seconds / 60), "minute"));

/** The chip in the corner. */
function drawChip({ index, activity, problem }) {
  const chip = $("#status");
  const running = activity?.state === "running";
  const progress = figure({ index, activity });
  const [kind, text] = problem ? ["bad", "Offline"]
    : running ? ["busy", `${activity.phase === "embedding" ? "Embedding" : "Indexing"}${progress ? percentOf(progress) : ""}`]
    : !index ? ["busy", "Starting"]
    : index.pending.length ? ["warn", `${plural(index.pending.length, "change")} pending`]
    : ["good", "Up to date"];
  chip.dataset.kind = kind;
  chip.lastElementChild.textContent = text;
  chip.setAttribute("aria-label", `Index: ${text}`);
}

function drawBanner({ problem }) {
  const banner = $("#banner");
  banner.hidden = problem?.status !== 0;
  if (!banner.hidden) banner.replaceChildren(h("strong", null, problem.message), " Reconnecting… ", h("span", null, problem.hint));
}

function drawDialog({ index, activity, problem }) {
  const dialog = $("#status-dialog");
  if (!dialog.open) return;
  const focused = document.activeElement?.id;
  dialog.replaceChildren(
    h("header", null, h("h2", null, "Index"), closeButton(dialog)),
    activity?.state === "running" ? progress({ index, activity }) : "",
    problem ? h("p", { class: "stale" }, problem.message) : "",
    index ? facts(index, activity) : h("p", { class: "dim" }, "There is no index yet."),
    projectList(),
    h("div", { class: "offers" },
      h("button", { type: "button", id: "update", class: "button", on: { click: () => run({}) } }, "Update now"),
      activity?.state === "running" && h("button", { type: "button", id: "stop", class: "button", on: { click: stop } }, "Stop"),
      editorChoice()));
  document.getElementById(focused)?.focus();
}

function facts(index, activity) {
  const percent = figure({ index, activity: activity?.phase === "embedding" ? activity : null })?.percent ?? 100;
  const skipped = index.skipped.map(({ reason, count: number }) => `${count(number)} ${reason.replaceAll("_", " ")}`).join(", ");
  const meter = h("i", { class: "meter" }, h("i"));
  meter.firstChild.style.width = `${percent}%`;
  const row = (name, ...value) => [h("dt", null, name), h("dd", null, ...value)];
  return h("dl", null,
    row("Project", h("span", { class: "path" }, index.project_root)),
    row("Now", doing({ index, activity })),
    row("Files", count(index.files)), row("Chunks", count(index.chunks)), row("Symbols", count(index.symbols)),
    row("Embedded", meter, ` ${percent} % with ${index.space.provider ?? ""} ${index.space.model ?? ""}`),
    row("Last sync", index.last_sync_at ? ago(index.last_sync_at) : "never", index.watched ? ", kept up to date automatically" : ""),
    row("Pending", index.pending.length ? index.pending.slice(0, 5).map((file) => h("div", { class: "path" }, file.path)) : "none"),
    row("Skipped", skipped || "none"),
    row("Size", bytes(index.database_bytes)));
}

/** What the server is currently doing. */
function doing(state) {
  const { activity } = state;
  const now = figure(state);
  if (activity?.state === "running") return now ? `${now.label}${percentOf(now)}` : "Working";
  return now ? "Waiting; some chunks have no embedding yet" : "Nothing to do";
}

function editorChoice() {
  const option = (name) => h("option", { value: name, selected: name === editor.chosen() }, name);
  return h("label", { class: "dim" }, "Editor ", h("select", { id: "editor", on: { change: (event) => editor.choose(event.target.value) } }, editor.names.map(option)));
}

export const closeButton = (dialog) =>
  h("button", { type: "button", class: "quiet icon", "aria-label": "Close", on: { click: () => dialog.close() } }, "×");

const run = (args) => api.post("index", args).then(load, (problem) => (problem.status === 409 ? load() : become({ problem })));
const stop = () => api.post("index/cancel").then(load, load);

export function start() {
  follow(drawChip);
  follow(drawBanner);
  follow(drawDialog);
  $("#status").addEventListener("click", () => {
    $("#status-dialog").showModal();
    loadProjects().then(() => drawDialog(now));
    drawDialog(now);
    load();
  });
  watch();
}
