//! Highlighting of any text in any language: tokens are in order, inside the text, and on character boundaries.

use std::path::Path;

use vectorcode_engine::{Project, syntax};

pub fn markup(bytes: &[u8]) {
    let Some((name, content)) = super::named_file(bytes) else { return };
    let text = String::from_utf8_lossy(content);
    let project = Project::at(Path::new(".")).expect("the current directory");
    let found = syntax(&project, &name, &text);
    let mut end = 0;
    for token in &found.tokens {
        assert!(end <= token.start && token.start < token.end, "{token:?} after {end}");
        assert!(text.get(token.start..token.end).is_some(), "{token:?}");
        end = token.end;
    }
    let units = text.encode_utf16().count();
    let counted = found.in_utf16(&text);
    assert!(counted.tokens.last().is_none_or(|(_, end, _)| *end as usize <= units));
}
