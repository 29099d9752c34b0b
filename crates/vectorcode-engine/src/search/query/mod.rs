//! A parsed query: its content words, the identifiers, literals and paths in it, and what kind of result it asks for.
//!
//! A short query is used as it is. For a bug report (see [`super::question`]) words are chosen: those of the title,
//! then the most informative others, which [`super::vocabulary`] determines from the project.

mod defect;
mod names;
mod report;

use std::collections::HashSet;
use std::sync::LazyLock;

use vectorcode_core::stem::stem;
use vectorcode_core::words::lowercase_words;
use vectorcode_source::is_distinct_extension;

pub(crate) use self::names::WrittenName;
use self::report::Report;
use super::question::{Mention, MentionKind, Question};

/// Maximum number of words of a short query; more would cost time. A report may have as many as a `WordSet` has bits.
const MAX_WORDS: usize = 48;
/// A longer text counts as a report. In characters; `scripts/fit-ranker.py` divides its questions at the same length.
const LONGEST_QUESTION: usize = 100;

/// A name in a report that a larger share of the chunks contains is the project's own, or one that every file
/// imports.
const MAX_SHARE_OF_NAME: f32 = 0.25;

/// Maximum number of literals taken from a report; each is searched for in every candidate.
const MAX_LITERALS: usize = 24;

/// Words that occur in questions and not in code.
const STOP_WORDS: &str = "a about all an and any are as at be been being between but by can code could did do does \
    doing done each etc find for from get gets given had has have how i if implementation implemented implements in \
    into is it its itself like logic made make makes me my need not of on or our out over own part place show so some \
    than that the their them then there these they this those through to under up upon us use used uses using via \
    was we were what when where which while who whose why will with within without work working works would you your";

/// A content word of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct QueryWord {
    /// Lower-case.
    pub word: String,
    pub stem: String,
}

impl QueryWord {
    pub fn new(word: String) -> Self {
        Self { stem: stem(&word), word }
    }
}

/// Two neighbouring words of the query that the project writes as one: `skiplist` for `skip list`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct JoinedWord {
    pub word: String,
    /// The index of the first of the two.
    pub first: usize,
}

/// What the query asks for in addition to plain code. Results of these kinds are then not ranked lower.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Wanted {
    pub tests: bool,
    /// The query asks which tests exist, so other code is a worse result.
    pub tests_first: bool,
    pub docs: bool,
    pub examples: bool,
}

/// A parsed query.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Query {
    /// The text to embed: the query, or a report without the boilerplate of its template.
    pub text: String,
    /// The original query, if `text` is its translation into English words.
    pub asked: Option<String>,
    /// Distinct, in order; in a report those of the title first.
    pub words: Vec<QueryWord>,
    /// How informative each word is in the name of a file: less than 1 for one that is everywhere, such as the
    /// project's own name.
    pub name_weights: Vec<f32>,
    /// Neighbouring words that this project writes as one.
    pub joined: Vec<JoinedWord>,
    /// The halves of words that this project writes as two.
    pub halves: Vec<String>,
    /// Names as written, without their scopes: `Engine` for `Rails::Engine`. Distinct; those of a report's title
    /// first.
    pub names: Vec<WrittenName>,
    /// Names with their scopes.
    pub qualified: Vec<WrittenName>,
    /// Quoted texts without the quotes, and command-line options without their dashes.
    pub literals: Vec<String>,
    /// Text that the program itself may contain: all of a short query; of a report its sentences and the lines that
    /// mention errors.
    pub sayings: String,
    /// Paths and file names, in lower case.
    pub paths: Vec<String>,
    /// Files and modules in all forms in which people write them.
    pub mentions: Vec<Mention>,
    pub wanted: Wanted,
    /// A short question that says what fails or what is missing, as the title of an issue does.
    pub describes_defect: bool,
    /// The whole query is one name.
    pub is_symbol: bool,
    /// Set for a report: what only a longer text has.
    pub report: Option<Box<Report>>,
}

impl Query {
    pub fn parse(text: &str) -> Self {
        let text = text.trim();
        let question = Question::read(text);
        if question.is_report() {
            return Self::of_report(&question);
        }
        let words = content_words(text);
        let is_symbol = is_name(text);
        let mentions = question.mentions();
        Self {
            is_symbol,
            names: names::of_question(text, is_symbol),
            qualified: names::qualified(&question),
            literals: literals(text),
            paths: paths(text, &mentions),
            mentions,
            wanted: wanted(&words, text),
            describes_defect: defect::is_described(text),
            words,
            sayings: text.to_owned(),
            text: text.to_owned(),
            ..Self::default()
        }
    }

