//! Reads a project directory and produces chunks and symbols.
//!
//! There are three parts, and each can be used alone. `discover` finds the files of a project. [`Language`] is the
//! registry of languages. [`parse_source`] turns the text of one file into chunks, definitions, references and
//! imports. This crate keeps no state between files and writes nothing to disk.

mod arena;
mod chunk;
mod discover;
mod encoding;
mod error;
mod extract;
mod generated;
mod highlight;
mod languages;
mod lines;
mod minified;
mod parse;
mod parsers;
mod parts;
mod processor_time;
mod secrets;
mod source;
mod source_text;

pub use discover::{Chosen, CommittedFiles, Discovery, FileContent, FoundFile, Listing, Scope, Skipped};
pub use error::SourceError;
pub use highlight::highlight;
pub use languages::{
    Language, all, by_any_name, by_name, by_path, definitions_by, is_declaration_file, is_distinct_extension,
    is_folder_stem, is_header, is_reexport_file, is_web_page, may_share, shared_with, traits_of,
};
pub use parsers::{PARSER_PROCESS, Parsers, Unparsed, parse_in_processes, run_parser_process};
pub use source::{CHUNKER_VERSION, EXTRACTOR_VERSION, FileUses, chunk_by_lines, parse_source, uses_in};
pub use source_text::SourceText;

/// Frees memory that parsing keeps for the next file and that has not been used for this long: parser processes, parse tables
/// and arenas.
pub fn release_parse_memory(since: std::time::Duration) {
    parsers::end_unused(since);
    vectorcode_grammars::unload_unused(since);
    arena::release_unused(since);
}
