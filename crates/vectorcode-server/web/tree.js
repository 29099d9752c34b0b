// Shows the files of the project as a tree. Folders are loaded one at a time, long folders page by page.

import * as api from "./api.js";
import { $, count, h, icon, plural } from "./dom.js";
import * as state from "./state.js";
import * as status from "./status.js";

const PAGE = 200;
const CHEVRON = "M8 6l4 4-4 4";

const box = $("#tree");
const toggle = $("#files");
/** Paths of the folders that are open; the root is "". */
const opened = new Set([""]);
/** The loaded entries of each folder: `{entries, next, total}`. */
let folders = new Map();
let project = "";
let ref = "";
let version = "";
let drawing = 0;

export function start() {
  toggle.addEventListener("click", () => show(!isShown()));
  box.addEventListener("keydown", onKey);
  box.addEventListener("click", (event) => event.target.closest("a") && isDrawer() && show(false));
  status.follow(({ index }) => {
    const now = index ? `${index.files}:${index.symbols}` : "";
    if (!now || now === version) return;
    version = now;
    folders = new Map();
    follow();
  });
}

/** Without enough room, the tree is a drawer that covers the page while it is open. */
const isDrawer = () => getComputedStyle(box).position === "fixed";
const isShown = () => getComputedStyle(box).display !== "none";

export function show(on) {
  const inline = matchMedia(state.get().q ? "(min-width: 1280px)" : "(min-width: 1000px)").matches;
  document.body.classList.toggle("tree-open", on && !inline);
  document.body.classList.toggle("tree-closed", !on && inline);
  toggle.setAttribute("aria-expanded", String(on));
  if (on) (box.querySelector("a[aria-current]") ?? box.querySelector("li a"))?.focus();
  else if (!inline) toggle.focus();
}

/** Paths of the files with results. */
let hits = [];

/** Shows next to each folder and file how many of the results are in it. */
export function showHits(paths) {
  hits = paths;
  mark();
}

export const isOpenDrawer = () => document.body.classList.contains("tree-open");

/** Reveals the open file or folder in the tree. */
export async function follow() {
  const now = state.get();
  if (state.shownProject(now) !== project || now.ref !== ref) {
    project = state.shownProject(now);
    ref = now.ref;
    folders = new Map();
  }
  const target = now.file || now.folder;
  if (version && target) await reveal(target);
  await refresh();
  mark();
}

/** Opens the folders that lead to a path. Long folders are loaded up to it. */
async function reveal(target) {
  for (let folder = ""; ;) {
    const entry = await find(folder, target);
    if (entry?.kind !== "folder") return;
    opened.add(entry.path);
    if (entry.path === target) return;
    folder = entry.path;
  }
}

async function find(folder, target) {
  for (;;) {
    const known = await load(folder).catch(() => null);
    if (!known) return null;
    const entry = known.entries.find(({ path }) => path === target || target.startsWith(`${path}/`));
    if (entry || known.next == null) return entry;
    await load(folder, true).catch(() => { known.next = null; });
  }
}

async function load(folder, more = false) {
  const known = folders.get(folder);
  if (known && !more) return known;
  const page = await api.get("folder", { folder, offset: known?.next ?? 0, limit: PAGE, project });
  const all = { entries: [...(known?.entries ?? []), ...page.entries], next: page.next, total: page.total };
  folders.set(folder, all);
  return all;
}

/** Redraws the open folders. The latest call wins. */
async function refresh() {
  if (!version) return;
  const mine = (drawing += 1);
  const focused = document.activeElement?.closest?.("#tree a, #tree button")?.getAttribute("href");
  const list = await level("").catch((error) => h("p", { class: "dim" }, error.message));
  if (mine !== drawing) return;
  const place = box.scrollTop;
  box.replaceChildren(h("header", null, h("h2", null, "Files"),
    h("button", { type: "button", class: "quiet icon", "aria-label": "Hide files", title: "Hide files (f)", on: { click: () => show(false) } }, icon("M12 5l-5 5 5 5"))), list);
  box.scrollTop = place;
  if (focused) [...box.querySelectorAll("a")].find((link) => link.getAttribute("href") === focused)?.focus();
  mark();
}

async function level(folder) {
  const { entries, next, total } = await load(folder);
  const items = await Promise.all(entries.map(item));
  const more = next != null && h("li", null, h("button", { type: "button", class: "link more-entries", on: { click: () => load(folder, true).then(refresh) } },
    `Show more (${count(total - entries.length)} left)`));
  return h("ul", null, items, more);
}

async function item(entry) {
  const isFolder = entry.kind === "folder";
  const open = isFolder && opened.has(entry.path);
  const href = state.address(isFolder ? { folder: entry.path, project } : { file: entry.path, project });
  const chevron = isFolder && h("button", { type: "button", class: "chevron", tabindex: "-1", "aria-expanded": String(open), "aria-label": `${open ? "Close" : "Open"} ${entry.name}`, on: { click: () => turn(entry.path) } }, icon(CHEVRON));
  return h("li", { data: { path: entry.path } },
    h("div", { class: `entry ${entry.kind}${entry.is_test ? " test" : ""}` }, chevron || h("i", { class: "chevron" }),
      h("a", { href, title: entry.path }, entry.name), h("span", { class: "found" }), isFolder && h("span", { class: "dim" }, count(entry.files))),
    open && (await level(entry.path)));
}

function turn(path) {
  if (!opened.delete(path)) opened.add(path);
  return refresh();
}

function mark() {
  const { file, folder } = state.get();
  for (const item of box.querySelectorAll("li[data-path]")) {
    const isCurrent = item.dataset.path === (file || folder);
    const link = item.querySelector("a");
    const found = hits.filter((path) => path === item.dataset.path || path.startsWith(`${item.dataset.path}/`)).length;
    const badge = item.querySelector(":scope > .entry > .found");
    badge.textContent = found || "";
    badge.title = found ? plural(found, "result") : "";
    if (isCurrent) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
    if (isCurrent && box.dataset.at !== item.dataset.path) item.firstChild.scrollIntoView({ block: "nearest" });
    if (isCurrent) box.dataset.at = item.dataset.path;
  }
}

/** The up and down keys move through the rows; right and left open and close folders. */
function onKey(event) {
  const links = [...box.querySelectorAll("li a")];
  const at = links.indexOf(document.activeElement);
  const item = document.activeElement?.closest("li[data-path]");
  const path = item?.dataset.path;
  const isFolder = item?.querySelector(":scope > .folder");
  const acts = {
    ArrowDown: () => links[at + 1]?.focus(),
    ArrowUp: () => links[at - 1]?.focus(),
    ArrowRight: () => isFolder && !opened.has(path) && turn(path),
    ArrowLeft: () => (isFolder && opened.has(path) ? turn(path) : item?.parentElement.closest("li")?.querySelector("a").focus()),
  };
  if (!acts[event.key] || at < 0) return;
  acts[event.key]();
  event.preventDefault();
  event.stopPropagation();
}