    fn of_report(question: &Question) -> Self {
        let (names, title_names) = names::of_report(question);
        let report = Report::of(question, title_names);
        let text = question.text();
        let mentions = question.mentions();
        let prose = format!("{}\n{}", question.title, question.prose);
        let mut query = Self {
            names,
            qualified: names::qualified(question),
            literals: literals(&prose).into_iter().take(MAX_LITERALS).collect(),
            paths: mentioned_paths(&mentions, 2),
            mentions,
            sayings: question.sayings(),
            text,
            report: Some(Box::new(report)),
            ..Self::default()
        };
        query.choose_words(|_| 1.0);
        query.wanted = wanted(&query.words, "");
        query
    }

    /// Chooses the words of a report with the highest weight; `telling` returns how informative a word is in this
    /// project.
    pub fn choose_words(&mut self, telling: impl Fn(&str) -> f32) {
        if let Some(report) = &mut self.report {
            self.words = report.choose_words(telling);
        }
    }

    /// Weighs the names by how common they are: `share` returns the share of the project that contains one. Names in
    /// a report that are everywhere are dropped.
    pub fn weigh_names(&mut self, share: impl Fn(&str) -> f32) {
        // A query that consists of one name means that name, however common it is.
        if self.is_symbol {
            return;
        }
        let keeps = |name: &WrittenName| share(&name.text) <= MAX_SHARE_OF_NAME;
        if let Some(report) = &mut self.report {
            let of_title = &self.names[..report.title_names.min(self.names.len())];
            report.title_names = of_title.iter().filter(|name| keeps(name)).count();
            self.names.retain(keeps);
        }
        for name in &mut self.names {
            name.weight *= rarity(share(&name.text));
        }
    }

    /// A query by example code: its words count, the names in it do not.
    pub fn from_code(text: &str) -> Self {
        Self { text: text.to_owned(), words: content_words(text), ..Self::default() }
    }

    /// The query in the user's own words, for models that know many languages.
    pub fn as_asked(&self) -> &str {
        self.asked.as_deref().unwrap_or(&self.text)
    }

    /// Whether the query describes what happened rather than asking where something is. Weights fitted on short
    /// queries and on reports differ a lot, and the length of the text tells the two apart.
    pub fn is_report(&self) -> bool {
        self.report.is_some() || self.text.chars().nth(LONGEST_QUESTION).is_some()
    }

    /// Whether it quotes texts that the code may contain literally.
    pub fn quotes(&self) -> bool {
        !self.literals.is_empty()
    }

    /// The words of the title, or all of a short query.
    pub fn title_words(&self) -> &[QueryWord] {
        let count = self.report.as_ref().map_or(self.words.len(), |report| report.title_words);
        &self.words[..count.min(self.words.len())]
    }

    /// The names in the title, or all of a short query.
    pub fn title_names(&self) -> &[WrittenName] {
        let count = self.report.as_ref().map_or(self.names.len(), |report| report.title_names);
        &self.names[..count.min(self.names.len())]
    }
}

/// 1 for a name in a five-hundredth of the project or less, a half for one in a twentieth.
fn rarity(share: f32) -> f32 {
    const RARE: f32 = 0.002;
    let telling = |share: f32| (1.0 + 1.0 / share.max(f32::MIN_POSITIVE)).ln();
    (telling(share) / telling(RARE)).min(1.0)
}

/// The distinct words of a text that carry meaning, in order.
pub(crate) fn content_words(text: &str) -> Vec<QueryWord> {
    let all = lowercase_words(text);
    let meaningful = |word: &&String| is_meaningful(word) || (all.len() == 1 && !is_stop_word(word));
    let mut kept: Vec<&String> = all.iter().filter(meaningful).collect();
    if kept.is_empty() {
        kept = all.iter().collect();
    }
    let mut seen = HashSet::new();
    kept.retain(|word| seen.insert(word.as_str()));
    kept.truncate(MAX_WORDS);
    kept.into_iter().map(|word| QueryWord::new(word.clone())).collect()
}

/// Whether a word of a longer text carries meaning.
fn is_meaningful(word: &str) -> bool {
    word.len() > 1 && !is_stop_word(word)
}

pub(crate) fn is_stop_word(word: &str) -> bool {
    static WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| STOP_WORDS.split_whitespace().collect());
    WORDS.contains(word.to_ascii_lowercase().as_str())
}

/// The token without surrounding punctuation of prose: `use()`, `(State)`, `route,`.
fn bare(token: &str) -> &str {
    token.trim_matches(|c: char| !c.is_alphanumeric() && c != '_').trim_end_matches("'s")
}

