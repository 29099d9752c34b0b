//! Finds the function that a place is in from the surrounding text.
//!
//! Every language writes it differently, and compilers add names of their own: `lambda$open$2`, `open.func1`,
//! `open::{{closure}}`. So the result is a list of possible names, likeliest first; which of them the file defines is
//! checked later.

use super::paths::tokens;

/// Words that connect a function name with the place after it.
const LINKS: [&str; 5] = ["at", "in", "by", "from", "on"];
/// Texts that connect a place with the function name after it.
const LEADS: [&str; 5] = ["In function ", "in function ", "in method ", "in ", "_in_ "];
/// Maximum words of a name: Ruby writes `block (2 levels) in read`.
const MAX_WORDS: usize = 5;
/// Maximum number of names: no name has more scopes.
const MAX_NAMES: usize = 8;

/// How many bytes may separate a name from its place: arguments may stand between them.
const MAX_DISTANCE: usize = 400;

/// The names that a line gives to the place between `before` and `after`.
pub(super) fn around<'l>(before: &'l str, after: &'l str) -> Vec<&'l str> {
    let near = before.ceil_char_boundary(before.len().saturating_sub(MAX_DISTANCE));
    let mut names = after_place(after);
    names.extend(before_place(&before[near..]));
    names.truncate(MAX_NAMES);
    names
}

/// The names that the lines before and after a frame give to its place, if the frame does not name its function
/// itself.
pub(super) fn beside(frame: &str, before: &str, after: &str) -> Vec<String> {
    let called = match called_by_php(frame) {
        Some(_) => called_by_php(after.trim()).unwrap_or_default(),
        None if frame.ends_with(')') && frame.contains(".go:") => {
            in_call(after.split(": ").next().unwrap_or(after))
        }
        None if is_place_alone(frame) => in_call(before),
        None => Vec::new(),
    };
    called.into_iter().map(str::to_owned).collect()
}

/// Whether a frame is only a place: `at src/x.rs:3:5`, `/go/src/x.go:12 +0x1d`.
fn is_place_alone(frame: &str) -> bool {
    let place = frame.strip_prefix("at ").unwrap_or(frame);
    tokens(place).next().is_some_and(|first| first.before.is_empty() && first.is_place())
}

/// The names in a line that contains only a call: `3: axum::Router<S>::route`, `gin.(*Context).Next(0xc0001)`.
fn in_call(line: &str) -> Vec<&str> {
    let line = line.split(" in goroutine ").next().unwrap_or(line);
    before_place(line)
}

/// The function called in a PHP frame. It contains the place of the previous, deeper frame:
/// `#0 /app/A.php(12): B->run('x')`.
fn called_by_php(frame: &str) -> Option<Vec<&str>> {
    let (place, call) = frame.split_once("): ")?;
    let is_php = place.starts_with('#') && place.contains(".php(");
    is_php.then(|| in_call(call))
}

/// Whether the text after a place names its function.
pub(super) fn is_named_by(after: &str) -> bool {
    !after_place(after).is_empty()
}

/// The names after a place: `run.py", line 3, in run`, `site.rb:12:in 'Site#read'`, `x.zig:3:5: 0x12 in f (lib)`,
/// `router.ex:3: Router.call/5`.
fn after_place(after: &str) -> Vec<&str> {
    let rest = without_numbers(&after[..after.floor_char_boundary(MAX_DISTANCE)]);
    if let Some(name) = LEADS.iter().find_map(|lead| rest.strip_prefix(lead)) {
        let name = name.trim_start_matches(['`', '\'', '"', '*', '‘']);
        let name = name.split(['\'', '"', '│', '’']).next().unwrap_or(name);
        let is_name = words(name).len() <= MAX_WORDS && !name.contains('/');
        return if is_name { names(name) } else { Vec::new() };
    }
    let word = rest.split_whitespace().next().unwrap_or_default();
    let has_arity = word.rsplit_once('/').is_some_and(|(_, arity)| arity.parse::<u8>().is_ok());
    let is_asserted = word.ends_with(':') && rest[word.len()..].starts_with(" Assertion");
    if has_arity || is_asserted { names(word) } else { Vec::new() }
}

