//! The list of all operations. To add one: a file with its [`Operation`] and argument struct, and a line here.

use super::operation::Operation;
use super::{
    about, codevec, context, events, file, graph, history, index, overview, projects, references, search,
    status,
};

/// In the order in which the OpenAPI document shows them.
pub(super) const ALL: [&Operation; 27] = [
    &search::SEARCH,
    &search::SEARCH_POST,
    &search::SIMILAR,
    &search::SIMILAR_POST,
    &overview::OVERVIEW,
    &overview::FOLDER,
    &file::FILE,
    &references::REFERENCES,
    &references::MAP,
    &graph::GRAPH,
    &graph::SYMBOLS,
    &history::HISTORY,
    &history::BRANCHES,
    &context::LIST,
    &context::SEARCH,
    &projects::LIST,
    &projects::WATCH,
    &projects::REMOVE,
    &status::STATUS,
    &index::STATE,
    &index::START,
    &index::CANCEL,
    &events::EVENTS,
    &about::HEALTH,
    &about::ABOUT,
    &codevec::QUERY,
    &codevec::INDEX,
];