/// Whether a text is one name, perhaps with scopes: `Engine`, `Rails::Engine`, `res.send`, `self->x`, `App\Kernel`.
fn is_name(text: &str) -> bool {
    let letters =
        text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | ':' | '.' | '\\' | '-' | '>' | '$'));
    let plain = !text.contains('-') || text.contains("->");
    letters && plain && text.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '$')
}

fn last_name(token: &str) -> &str {
    token.rsplit(['.', ':', '\\', '>', '$']).find(|part| !part.is_empty()).unwrap_or(token)
}

/// Whether a word in prose can only be a name from code: a capital or underscore inside, or a scope.
fn looks_like_code(token: &str) -> bool {
    let inner_capital =
        token.chars().skip(1).any(char::is_uppercase) && token.chars().any(char::is_lowercase);
    let scoped =
        ["::", "->", "\\"].iter().any(|mark| token.contains(mark)) || token.trim_matches('.').contains('.');
    inner_capital || scoped || token.trim_matches('_').contains('_')
}

/// The paths among the words of a text, and the files that it mentions in other forms.
fn paths(text: &str, mentions: &[Mention]) -> Vec<String> {
    let mut paths: Vec<String> = text.split_whitespace().map(bare).filter_map(as_path).collect();
    for path in mentioned_paths(mentions, 1) {
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    paths
}

/// The mentioned paths with at least `segments` segments. A report is full of names of the reporter's own files
/// (`App.vue`, `test.rb`), so in a report a bare name does not count as a path.
fn mentioned_paths(mentions: &[Mention], segments: usize) -> Vec<String> {
    let files = mentions.iter().filter(|mention| mention.kind == MentionKind::Path);
    files.filter(|file| file.segments.len() >= segments).map(|file| file.segments.join("/")).collect()
}

/// A path, or a module's qualified name turned into one: `django.db.models` is `django/db/models`. In lower case.
fn as_path(token: &str) -> Option<String> {
    let token = token.to_lowercase();
    if is_path(&token) {
        return Some(token);
    }
    let module = token.replace("::", "/").replace(['.', '\\'], "/");
    (is_name(&token) && module.matches('/').count() > 1).then_some(module)
}

/// Accepts `src/retry.ts`, `retry.ts`, `src/auth/`; rejects `and/or` and `res.send`.
fn is_path(token: &str) -> bool {
    let extension = token.rsplit_once('.').map_or("", |(_, extension)| extension);
    let known =
        !extension.is_empty() && extension.len() <= 4 && extension.chars().all(|c| c.is_ascii_alphanumeric());
    (token.contains('/') && (known || token.matches('/').count() > 1))
        || (known && is_distinct_extension(extension))
}

fn literals(text: &str) -> Vec<String> {
    let quoted = ['"', '`', '\''].into_iter().flat_map(|quote| quoted(text, quote));
    let mut found: Vec<String> = Vec::new();
    for literal in quoted.chain(options(text)).filter(|literal| literal.len() > 1 && literal.len() < 200) {
        if !found.iter().any(|known| known == literal) {
            found.push(literal.to_owned());
        }
    }
    found
}

/// Long command-line options as programs define them: `word-regexp` for `--word-regexp=x`.
fn options(text: &str) -> impl Iterator<Item = &str> {
    let options = text.split_whitespace().filter_map(|token| {
        let token = token.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '-');
        token.strip_prefix("--")?.split(|c: char| !c.is_alphanumeric() && c != '-').next()
    });
    options.filter(|option| option.len() > 3 && option.starts_with(|c: char| c.is_alphabetic()))
}

/// The texts between pairs of `quote`. An apostrophe inside a word is not a quote.
fn quoted(text: &str, quote: char) -> Vec<&str> {
    let mut found = Vec::new();
    let mut open: Option<usize> = None;
    for (at, _) in text.match_indices(quote) {
        let before = text[..at].chars().next_back();
        match open {
            None if !before.is_some_and(char::is_alphanumeric) => open = Some(at + quote.len_utf8()),
            Some(start) if !text[at + quote.len_utf8()..].starts_with(char::is_alphanumeric) => {
                found.push(&text[start..at]);
                open = None;
            }
            _ => {}
        }
    }
    found
}

/// Maximum number of words of a question. A longer text, such as a bug report, mentions tests and examples without
/// asking for them.
const QUESTION_WORDS: usize = 15;

/// Phrases of questions that ask for tests. "test client" is missing because it asks for code.
const ASKS_FOR_TESTS: [&str; 9] = [
    "tests for ",
    "test for ",
    "tests of ",
    "tests that ",
    "test that ",
    "tests cover",
    "what tests ",
    "which tests ",
    "test cases",
];

