//! The names written out in a query, weighted by the part of the query they come from.
//!
//! The title of a report states the problem, its prose describes what happened, and its code is mostly the reporter's
//! own: a name in an import only shows what the example needs.

use super::super::question::Question;
use super::{bare, is_name, is_path, is_stop_word, last_name, looks_like_code};

/// Limits for a short query.
const MAX_NAMES: usize = 12;
const MAX_QUALIFIED: usize = 16;

/// How many names are taken from each part of a report.
const TITLE_NAMES: usize = 10;
const PROSE_NAMES: usize = 16;
const TRACE_NAMES: usize = 12;
const CODE_NAMES: usize = 12;
const IMPORTED_NAMES: usize = 4;
const CAPITALISED_NAMES: usize = 6;

/// The weight of a name by the part it comes from.
const SURE: f32 = 1.0;
const CAPITALISED: f32 = 0.6;
const OF_PROSE: f32 = 0.8;
const CAPITALISED_OF_PROSE: f32 = 0.3;
const OF_CODE: f32 = 0.4;
const IMPORTED: f32 = 0.1;

/// A name written out in a query.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct WrittenName {
    pub text: String,
    /// From 0 to 1: depends on where the name occurs, and on how rare it is in the project.
    pub weight: f32,
    /// Written as only code writes names: `read_all`, `ReadAll`.
    pub is_code: bool,
}

impl WrittenName {
    fn new(text: &str, weight: f32) -> Self {
        Self { text: text.to_owned(), weight, is_code: looks_like_code(text) }
    }
}

/// Names in the order of their weight, without duplicates.
#[derive(Default)]
struct Names(Vec<WrittenName>);

impl Names {
    /// Adds at most `count` new names.
    fn extend<'n>(&mut self, names: impl Iterator<Item = &'n str>, weight: f32, count: usize) {
        let limit = self.0.len() + count;
        for name in names {
            if self.0.len() >= limit {
                return;
            }
            if !self.0.iter().any(|known| known.text == name) {
                self.0.push(WrittenName::new(name, weight));
            }
        }
    }
}

/// The names in a short query. Names that look like code come before words that merely start with a capital, as every
/// sentence does.
pub(super) fn of_question(text: &str, is_symbol: bool) -> Vec<WrittenName> {
    let tokens = || text.split_whitespace().flat_map(parts_of).map(bare).filter(|token| is_name(token));
    let sure = tokens().filter(|token| is_symbol || looks_like_code(token));
    let perhaps = tokens().filter(|token| token.starts_with(char::is_uppercase) && !is_stop_word(token));
    let mut names = Names::default();
    names.extend(sure.map(last_name), SURE, MAX_NAMES);
    let room = MAX_NAMES - names.0.len();
    names.extend(perhaps.map(last_name), CAPITALISED, room);
    names.0
}

/// A word of a query as a whole, or its parts if it is code: `first(second_one("x"))`, `Fetch/bulk_requeue`.
fn parts_of(token: &str) -> impl Iterator<Item = &str> {
    let is_whole = is_name(bare(token)) || token.contains("://") || is_path(&bare(token).to_lowercase());
    let divides =
        move |c: char| !(is_whole || c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '\\' | '$'));
    token.split(divides).filter(move |part| is_whole || looks_like_code(part))
}

/// The names in a report, and how many of them are in its title.
pub(super) fn of_report(question: &Question) -> (Vec<WrittenName>, usize) {
    let mut names = Names::default();
    names.extend(prose_names(&question.title), SURE, TITLE_NAMES);
    names.extend(capitalised(&question.title), CAPITALISED, CAPITALISED_NAMES);
    let of_title = names.0.len();
    names.extend(prose_names(&question.prose), OF_PROSE, PROSE_NAMES);
    // The innermost frame is where it failed; the outer ones say less.
    let (failed, outer) = question.trace.split_at(question.trace.len().min(1));
    names.extend(failed.iter().flat_map(|frame| code_names(&frame.line)), OF_PROSE, TRACE_NAMES);
    names.extend(outer.iter().flat_map(|frame| code_names(&frame.line)), OF_CODE, TRACE_NAMES);
    let (imports, code): (Vec<&str>, Vec<&str>) = question.code.lines().partition(|line| is_import(line));
    names.extend(code.iter().flat_map(|line| code_names(line)), OF_CODE, CODE_NAMES);
    names.extend(capitalised(&question.prose), CAPITALISED_OF_PROSE, CAPITALISED_NAMES);
    names.extend(imports.iter().flat_map(|line| code_names(line)), IMPORTED, IMPORTED_NAMES);
    (names.0, of_title)
}

