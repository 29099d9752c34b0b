// Builds DOM nodes. All text of a project is data: it goes into text nodes and attributes, never into markup. Its control and
// bidirectional characters are shown as escapes, so that code cannot look different from what it is.

const SVG = "http://www.w3.org/2000/svg";

/**
 * An HTML element. Properties: `on` for listeners, `data` for data attributes, everything else as an attribute;
 * `true` sets an empty one, `false` and `null` leave it out.
 * @param {string} tag
 * @param {Object} [props]
 * @param {...(Node|string|number|null|false|Array)} children
 * @returns {HTMLElement}
 */
export const h = (tag, props, ...children) => build(document.createElement(tag), props, children);

/** The same for SVG. @returns {SVGElement} */
export const s = (tag, props, ...children) => build(document.createElementNS(SVG, tag), props, children);

/** The characters that `visible_text` of vectorcode-core escapes. */
const UNPRINTABLE = /[\0-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}]/gu;

/** The text with unprintable characters as escapes, such as `\u{202e}`. */
export const visible = (text) => text.replace(UNPRINTABLE, (letter) => `\\u{${letter.codePointAt(0).toString(16)}}`);

const shown = (value) => (typeof value === "string" ? visible(value) : value);

export const $ = (selector, root = document) => root.querySelector(selector);

function build(node, props, children) {
  for (const [name, value] of Object.entries(props ?? {})) {
    if (name === "on") Object.entries(value).forEach(([event, listener]) => node.addEventListener(event, listener));
    else if (name === "data") Object.assign(node.dataset, value);
    else if (value !== false && value != null) node.setAttribute(name, value === true ? "" : name === "title" ? shown(value) : value);
  }
  node.append(...children.flat(Infinity).filter((child) => child != null && child !== false).map(shown));
  return node;
}

/** A small line drawing. */
export const icon = (path) => s("svg", { viewBox: "0 0 20 20", "aria-hidden": "true" }, s("path", { d: path }));

/** `1234567` as `1,234,567`. */
export const count = (number) => Number(number ?? 0).toLocaleString("en");

/** `one file`, `2 files`. */
export const plural = (number, one, many = `${one}s`) => `${count(number)} ${number === 1 ? one : many}`;

export function bytes(number) {
  const units = ["B", "kB", "MB", "GB"];
  let unit = 0;
  while (number >= 1000 && unit < units.length - 1) [number, unit] = [number / 1000, unit + 1];
  return `${number < 10 && unit ? number.toFixed(1) : Math.round(number)} ${units[unit]}`;
}

/** How long ago a time was, in words. */
export function ago(time) {
  const seconds = Math.max(0, (Date.now() - new Date(time).getTime()) / 1000);
  if (!Number.isFinite(seconds)) return "never";
  const steps = [[60, "second"], [60, "minute"], [24, "hour"], [365, "day"], [Infinity, "year"]];
  let value = seconds;
  for (const [size, unit] of steps) {
    if (value < size) return value < 5 && unit === "second" ? "just now" : `${plural(Math.floor(value), unit)} ago`;
    value /= size;
  }
}

/** A path that may wrap after each slash; its name (with `after` appended) does not wrap. */
export function pathNodes(path, after = "") {
  const [folder, name] = splitPath(path);
  const parts = folder.split("/").filter(Boolean).flatMap((part) => [`${part}/`, h("wbr")]);
  return [h("span", { class: "dim" }, parts), h("span", { class: "name" }, name, after && h("span", { class: "dim" }, after))];
}

/** Splits a path into its folder (with the slash) and its name. */
export function splitPath(path) {
  const at = path.lastIndexOf("/") + 1;
  return [path.slice(0, at), path.slice(at)];
}

/** Whether results and the open file fit side by side, as in the style sheet. */
export const isWide = () => matchMedia("(min-width: 901px)").matches;

export const prefersStill = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
