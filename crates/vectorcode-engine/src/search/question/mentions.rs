//! The files and modules that a query mentions, and whether a path of the project is one of them.
//!
//! People name a file in many ways: by its path, with a line (`src/a.rs:12`), in a link to a code host, in the frames
//! of a stack trace with the path on their own machine, or as a module (`pkg.module.Class`, `Style/RedundantFreeze`).

use std::collections::HashMap;

use vectorcode_source::is_folder_stem;

use super::paths::{Token, tokens};
use super::{Question, frames, functions};

/// Limits for frames and for all other mentions separately. More cost time; a long trace repeats itself.
const MAX_MENTIONS: usize = 64;
/// Limit per file.
const MAX_PLACES: usize = 16;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum MentionKind {
    /// A path in a sentence, in code or in a link.
    Path,
    /// A path in a stack trace.
    Frame,
    /// A name with scopes that may refer to a file.
    Module,
}

/// A file or module that a query mentions.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Mention {
    pub kind: MentionKind,
    /// Folders and name in lower case; for a module without `_` and `-`.
    pub segments: Vec<String>,
    /// The places in it that the query points at.
    pub places: Vec<Place>,
}

/// A place in a file: a line, a function, or both.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Place {
    pub line: Option<u32>,
    /// Possible names of its function, likeliest first.
    pub functions: Vec<String>,
}

/// A path of the project, prepared for comparison with mentions.
#[derive(Debug)]
pub(crate) struct PathParts {
    segments: Vec<String>,
    /// Without extension, `_` and `-`; only the folder for a file that stands for its folder.
    module: Vec<String>,
    /// The same without source folders, which are not part of a name: `net/src/retry.rs` is called `net::retry`.
    spoken_module: Vec<String>,
}

impl PathParts {
    pub fn of(path: &str) -> Self {
        let segments: Vec<String> = path.split('/').map(str::to_lowercase).collect();
        let mut module = segments.clone();
        if let Some(name) = module.pop() {
            let stem = name.split_once('.').map_or(name.as_str(), |(stem, _)| stem);
            if module.is_empty() || !(is_folder_stem(stem) || stem == "index") {
                module.push(stem.to_owned());
            }
        }
        let module: Vec<String> = module.iter().map(|segment| joined(segment)).collect();
        let spoken_module = module.iter().filter(|segment| *segment != SOURCES).cloned().collect();
        Self { segments, module, spoken_module }
    }
}

impl PathParts {
    /// How many of these scopes, counted from the last, match the end of the module: `a.b` matches `pkg/a/b.py`.
    pub fn scopes_in_common(&self, scopes: &[String]) -> usize {
        common_end(scopes, &self.module)
    }
}

/// The usual name, in any language, of the folder that holds all sources.
const SOURCES: &str = "src";

/// The likeness of a path with the same file name in another folder: a copy, or a build's output.
pub(crate) const OTHER_FILE: f32 = 0.2;

impl Mention {
    /// How certainly the path is the one meant: 1 if one is a suffix of the other.
    pub fn likeness(&self, path: &PathParts) -> f32 {
        match self.kind {
            MentionKind::Module => self.module_likeness(path),
            MentionKind::Path | MentionKind::Frame => {
                let common = common_end(&self.segments, &path.segments);
                let is_whole = common == self.segments.len() || (common == path.segments.len() && common > 1);
                match common {
                    0 => 0.0,
                    _ if is_whole => 1.0,
                    1 => OTHER_FILE,
                    _ => 0.6,
                }
            }
        }
    }

    /// Whether it is this path, written in full.
    pub fn is_all_of(&self, path: &PathParts) -> bool {
        self.segments == path.segments
    }

    /// A module's name may be followed by a class and a method: `pkg.module.Class.method`.
    fn module_likeness(&self, path: &PathParts) -> f32 {
        let forms = [&path.module, without_repetition(&path.module), &path.spoken_module];
        let likeness = |dropped: usize| {
            let named = &self.segments[..self.segments.len().saturating_sub(dropped)];
            let in_common = forms.map(|form| common_end(named, form));
            let common = in_common.into_iter().max().unwrap_or_default();
            // A package may have a name that no folder has: `GuzzleHttp\Handler\Proxy` is `src/Handler/Proxy.php`.
            let is_whole = common == named.len()
                || in_common.iter().zip(forms).any(|(common, form)| *common == form.len());
            let fade = 1.0 - 0.1 * dropped as f32;
            match common {
                0 | 1 => 0.0,
                _ if is_whole => fade,
                _ => 0.6 * fade,
            }
        };
        (0..3).map(likeness).fold(0.0, f32::max)
    }
}

