// Draws the lines of a file in blocks. A block is one node of plain text until it comes near the viewport; only then do its
// lines become elements with colours and links. A file of 8,000 lines would otherwise need 46,000 elements. Plain text keeps
// the browser's own search and "select all" working.

import { h } from "./dom.js";

const BLOCK = 100;
/** The height of a line, as in the style sheet. */
const LINE_PX = 20;
/** Blocks this close to the viewport are drawn. */
const MARGIN = "400px 0px";
/** Lines before and after the target of a jump that are drawn at once. */
const AROUND = 60;

export class Blocks {
  /**
   * @param {HTMLElement} code what scrolls
   * @param {Array} lines as `toLines` makes them
   * @param {(line: Object, number: number) => HTMLElement} draw
   */
  constructor(code, lines, draw) {
    Object.assign(this, { code, lines, draw, range: [0, -1], drawn: new Set() });
    const starts = Array.from({ length: Math.ceil(lines.length / BLOCK) }, (_, at) => at * BLOCK);
    this.nodes = starts.map((start) => this.plainBlock(start));
    this.observer = new IntersectionObserver((entries) => entries.forEach((entry) => this.onMove(entry)), { root: code, rootMargin: MARGIN });
    code.append(...this.nodes);
    this.nodes.forEach((node) => this.observer.observe(node));
  }

  plainBlock(start) {
    const lines = this.lines.slice(start, start + BLOCK);
    const node = h("div", { class: "block plain" }, plainText(lines));
    node.style.height = `${lines.length * LINE_PX}px`;
    return node;
  }

  onMove({ target, isIntersecting }) {
    const at = this.nodes.indexOf(target);
    if (isIntersecting) this.fill(at);
    else if (this.drawn.has(at) && !isInUse(target)) this.empty(at);
  }

  fill(at) {
    if (this.drawn.has(at) || !this.nodes[at]) return;
    this.drawn.add(at);
    const start = at * BLOCK;
    const rows = this.lines.slice(start, start + BLOCK).map((line, index) => this.draw(line, start + index + 1));
    this.nodes[at].classList.remove("plain");
    this.nodes[at].replaceChildren(...rows);
    this.mark(rows);
  }

  empty(at) {
    this.drawn.delete(at);
    this.nodes[at].classList.add("plain");
    this.nodes[at].replaceChildren(plainText(this.lines.slice(at * BLOCK, (at + 1) * BLOCK)));
  }

  /** Redraws the visible blocks with other colours or links. */
  redraw(draw) {
    this.draw = draw;
    for (const at of [...this.drawn]) {
      this.drawn.delete(at);
      this.fill(at);
    }
  }

  mark(rows) {
    const [from, to] = this.range;
    for (const row of rows) row.classList.toggle("target", row.dataset.n >= from && row.dataset.n <= to);
  }

  /** Highlights a range of lines and draws the lines around its start. Without a range, the start of the file is drawn. */
  select(from, to) {
    this.range = from > 0 ? [from, to] : [0, -1];
    const last = Math.floor((Math.max(from, 1) + AROUND) / BLOCK);
    for (let at = Math.floor(Math.max(0, from - AROUND) / BLOCK); at <= last; at += 1) this.fill(at);
    for (const at of this.drawn) this.mark(this.nodes[at].children);
  }
}

/** The distance of a line from the top of the text. */
export const topOf = (number) => (number - 1) * LINE_PX;

const plainText = (lines) => lines.map(({ text }) => text).join("\n");

/** Whether a block has selected text or the focus, which redrawing would remove. */
function isInUse(node) {
  const selection = getSelection();
  return node.contains(document.activeElement) || (selection && !selection.isCollapsed && selection.containsNode(node, true));
}
