//! Languages that are read as plain lines, because no grammar is worth its megabytes for them.

use vectorcode_core::ContentClass;

use super::language::Language;

pub static LANGUAGES: &[Language] = &[Language {
    name: "text",
    title: "Plain text",
    class: ContentClass::Docs,
    extensions: &["txt"],
    file_names: &["LICENSE"],
}];
