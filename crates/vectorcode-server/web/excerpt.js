// Chooses the lines of a result to show: the line that declares it, and the run of lines that matches the query best.

const COMMENT = 0.6;
/** Factor for each repetition of a word, which adds less every time. */
const REPEATED = 0.4;
/** Number of letters compared, because forms of a word share their first letters: skip, skips, skipped. */
const STEM = 4;

/**
 * The weight of each word: words on fewer lines weigh more. Words are those that the server marked.
 * @param {Array<Array>} texts the lines of all results of a response
 */
export function wordWeights(texts) {
  const lines = texts.flat();
  const seen = new Map();
  for (const line of lines) for (const word of new Set(wordsOf(line))) seen.set(word, (seen.get(word) ?? 0) + 1);
  return new Map([...seen].map(([word, count]) => [word, Math.log(1 + lines.length / count)]));
}

const wordsOf = ({ text, matches }) => matches.map(([from, to]) => text.slice(from, to).toLowerCase().slice(0, STEM));

/**
 * The ranges of lines to show, `[from, to)` from 0, at most `room` lines in all.
 * @param {Array} lines as `toLines` makes them
 * @param {Map<string, number>} weights
 * @param {?string} symbol what the result defines
 */
export function excerpt(lines, room, weights, symbol) {
  if (lines.length <= room + 2) return [[0, lines.length]];
  const head = declaration(lines, symbol);
  const best = bestRun(lines, room - 1, weights) ?? head;
  const run = clamp(best, room - 1, lines.length);
  if (run[0] > head + 1) return [[head, head + 1], run];
  if (run[1] < head) return [run, [head, head + 1]];
  return [clamp(Math.min(head, best), room, lines.length)];
}

/**
 * The line with the name of the symbol, since a result may start with the end of something else. Without one, the first line of
 * code.
 */
function declaration(lines, symbol) {
  const name = symbol?.split(/[.:#/ ]/).filter(Boolean).at(-1);
  const named = name ? lines.findIndex((line) => line.text.includes(name) && isCode(line)) : -1;
  return Math.max(0, named < 0 ? lines.findIndex(isCode) : named);
}

function clamp(from, size, length) {
  const start = Math.max(0, Math.min(from, length - size));
  return [start, Math.min(length, start + size)];
}

/** The start of the best run of `size` lines; null if no word matches. */
function bestRun(lines, size, weights) {
  const words = lines.map(wordsOf);
  const factor = lines.map((line) => (isCode(line) ? 1 : COMMENT));
  let best = { value: 0, start: null };
  for (let start = 0; start + size <= lines.length; start += 1) {
    const value = valueOf(words, factor, start, size, weights);
    if (value > best.value + 1e-9) best = { value, start };
  }
  if (best.start === null) return null;
  // Keeps one line of context before the first match.
  const first = words.findIndex((line, at) => at >= best.start && line.length);
  return Math.max(best.start, first - 1);
}

function valueOf(words, factor, start, size, weights) {
  const times = new Map();
  let value = 0;
  for (let at = start; at < start + size; at += 1) {
    for (const word of words[at]) {
      const before = times.get(word) ?? 0;
      times.set(word, before + 1);
      value += (weights.get(word) ?? 1) * factor[at] * REPEATED ** before;
    }
  }
  return value;
}

/** Whether a line has more than comments and attributes. */
function isCode({ text, tokens }) {
  const start = text.search(/\S/);
  if (start < 0) return false;
  const kind = tokens.find(([from, to]) => from <= start && start < to)?.[2];
  return kind !== "comment" && kind !== "attribute";
}
