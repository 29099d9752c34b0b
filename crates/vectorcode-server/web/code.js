// Builds nodes for source text: syntax classes, marked words, line numbers. Offsets are in UTF-16 units, like those of
// JavaScript strings.

import { h } from "./dom.js";

/**
 * Splits a text into lines, each with its tokens and matches.
 * @param {string} text
 * @param {{tokens?: Array<[number, number, string]>, matches?: Array<[number, number]>}} [markup]
 */
export function toLines(text, markup = {}) {
  const lines = [];
  let start = 0;
  for (const line of text.replace(/\r?\n$/, "").split("\n")) {
    lines.push({ text: line.replace(/\r$/, ""), start, tokens: [], matches: [] });
    start += line.length + 1;
  }
  distribute(lines, markup.tokens ?? [], "tokens");
  distribute(lines, markup.matches ?? [], "matches");
  return lines;
}

/** Adds each span to the lines that it overlaps. Both lists must be sorted. */
function distribute(lines, spans, key) {
  let first = 0;
  for (const [start, end, kind] of spans) {
    while (first < lines.length && lineEnd(lines[first]) <= start) first += 1;
    for (let at = first; at < lines.length && lines[at].start < end; at += 1) {
      const line = lines[at];
      const from = Math.max(0, start - line.start);
      const to = Math.min(line.text.length, end - line.start);
      if (from < to) line[key].push([from, to, kind]);
    }
  }
}

const lineEnd = (line) => line.start + line.text.length + 1;

/**
 * One line as an element. Its number is a link to the line; the style sheet draws it, so that it is not copied with the text.
 * @param {{text: string, tokens: Array, matches: Array}} line
 * @param {{href?: string, links?: Array<{start: number, end: number, href: string, title: string, kind: string}>}} [options]
 */
export function lineNode(line, number, { href, links = [] } = {}) {
  const place = href ? h("a", { class: "n", href, tabindex: "-1", "aria-label": `Line ${number}`, data: { n: number } }) : h("span", { class: "n", data: { n: number } });
  return h("div", { class: "line", data: { n: number } }, place, h("code", null, segments(line, links)));
}

/** Cuts a line at every start and end of a token, a match or a link. */
function segments({ text, tokens, matches }, links) {
  const cuts = new Set([0, text.length]);
  for (const [start, end] of [...tokens, ...matches]) cuts.add(start).add(end);
  for (const { start, end } of links) cuts.add(start).add(end);
  const places = [...cuts].sort((a, b) => a - b);
  const inside = (spans, at) => spans.find(([start, end]) => start <= at && at < end);
  return places.slice(0, -1).map((start, index) => {
    const part = text.slice(start, places[index + 1]);
    const kind = inside(tokens, start)?.[2];
    const link = links.find((span) => span.start <= start && start < span.end);
    const plain = kind ? h("span", { class: `t-${kind}` }, part) : part;
    const node = link ? h("a", { class: `link-to ${link.kind}`, href: link.href, title: link.title }, plain) : plain;
    return inside(matches, start) ? h("mark", null, node) : node;
  });
}