/// Skips the rest of the place: its line, its column, an address.
fn without_numbers(text: &str) -> &str {
    let mut rest = text;
    loop {
        let next = rest.trim_start_matches(|c: char| c.is_whitespace() || "\"',:()[]".contains(c));
        let next = next.strip_prefix("line ").unwrap_or(next);
        let next = match next.strip_prefix("0x") {
            Some(address) => address.trim_start_matches(|c: char| c.is_ascii_hexdigit()),
            None => next.trim_start_matches(|c: char| c.is_ascii_digit()),
        };
        if next.len() == rest.len() {
            return rest;
        }
        rest = next;
    }
}

/// The word just before the place: `at Cart.add(Item item) in `, `#1 0x7f in add (item=0x0) at `, `❯ add `, `add@`.
/// In `boot() in App at ` the second word is the module, so both count.
fn before_place(before: &str) -> Vec<&str> {
    let open = before.trim_end_matches(|c: char| c.is_whitespace() || "([\"'`@:".contains(c));
    let words = words(open);
    let own = words.iter().filter(|word| !word.starts_with(['[', '('])).map(|word| (*word, names(word)));
    let mut from_last = own.rev().filter(|(_, names)| !names.is_empty());
    let is_link = |word: &str| LINKS.contains(&word);
    let Some((_, mut names)) = from_last.find(|(word, _)| !is_link(word)) else { return Vec::new() };
    if from_last.next().is_some_and(|(word, _)| word == "in") {
        names.extend(from_last.next().into_iter().flat_map(|(_, names)| names));
    }
    names
}

/// Splits at spaces outside brackets.
fn words(text: &str) -> Vec<&str> {
    let mut depth = 0_usize;
    let words = text.split(|c: char| {
        depth = depth_after(depth, c);
        depth == 0 && c.is_whitespace()
    });
    words.filter(|word| !word.is_empty()).collect()
}

fn depth_after(depth: usize, c: char) -> usize {
    match c {
        '(' | '[' | '{' | '<' => depth + 1,
        ')' | ']' | '}' | '>' => depth.saturating_sub(1),
        _ => depth,
    }
}

