//! Every sentence by which agents learn about the server and its tools. They decide when an agent reaches for
//! a tool, so they say what it is for, when something else is better, and what a good call looks like.

/// Sent with the handshake; most clients put it into the model's context.
pub(crate) const INSTRUCTIONS: &str = "\
vectorcode finds code in this project by meaning: describe what the code does, and it answers with the places \
where that happens, even when none of your words stand in the source.

Which tool
- Looking for a concept, a behaviour or a domain term: `vec_search`
- Looking for code like some code you have: `vec_similar`
- You know a name and want its definition: `vec_symbols`
- Who calls it, what it calls, what a change breaks, who imports a file, how two things are connected: `vec_graph`
- Looking in schemas, API descriptions, runbooks and other documents that the project names: `vec_context`
- Is the index complete and current, what is it doing: `vec_status`
- The index is wrong, or the provider was changed: `vec_reindex`

When something else is better
- You know the exact string: grep is exact and needs no ranking.
- You want past decisions rather than code: a memory tool, if there is one.

How to ask
- Say what the code does and in which domain: \"retry a failed payment with exponential backoff\" finds more than \
\"retry\".
- Other projects of the user: `projects` of `vec_search` (\"all\", \"linked\" or names), `project` of `vec_graph` and \
`vec_symbols`.
- Narrow with `language`, `path` and `kind` when you know them. `max_tokens` bounds the answer, `cursor` turns \
the page.

How to read an answer
- The code shown is the current content of the file: there is no need to read the file again to verify it.
- Under a \u{26a0}\u{fe0f} banner, some files changed a moment ago and are not indexed yet: read those files \
directly. All others are current; edits are picked up about two seconds after the last one.
- Scores fall with relevance; below 0.4 a result is usually noise.
- A semantic coverage below 100 % means that the index is still being refined in the background. Answers are \
right, and will rank better in a moment.";

/// The argument of everything that asks one project.
pub(crate) const PROJECT: &str = "The name of a registered project; without it, the project at hand.";

/// `vec_search`.
pub(crate) mod search {
    pub(crate) const TITLE: &str = "Search code by meaning";
    pub(crate) const DESCRIPTION: &str = "Semantic code search: finds code by what it does, not only by the words \
in it. Use it when you know the concept (\"payment retry logic\", \"where users are authenticated\", \"error \
handling of database connections\") but not the names or files. Answers with ranked pieces of code, each with its \
file, lines, symbol and score. For an exact string use grep; for a known symbol use `vec_symbols`, for its callers \
and callees `vec_graph`.";
    pub(crate) const QUERY: &str = "What the code does, in plain words. Behaviour and domain make it precise: \
\"retry with exponential backoff\" is better than \"retry\". Identifiers and \"quoted literals\" may be part of it.";
    pub(crate) const LIMIT: &str = "Most results to return.";
    pub(crate) const THRESHOLD: &str =
        "Least score, 0 to 1. Lower it for more results, raise it for fewer and better ones.";
    pub(crate) const LANGUAGE: &str =
        "Only this programming language, for example \"typescript\"; several with commas: \"rust,python\".";
    pub(crate) const PATH: &str = "Only files below this path prefix (\"src/auth/\") or matching this glob (\"**/*.rs\"), from the project root.";
    pub(crate) const KIND: &str = "Only this kind of code: function, method, class, struct, enum, interface, or a syntax kind such as \
\"function_item\".";
    pub(crate) const CLASS: &str = "Only code, only documentation, or only configuration files.";
    pub(crate) const TESTS: &str =
        "What to do with test code: \"demote\" ranks it below the code that it tests.";
    pub(crate) const ARTIFACTS: &str = "What to do with files of context artifacts (see `vec_context`): \"include\" treats \
them like all other files.";
    pub(crate) const PROJECTS: &str = "Search other projects of this user too: \"all\", \"linked\" (this one and those \
that its settings link), or names with commas (\"api,web\"). Left out: this project only. Results then carry the \
project that they are from.";
    pub(crate) const MODE: &str = "\"auto\" uses everything the index has; \"fast\" leaves the embedding provider \
out; \"semantic\" uses the provider's vectors only.";
    pub(crate) const NEIGHBOURS: &str = "Say of each result who calls it and what it calls.";
    pub(crate) const MAX_TOKENS: &str = "Longest answer, in tokens. The best results are shown whole, the rest by \
their signature.";
    pub(crate) const CURSOR: &str = "The cursor that an earlier answer ended with, to get its next page. Repeat the \
other arguments unchanged.";
}

/// `vec_similar`.
pub(crate) mod similar {
    pub(crate) const TITLE: &str = "Find similar code";
    pub(crate) const DESCRIPTION: &str = "Finds code like a given piece of code: other implementations of the same \
idea, near-duplicates, call sites that follow the same pattern. Give either `snippet`, or `location` as file:line \
of code in this project.";
    pub(crate) const SNIPPET: &str = "A piece of code to compare with.";
    pub(crate) const LOCATION: &str = "A place in this project as file:line, for example \"src/payment/retry.ts:45\"; \
the function or type around that line is compared.";
}

/// `vec_context`.
pub(crate) mod context {
    pub(crate) const TITLE: &str = "Documents of the project";
    pub(crate) const DESCRIPTION: &str = "Context artifacts: documents that this project names because they explain it \
(database schemas, API descriptions, runbooks, decision records). \"list\" says which there are and what each is for; \
\"search\" searches them alone, by meaning; \"index\" brings them up to date by hand, which is rarely needed; \
\"remove\" takes one out of the project's settings. Look here before you write SQL, call an API or change a deployment.";
    pub(crate) const ACTION: &str = "What to do.";
    pub(crate) const QUERY: &str = "For \"search\": what the document says, in plain words.";
    pub(crate) const ARTIFACT: &str = "The name of one artifact. Left out: all of them. \"remove\" needs it.";
}

/// `vec_graph`.
pub(crate) mod graph {
    pub(crate) const TITLE: &str = "Ask the code graph";
    pub(crate) const DESCRIPTION: &str = "Answers questions about structure from syntax, not from text: who calls a \
function (callers), what it calls (callees), what a file imports (deps) and who imports it (dependents), which files, \
symbols and tests a change may reach (impact), the shortest way between two files or symbols (path), circular imports \
(cycles), figures of the project (stats), and an overview (show). Use it before you change or remove something, and \
instead of grepping for a name: it knows scopes, imports and types of receivers, and says where it only guesses.";
    pub(crate) const ACTION: &str = "deps: what a file imports; dependents: who imports it; callers and callees of a symbol; impact: \
what a change reaches; path: the shortest way to another file or symbol; cycles; stats; show: \
the surroundings, or without a target the whole project by folder.";
    pub(crate) const TARGET: &str =
        "A file by its path, or a symbol by its bare or qualified name; `path#name` picks one of several.";
    pub(crate) const TO: &str = "Where a `path` leads.";
    pub(crate) const DEPTH: &str = "How many steps to follow; one when left out, for impact four.";
    pub(crate) const LIMIT: &str = "Most nodes in the answer; the rest is counted.";
    pub(crate) const FORMAT: &str = "\"text\", or a diagram to show to people: \"mermaid\" or \"dot\".";
}

/// `vec_symbols`.
pub(crate) mod symbols {
    pub(crate) const TITLE: &str = "Find definitions by name";
    pub(crate) const DESCRIPTION: &str = "Finds where functions, methods, classes and other symbols are defined, by \
their name: whole, by its beginning, or nearly. Answers with kind, file, lines and signature. Faster and cleaner than \
grep for a definition; for the uses of a symbol ask `vec_graph`.";
    pub(crate) const NAME: &str =
        "The bare or qualified name, or a part of it: \"authenticate\", \"UserService.authenticate\".";
    pub(crate) const KIND: &str = "Only definitions of this kind.";
    pub(crate) const PATH: &str = "Only files below this path prefix, or matching this glob.";
    pub(crate) const LIMIT: &str = "Most definitions.";
}

/// `vec_status`.
pub(crate) mod status {
    pub(crate) const TITLE: &str = "Index status";
    pub(crate) const DESCRIPTION: &str = "Says how the index is: provider, model and dimensions, files and chunks, \
when it was last synchronised, how far embedding has come, what is being done right now (phase, percentage, rate), \
and which changed files are not in it yet.";
    pub(crate) const PROJECT_PATH: &str =
        "A path inside the project that this server was started for. It serves no other; leave it out.";
}

/// `vec_reindex`.
pub(crate) mod reindex {
    pub(crate) const TITLE: &str = "Rebuild or update the index";
    pub(crate) const DESCRIPTION: &str = "Brings the index up to date by hand, or rebuilds it. Rarely needed: changes \
on disk are picked up by themselves. Use it after changing the embedding provider, or when the index seems wrong. A \
run that takes longer than a few seconds goes on in the background; `vec_status` shows how far it is, and `cancel` \
stops it.";
    pub(crate) const PATH: &str = "Only this file or directory; the whole project when left out.";
    pub(crate) const FULL: &str =
        "Build the whole index anew. The old one answers until the new one is complete.";
    pub(crate) const CANCEL: &str = "Stop the run that is under way instead of starting one.";
    pub(crate) const WAIT: &str = "Seconds to wait for the end before the run goes on in the background.";
}
