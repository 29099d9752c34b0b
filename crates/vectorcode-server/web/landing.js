// The start page: what is indexed, and example queries.

import { count, h, plural } from "./dom.js";
import * as state from "./state.js";
import * as status from "./status.js";

const EXAMPLES = ["where is the configuration read", "retry after a failed request", "parse command line arguments"];
const SHOWN_LANGUAGES = 8;

/** A node that keeps itself up to date while it is on the page. */
export function overview() {
  const box = h("div", { class: "overview" });
  const draw = (now) => box.replaceChildren(...(now.index ? project(now) : [first(now)]));
  status.follow(draw, box);
  return box;
}

function project({ index }) {
  const name = index.project_root.split(/[\\/]/).pop();
  return [
    h("h2", null, `Search ${name}`),
    h("p", { class: "dim" }, `${plural(index.files, "file")}, ${plural(index.symbols, "symbol")}, ${plural(index.chunks, "chunk")}.`),
    languages(index.languages, index.files),
    h("p", { class: "dim" }, "Describe what the code does, or type the name of a function, type or file:"),
    h("ul", { class: "examples" }, EXAMPLES.map((text) =>
      h("li", null, h("button", { type: "button", class: "link", on: { click: () => state.set({ q: text }, { push: true }) } }, text)))),
    h("p", { class: "keys" }, key("/"), "search", key("↓"), key("↑"), "move", key("↵"), "open", key("?"), "all shortcuts"),
  ];
}

const key = (name) => h("kbd", null, name);

function languages(counts, files) {
  const shown = counts.slice(0, SHOWN_LANGUAGES);
  return h("ul", { class: "languages", "aria-label": "Languages" }, shown.map(([name, number]) => {
    const bar = h("i", { class: "meter" }, h("i"));
    bar.firstChild.style.width = `${Math.max(1, (number / Math.max(files, 1)) * 100)}%`;
    const choose = () => {
      state.set({ language: name });
      document.querySelector("#q").focus();
    };
    return h("li", null, h("button", { type: "button", title: `Search ${name} only`, on: { click: choose } },
      h("span", null, name), bar, h("span", { class: "dim" }, count(number))));
  }));
}

/** There is no index yet. */
function first(now) {
  const running = now.activity?.state === "running";
  return h("div", { class: "empty" },
    h("h2", null, running ? "Indexing the project" : now.problem ? now.problem.message : "Starting"),
    running ? status.progress(now.activity) : now.problem?.hint && h("p", null, now.problem.hint),
    h("p", { class: "dim" }, "Search works as soon as the files are read; embeddings are built in the background."));
}