/// The names in a word with scopes, last first: those outside brackets, then those between `<>` or `[]`. Arguments
/// are skipped.
fn names(word: &str) -> Vec<&str> {
    let (mut outside, mut inside) = (Vec::new(), Vec::new());
    let (mut depth, mut arguments) = (0_usize, 0_usize);
    let mut start = None;
    for (place, c) in word.char_indices().chain([(word.len(), ' ')]) {
        let goes_on = c.is_alphanumeric() || c == '_' || (start.is_some() && matches!(c, '?' | '!'));
        match (start, goes_on) {
            (None, true) => start = Some(place),
            (Some(begin), false) => {
                let list = if depth == 0 { &mut outside } else { &mut inside };
                list.extend(Some(&word[begin..place]).filter(|name| arguments == 0 && is_name(name)));
                start = None;
            }
            _ => {}
        }
        arguments = match c {
            '(' => arguments + 1,
            ')' => arguments.saturating_sub(1),
            _ => arguments,
        };
        depth = depth_after(depth, c);
    }
    outside.into_iter().rev().chain(inside.into_iter().rev()).take(MAX_NAMES).collect()
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `§` stands for the place.
    fn names_around(line: &str) -> Vec<&str> {
        let (before, after) = line.split_once('§').unwrap();
        around(before, after)
    }

    #[test]
    fn the_likeliest_name_comes_first() {
        for (line, first) in [
            ("at org.apache.lucene.Counts$Inner.get(§:210)", "get"),
            ("at Layer.handle [as handle_request] (§:95:5)", "handle"),
            ("at async run (§:1:2)", "run"),
            ("at Shop.Cart.Add(Item item, Int32 n) in §:line 12", "Add"),
            ("File \"§\", line 12, in run", "run"),
            ("File §:12, in Flask.wsgi_app(self, environ)", "wsgi_app"),
            ("§:12:in `read'", "read"),
            ("§:12:in `exist?': undefined method `x' for nil", "exist?"),
            ("§:12:in 'Jekyll::Site#read'", "read"),
            ("§:12:in `block (2 levels) in read'", "read"),
            ("#1  0x00007f in zslInsert (z=0x0, score=1) at §:140", "zslInsert"),
            ("#0 0x55d in zslInsert §:140:2", "zslInsert"),
            ("#3 fmt::v10::write_int<char, fmt::appender, unsigned int> (out=..., v=1) at §:3", "write_int"),
            ("==42==    by 0x1A2B3C: zslInsert (§:300)", "zslInsert"),
            ("frame #0: 0x1 curl`multi_runsingle(multi=0x1) at §:2200:11", "multi_runsingle"),
            ("§:300: zslInsert: Assertion `x' failed.", "zslInsert"),
            ("§: In function ‘http_header’:", "http_header"),
            ("§:700: in full_dispatch_request", "full_dispatch_request"),
            ("│ §:150 in serialize_response   │", "serialize_response"),
            ("(phoenix 1.7.10) §:300: Phoenix.Router.__call__/5", "__call__"),
            ("§:2100: in function 'picker_set_items'", "picker_set_items"),
            ("§:300:35: 0x12ab in getVariableSignature (zls)", "getVariableSignature"),
            ("1 SnapKit 0x1 static Maker.make(item:closure:) + 220 (§:150)", "make"),
            ("1 [async] Application.boot() in App at §:190:30", "App"),
            ("dispatch@§:20:11", "dispatch"),
            ("❯ dispatch §:150:13", "dispatch"),
        ] {
            assert_eq!(names_around(line).first(), Some(&first), "{line}");
        }
        assert!(names_around("§:1500: in function <lua/start/pick.lua:1498>").is_empty());
        assert!(names_around("--> §:3:5").is_empty());
        assert!(names_around("at §:3:5").is_empty());
    }

    #[test]
    fn names_that_a_compiler_made_are_followed_by_those_that_it_made_them_of() {
        for (line, name) in [
            ("at Unsafe.lambda$allocator$18(§:3)", "allocator"),
            ("at cats.Eval.$anonfun$flatMapF$2(§:3)", "flatMapF"),
            ("at A.B.<DeserializeAsync>d__30`1.MoveNext() in §:line 3", "DeserializeAsync"),
            ("at TransactionsKt$foo$2.invokeSuspend(§:3)", "foo"),
        ] {
            assert!(names_around(line).contains(&name), "{line} {:?}", names_around(line));
        }
        assert!(names_around("1 [async] Application.boot() in App at §:190:30").contains(&"boot"));
        assert!(in_call("gin.CustomRecovery.func1.1()").contains(&"CustomRecovery"));
        assert!(in_call("4: axum::serve::handle::{{closure}}").contains(&"handle"));
    }

    #[test]
    fn a_call_alone_names_what_is_called() {
        assert_eq!(in_call("3: axum::routing::Router<S, E>::route").first(), Some(&"route"));
        assert_eq!(in_call("github.com/gin-gonic/gin.(*Context).Next(...)").first(), Some(&"Next"));
        assert_eq!(in_call("main.(*Shop).sell(0xc0001, {0x1, 0x2})").first(), Some(&"sell"));
        assert_eq!(in_call("created by main.serve in goroutine 1").first(), Some(&"serve"));
        let php = called_by_php("#0 /app/src/Foo.php(12): Foo->bar('x', Array)");
        assert_eq!(php.and_then(|names| names.first().copied()), Some("bar"));
    }
}
