//! The texts that tell agents about the server and its tools. Agents decide by them when to use a tool, so they say what it is
//! for and what a good call looks like. Every session pays for them, so nothing is said twice. The skill
//! (`vectorcode/plugin/skills`) explains how to write queries and read results; `docs/mcp.md` describes all arguments.

/// Sent with the handshake; most clients put it into the model's context.
pub(crate) const INSTRUCTIONS: &str = "\
vectorcode has an index of this project that follows every edit. Start with `vec_search` where you would grep for an idea. \
Read with `vec_read`, and ask `vec_graph` before you change something. Code in answers is compared with the disk: no need \
to read it again unless a \u{26a0}\u{fe0f} warning names its file. `project` asks about another project: its name (`vec_status` \
lists them) or absolute path, indexed on first use. `ref` asks about a branch, tag or commit, without a checkout.";

/// `vec_search`.
pub(crate) mod search {
    use crate::arguments::ListedArgument;

    pub(crate) const TITLE: &str = "Search code by meaning";
    pub(crate) const DESCRIPTION: &str = "Find code by what it does. Say the behaviour and the \
domain: \"retry a failed payment with backoff\". Shows the best code, and one line for each other place.";
    pub(crate) const ARGUMENTS: &[ListedArgument] = &[
        ListedArgument::new("query", ""),
        ListedArgument {
            name: "mode",
            description: "exact, regex: every matching line; similar: query is code or file:line",
            choices: &["auto", "exact", "regex", "similar"],
        },
        ListedArgument::new("path", "Prefix, glob or name"),
        ListedArgument::new("language", ""),
        ListedArgument::new("kind", ""),
        ListedArgument::new("match", "Only code with a line matching this regex"),
        ListedArgument::new("in_diff", "main..topic: only what differs"),
        ListedArgument::new("limit", ""),
        ListedArgument::new("threshold", ""),
        ListedArgument::new("max_tokens", "Default 900"),
        ListedArgument::new("cursor", ""),
        ListedArgument::new("session", "Any name: no code twice"),
    ];
}

/// `vec_read`.
pub(crate) mod read {
    use crate::arguments::ListedArgument;

    pub(crate) const TITLE: &str = "Read a definition";
    pub(crate) const DESCRIPTION: &str = "One definition or range with line numbers, its callers, and the tests that \
reach it. Cheaper than the whole file. A file with `query`: the definitions in it that match.";
    pub(crate) const ARGUMENTS: &[ListedArgument] = &[
        ListedArgument::new("target", "name, Type.method, path#name, path:10-60"),
        ListedArgument::new("query", ""),
        ListedArgument::new("max_tokens", "Default 1800"),
    ];
}

/// `vec_context`.
pub(crate) mod context {
    use crate::arguments::ListedArgument;

    pub(crate) const TITLE: &str = "Documents of the project";
    pub(crate) const DESCRIPTION: &str = "Documents that this project names because they explain it (schemas, API \
descriptions, runbooks): list them, or search only in them. Look here before you write SQL or call an API.";
    pub(crate) const ARGUMENTS: &[ListedArgument] = &[
        ListedArgument { name: "action", description: "", choices: &["list", "search"] },
        ListedArgument::new("query", ""),
        ListedArgument::new("artifact", "Only this one"),
        ListedArgument::new("cursor", ""),
    ];
}

/// `vec_graph`.
pub(crate) mod graph {
    use crate::arguments::ListedArgument;

    pub(crate) const TITLE: &str = "Query the code graph";
    pub(crate) const DESCRIPTION: &str = "Structure from the syntax tree, better than grepping a name: edit (code, all uses, overrides and \
tests of a symbol, before you change it), callers (calls and other uses \
with lines, and what is not resolved) and callees of a symbol, implementations of an interface or class, impact (what a change affects, and its tests), deps and dependents (imports) of a \
file or folder, path (how target reaches `to`), cycles, stats, show.";
    pub(crate) const ARGUMENTS: &[ListedArgument] = &[
        ListedArgument::new("action", ""),
        ListedArgument::new("target", "Path, file:line, or symbol: name, Type.method, path#name"),
        ListedArgument::new("to", ""),
        ListedArgument::new("depth", ""),
        ListedArgument::new("limit", ""),
        ListedArgument::new("max_tokens", ""),
    ];
}

/// `vec_changes`.
pub(crate) mod changes {
    use crate::arguments::ListedArgument;

    pub(crate) const TITLE: &str = "What a change touches";
    pub(crate) const DESCRIPTION: &str = "Changed symbols, who uses them, and the tests to run: of your edits since the last commit, or of revisions.";
    pub(crate) const ARGUMENTS: &[ListedArgument] =
        &[ListedArgument::new("revisions", "main, main..topic, ..commit")];
}

/// `vec_history`.
pub(crate) mod history {
    use crate::arguments::ListedArgument;

    pub(crate) const TITLE: &str = "Search the history";
    pub(crate) const DESCRIPTION: &str =
        "Commits by their messages, or by a path that they changed: why the code is as it is.";
    pub(crate) const ARGUMENTS: &[ListedArgument] =
        &[ListedArgument::new("query", ""), ListedArgument::new("path", "")];
}

/// `vec_symbols`.
pub(crate) mod symbols {
    use crate::arguments::ListedArgument;

    pub(crate) const TITLE: &str = "Find definitions by name";
    pub(crate) const DESCRIPTION: &str = "Where a name is defined, exact or similar. With path alone: the outline of a file, or the map of a folder.";
    pub(crate) const ARGUMENTS: &[ListedArgument] = &[
        ListedArgument::new("name", ""),
        ListedArgument::new("path", "\".\" for the project"),
        ListedArgument::new("max_tokens", ""),
    ];
}

/// `vec_status`.
pub(crate) mod status {
    use crate::arguments::ListedArgument;

    pub(crate) const TITLE: &str = "Index status";
    pub(crate) const DESCRIPTION: &str = "State of the index, and what is not in it yet; projects lists all.";
    pub(crate) const ARGUMENTS: &[ListedArgument] = &[ListedArgument::new("action", "")];
}

/// `vec_reindex`.
pub(crate) mod reindex {
    use crate::arguments::ListedArgument;

    pub(crate) const TITLE: &str = "Update or rebuild the index";
    pub(crate) const DESCRIPTION: &str = "Only if the index seems wrong: edits are indexed automatically.";
    pub(crate) const ARGUMENTS: &[ListedArgument] = &[
        ListedArgument::new("path", "File or folder"),
        ListedArgument::new("full", "From scratch"),
        ListedArgument::new("cancel", ""),
    ];
}
