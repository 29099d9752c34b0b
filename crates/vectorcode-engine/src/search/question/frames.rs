//! Which lines are of a stack trace or of a compiler's message that points at a place, and which function they name.

/// Whether a trimmed line is a frame of a stack trace, as Java, JavaScript, C#, Python, Ruby, PHP, Go, Rust or a debugger
/// prints it.
pub(super) fn is_frame(line: &str) -> bool {
    is_at_frame(line)
        || (line.starts_with("File \"") && line.contains("\", line "))
        || line.contains(":in `")
        || line.contains(":in '")
        || is_numbered_frame(line)
        || is_place_of_go(line)
        || (line.starts_with("--> ") && line.contains(':'))
        || line.contains(" panicked at ")
}

/// `at f (a.js:1:2)`, `at org.a.B.c(B.java:8)`, `at src/x.rs:1:2`, `at N.C.M() in C:\x.cs:line 3`.
fn is_at_frame(line: &str) -> bool {
    let Some(place) = line.strip_prefix("at ") else { return false };
    let has_line = place.bytes().zip(place.bytes().skip(1)).any(|(a, b)| a == b':' && b.is_ascii_digit());
    has_line
        || place.contains(":line ")
        || place.ends_with("(Native Method)")
        || place.ends_with("(Unknown Source)")
}

/// `#0 /app/File.php(12): run()`, `#1 0x0000 in run () at run.c:3`.
fn is_numbered_frame(line: &str) -> bool {
    let Some(rest) = line.strip_prefix('#') else { return false };
    let frame = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    frame.len() < rest.len() && frame.starts_with([' ', '\t']) && frame.contains(['(', ':'])
}

/// `/go/src/x/head.go:569 +0x1d`; of a function that was inlined, without the offset.
fn is_place_of_go(line: &str) -> bool {
    let is_path_alone = line.starts_with('/') && !line.contains(char::is_whitespace);
    line.contains(".go:") && (line.contains(" +0x") || is_path_alone)
}

/// The function that a trimmed frame names, without its scopes. Go and Rust write it on the line before the place.
///
/// Of PHP there is none: its frames name what is called at the place, which is defined elsewhere.
pub(super) fn function<'l>(frame: &'l str, line_before: &'l str) -> Option<&'l str> {
    if let Some(place) = frame.strip_prefix("at ") {
        let head = place.split(['(', '[']).next().unwrap_or(place);
        let head = head.split(" in ").next().unwrap_or(head).trim();
        let is_place = head.contains(['/', '\\']) || head.ends_with(|c: char| c.is_ascii_digit());
        return if is_place { function_before(line_before) } else { bare_name(head) };
    }
    if is_place_of_go(frame) {
        return function_before(line_before);
    }
    if let Some((_, name)) = frame.split_once(":in ") {
        return bare_name(name.trim_matches(['`', '\'']));
    }
    if frame.starts_with("File \"") {
        return bare_name(frame.rsplit_once(", in ")?.1);
    }
    if frame.starts_with('#') {
        let (call, _) = frame.split_once(" at ")?;
        return bare_name(call.split('(').next()?.trim().rsplit(' ').next()?);
    }
    None
}

/// `3: axum::routing::Router<S>::route`, `github.com/gin-gonic/gin.(*Context).Next(...)`.
fn function_before(line: &str) -> Option<&str> {
    let line = line.trim();
    bare_name(if line.ends_with(')') { &line[..line.rfind('(')?] } else { line })
}

/// The last part of a name with scopes, if it can be a function's: `<init>` and `{{closure}}` cannot.
fn bare_name(name: &str) -> Option<&str> {
    let last = name.trim().rsplit(['.', ':', '/', '\\', '>', '$', '#', ' ']).next()?;
    let is_name = last.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && last.chars().all(|c| c.is_alphanumeric() || c == '_');
    is_name.then_some(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_name_their_function() {
        for (frame, name) in [
            ("at org.apache.lucene.Counts$Inner.get(Counts.java:210)", Some("get")),
            ("at Gson.<init>(Gson.java:2)", None),
            ("at Layer.handle [as handle_request] (/app/lib/layer.js:95:5)", Some("handle")),
            ("at async run (file:///app/a.mjs:1:2)", Some("run")),
            ("at Object.<anonymous> (/app/a.js:10:5)", None),
            ("at Shop.Cart.Add(Item item) in C:\\shop\\Cart.cs:line 12", Some("Add")),
            ("File \"/site-packages/flask/app.py\", line 12, in run", Some("run")),
            ("/gems/lib/jekyll/site.rb:12:in `read'", Some("read")),
            ("/gems/lib/jekyll/site.rb:12:in 'Jekyll::Site#read'", Some("read")),
            ("#1  0x00007f in zslInsert (z=0x0, score=1) at t_zset.c:140", Some("zslInsert")),
            ("#0  zslInsert (z=0x0) at t_zset.c:140", Some("zslInsert")),
            ("#0 /app/src/Foo.php(12): Foo->bar()", None),
            ("thread 'main' panicked at src/lib.rs:3:5:", None),
            ("--> src/lib.rs:3:5", None),
        ] {
            assert_eq!(function(frame, "error: not this one"), name, "{frame}");
        }
    }

    #[test]
    fn go_and_rust_name_the_function_on_the_line_before() {
        for (before, frame, name) in [
            ("github.com/gin-gonic/gin.(*Context).Next(...)", "/go/gin@v1.9.0/context.go:174", Some("Next")),
            ("main.(*Shop).sell(0xc0001, {0x1, 0x2})", "/src/shop.go:12 +0x1d", Some("sell")),
            ("3: axum::routing::Router<S, E>::route", "at ./axum/src/routing/mod.rs:180:20", Some("route")),
            ("4: axum::run::{{closure}}", "at src/x.rs:1:2", None),
            ("", "at src/x.rs:1:2", None),
        ] {
            assert_eq!(function(frame, before), name, "{before}");
        }
    }

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
        ] {
            assert!(is_frame(frame), "{frame}");
        }
    }

    #[test]
    fn sentences_are_not_frames() {
        for line in ["at first it works", "# 1 heading", "#12 is the same", "see a.go:12", "at 12:30 (UTC)"] {
            let expected = line.contains("12:30");
            assert_eq!(is_frame(line), expected, "{line}");
        }
    }
}