/// Names with their scopes: `Js::from`, `Rails::Engine`, `Site#read`.
pub(super) fn qualified(question: &Question) -> Vec<WrittenName> {
    let mut names: Vec<WrittenName> = Vec::new();
    let mut add = |text: &str, weight: f32| {
        for token in text.split_whitespace().map(without_arguments) {
            let name = token.replace('#', ".").replace("->", ".");
            let is_scoped =
                is_name(&name) && name.contains(['.', ':', '\\']) && !is_path(&name.to_lowercase());
            if is_scoped && names.len() < MAX_QUALIFIED && !names.iter().any(|known| known.text == name) {
                names.push(WrittenName::new(&name, weight));
            }
        }
    };
    add(&question.title, SURE);
    add(&question.prose, OF_PROSE);
    add(&question.trace_text(), OF_CODE);
    question.code.lines().filter(|line| !is_import(line)).for_each(|line| add(line, OF_CODE));
    names
}

/// Whether a line of code is an import or a package declaration.
fn is_import(line: &str) -> bool {
    const WORDS: [&str; 8] =
        ["import ", "from ", "use ", "using ", "require", "#include", "package ", "namespace "];
    let line = line.trim_start();
    WORDS.iter().any(|word| line.starts_with(word))
        || line.contains(" require(")
        || line.contains("=require(")
}

/// Names in sentences: whatever looks like code or is in backticks. For a name with scopes, also the types in it.
fn prose_names(text: &str) -> impl Iterator<Item = &str> {
    let tokens = text.split_whitespace().map(|token| (token.contains('`'), without_arguments(token)));
    let names = tokens.filter(|(_, token)| is_name(token) && token.len() > 2);
    names.filter(|(quoted, token)| *quoted || looks_like_code(token)).flat_map(|(_, token)| {
        let types =
            token.split(['.', ':', '\\', '>', '$', '#']).filter(|part| part.starts_with(char::is_uppercase));
        std::iter::once(last_name(token)).chain(types).filter(|name| name.len() > 1)
    })
}

/// Strips the punctuation of prose and the arguments: `Js::from(value)` becomes `Js::from`.
fn without_arguments(token: &str) -> &str {
    let token = bare(token);
    bare(token.split('(').next().unwrap_or(token))
}

fn capitalised(text: &str) -> impl Iterator<Item = &str> {
    let tokens = text.split_whitespace().map(bare).filter(|token| is_name(token) && token.len() > 2);
    tokens.filter(|token| token.starts_with(char::is_uppercase) && !is_stop_word(token)).map(last_name)
}

/// Names in code: those with a capital or underscore inside, types, and those that are called.
fn code_names(text: &str) -> impl Iterator<Item = &str> {
    let is_inside = |c: char| c.is_alphanumeric() || c == '_';
    text.split(move |c: char| !is_inside(c)).filter(move |name| {
        let end = name.as_ptr() as usize + name.len() - text.as_ptr() as usize;
        let is_called = text[end..].starts_with('(');
        let is_word = name.starts_with(|c: char| c.is_alphabetic() || c == '_');
        let is_type = name.starts_with(char::is_uppercase) && name.contains(char::is_lowercase);
        is_word && name.len() > 2 && (looks_like_code(name) || (name.len() > 3 && (is_called || is_type)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::question::Frame;

    #[test]
    fn names_are_taken_of_every_part_and_weigh_by_it() {
        let frame = Frame { line: "at org.a.Counts.getTop(Counts.java:2)".into(), ..Frame::default() };
        let question = Question {
            title: "`pow` in ArithmeticPostAggregator".into(),
            prose: "See `Js::from()` for the reason.".into(),
            trace: vec![frame],
            code: "import org.a.TimeZones;\n$p->totalSeconds;\nnow()->add_minutes(2);".into(),
        };
        let (names, of_title) = of_report(&question);
        let texts: Vec<&str> = names[..of_title].iter().map(|name| name.text.as_str()).collect();
        assert_eq!(texts, ["pow", "ArithmeticPostAggregator"]);
        let weight = |text: &str| names.iter().find(|name| name.text == text).map(|name| name.weight);
        assert!(weight("getTop") > weight("totalSeconds"), "the failing frame weighs more than the example");
        for name in ["from", "Js", "getTop", "totalSeconds", "add_minutes"] {
            assert!(weight(name) > weight("TimeZones") && weight(name) < Some(SURE), "{name} {names:?}");
        }
    }

    #[test]
    fn names_within_calls_and_beside_a_slash_are_taken() {
        let names =
            |text: &str| of_question(text, false).into_iter().map(|name| name.text).collect::<Vec<_>>();
        assert_eq!(names("print(inet_address('::1'))"), ["inet_address"]);
        assert_eq!(names("why is Fetch/bulk_requeue slow"), ["bulk_requeue"]);
        assert!(names("see src/read_all.ts or https://a.org/read_all and/or this").is_empty());
    }

    #[test]
    fn scopes_of_names_are_kept() {
        let qualified = |text: &str| -> Vec<String> {
            qualified(&Question::read(text)).into_iter().map(|name| name.text).collect()
        };
        assert_eq!(qualified("what does `Js::from()` escape"), ["Js::from"]);
        assert_eq!(qualified("Site#read and $this->run(1)"), ["Site.read", "this.run"]);
        assert!(qualified("see retry.ts, e.g. here").iter().all(|name| name == "e.g"));
    }
}
