// Folds a neighbourhood that has more nodes than there is room for: files become their folders, symbols their files.

import { columnsAround } from "./layout.js";

/**
 * The graph with at most about `room` nodes in each column. The centre stays, and so does what is inside `open`.
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

/** The name under which each node of a column is shown. */
function names(nodes, members, room, open) {
  const own = (at) => [at, `\0${at}`];
  if (members.length <= room || members.includes(0)) return members.map(own);
  const isOpen = (at) => open && `${folderOf(nodes[at])}/`.startsWith(`${open}/`);
  const [shown, others] = [members.filter(isOpen), members.filter((at) => !isOpen(at))];
  const left = Math.max(4, room - Math.min(shown.length, room >> 1));
  return [...shown.map(own), ...folded(nodes, others, left)];
}

/** Folders of the greatest depth that leaves few enough. */
function folded(nodes, members, room) {
  if (members.length <= room) return members.map((at) => [at, `\0${at}`]);
  const deepest = Math.max(...members.map((at) => folderOf(nodes[at]).split("/").length));
  for (let depth = deepest; depth > 0; depth -= 1) {
    const named = members.map((at) => [at, nodes[at].kind === "external" ? "packages" : folderOf(nodes[at]).split("/").slice(0, depth).join("/")]);
    if (depth === 1 || new Set(named.map(([, name]) => name)).size <= room) return named;
  }
  return [];
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

function folderNode(name, members) {
  const [{ kind }] = members;
  return { kind: "folder", name: name || ".", members, files: members.length, folded: kind === "symbol" ? "symbol" : "file", is_test: members.every((node) => node.is_test) };
}
