//! Which lines are of a stack trace or of a compiler's message that points at a place.

/// Whether a trimmed line is a frame of a stack trace, as Java, JavaScript, C#, Python, Ruby, PHP, Go, Rust or a debugger
/// prints it.
pub(super) fn is_frame(line: &str) -> bool {
    is_at_frame(line)
        || (line.starts_with("File \"") && line.contains("\", line "))
        || line.contains(":in `")
        || line.contains(":in '")
        || is_numbered_frame(line)
        || (line.contains(".go:") && line.contains(" +0x"))
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