fn wanted(words: &[QueryWord], text: &str) -> Wanted {
    let text = text.to_lowercase();
    let asked = if words.len() <= QUESTION_WORDS { words } else { &[] };
    let any = |names: &[&str]| asked.iter().any(|word| names.contains(&word.word.as_str()));
    Wanted {
        tests: any(&[
            "test", "tests", "testing", "tested", "spec", "specs", "fixture", "fixtures", "mock", "mocks",
        ]),
        tests_first: !asked.is_empty() && ASKS_FOR_TESTS.iter().any(|phrase| text.contains(phrase)),
        docs: any(&["docs", "documentation", "readme", "changelog", "guide", "tutorial", "license"]),
        examples: any(&["example", "examples", "sample", "samples", "demo", "benchmark", "benchmarks"]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        Query::parse(text).words.into_iter().map(|word| word.word).collect()
    }

    #[test]
    fn questions_lose_their_stop_words_and_nothing_else() {
        assert_eq!(words("how does the Router match a path?"), ["router", "match", "path"]);
        assert_eq!(words("how is it done"), ["how", "is", "it", "done"]);
        assert_eq!(words("retry Retry retry"), ["retry"]);
        assert_eq!(words("поиск файла"), ["поиск", "файла"]);
    }

    #[test]
    fn names_are_recognised_in_prose() {
        let names =
            |text| -> Vec<String> { Query::parse(text).names.into_iter().map(|name| name.text).collect() };
        assert_eq!(
            names("how MethodRouter uses path_router, via res.send()"),
            ["MethodRouter", "path_router", "send"]
        );
        assert_eq!(names("Rails::Engine"), ["Engine"]);
        assert_eq!(names("response"), ["response"]);
        assert_eq!(names("The Router fails. It calls from_fn"), ["from_fn", "Router"]);
        assert!(names("how are errors handled").is_empty());
    }

    #[test]
    fn only_a_lone_name_is_a_symbol_query() {
        assert!(Query::parse("Rails::Engine").is_symbol);
        assert!(Query::parse(" flat_hash_map ").is_symbol);
        assert!(!Query::parse("retry logic").is_symbol);
        assert!(!Query::parse("?!").is_symbol);
    }

    #[test]
    fn literals_and_paths_are_kept_whole() {
        let query =
            Query::parse("where is \"connection refused\" raised in src/net/Client.py, don't say 'it'");
        assert_eq!(query.literals, ["connection refused", "it"]);
        assert_eq!(query.paths, ["src/net/client.py"]);
        assert_eq!(Query::parse("fails in django.db.models, not res.send").paths, ["django/db/models"]);
    }

    #[test]
    fn a_query_for_tests_says_so() {
        assert!(Query::parse("unit tests of the parser").wanted.tests);
        for text in
            ["tests for gitignore whitelist rules", "what tests cover retry", "Test cases of the lexer"]
        {
            assert!(Query::parse(text).wanted.tests_first, "{text}");
        }
        assert!(!Query::parse("how does the test client simulate requests").wanted.tests_first);
        assert!(!Query::parse("parser").wanted.tests);
        let report = "Nesting a router at the root path leads to a double slash in matched paths and every request then \
            falls through to the fallback handler; I noticed because an old test started to fail";
        assert!(!Query::parse(report).wanted.tests);
    }

    #[test]
    fn a_long_sentence_is_ranked_as_a_report() {
        assert!(!Query::parse("where are permissions validated").is_report());
        let sentence = "Requests that are cancelled while the pool waits for a connection leave it locked for the next caller";
        assert!(Query::parse(sentence).is_report());
    }

    #[test]
    fn the_words_of_a_reports_title_come_first_and_are_never_cut() {
        let filler = |number: usize| {
            let letter = char::from(b'a' + (number % 26) as u8).to_string();
            format!("filler{}", letter.repeat(number / 26 + 1))
        };
        let body = (0..400).map(filler).collect::<Vec<_>>().join(" ");
        let query = Query::parse(&format!("Router loops forever\n{body}\n\nthe culprit is zslInsert"));
        let title: Vec<&str> = query.title_words().iter().map(|word| word.word.as_str()).collect();
        assert_eq!(title, ["router", "loops", "forever"]);
        assert!(query.words.len() <= 64);
        assert!(query.names.iter().any(|name| name.text == "zslInsert"), "{:?}", query.names);
    }

    #[test]
    fn hostile_text_is_only_text() {
        for text in ["", "   ", "?!…", "日本語の検索", "\" OR 1=1; --", "a\u{0}b", "''''", "::", "\\"]
        {
            let query = Query::parse(text);
            assert!(query.words.len() <= MAX_WORDS);
        }
        assert_eq!(words(&"alpha beta ".repeat(1000)), ["alpha", "beta"]);
    }
}
