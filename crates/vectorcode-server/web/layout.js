// Computes the layout of a graph: columns ordered by dependency. A file's neighbourhood has the file in the centre, its
// importers to the left and its imports to the right. On narrow screens the columns are placed below each other.

const SWEEPS = 6;
/** Maximum number of columns and rows of a project map that stays readable. */
const [COLUMNS, ROWS] = [5, 14];
/** Gaps between two columns, and between the parts of a column that is too high. */
const [GAP, SMALL_GAP] = [110, 36];
/** Limits for stretching a drawing to its room, because columns and rows that are too far apart no longer look connected. */
const [MOST_EXTRA, MOST_STRETCH] = [190, 1.9];
export const ROW = 38;

/**
 * @param {Array<{width: number}>} nodes the first is the centre when `centred`
 * @param {Array<{from: number, to: number}>} edges
 * @param {{centred: boolean, narrow: boolean, height?: number, room?: {width: number, height: number}}} options `height` is
 * the number of rows that fit, `room` the size that the drawing may fill
 * @returns {Array<{x: number, y: number}>} a place for each node
 */
export function layout(nodes, edges, { centred, narrow, height = Infinity, room }) {
  const column = centred ? columnsAround(nodes.length, edges) : evened(byDependence(nodes.length, edges));
  const columns = new Map();
  nodes.forEach((_, index) => columns.set(column[index], [...(columns.get(column[index]) ?? []), index]));
  const order = [...columns.keys()].sort((a, b) => a - b);
  const rows = order.map((key) => columns.get(key));
  untangle(rows, edges);
  const places = [];
  if (narrow) {
    rows.flat().forEach((index, line) => { places[index] = { x: 0, y: line * ROW }; });
    return places;
  }
  let x = 0;
  for (const row of rows) {
    const parts = inParts(row, height);
    parts.forEach((part, at) => {
      part.forEach((index, line) => { places[index] = { x, y: (line - (part.length - 1) / 2) * ROW }; });
      x += Math.max(...part.map((index) => nodes[index].width)) + (at === parts.length - 1 ? GAP : SMALL_GAP);
    });
  }
  return room ? stretched(places, nodes, room) : places;
}

/** Moves columns and rows apart until they fill the room. */
function stretched(places, nodes, room) {
  const columns = [...new Set(places.map(({ x }) => x))].sort((a, b) => a - b);
  const ys = places.map(({ y }) => y);
  const width = Math.max(...places.map(({ x }, at) => x + nodes[at].width)) + 56;
  const height = Math.max(...ys) - Math.min(...ys) + 2 * ROW;
  const extra = Math.min(MOST_EXTRA, Math.max(0, (room.width - width) / Math.max(1, columns.length - 1)));
  const stretch = Math.min(MOST_STRETCH, Math.max(1, room.height / height));
  return places.map(({ x, y }) => ({ x: x + columns.indexOf(x) * extra, y: y * stretch }));
}

/** Cuts a list into parts of equal length, none longer than `most`. */
function inParts(list, most) {
  const length = Math.ceil(list.length / Math.max(1, Math.ceil(list.length / most)));
  return Array.from({ length: Math.ceil(list.length / length) }, (_, at) => list.slice(at * length, (at + 1) * length));
}

/** Steps from the centre, which is the first node. Steps against the direction of edges are negative. */
export function columnsAround(size, edges) {
  const forward = steps(size, edges.map(({ from, to }) => [from, to]));
  const backward = steps(size, edges.map(({ from, to }) => [to, from]));
  const any = steps(size, edges.flatMap(({ from, to }) => [[from, to], [to, from]]));
  return forward.map((ahead, index) => {
    const behind = backward[index];
    if (ahead === Infinity && behind === Infinity) return any[index] === Infinity ? 1 : any[index];
    return ahead <= behind ? ahead : -behind;
  });
}

function steps(size, arrows) {
  const next = Array.from({ length: size }, () => []);
  arrows.forEach(([from, to]) => next[from].push(to));
  const distance = new Array(size).fill(Infinity);
  distance[0] = 0;
  for (let queue = [0]; queue.length;) {
    const at = queue.shift();
    for (const to of next[at]) if (distance[to] === Infinity) queue.push(to) && (distance[to] = distance[at] + 1);
  }
  return distance;
}

/** Places each node one column after the last of its dependents. Edges that close a cycle are ignored. */
function byDependence(size, edges) {
  const next = Array.from({ length: size }, () => []);
  const needed = new Array(size).fill(0);
  edges.forEach(({ from, to }) => { if (from !== to) next[from].push(to) && (needed[to] += 1); });
  const column = new Array(size).fill(0);
  const state = new Array(size).fill("new");
  const finished = [];
  const visit = (start) => {
    const path = [[start, 0]];
    state[start] = "open";
    while (path.length) {
      const top = path.at(-1);
      const to = next[top[0]][top[1]++];
      if (to === undefined) {
        state[top[0]] = "done";
        finished.push(path.pop()[0]);
      } else if (state[to] === "new") {
        state[to] = "open";
        path.push([to, 0]);
      } else if (state[to] === "open") {
        next[top[0]][top[1] - 1] = top[0];
      }
    }
  };
  const roots = [...next.keys()].sort((a, b) => needed[a] - needed[b]);
  roots.forEach((index) => state[index] === "new" && visit(index));
  for (const from of finished.reverse()) {
    for (const to of next[from]) if (to !== from) column[to] = Math.max(column[to], column[from] + 1);
  }
  return column;
}

/** Keeps the order, but uses few columns of similar height if there are too many columns or one is too high. */
function evened(column) {
  const heights = new Map();
  column.forEach((key) => heights.set(key, (heights.get(key) ?? 0) + 1));
  if (heights.size <= COLUMNS && Math.max(...heights.values()) <= ROWS) return column;
  const wanted = Math.min(COLUMNS, Math.max(3, Math.ceil(column.length / ROWS)));
  const height = Math.ceil(column.length / wanted);
  const order = [...column.keys()].sort((a, b) => column[a] - column[b]);
  const even = [];
  order.forEach((index, at) => { even[index] = Math.floor(at / height); });
  return even;
}

/** Moves each node towards the middle of its neighbours, column by column, so that few edges cross. */
function untangle(rows, edges) {
  const neighbours = new Map();
  const add = (a, b) => neighbours.set(a, [...(neighbours.get(a) ?? []), b]);
  edges.forEach(({ from, to }) => { add(from, to); add(to, from); });
  const height = new Map();
  const settle = (row) => row.forEach((index, at) => height.set(index, at - (row.length - 1) / 2));
  rows.forEach(settle);
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    for (const row of sweep % 2 ? [...rows].reverse() : rows) {
      const wish = (index) => {
        const around = neighbours.get(index) ?? [];
        return around.length ? around.reduce((sum, other) => sum + height.get(other), 0) / around.length : height.get(index);
      };
      const wishes = new Map(row.map((index) => [index, wish(index)]));
      row.sort((a, b) => wishes.get(a) - wishes.get(b));
      settle(row);
    }
  }
}