/// A package's main module has the package's name: `printing/pretty/pretty.py` is called `printing.pretty`.
fn without_repetition(module: &[String]) -> &[String] {
    match module {
        [.., folder, name] if folder == name => &module[..module.len() - 1],
        _ => module,
    }
}

fn joined(segment: &str) -> String {
    segment.replace(['_', '-'], "")
}

/// How many segments two paths have in common, counted from their ends.
fn common_end(left: &[String], right: &[String]) -> usize {
    left.iter().rev().zip(right.iter().rev()).take_while(|(left, right)| left == right).count()
}

/// The mentions in a query, without duplicates, in order; those in a trace start with the innermost frame.
pub(super) fn of(question: &Question) -> Vec<Mention> {
    let mut found = Found::default();
    // All frames except one in the title are in the trace.
    let of_title =
        if frames::frame_in(&question.title).is_some() { MentionKind::Frame } else { MentionKind::Path };
    found.read(&question.title, of_title, &[]);
    question.prose.lines().for_each(|line| found.read(line, MentionKind::Path, &[]));
    question.trace.iter().for_each(|frame| found.read(&frame.line, MentionKind::Frame, &frame.functions));
    question.code.lines().for_each(|line| found.read(line, MentionKind::Path, &[]));
    found.mentions
}

#[derive(Default)]
struct Found {
    mentions: Vec<Mention>,
    /// How many of the mentions are frames.
    frames: usize,
    /// The index of each mention.
    known: HashMap<(MentionKind, Vec<String>), usize>,
}

impl Found {
    /// Reads a line that mentions files as `kind`; `functions` are the possible functions of its place according to
    /// the neighbouring lines.
    fn read(&mut self, line: &str, kind: MentionKind, functions: &[String]) {
        let tokens: Vec<Token<'_>> = tokens(line).collect();
        for (place, token) in tokens.iter().enumerate() {
            let before = place.checked_sub(1).map_or("", |place| tokens[place].text);
            if let Some(file) = token.file() {
                let segments = qualified_file(before, path_segments(&file.path));
                let place = Place { line: file.line, functions: functions_of(token, functions) };
                let is_place = kind == MentionKind::Frame || functions::is_named_by(token.after);
                let is_place = is_place || place.line.is_some();
                self.add(kind, segments, is_place.then_some(place));
            } else if let Some(segments) = module_in(without_lines(token.text)) {
                self.add(MentionKind::Module, segments, None);
            }
            if before == "from" || before == "import" {
                self.add_imported(token.text, &tokens[place + 1..]);
            }
        }
    }

    fn add(&mut self, kind: MentionKind, segments: Vec<String>, place: Option<Place>) {
        if segments.is_empty() {
            return;
        }
        let key = (kind, segments);
        let known = match self.known.get(&key) {
            Some(known) => *known,
            None if self.is_full_of(kind) => return,
            None => {
                self.frames += usize::from(kind == MentionKind::Frame);
                self.mentions.push(Mention { kind, segments: key.1.clone(), places: Vec::new() });
                self.known.insert(key, self.mentions.len() - 1);
                self.mentions.len() - 1
            }
        };
        let places = &mut self.mentions[known].places;
        let room = MAX_PLACES.saturating_sub(places.len());
        let new = place.filter(|place| !places.contains(place));
        places.extend(new.into_iter().take(room));
    }

    fn is_full_of(&self, kind: MentionKind) -> bool {
        let count = match kind {
            MentionKind::Frame => self.frames,
            MentionKind::Path | MentionKind::Module => self.mentions.len() - self.frames,
        };
        count >= MAX_MENTIONS
    }

