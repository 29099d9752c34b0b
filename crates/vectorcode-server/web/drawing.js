// Draws a graph that can be zoomed, dragged and navigated with the keyboard.

import { plural, s, splitPath } from "./dom.js";
import { ROW, layout } from "./layout.js";

export const ZOOM_STEP = 1.25;
const SCALES = [0.2, 3];
/** Minimum scale for a neighbourhood; one that does not fit is shown only in part. */
const READABLE = 0.6;
const DENSE = 60;
/** With more edges than this, edge names are only shown for the node under the pointer. */
const NAMED = 30;
const LABEL_LETTERS = 34;
/** Widths of a letter in both label sizes, and of the mark before the label. */
const [LETTER, SMALL_LETTER, MARK] = [7.25, 5.75, 12];
/** Maximum sideways bend of an edge within a column. */
const MAX_BOW = 90;
let drawings = 0;

/** The shape of each kind of node: a page, a folder, a diamond, a disc. */
const SHAPES = { file: "M-4.5-6h6L4.5-3v9h-9z", folder: "M-6.5-5h5l1.5 2h6.5v8h-13z", external: "M0-6L6 0 0 6-6 0z", symbol: "M-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0z" };

export const mark = (kind) => s("path", { class: "mark", d: SHAPES[kind] ?? SHAPES.file });

/** The name of each kind of edge. */
export const EDGE_NAMES = { imports: "imports", reexports: "re-exports", dynamic: "loads", calls: "calls", uses: "uses", implements: "implements" };

/** An SVG with a view that can be moved and scaled. */
export class Drawing {
  /**
   * @param {{nodes: Array, edges: Array}} graph the first node is the centre when `centred`
   * @param {{centred: boolean, narrow: boolean, height?: number, room?: {width: number, height: number}, sides?: [string, string],
   *   follow: (node: Object, at: number) => void, open?: (node: Object) => void}} options `sides` are the two captions
   */
  constructor({ nodes, edges }, { centred, narrow, height, room, sides, follow, open }) {
    Object.assign(this, { centred, follow, open });
    /** With too many edges to tell apart, only those of the hovered node are shown. */
    this.isDense = edges.length > DENSE;
    this.labels = nodes.map(label);
    this.places = layout(this.labels, edges, { centred, narrow, height, room });
    const first = Math.min(...this.places.map(({ x }) => x));
    /** Whether edges within the first column bend to its left. */
    this.hasBow = edges.some((edge) => [edge.from, edge.to].every((at) => this.places[at].x === first));
    this.view = { x: 0, y: 0, scale: 1 };
    this.scene = s("g", { class: "scene" });
    this.arrow = `arrow-${(drawings += 1)}`;
    const arrow = s("marker", { id: this.arrow, markerUnits: "userSpaceOnUse", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 9, markerHeight: 9, orient: "auto" }, s("path", { d: "M0 1l7 3-7 3z" }));
    this.svg = s("svg", { class: centred ? "drawing" : "drawing map", tabindex: "0", role: "group", "aria-label": `Graph of ${plural(nodes.length, "node")}. Arrow keys move, plus and minus zoom, Tab goes from node to node.` }, s("defs", null, arrow), this.scene);
    const own = edges.filter(({ from, to }) => !this.isSide(from, to));
    this.hasNames = !narrow && centred && own.length <= NAMED;
    this.links = edges.map((edge) => this.edge(edge));
    this.marks = nodes.map((node, at) => this.node(node, at));
    this.scene.append(...this.links, ...this.marks, ...(sides && !narrow ? this.captions(sides) : []));
    this.listen();
  }

  /** Whether an edge is drawn pale: it does not touch the centre, or there are too many edges to tell apart. */
  isSide(from, to) {
    return this.centred ? from !== 0 && to !== 0 : this.isDense;
  }

  edge({ from, to, kind, confidence, count = 1 }) {
    const isSide = this.isSide(from, to);
    const said = `${EDGE_NAMES[kind] ?? kind}${count > 1 ? ` ×${count}` : ""}`;
    const line = s("path", { class: "edge-line", "marker-end": `url(#${this.arrow})`, d: this.curve(from, to) }, s("title", null, isUncertain(confidence) ? `${said}, not certain` : said));
    // An edge that stands for many is wider, up to eight times as many; beyond that nobody sees a difference.
    line.style.strokeWidth = `${1.3 + Math.min(3, Math.log2(count)) * 0.6}px`;
    const [x, y] = this.nameOfEdge(from, to);
    const edge = s("g", { class: `edge ${kind}${isUncertain(confidence) ? " uncertain" : ""}${isSide ? " side" : this.hasNames ? " named" : ""}` }, line, s("text", { x, y: y - 3 }, said));
    Object.assign(edge.dataset, { from, to });
    return edge;
  }

