//! The texts by which agents learn about the server and its tools. They decide when an agent uses a tool, so they say
//! what it is for, when something else is better, and what a good call looks like. Descriptions of arguments are the doc
//! comments of the argument structs.

/// Sent with the handshake; most clients put it into the model's context.
pub(crate) const INSTRUCTIONS: &str = "\
vectorcode finds code in this project by meaning: describe what the code does, and it returns the code that does it, \
even when the source uses none of your words.

Which tool
- A concept, a behaviour or a domain term: `vec_search`
- Code similar to code that you have: `vec_similar`
- The definition of a known name: `vec_symbols`
- Callers, callees, what a change affects, which files import a file, how two things are connected: `vec_graph`
- Schemas, API descriptions, runbooks and other documents that the project names: `vec_context`
- Whether the index is complete and up to date, and what it is doing: `vec_status`
- The index is wrong, or the provider was changed: `vec_reindex`

When something else is better
- You know the exact string: grep is exact and needs no ranking.
- You want past decisions rather than code: a memory tool, if there is one.

How to ask
- Say what the code does and in which domain: \"retry a failed payment with exponential backoff\" finds more than \
\"retry\".
- Other projects of the user: `projects` of `vec_search` (\"all\", \"linked\" or names), `project` of `vec_graph` and \
`vec_symbols`.
- Narrow with `language`, `path` and `kind` when you know them. `max_tokens` limits the length of the answer, `cursor` \
gets the next page.

How to read an answer
- The code shown is the current content of the file: there is no need to read the file again to verify it.
- A \u{26a0}\u{fe0f} banner lists files that changed a moment ago and are not indexed yet: read those files \
directly. All others are current; edits are indexed about two seconds after the last one.
- Scores fall with relevance; below 0.4 a result is usually noise.
- A semantic coverage below 100 % means that embeddings are still being built in the background. The results are \
correct; their ranking improves when it is done.
- Unprintable characters in names and code are shown as escapes such as \\u{202e}.";

/// `vec_search`.
pub(crate) mod search {
    pub(crate) const TITLE: &str = "Search code by meaning";
    pub(crate) const DESCRIPTION: &str = "Semantic code search: finds code by what it does, not only by the words \
in it. Use it when you know the concept (\"payment retry logic\", \"where users are authenticated\", \"error \
handling of database connections\") but not the names or files. Returns ranked chunks of code, each with its \
file, lines, symbol and score. For an exact string use grep; for a known symbol use `vec_symbols`, for its callers \
and callees `vec_graph`.";
}

/// `vec_similar`.
pub(crate) mod similar {
    pub(crate) const TITLE: &str = "Find similar code";
    pub(crate) const DESCRIPTION: &str = "Finds code similar to given code: other implementations of the same \
idea, near-duplicates, call sites that follow the same pattern. Give either `snippet`, or `location` as file:line \
of code in this project.";
}

/// `vec_context`.
pub(crate) mod context {
    pub(crate) const TITLE: &str = "Documents of the project";
    pub(crate) const DESCRIPTION: &str = "Context artifacts: documents that this project names because they explain it \
(database schemas, API descriptions, runbooks, decision records). \"list\" shows which there are and what each is for; \
\"search\" searches only them, by meaning; \"index\" updates their index by hand, which is rarely needed; \
\"remove\" deletes one from the project's settings. Look here before you write SQL, call an API or change a deployment.";
}

/// `vec_graph`.
pub(crate) mod graph {
    pub(crate) const TITLE: &str = "Query the code graph";
    pub(crate) const DESCRIPTION: &str = "Answers questions about code structure from the syntax tree, not from text: who \
calls a function (callers), what it calls (callees), what a file imports (deps) and which files import it (dependents), \
which files, symbols and tests a change may affect (impact), the shortest path between two files or symbols (path), \
circular imports (cycles), figures of the project (stats), and an overview (show). Use it before you change or remove \
something, and instead of grepping for a name: it resolves scopes, imports and receiver types, and marks uncertain edges.";
}

/// `vec_symbols`.
pub(crate) mod symbols {
    pub(crate) const TITLE: &str = "Find definitions by name";
    pub(crate) const DESCRIPTION: &str = "Finds where functions, methods, classes and other symbols are defined, by \
their name: exact, by prefix, or fuzzy. Returns kind, file, lines and signature. Faster and cleaner than \
grep for a definition; for the uses of a symbol use `vec_graph`.";
}

/// `vec_status`.
pub(crate) mod status {
    pub(crate) const TITLE: &str = "Index status";
    pub(crate) const DESCRIPTION: &str = "Shows the state of the index: project root, provider, model and dimensions, \
number of files and chunks, time of the last sync, progress of embedding, current activity (phase, percentage, rate), \
and changed files that are not indexed yet.";
}

/// `vec_reindex`.
pub(crate) mod reindex {
    pub(crate) const TITLE: &str = "Rebuild or update the index";
    pub(crate) const DESCRIPTION: &str = "Updates the index by hand, or rebuilds it. Rarely needed: changes on disk are \
indexed automatically. Use it after changing the embedding provider, or when the index seems wrong. A run that takes \
longer than a few seconds continues in the background; `vec_status` shows its progress, and `cancel` stops it.";
}
