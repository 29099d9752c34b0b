//! Finds file paths in a line of text, and the line numbers given with them.

use vectorcode_core::Location;
use vectorcode_source::is_distinct_extension;

/// A word of a line, and the text around it.
pub(super) struct Token<'l> {
    pub text: &'l str,
    pub before: &'l str,
    pub after: &'l str,
}

/// A file named in the text, with its line number.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NamedFile {
    /// In lower case, with `/`.
    pub path: String,
    pub line: Option<u32>,
}

/// Splits a line at spaces, brackets, quotes and commas. Strips the punctuation of prose, the function that Firefox
/// writes before a place (`render@webpack:///a.ts:3`) and the `:in` that Ruby writes after it (`site.rb:12:in`).
pub(super) fn tokens(line: &str) -> impl Iterator<Item = Token<'_>> {
    let is_edge = |c: char| {
        c.is_whitespace()
            || matches!(
                c,
                '(' | ')' | '[' | ']' | '{' | '}' | '<' | '>' | '"' | '\'' | '`' | ',' | ';' | '|' | '='
            )
    };
    line.split(is_edge).filter_map(move |word| {
        let text = word.trim_matches(|c: char| matches!(c, '.' | ':' | '!' | '?' | '*'));
        let text = text.strip_suffix(":in").unwrap_or(text);
        let scheme = text.find("://").unwrap_or_default();
        let text = &text[text[..scheme].rfind('@').unwrap_or_default()..];
        let text = text.trim_start_matches('@');
        let start = text.as_ptr() as usize - line.as_ptr() as usize;
        let (before, after) = (&line[..start], &line[start + text.len()..]);
        (!text.is_empty()).then_some(Token { text, before, after })
    })
}

impl Token<'_> {
    /// The file that it names; its line number may be in the text after it.
    pub fn file(&self) -> Option<NamedFile> {
        let file = file_in(self.text)?;
        Some(NamedFile { line: file.line.or_else(|| self.line_after()), ..file })
    }

    /// Whether it names a line of a file.
    pub fn is_place(&self) -> bool {
        self.file().is_some_and(|file| file.line.is_some())
    }

    /// The line number in the text after the word: `a.php(12)`, `a.cs:line 12`, `"a.py", line 12`,
    /// `a.php on line 12`, `a.java:[12,3]`, `a.kt: (12, 3)`.
    fn line_after(&self) -> Option<u32> {
        // A development server writes its own query first: `a.ts?t=1714550400:3:9`.
        if let Some(query) = self.after.strip_prefix('=').filter(|_| self.text.contains('?')) {
            return path_and_line(query.split([' ', ')']).next()?).1;
        }
        let next = match self.after.strip_prefix(':') {
            Some(after) => after.trim_start(),
            None => self.after,
        };
        let is_next = self.text.ends_with(":line") || next.starts_with(['(', '[']);
        let is_filler = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | ',' | '(' | '[');
        let next = next.trim_start_matches(is_filler);
        let next = next.strip_prefix("on ").unwrap_or(next);
        let number = next.strip_prefix("line ").or(is_next.then_some(next))?;
        number.split(|c: char| !c.is_alphanumeric()).next()?.parse().ok()
    }
}

/// The file that a word names.
fn file_in(word: &str) -> Option<NamedFile> {
    let (path, line) = match word.split_once("://") {
        Some((scheme, rest)) => path_in_url(scheme, rest)?,
        None => path_and_line(word),
    };
    let path = path.replace('\\', "/").to_lowercase();
    is_file(&path).then_some(NamedFile { path, line })
}

/// Accepts links to a file in a repository, on this machine, or on a server that is being debugged.
fn path_in_url<'u>(scheme: &str, rest: &'u str) -> Option<(&'u str, Option<u32>)> {
    if matches!(scheme, "file" | "webpack" | "webpack-internal") {
        return Some(without_query(rest));
    }
    let marks = ["/blob/", "/raw/", "/tree/", "/blame/"];
    if let Some((_, after)) = marks.iter().find_map(|mark| rest.split_once(mark)) {
        let (_revision, path) = after.split_once('/')?;
        return Some(path_and_line(path.split('?').next().unwrap_or(path)));
    }
    let (host, path) = rest.split_once('/')?;
    let is_debugged = host.contains(':') || path_and_line(path).1.is_some();
    is_debugged.then(|| without_query(path))
}

/// In `a.ts?v=1f2e:3:9`, the query added by a development server precedes the line number.
fn without_query(text: &str) -> (&str, Option<u32>) {
    match text.split_once('?') {
        Some((path, query)) => (path, path_and_line(query).1),
        None => path_and_line(text),
    }
}

/// Splits `a.js#L3-L9`, `a.rs:3:9`, `a.cs:line`, or a path alone.
fn path_and_line(text: &str) -> (&str, Option<u32>) {
    if let Some((path, fragment)) = text.split_once('#') {
        let number: String =
            fragment.chars().skip_while(|c| *c == 'L').take_while(char::is_ascii_digit).collect();
        return (path, number.parse().ok());
    }
    match text.parse::<Location>() {
        Ok(location) => (&text[..location.path.len().min(text.len())], Some(location.start_line)),
        Err(_) => (text.strip_suffix(":line").unwrap_or(text), None),
    }
}

/// Whether this is a path with an extension that identifies a language, or with folders and any short extension.
fn is_file(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let Some((stem, extension)) = name.rsplit_once('.') else { return false };
    let short =
        (1..=5).contains(&extension.len()) && extension.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let has_letter = extension.bytes().any(|byte| byte.is_ascii_alphabetic());
    !stem.is_empty() && short && has_letter && (is_distinct_extension(extension) || path.contains('/'))
}
