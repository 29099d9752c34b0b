//! Recognises lines of stack traces, and of compiler messages that point at a place.

use super::paths::Token;
use super::{functions, paths};

/// How many bytes of log or mail prefix may precede a frame in its line.
const MAX_PREFIX: usize = 200;

/// The stack frame in a line, as Java, JavaScript, C#, Python, Ruby, PHP, Go, Rust, Elixir, Lua, Zig, Swift or a
/// debugger prints it, without a prefix such as `> `, `web_1 | `, `2024-05-03T10:11:12Z ` or `[error] `.
pub(super) fn frame_in(line: &str) -> Option<&str> {
    let line = line.trim();
    if is_frame(line) {
        return Some(line);
    }
    let end = line.floor_char_boundary(MAX_PREFIX);
    let gaps = line[..end].char_indices().filter(|(_, c)| c.is_whitespace());
    let rests = gaps.map(|(gap, c)| (&line[..gap], &line[gap + c.len_utf8()..]));
    let behind = rests.filter(|(before, rest)| !rest.starts_with(char::is_whitespace) && is_prefix(before));
    let mut behind = behind.map(|(_, rest)| rest);
    behind.find(|rest| is_frame(rest) && !is_reference(rest))
}

/// `#12 (see there)` is an issue number: debuggers number frames in the same way.
fn is_reference(text: &str) -> bool {
    text.starts_with('#') && !text.contains("0x") && paths::tokens(text).all(|token| !token.is_place())
}

/// Whether a text is a prefix that a log, a mail or a code host adds to a line. A sentence is not: it has words up to
/// the last space.
fn is_prefix(before: &str) -> bool {
    before.ends_with(|c: char| c.is_whitespace() || matches!(c, '|' | '>' | ']' | ':' | '│'))
        || (before.starts_with(|c: char| c.is_ascii_digit() || c == '[') && !before.contains('('))
        || !before.contains(char::is_alphanumeric)
}

/// Whether a line begins with a frame.
fn is_frame(line: &str) -> bool {
    is_at_frame(line)
        || (line.starts_with("File \"") && line.contains("\", line "))
        || line.contains(":in `")
        || line.contains(":in '")
        || is_numbered_frame(line)
        || is_place_of_go(line)
        || (line.starts_with("--> ") && line.contains(':'))
        || line.contains(" panicked at ")
        || is_place_with_function(line)
}

/// Whether the frames below this one in its trace are deeper, as in Python: "most recent call last".
pub(super) fn has_deeper_below(frame: &str) -> bool {
    frame.starts_with("File ") || (frame.contains(".py:") && is_place_with_function(frame))
}

/// Whether a line is a place with its function: `src/app.py:7: in run`, `File ~/app.py:7, in run(self)`,
/// `(phoenix 1.7) lib/router.ex:3: Router.call/5`, `❯ run src/a.ts:1:3`, `render@webpack:///src/a.ts:1:3`.
fn is_place_with_function(line: &str) -> bool {
    let marked = ["❯ ", "File "].iter().find_map(|mark| line.strip_prefix(mark));
    let after_package = line.strip_prefix('(').and_then(|rest| Some(rest.split_once(") ")?.1));
    let start = marked.or(after_package).unwrap_or(line);
    let Some(place) = paths::tokens(start).take(2).find(Token::is_place) else { return false };
    let is_first = place.before.is_empty();
    let is_after_name =
        place.before.ends_with('@') || (marked.is_some() && !place.before.trim().contains(' '));
    is_after_name || (is_first && functions::is_named_by(place.after))
}

/// Whether a line is a frame that starts with `at` or `by`: `at f (a.js:1:2)`, `at org.a.B.c(B.java:8)`,
/// `at src/x.rs:1:2`, `at N.C.M() in C:\x.cs:line 3`, `by 0x1A: f (x.c:3)`.
fn is_at_frame(line: &str) -> bool {
    let Some(place) = line.strip_prefix("at ").or(line.strip_prefix("by 0x")) else { return false };
    let has_line = place.bytes().zip(place.bytes().skip(1)).any(|(a, b)| a == b':' && b.is_ascii_digit());
    has_line
        || place.contains(":line ")
        || place.ends_with("(Native Method)")
        || place.ends_with("(Unknown Source)")
}

