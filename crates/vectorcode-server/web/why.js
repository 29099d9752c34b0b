// Explains the rank of a result: at most five plain sentences, and the figures that they are based on.

import { h, plural } from "./dom.js";

const MOST = 5;
/** The signals, grouped by topic. */
const GROUPS = {
  words: ["full_text", "full_text_rank", "coverage", "literal", "literals", "message"],
  name: ["symbol_coverage", "symbol_precision", "defines", "defines_words", "defines_qualified", "named"],
  path: ["name_coverage", "name_precision", "name_full", "folder_coverage", "file_named", "path_named", "path_mentioned", "module_mentioned", "trace_mentioned", "line_mentioned"],
  meaning: ["static", "static_rank", "provider", "provider_rank"],
  file: ["file_coverage", "file_defines", "file_full_text", "file_static", "file_provider", "file_sum", "file_names", "file_message"],
  history: ["history", "history_best", "history_meaning"],
};
/** Prefixes of signals that are measured separately for parts of a long query. They say the same about a result. */
const PART = /^(title|body|best|code|report)_/;
const LOWERED = {
  test: "it is test code", generated: "it is generated or minified", example: "it is an example", foreign: "it was brought in from elsewhere",
  docs: "it is documentation", config: "it is configuration", barrel: "its file only re-exports", declarations: "it only declares what another file defines",
};
const RANKS = ["", "best", "second-best", "third-best"];

/** The sentences for a hit, most important first. */
export function reasons(hit) {
  const value = new Map();
  const weight = new Map();
  for (const signal of hit.signals) {
    const about = signal.name.replace(PART, "");
    value.set(about, Math.max(signal.value, value.get(about) ?? -1));
    weight.set(about, signal.contribution + (weight.get(about) ?? 0));
  }
  const of = (name) => value.get(name) ?? 0;
  const sum = (group) => GROUPS[group].reduce((total, name) => total + (weight.get(name) ?? 0), 0);
  const said = Object.entries({ words: words(of), name: name(of, hit), path: path(of), meaning: meaning(of, value), file: file(of), history: history(of) })
    .filter(([, sentence]) => sentence)
    .sort(([a], [b]) => sum(b) - sum(a))
    .map(([, sentence]) => sentence);
  const lowered = Object.entries(LOWERED).filter(([signal]) => of(signal) > 0 && (weight.get(signal) ?? 0) < 0).map(([, reason]) => reason);
  const last = lowered.length ? [`It is ranked lower because ${lowered.join(" and ")}.`] : [];
  return [...said.slice(0, MOST - last.length), ...last];
}

function words(of) {
  if (of("message")) return "It contains the message that you quote.";
  if (of("literal") || of("literals")) return "It contains the text that you put in quotes.";
  const best = RANKS[rank(of("full_text_rank"))];
  const matched = of("coverage") > 0.99 ? "All words of your query" : of("coverage") > 0.5 ? "Most words of your query" : of("coverage") > 0 ? "Some words of your query" : "";
  if (!matched) return of("full_text") ? "" : "None of your words is in it: it was found by its meaning.";
  return `${matched} are in it${best ? `, and it is the ${best} match by words` : ""}.`;
}

function name(of, { symbol }) {
  const called = symbol ? `Its name, ${symbol},` : "Its name";
  if (of("defines") || of("defines_qualified")) return "It defines a name that you typed.";
  if (of("defines_words") || of("symbol_precision") > 0.6) return `${called} is made of words of your query.`;
  return of("symbol_coverage") ? `${called} contains words of your query.` : "";
}

function path(of) {
  if (of("line_mentioned") || of("trace_mentioned")) return "The trace that you pasted goes through it.";
  if (of("path_named") || of("path_mentioned")) return "You named its path.";
  if (of("module_mentioned")) return "You named its module.";
  if (of("file_named") || of("name_full")) return "Its file is named after your query.";
  if (of("name_coverage")) return "The name of its file contains words of your query.";
  return of("folder_coverage") ? "The names of its folders contain words of your query." : "";
}

function meaning(of, value) {
  const by = value.has("provider_rank") && of("provider_rank") ? "provider" : "static";
  const at = rank(of(`${by}_rank`));
  const similarity = of(by).toFixed(2);
  if (!at) return "";
  if (at <= 3) return `By its meaning it is the ${RANKS[at]} match (similarity ${similarity}).`;
  return at <= 15 ? `Its meaning is close to your query (place ${at}, similarity ${similarity}).` : `Its meaning is only loosely related (place ${at}, similarity ${similarity}).`;
}

function file(of) {
  if (of("file_sum") > 0.99) return "Its file has more matches than any other.";
  return of("file_sum") > 0.35 ? "Other parts of its file match as well." : "";
}

function history(of) {
  if (of("history") > 0.99) return "Commits with messages like your query changed this file more than any other.";
  return of("history") > 0.2 ? "Commits with messages like your query changed this file." : "";
}

/** The rank in a list, computed from a value that decreases with it: 1 for the first, one half for the eleventh. */
const rank = (value) => (value ? Math.round(10 / value - 10) + 1 : 0);

/** The sentences as a list, with the figures below. */
export function explanation(hit) {
  return h("div", { class: "why", hidden: true },
    h("ul", { class: "reasons" }, reasons(hit).map((sentence) => h("li", null, sentence))),
    h("details", null, h("summary", null, "All figures"), figures(hit.signals)));
}

/** The contribution of each signal to the score, drawn to the same scale. */
function figures(signals) {
  const parts = signals.filter((signal) => Math.abs(signal.contribution) >= 0.0005)
    .sort((a, b) => Math.abs(b.contribution) - Math.abs(a.contribution));
  const largest = Math.max(...parts.map((signal) => Math.abs(signal.contribution)), 1e-6);
  const rows = parts.map((signal) => {
    const bar = h("i", { class: signal.contribution < 0 ? "bar minus" : "bar" });
    bar.style.width = `${Math.max(1, (Math.abs(signal.contribution) / largest) * 100)}%`;
    return h("tr", null, h("th", { scope: "row" }, signal.name.replaceAll("_", " ")),
      h("td", { class: "bars" }, bar),
      h("td", null, `${signal.contribution < 0 ? "−" : "+"}${Math.abs(signal.contribution).toFixed(3)}`),
      h("td", { class: "dim", title: "Value of the signal" }, Number(signal.value.toFixed(3))));
  });
  return h("table", { class: "signals" },
    h("caption", null, `Contribution of ${plural(parts.length, "signal")} to the ranking`), h("tbody", null, rows));
}