  /** The position of an edge's name: on the edge, closer to the end that is not the centre, where edges are further apart. */
  nameOfEdge(from, to) {
    const [[ax, ay], [bx, by]] = this.ends(from, to);
    if (this.places[from].x === this.places[to].x) return [ax - 10 - Math.min(MAX_BOW, Math.abs(ay - by) * 0.25) * 0.75, (ay + by) / 2];
    const t = this.centred && to === 0 ? 0.3 : 0.7;
    const ease = t * t * (3 - 2 * t);
    const [near, far] = [3 * t * (1 - t), t ** 3];
    const middle = (ax + bx) / 2;
    return [(1 - near - far) * ax + near * middle + far * bx, ay + (by - ay) * ease];
  }

  /** Captions that say how the nodes on each side relate to the centre. */
  captions(sides) {
    const centre = this.places[0].x;
    const top = Math.min(...this.places.map(({ y }) => y)) - ROW * 0.85;
    const xs = [...new Set(this.places.map(({ x }) => x))].sort((a, b) => a - b);
    const columns = [xs.filter((x) => x < centre).at(-1), xs.find((x) => x > centre)];
    return columns.flatMap((x, at) => (x === undefined ? [] : [s("text", { class: "caption", x: x - 6, y: top }, sides[at])]));
  }

  node(node, at) {
    const isCentre = this.centred && at === 0;
    const { x, y } = this.places[at];
    const { name, where, width } = this.labels[at];
    const shape = s("g", {
      class: `node ${node.kind}${isCentre ? " centre" : ""}${node.is_test ? " test" : ""}`, transform: `translate(${x} ${y})`,
      tabindex: node.kind === "external" ? null : "0", role: node.kind === "external" ? null : "link",
    }, s("title", null, node.kind === "symbol" ? `${node.name}, ${node.path}:${node.line}` : `${node.kind} ${node.name}`), s("rect", { class: "reach", x: -10, y: 2 - ROW / 2, width: width + 16, height: ROW - 4, rx: 6 }), mark(node.kind),
      s("text", { x: MARK, y: where ? -1 : 4 }, name), where && s("text", { x: MARK, y: 11, class: "where" }, where));
    shape.addEventListener("click", () => !this.dragged && this.follow(node, at));
    shape.addEventListener("keydown", (event) => this.onNodeKey(event, node, at));
    for (const [event, on] of [["pointerenter", true], ["focus", true], ["pointerleave", false], ["blur", false]]) {
      shape.addEventListener(event, () => this.emphasise(at, on));
    }
    return shape;
  }

  /** A curve from the right of one label to the left of the other. Within a column, it bends to the side. */
  curve(from, to) {
    const [[ax, ay], [bx, by]] = this.ends(from, to);
    const isColumn = this.places[from].x === this.places[to].x;
    const middle = isColumn ? ax - 7 - Math.min(MAX_BOW, Math.abs(ay - by) * 0.25) : (ax + bx) / 2;
    return `M${ax} ${ay}C${middle} ${ay} ${middle} ${by} ${bx} ${by}`;
  }

  ends(from, to) {
    const [a, b] = [this.places[from], this.places[to]];
    const gap = 9;
    const right = (at) => this.places[at].x + this.labels[at].width + 6;
    if (a.x === b.x) return [[a.x - gap, a.y], [b.x - gap, b.y]];
    return b.x < a.x ? [[a.x - gap, a.y], [right(to), b.y]] : [[right(from), a.y], [b.x - gap, b.y]];
  }

