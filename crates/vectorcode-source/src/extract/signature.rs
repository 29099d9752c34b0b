//! The signature of a definition: its text up to the body, on one line.

use std::ops::Range;

/// A longer signature is cut, so that a list of definitions stays readable.
const MAX_BYTES: usize = 200;
/// The end of a cut signature is kept only if it is shorter.
const MAX_RETURNED_BYTES: usize = MAX_BYTES / 3;
/// Replaces the omitted parameters.
const CUT: &str = " …";

/// The text of `bytes` up to the body, or to the end of the first line, on one line.
pub(crate) fn signature(text: &str, bytes: Range<usize>, body: Option<usize>) -> String {
    let end = match body {
        Some(body) if body > bytes.start && body <= bytes.end => body,
        _ => first_line_end(text, &bytes),
    };
    one_line(without_annotations(text.get(bytes.start..end).unwrap_or_default()))
}

/// Removes the annotation lines at the start.
fn without_annotations(mut head: &str) -> &str {
    while head.starts_with(['@', '[']) || head.starts_with("#[") {
        match head.split_once('\n') {
            Some((_, rest)) if !rest.trim().is_empty() => head = rest.trim_start(),
            _ => break,
        }
    }
    head
}

/// Where the signature ends if the body is not known: at the end of the line, or at a brace that opens a block there.
fn first_line_end(text: &str, bytes: &Range<usize>) -> usize {
    let whole = text.get(bytes.clone()).unwrap_or_default();
    let line = whole.find('\n').unwrap_or(whole.len());
    let head = &whole[..line];
    bytes.start + head.rfind('{').filter(|at| head[at + 1..].trim().is_empty()).unwrap_or(line)
}

/// The text before the first comment line.
fn before_comments(head: &str) -> &str {
    let is_comment =
        |line: &str| ["#", "//", "--", "/*"].iter().any(|mark| line.trim_start().starts_with(mark));
    let mut end = head.find('\n').map_or(head.len(), |at| at + 1);
    for line in head[end..].split_inclusive('\n').take_while(|line| !is_comment(line)) {
        end += line.len();
    }
    &head[..end]
}

/// The signature on one line. A long one is reduced to its beginning and the part after its parameters.
fn one_line(head: &str) -> String {
    let text = before_comments(head);
    let mut line = first_words(text, MAX_BYTES);
    if let Some(returned) = returned(text) {
        line = first_words(text, MAX_BYTES - CUT.len() - returned.len()) + CUT + &returned;
    }
    if line.is_empty() {
        line.extend(head.trim_start().chars().take(MAX_BYTES / 4));
    }
    let kept = line.trim_end_matches(['{', ':', '=', ' ', ';', ',']).len();
    line.truncate(kept);
    line
}

/// The end of a signature that is too long, such as `): Store<State>`, unless that is long too.
fn returned(text: &str) -> Option<String> {
    let is_cut = text.len() > MAX_BYTES && first_words(text, text.len() + 1).len() >= MAX_BYTES;
    let returned = &text[text.rfind(')').filter(|_| is_cut)?..];
    Some(first_words(returned, MAX_BYTES)).filter(|returned| returned.len() < MAX_RETURNED_BYTES)
}

fn first_words(text: &str, max_bytes: usize) -> String {
    let mut line = String::with_capacity(text.len().min(max_bytes));
    for word in text.split_whitespace() {
        if line.len() + word.len() >= max_bytes {
            break;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_before_the_body() {
        let text = "fn retry(\n    times: u32,\n) -> u8 {\n    1\n}";
        assert_eq!(signature(text, 0..text.len(), text.find('{')), "fn retry( times: u32, ) -> u8");
    }

    #[test]
    fn without_a_body_ends_with_the_line_or_its_brace() {
        assert_eq!(signature("const A: u8 = 1;\nx", 0..18, None), "const A: u8 = 1");
        assert_eq!(signature("type T struct {\n  a int\n}", 0..25, None), "type T struct");
        assert_eq!(signature("x = {'a': 1}", 0..12, None), "x = {'a': 1}");
    }

    #[test]
    fn annotations_are_left_out() {
        let text = "@Service\n@Named(\"a\")\npublic class A {";
        assert_eq!(signature(text, 0..text.len(), text.find('{')), "public class A");
        assert_eq!(signature("@Service class A {", 0..18, Some(17)), "@Service class A");
    }

    #[test]
    fn a_comment_before_the_body_is_left_out() {
        let text = "class A(B):\n    # why\n    x = 1";
        assert_eq!(signature(text, 0..text.len(), text.find('x')), "class A(B)");
    }

    #[test]
    fn a_long_one_keeps_what_it_returns() {
        let parameters = "  parameter: SomeLongType<WithArguments>,\n".repeat(9);
        let text = format!("export function createStore(\n{parameters}): Store<State> &\n  Extra {{");
        let signature = signature(&text, 0..text.len(), text.find('{'));
        assert!(signature.starts_with("export function createStore( parameter: SomeLongType"), "{signature}");
        assert!(signature.ends_with(" …): Store<State> & Extra"), "{signature}");
    }

    #[test]
    fn is_bounded() {
        let text = "word ".repeat(200);
        assert!(signature(&text, 0..text.len(), Some(text.len())).len() <= MAX_BYTES);
        assert!(!signature(&"é".repeat(900), 0..1800, None).is_empty());
    }
}
