//! A change to a text as a unified diff, which `patch` and `git apply` accept.

use std::fmt;

use imara_diff::{
    Algorithm, BasicLineDiffPrinter, Diff, InternedInput, Interner, Token, UnifiedDiffConfig,
    UnifiedDiffPrinter,
};

/// The empty string if the texts are equal.
pub fn unified_diff([old_name, new_name]: [&str; 2], old: &str, new: &str) -> String {
    let input = InternedInput::new(old, new);
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_lines(&input);
    if diff.hunks().next().is_none() {
        return String::new();
    }
    let printer = Printer { lines: BasicLineDiffPrinter(&input.interner), interner: &input.interner };
    let hunks = diff.unified_diff(&printer, UnifiedDiffConfig::default(), &input);
    format!("--- {old_name}\n+++ {new_name}\n{hunks}")
}

/// Differs from the printer of the crate where `patch` is strict: the start of an empty range, and a missing line break.
struct Printer<'a> {
    lines: BasicLineDiffPrinter<'a, str>,
    interner: &'a Interner<&'a str>,
}

impl UnifiedDiffPrinter for Printer<'_> {
    fn display_header(
        &self,
        mut f: impl fmt::Write,
        old: u32,
        new: u32,
        old_lines: u32,
        new_lines: u32,
    ) -> fmt::Result {
        let range = |start: u32, lines: u32| match lines {
            0 => format!("{start},0"),
            1 => format!("{}", start + 1),
            _ => format!("{},{lines}", start + 1),
        };
        writeln!(f, "@@ -{} +{} @@", range(old, old_lines), range(new, new_lines))
    }

    fn display_context_token(&self, f: impl fmt::Write, token: Token) -> fmt::Result {
        self.lines.display_context_token(f, token)
    }

    fn display_hunk(&self, mut f: impl fmt::Write, before: &[Token], after: &[Token]) -> fmt::Result {
        let removed = before.iter().map(|token| ('-', token));
        for (sign, token) in removed.chain(after.iter().map(|token| ('+', token))) {
            let line = self.interner[*token];
            write!(f, "{sign}{line}")?;
            if !line.ends_with('\n') {
                writeln!(f, "\n\\ No newline at end of file")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_file_and_a_last_line_without_a_break_are_written_as_patch_reads_them() {
        assert_eq!(unified_diff(["/dev/null", "a"], "", "x\n"), "--- /dev/null\n+++ a\n@@ -0,0 +1 @@\n+x\n");
        assert_eq!(
            unified_diff(["a", "a"], "x\ny", "x\nz\n"),
            "--- a\n+++ a\n@@ -1,2 +1,2 @@\n x\n-y\n\\ No newline at end of file\n+z\n"
        );
        assert_eq!(unified_diff(["a", "a"], "x\n", "x\n"), "");
    }
}