  onNodeKey(event, node, at) {
    const towards = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (event.key === "Enter" || event.key === " ") this.follow(node, at);
    else if (event.key === "o" && node.kind !== "external") this.open?.(node);
    else if (towards) this.marks[this.nearest(at, towards)]?.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** The nearest node in a direction. Sideways distance counts double. */
  nearest(from, [dx, dy]) {
    const here = this.places[from];
    let best = { cost: Infinity, at: -1 };
    this.places.forEach(({ x, y }, at) => {
      const ahead = (x - here.x) * dx + (y - here.y) * dy;
      const aside = Math.abs((x - here.x) * dy) + Math.abs((y - here.y) * dx);
      if (ahead > 0 && this.marks[at].tabIndex === 0 && ahead + 2 * aside < best.cost) best = { cost: ahead + 2 * aside, at };
    });
    return best.at;
  }

  /** Highlights the edges and neighbours of a node. */
  emphasise(at, on) {
    this.svg.classList.toggle("focused", on);
    const near = new Set([at]);
    for (const link of this.links) {
      const [from, to] = [Number(link.dataset.from), Number(link.dataset.to)];
      const mine = from === at || to === at;
      link.classList.toggle("lit", on && mine);
      if (mine) near.add(from).add(to);
    }
    this.marks.forEach((shape, index) => shape.classList.toggle("lit", on && near.has(index)));
  }

  listen() {
    const pointers = new Map();
    const { svg } = this;
    svg.addEventListener("pointerdown", (event) => {
      pointers.set(event.pointerId, [event.clientX, event.clientY]);
      this.dragged = false;
    });
    svg.addEventListener("pointermove", (event) => this.onMove(event, pointers));
    for (const end of ["pointerup", "pointercancel", "pointerleave"]) svg.addEventListener(end, (event) => pointers.delete(event.pointerId));
    svg.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoom(Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.0015)), [event.clientX, event.clientY]);
    }, { passive: false });
    svg.addEventListener("keydown", (event) => this.onKey(event));
  }

  onMove(event, pointers) {
    const last = pointers.get(event.pointerId);
    if (!last) return;
    const [dx, dy] = [event.clientX - last[0], event.clientY - last[1]];
    const others = [...pointers].filter(([id]) => id !== event.pointerId);
    if (others.length) {
      const [ox, oy] = others[0][1];
      const spread = Math.hypot(event.clientX - ox, event.clientY - oy) / Math.max(1, Math.hypot(last[0] - ox, last[1] - oy));
      this.zoom(spread, [(event.clientX + ox) / 2, (event.clientY + oy) / 2]);
    } else if (this.dragged || Math.hypot(dx, dy) > 3) {
      this.dragged = true;
      this.move(dx, dy);
    } else return;
    pointers.set(event.pointerId, [event.clientX, event.clientY]);
  }

  onKey(event) {
    const step = 60;
    const acts = {
      "+": () => this.zoom(ZOOM_STEP), "=": () => this.zoom(ZOOM_STEP), "-": () => this.zoom(1 / ZOOM_STEP), 0: () => this.fit(),
      ArrowLeft: () => this.move(step, 0), ArrowRight: () => this.move(-step, 0), ArrowUp: () => this.move(0, step), ArrowDown: () => this.move(0, -step),
    };
    if (!acts[event.key] || event.ctrlKey || event.metaKey) return;
    acts[event.key]();
    event.preventDefault();
    event.stopPropagation();
  }

  move(dx, dy) {
    this.show({ ...this.view, x: this.view.x + dx, y: this.view.y + dy });
  }

  /** Scales around a point of the screen, or around the middle. */
  zoom(factor, point) {
    const box = this.svg.getBoundingClientRect();
    const [px, py] = point ? [point[0] - box.left, point[1] - box.top] : [box.width / 2, box.height / 2];
    const scale = Math.min(SCALES[1], Math.max(SCALES[0], this.view.scale * factor));
    const ratio = scale / this.view.scale;
    this.show({ scale, x: px - (px - this.view.x) * ratio, y: py - (py - this.view.y) * ratio });
  }

  /** Fits the whole graph into view, or shows the middle at a readable size if everything would be too small. */
  fit() {
    const box = this.svg.getBoundingClientRect();
    const xs = this.places.map(({ x }) => x);
    const ys = this.places.map(({ y }) => y);
    const [left, right] = [Math.min(...xs) - (this.hasBow ? MAX_BOW : 24), Math.max(...this.places.map(({ x }, at) => x + this.labels[at].width)) + 16];
    const [top, bottom] = [Math.min(...ys) - 1.2 * ROW, Math.max(...ys) + ROW];
    const scale = Math.min(1.3, Math.max(this.centred ? READABLE : SCALES[0], Math.min(box.width / (right - left), box.height / (bottom - top))));
    const centre = (right - left) * scale > box.width && this.centred ? this.places[0].x + this.labels[0].width / 2 : (left + right) / 2;
    this.show({ scale, x: box.width / 2 - centre * scale, y: box.height / 2 - ((top + bottom) / 2) * scale });
  }

  show(view) {
    this.view = view;
    this.scene.setAttribute("transform", `translate(${view.x} ${view.y}) scale(${view.scale})`);
  }
}

/** Whether it is not certain which definition the edge leads to. */
export const isUncertain = (confidence) => confidence === "possible" || confidence === "guess";

/** The label of a node, and its width. */
function label({ kind, name: whole, path, files, folded }) {
  const [folder, last] = { file: splitPath, folder: splitFolder }[kind]?.(whole) ?? ["", whole];
  const [name, where] = [shortened(last), shortened(kind === "symbol" ? path ?? "" : folder + (files ? ` ${plural(files, folded ?? "file")}` : ""))];
  return { name, where, width: MARK + Math.max(name.length * LETTER, where.length * SMALL_LETTER) };
}

/** Shows two folder names, because many folders are called `src` and only the parent tells them apart. */
function splitFolder(path) {
  const parts = path.split("/").filter(Boolean);
  return [parts.slice(0, -2).map((part) => `${part}/`).join(""), parts.slice(-2).join("/")];
}

const shortened = (text) => (text.length > LABEL_LETTERS ? `…${text.slice(1 - LABEL_LETTERS)}` : text);
