//! Undoes what terminals and logs did to a text before it was pasted.

use std::borrow::Cow;

use super::frames;

/// A longer text is truncated in the middle: a report says what it is about at its beginning, and a log shows at its
/// end why the program stopped.
const HEAD_BYTES: usize = 48 * 1024;
const TAIL_BYTES: usize = 16 * 1024;
pub(super) const MAX_BYTES: usize = HEAD_BYTES + TAIL_BYTES;

/// The text with its original lines, without colours, and with the middle of a very long one removed.
pub(super) fn restored(text: &str) -> String {
    without_middle(text).map(without_colours).map(|part| with_lines_of_json(&part)).collect()
}

fn without_middle(text: &str) -> impl Iterator<Item = &str> {
    let (head, tail) = if text.len() <= MAX_BYTES {
        (text, "")
    } else {
        let tail = &text[text.floor_char_boundary(text.len() - TAIL_BYTES)..];
        (&text[..text.floor_char_boundary(HEAD_BYTES)], tail)
    };
    // The cut goes through lines. The partial lines are dropped, unless there is nothing else.
    let tail = tail.split_once('\n').map_or(tail, |(_, lines)| lines);
    let head = if tail.is_empty() { head } else { head.rsplit_once('\n').map_or(head, |(lines, _)| lines) };
    [head, if tail.is_empty() { "" } else { "\n" }, tail].into_iter()
}

/// Removes the escape sequences for terminal colours: `ESC [ 31 m`.
fn without_colours(text: &str) -> Cow<'_, str> {
    if !text.contains('\x1b') {
        return Cow::Borrowed(text);
    }
    let mut parts = text.split('\x1b');
    let first = parts.next().unwrap_or_default().to_owned();
    let plain = parts.fold(first, |plain, part| plain + after_sequence(part));
    Cow::Owned(plain)
}

/// The text after an escape sequence, which ends with a letter.
fn after_sequence(text: &str) -> &str {
    let Some(sequence) = text.strip_prefix('[') else { return text };
    let rest = sequence.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, ';' | '?'));
    rest.strip_prefix(|c: char| c.is_ascii_alphabetic()).unwrap_or(rest)
}

/// JSON logs have a whole trace in one line: `"stack":"Error: x\n at f (a.js:1:2)"`.
fn with_lines_of_json(text: &str) -> String {
    let mut restored = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        match lines_of_json(line) {
            Some(lines) => restored.push_str(&lines),
            None => restored.push_str(line),
        }
    }
    restored
}

/// The lines encoded in one line, if there are frames among them.
fn lines_of_json(line: &str) -> Option<String> {
    // In a Windows path the backslash is followed by a letter: `C:\new`.
    let is_break = |after: &str| !after.starts_with(char::is_alphanumeric);
    if !line.split("\\n").skip(1).any(is_break) {
        return None;
    }
    let lines = line.replace("\\n", "\n").replace("\\t", "\t").replace("\\\"", "\"").replace("\\\\", "\\");
    lines.lines().any(|line| frames::frame_in(line).is_some()).then_some(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_left_out() {
        assert_eq!(restored("\x1b[31mat f (\x1b[2ma.ts\x1b[0m:1:2)\x1b[0K"), "at f (a.ts:1:2)");
        assert_eq!(restored("a\x1bb\x1b[31"), "ab");
    }

    #[test]
    fn a_trace_in_json_has_its_lines_back() {
        let log = r#"{"level":"error","stack":"Error: x\n    at f (a.js:1:2)\n    at g (b.js:3:4)"}"#;
        assert_eq!(restored(log).lines().count(), 3);
        let python = r#"{"log":"  File \"/app/a.py\", line 7, in run\n"}"#;
        assert!(restored(python).contains(r#"  File "/app/a.py", line 7, in run"#));
        for kept in [r"split at \n and join", r#"File "C:\new\app.py", line 3, in run"#] {
            assert_eq!(restored(kept), kept);
        }
    }

    #[test]
    fn of_a_long_text_beginning_and_end_are_kept() {
        let text = format!("the title\n{}at f (a.js:1:2)", "INFO nothing happened\n".repeat(10_000));
        let restored = restored(&text);
        assert!(restored.starts_with("the title\nINFO") && restored.ends_with("\nat f (a.js:1:2)"));
        assert!(restored.len() <= MAX_BYTES);
        assert!(
            restored
                .lines()
                .skip(1)
                .all(|line| line.starts_with("INFO nothing happened") || line.starts_with("at f"))
        );
    }
}
