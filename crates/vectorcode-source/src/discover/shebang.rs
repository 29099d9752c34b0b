//! Detects the language of a script from its `#!` line.

use crate::languages::{Language, by_interpreter};

/// Maximum number of bytes to read of the first line. Operating systems have similar limits.
pub const SHEBANG_BYTES: usize = 256;

/// The language of a file that begins with these bytes, if they name a known interpreter.
pub fn language(head: &[u8]) -> Option<&'static Language> {
    let line = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).strip_prefix(b"#!")?;
    let line = line.split(|byte| *byte == b'\n').next()?;
    by_interpreter(interpreter(std::str::from_utf8(&line[..line.len().min(SHEBANG_BYTES)]).ok()?)?)
}

/// The program in a `#!` line, without its version: `python` for `/usr/bin/env -S python3.11 -u`.
fn interpreter(line: &str) -> Option<&str> {
    let mut words = line.split_whitespace();
    let mut program = words.next()?;
    if base_name(program) == "env" {
        // The program comes after options of `env` and variables that it sets.
        program = words.find_map(|word| {
            let word = word.strip_prefix("-S").unwrap_or(word);
            (!word.is_empty() && !word.starts_with('-') && !word.contains('=')).then_some(word)
        })?;
    }
    let name = base_name(program);
    let name = name.strip_suffix(".exe").unwrap_or(name);
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-'));
    (!name.is_empty()).then_some(name)
}

fn base_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interpreters_are_known_by_their_names() {
        for (line, name) in [
            ("#!/usr/bin/env python3\nimport os\n", "python"),
            ("#! /usr/bin/python3.11 -u\n", "python"),
            ("#!/usr/bin/env -S python -u", "python"),
            ("#!/usr/bin/env -S uv run --script\n", "python"),
            ("#!/usr/bin/env -i LANG=C bash\r\n", "bash"),
            ("#!/bin/sh\n", "bash"),
            ("#!/usr/bin/env node\n", "javascript"),
            ("#!/usr/bin/env -S deno run --allow-net\n", "typescript"),
            ("#!/usr/bin/ruby2.7\n", "ruby"),
            ("#!/usr/bin/perl -w\n", "perl"),
            ("#!/usr/local/bin/Rscript --vanilla\n", "r"),
            ("\u{feff}#!/usr/bin/php\n", "php"),
        ] {
            assert_eq!(language(line.as_bytes()).map(|language| language.name), Some(name), "{line}");
        }
    }

    #[test]
    fn other_first_lines_say_nothing() {
        for line in
            ["", "#", "#!", "#!\n", "#!/usr/bin/env", "#!/usr/bin/env -S\n", "#!/opt/no-such-thing\n", "# sh"]
        {
            assert!(language(line.as_bytes()).is_none(), "{line}");
        }
        assert!(language(b"#!\xff\xfe\n").is_none());
    }
}
