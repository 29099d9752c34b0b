//! Extracts the text of a report that may come from the program: its sentences, and the log and trace lines that
//! mention errors.

use super::Question;

/// Words that mark a line about an error. Other lines of code are the reporter's own.
const MARKS: [&str; 8] = ["error", "exception", "panicked", "warning", "fatal", "failed", "failure", "panic"];

/// Title, prose, and the lines of code and traces that mention errors.
pub(super) fn sayings(question: &Question) -> String {
    let trace = question.trace_text();
    let told = trace.lines().chain(question.code.lines()).filter(|line| is_message(line));
    let lines: Vec<&str> = [question.title.as_str(), &question.prose].into_iter().chain(told).collect();
    lines.join("\n")
}

fn is_message(line: &str) -> bool {
    let lower = line.to_ascii_lowercase();
    MARKS.iter().any(|mark| lower.contains(mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_code_only_what_tells_of_errors_is_kept() {
        let question = Question {
            title: "It fails".into(),
            code: "let x = run();\nNullPointerException: Cannot read the length".into(),
            ..Question::default()
        };
        assert_eq!(sayings(&question), "It fails\n\nNullPointerException: Cannot read the length");
    }
}