/// Whether a line is a numbered frame: `#0 /app/File.php(12): run()`, `#1 0x0000 in run () at run.c:3`,
/// ``frame #0: 0x0000 app`run() at run.c:3``.
fn is_numbered_frame(line: &str) -> bool {
    if line.starts_with("frame #") {
        return line.contains(": 0x");
    }
    let Some(rest) = line.strip_prefix('#') else { return false };
    let frame = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    frame.len() < rest.len() && frame.starts_with([' ', '\t']) && frame.contains(['(', ':'])
}

/// Whether a line is a place in a Go trace: `/go/src/x/head.go:569 +0x1d`, `/go/src/x/head.go:569 (0x8d)`; for an inlined
/// function without the offset.
fn is_place_of_go(line: &str) -> bool {
    let is_path_alone = line.starts_with('/') && !line.contains(char::is_whitespace);
    line.contains(".go:") && (line.contains(" +0x") || line.contains(" (0x") || is_path_alone)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_of_every_language_are_known() {
        for frame in [
            "at org.apache.lucene.facet.Counts.get(Counts.java:210)",
            "at Object.<anonymous> (/app/node_modules/x/lib/a.js:10:5)",
            "at src/main.rs:3:9",
            "at Shop.Cart.Add() in C:\\shop\\Cart.cs:line 12",
            "File \"/usr/lib/python3/site-packages/flask/app.py\", line 12, in run",
            "/gems/jekyll-4.2/lib/jekyll/site.rb:12:in `read'",
            "#0 /app/src/Foo.php(12): Foo->bar()",
            "#1  0x00007f in zslInsert (z=0x0) at t_zset.c:140",
            "/go/src/x/head.go:569 +0x1d",
            "/go/src/x/inlined.go:569",
            "--> src/lib.rs:3:5",
            "thread 'main' panicked at src/lib.rs:3:5:",
            "src/flask/app.py:700: in full_dispatch_request",
            "File ~/src/flask/app.py:700, in Flask.wsgi_app(self, environ)",
            "by 0x1A2B3C: zslDeleteNode (t_zset.c:300)",
            "frame #0: 0x0001 curl`multi_runsingle(multi=0x1) at multi.c:2200:11",
            "(phoenix 1.7.10) lib/phoenix/router.ex:300: Phoenix.Router.__call__/5",
            "src/analysis.zig:300:35: 0x12 in getVariableSignature (zls)",
            "lua/pick.lua:2100: in function 'picker_set_items'",
            "dispatch@webpack:///src/http.ts:20:11",
            "❯ dispatch src/http.ts:20:11",
            "/src/gin/recovery.go:101 (0x8d6f2a)",
        ] {
            assert_eq!(frame_in(frame), Some(frame));
        }
    }

    #[test]
    fn what_a_log_or_a_mail_writes_before_a_frame_is_left_out() {
        let frames = [
            "File \"/site-packages/flask/app.py\", line 700, in wsgi_app",
            "at com.google.gson.Gson.fromJson(Gson.java:932)",
            "#0 0x55d0 in zslInsert /src/t_zset.c:300:20",
        ];
        for prefix in [
            "web_1  | ",
            "web_1  |   ",
            "> ",
            "> > ",
            "+   ",
            "│ ",
            "E   ",
            "  |   ",
            "2024-05-03T10:11:12.1234567Z     ",
            "2024-05-03T10:11:12.1234567Z ",
            "2024-05-03T10:11:12Z stderr F   ",
            "Jun  1 12:00:00 host app[123]:   ",
            "06-01 12:00:00.123  1234  1234 E AndroidRuntime: ",
            "[2024-05-03 10:11:12] [ERROR] ",
            "==4242==    ",
        ] {
            for frame in frames {
                assert_eq!(frame_in(&format!("{prefix}{frame}")), Some(frame), "{prefix}");
            }
        }
    }

    #[test]
    fn sentences_are_not_frames() {
        for line in [
            "at first it works",
            "# 1 heading",
            "#12 is the same",
            "see a.go:12",
            "Related: #12 (comment)",
            "It fails in parse (src/a.js:12)",
            "src/a.js:12 is wrong",
            "12 files fail in src/a.js:12",
        ] {
            assert_eq!(frame_in(line), None);
        }
    }
}
