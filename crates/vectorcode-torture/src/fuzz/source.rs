//! Any text, parsed as any language, is split into chunks of bounded size that lie inside it.

use vectorcode_source::{SourceText, by_path, chunk_by_lines, parse_source};

/// The largest chunk, `MAX_BYTES` in `chunk/mod.rs` of `vectorcode-source`.
const MAX_CHUNK_BYTES: usize = 2000;

pub fn source(bytes: &[u8]) {
    let Some((name, bytes)) = super::named_file(bytes) else { return };
    let Some(language) = by_path(&name) else { return };
    let source = SourceText::decode(language, bytes.to_vec());
    let file = parse_source(&name, language, &source);
    let text = &source.text;
    for chunk in file.chunks.iter().chain(&chunk_by_lines(&name, language, &source).chunks) {
        assert_eq!(text.get(chunk.span.bytes()), Some(chunk.content.as_str()));
        assert!(chunk.content.len() <= MAX_CHUNK_BYTES);
    }
    for definition in &file.definitions {
        assert!(text.get(definition.span.bytes()).is_some());
    }
    for reference in &file.references {
        assert!(reference.enclosing.is_none_or(|place| (place as usize) < file.definitions.len()));
    }
}