    /// In `from pkg.module import Name`, the name may be a module too.
    fn add_imported(&mut self, module: &str, after: &[Token<'_>]) {
        let [keyword, name, ..] = after else { return };
        if keyword.text == "import"
            && let Some(segments) = module_in(&format!("{module}.{}", name.text))
        {
            self.add(MentionKind::Module, segments, None);
        }
    }
}

/// Possible names of the function at a place: from the line itself, then from the neighbouring lines.
fn functions_of(token: &Token<'_>, beside: &[String]) -> Vec<String> {
    let own = functions::around(token.before, token.after).into_iter().map(str::to_owned);
    own.chain(beside.iter().cloned()).collect()
}

/// Folders that contain installed packages, each in a folder of its name (two folders for a scoped name).
const PACKAGES_OF_NODE: &str = "node_modules";
const PACKAGES_OF_PYTHON: [&str; 2] = ["site-packages", "dist-packages"];

/// The folders and name of a path, without the part that is specific to the reporter's machine.
fn path_segments(path: &str) -> Vec<String> {
    let segments: Vec<&str> = path
        .split('/')
        .filter(|part| !matches!(*part, "" | "." | ".." | "~") && !part.ends_with(':'))
        .collect();
    let folders = &segments[..segments.len().saturating_sub(1)];
    let start = folders.iter().enumerate().rev().find_map(|(place, folder)| match *folder {
        PACKAGES_OF_NODE => Some(place + 2 + usize::from(segments[place + 1].starts_with('@'))),
        folder if PACKAGES_OF_PYTHON.contains(&folder) || is_versioned(folder) => Some(place + 1),
        _ => None,
    });
    let start = start.filter(|start| *start < segments.len()).unwrap_or(0);
    segments[start..].iter().map(|part| (*part).to_owned()).collect()
}

/// Whether this is the folder of an installed package: `jekyll-4.2.0`, `caddy@v2.6.1`.
fn is_versioned(folder: &str) -> bool {
    folder.rsplit_once(['-', '@']).is_some_and(|(name, version)| {
        let version = version.trim_start_matches('v');
        !name.is_empty() && version.contains('.') && version.starts_with(|c: char| c.is_ascii_digit())
    })
}

/// The file of a Java frame, with the folders of its class: `org.a.B.c(B.java:8)` is `org/a/b.java`.
fn qualified_file(before: &str, segments: Vec<String>) -> Vec<String> {
    let [name] = segments.as_slice() else { return segments };
    let stem = name.split_once('.').map_or(name.as_str(), |(stem, _)| stem);
    let mut scopes: Vec<String> = before.split(['.', '$', '/']).map(str::to_lowercase).collect();
    // The last scope is the method. A package may have the name of its class: `com.google.gson.Gson.toJson`.
    scopes.pop();
    // Kotlin generates a class for the functions of a file: `TransactionsKt`.
    let is_class = |scope: &String| scope == stem || scope.strip_suffix("kt") == Some(stem);
    match scopes.iter().rposition(is_class) {
        Some(place) => scopes[..place].iter().cloned().chain([name.clone()]).collect(),
        None => segments,
    }
}

/// Turns `pkg.module:276-281` into `pkg.module`.
fn without_lines(token: &str) -> &str {
    let is_lines =
        |end: &str| end.starts_with(|c: char| c.is_ascii_digit()) && !end.contains(char::is_alphabetic);
    match token.rsplit_once(':') {
        Some((module, end)) if is_lines(end) => module,
        _ => token,
    }
}

/// The segments of a module's name: `pkg.module.Class`, `crate::module`, `App\Http\Kernel`, `Style/RedundantFreeze`,
/// `Class#method`.
fn module_in(token: &str) -> Option<Vec<String>> {
    let is_separator = |c: char| matches!(c, '.' | ':' | '\\' | '/' | '#');
    let parts: Vec<&str> = token.split(is_separator).filter(|part| !part.is_empty()).collect();
    let is_name = |part: &&str| {
        part.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && part.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'))
    };
    let is_module = !token.contains("://") && (2..=8).contains(&parts.len()) && parts.iter().all(is_name);
    is_module.then(|| parts.iter().map(|part| joined(&part.to_lowercase())).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mentions(text: &str) -> Vec<(MentionKind, String, Option<u32>)> {
        let question = Question { title: text.into(), ..Question::default() };
        let mentions = of(&question).into_iter();
        let line = |mention: &Mention| mention.places.first().and_then(|place| place.line);
        mentions.map(|mention| (mention.kind, mention.segments.join("/"), line(&mention))).collect()
    }

    fn file(text: &str) -> Option<(String, Option<u32>)> {
        let found = mentions(text).into_iter().find(|(kind, ..)| *kind != MentionKind::Module);
        found.map(|(_, path, line)| (path, line))
    }

    #[test]
    fn files_are_named_in_many_ways() {
        for (text, path, line) in [
            ("see `x.py:12`", "x.py", Some(12)),
            ("at com.foo.Bar$Inner.baz(Bar.java:88)", "com/foo/bar.java", Some(88)),
            ("at com.google.gson.Gson.toJson(Gson.java:88)", "com/google/gson/gson.java", Some(88)),
            ("[here](lib/a.js#L3)", "lib/a.js", Some(3)),
            ("https://github.com/o/r/blob/main/src/Deep/a.ts#L10-L20 is wrong", "src/deep/a.ts", Some(10)),
            (
                "File \"/usr/lib/python3.9/site-packages/flask/app.py\", line 12, in run",
                "flask/app.py",
                Some(12),
            ),
            ("tests/test_a.py:33: AssertionError", "tests/test_a.py", Some(33)),
            ("in C:\\src\\Shop\\Cart.cs:line 12", "src/shop/cart.cs", Some(12)),
            ("at src/x.rs:1:2", "src/x.rs", Some(1)),
            ("#0 /app/lib/Foo.php(12): bar()", "app/lib/foo.php", Some(12)),
            ("/usr/gems/jekyll-4.2.0/lib/jekyll/site.rb:12:in `read'", "lib/jekyll/site.rb", Some(12)),
            ("at f (/app/node_modules/@a/b/lib/c.js:1:2)", "lib/c.js", Some(1)),
            (
                "/root/go/pkg/mod/github.com/caddyserver/caddy@v2.6.1/cmd/main.go:5 +0x1d",
                "cmd/main.go",
                Some(5),
            ),
            ("at file:///srv/app/lib/d.mjs:7:1", "srv/app/lib/d.mjs", Some(7)),
        ] {
            assert_eq!(file(text), Some((path.to_owned(), line)), "{text}");
        }
    }

    #[test]
    fn what_names_no_file_is_left() {
        for text in [
            "version 1.2.3",
            "https://example.com/a.html?x=1",
            "e.g. and/or",
            "a:b",
            "12:30",
            "node.js fails",
        ] {
            assert_eq!(file(text).filter(|(path, _)| path != "node.js"), None, "{text}");
        }
    }

    #[test]
    fn modules_are_named_with_scopes() {
        let modules = |text: &str| -> Vec<String> {
            let found = mentions(text).into_iter().filter(|(kind, ..)| *kind == MentionKind::Module);
            found.map(|(_, path, _)| path).collect()
        };
        assert_eq!(modules("from pkg.module import Name"), ["pkg/module", "pkg/module/name"]);
        assert_eq!(modules("`Js::from()` and Style/RedundantFreeze"), ["js/from", "style/redundantfreeze"]);
        assert_eq!(modules("App\\Http\\Kernel"), ["app/http/kernel"]);
        assert_eq!(modules("see Django.db.models.deletion:276-281"), ["django/db/models/deletion"]);
        assert!(modules("fails with 1.2 and ... or ::").is_empty());
    }

    #[test]
    fn paths_and_modules_are_compared_from_their_ends() {
        let likeness = |text: &str, path: &str| {
            let question = Question { title: text.into(), ..Question::default() };
            of(&question).iter().map(|mention| mention.likeness(&PathParts::of(path))).fold(0.0, f32::max)
        };
        let is = |text: &str, path: &str, expected: f32| {
            let found = likeness(text, path);
            assert!((found - expected).abs() < 1e-6, "{text} {path} {found}");
        };
        is("lib/a.js:3", "packages/x/lib/a.js", 1.0);
        is("/home/me/x/lib/a.js:3", "lib/a.js", 1.0);
        is("/home/me/x/index.js:3", "index.js", 0.2);
        is("other/lib/a.js:3", "src/lib/a.js", 0.6);
        is("printing.pretty", "sympy/printing/pretty/pretty.py", 1.0);
        is("Style/RedundantFreeze", "lib/rubocop/cop/style/redundant_freeze.rb", 1.0);
        is("django.db.models.Query.run", "django/db/models/__init__.py", 0.8);
        is("res.send", "src/send.js", 0.0);
        is("net_core::retry::timer", "net_core/src/retry/timer.rs", 1.0);
        is("Acme\\Handler\\Proxy", "src/Handler/Proxy.php", 1.0);
        is("Acme\\Handler\\Proxy", "src/Legacy/Handler/Proxy.php", 0.6);
    }
}
