// Folds a neighbourhood that has more nodes than fit: files become their folders, symbols their files.

import { columnsAround } from "./layout.js";

/** The contents of an open folder may take this many columns. */
const OPEN_ROOM = 2;
const PACKAGES = "(external packages)";

/**
 * Returns the graph with at most about `room` nodes in each column. The centre is kept, and the folder `open` is opened.
 * @param {{nodes: Array, edges: Array}} graph the first node is the centre
 * @param {{room: number, open: string}} options
 */
export function fold(graph, { room, open }) {
  const column = columnsAround(graph.nodes.length, graph.edges);
  const columns = new Map();
  graph.nodes.forEach((_, at) => columns.set(column[at], [...(columns.get(column[at]) ?? []), at]));
  const groups = new Map();
  for (const [key, members] of columns) {
    for (const [at, name] of names(graph.nodes, members, room, open)) groups.set(at, `${key}\0${name}`);
  }
  return merged(graph, groups);
}

/** The group of each node in a column. */
function names(nodes, members, room, open) {
  const own = (at) => [at, `\0${at}`];
  if (members.length <= room || members.includes(0)) return members.map(own);
  const isOpen = (at) => open && `${folderOf(nodes[at])}/`.startsWith(`${open}/`);
  const [shown, others] = [members.filter(isOpen), members.filter((at) => !isOpen(at))];
  const left = Math.max(4, room - Math.min(shown.length, room >> 1));
  return [...folded(nodes, shown, OPEN_ROOM * room, open), ...folded(nodes, others, left)];
}

/** Groups nodes by folder, opening the largest folder repeatedly as long as there is room. */
function folded(nodes, members, room, folder = "") {
  let groups = parts(nodes, members, folder);
  for (;;) {
    const closed = groups.filter((group) => group.members.length > 1 && !group.isFinal);
    const largest = closed.sort((a, b) => b.members.length - a.members.length)[0];
    if (!largest) break;
    const opened = parts(nodes, largest.members, largest.name);
    if (groups.length - 1 + opened.length <= room) groups = groups.flatMap((group) => (group === largest ? opened : [group]));
    else largest.isFinal = true;
  }
  return groups.flatMap(({ name, members: list }) => list.map((at) => [at, list.length > 1 ? name : `\0${at}`]));
}

/** The direct contents of a folder: its folders, and each node that is in no deeper one. */
function parts(nodes, members, folder) {
  const start = folder ? folder.length + 1 : 0;
  const found = new Map();
  for (const at of members) {
    const where = nodes[at].kind === "external" ? PACKAGES : folderOf(nodes[at]);
    const end = where.indexOf("/", start);
    const isHere = where.length <= folder.length;
    const name = isHere ? `\0${at}` : end < 0 ? where : where.slice(0, end);
    found.set(name, [...(found.get(name) ?? []), at]);
  }
  return [...found].map(([name, list]) => ({ name, members: list }));
}

/** The folder of a file, the file of a symbol. */
function folderOf({ kind, name, path }) {
  if (kind === "symbol") return path;
  if (kind === "folder") return name;
  return name.slice(0, Math.max(0, name.lastIndexOf("/")));
}

function merged({ nodes, edges, ...rest }, groups) {
  const members = new Map();
  nodes.forEach((_, at) => members.set(groups.get(at), [...(members.get(groups.get(at)) ?? []), at]));
  const place = new Map();
  const shown = [...members].map(([group, list], index) => {
    list.forEach((at) => place.set(at, index));
    return list.length === 1 ? nodes[list[0]] : folderNode(group.split("\0")[1], list.map((at) => nodes[at]));
  });
  const joined = new Map();
  for (const edge of edges) {
    const [from, to] = [place.get(edge.from), place.get(edge.to)];
    if (from === to) continue;
    const known = joined.get(`${from} ${to}`);
    if (known) known.count += edge.count ?? 1;
    else joined.set(`${from} ${to}`, { ...edge, from, to, count: edge.count ?? 1 });
  }
  return { ...rest, nodes: shown, edges: [...joined.values()] };
}

/** Symbols of one file are folded into it, anything else into a folder. */
function folderNode(name, members) {
  const [{ kind }] = members;
  const isFile = kind === "symbol" && members.every(({ path }) => path === name);
  return { kind: isFile ? "file" : "folder", name: name || ".", members, files: members.length, folded: kind === "symbol" ? "symbol" : "file", is_test: members.every((node) => node.is_test) };
}
