//! Finds the files of a project to index, and reports why other files are skipped.
//!
//! A [`Scope`] holds all rules of one project. It walks the whole tree ([`Scope::discover`]), checks a single file
//! ([`Scope::classify`]) and reads one ([`Scope::read`]). All three use the same implementation, so their results always
//! agree. Interpreting the text of a file is left to the parser.
//!
//! | question | answered in |
//! |---|---|
//! | Do the ignore files or settings exclude this path? | `rules`, with `vectorcodeignore` for `.vectorcodeignore` and `git` for what git keeps elsewhere |
//! | Does its name alone decide, and what language is it? | `names`, `extensions` |
//! | What is a file whose name says nothing? | `shebang`, `unknown` |
//! | What is in it? | `content` |
//! | Is it read from the disk or from a commit? | `tree` |

mod content;
mod documentation;
mod extensions;
mod git;
mod names;
mod resource_exhaustion;
mod rules;
mod scope;
mod shebang;
mod skipped;
mod tree;
mod unknown;
mod vectorcodeignore;
mod walk;

pub use content::FileContent;
pub use scope::{FoundFile, Scope};
pub use skipped::{Listing, Skipped};
pub use tree::CommittedFiles;
pub use walk::{Chosen, Discovery};
