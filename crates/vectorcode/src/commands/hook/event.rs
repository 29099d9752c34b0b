//! Parses the event that an agent passes to its hook: which tool ran, with which arguments, and what it found.
//!
//! Claude Code, Codex and Gemini CLI use the same fields, but different tool names.

use std::path::{Path, PathBuf};

use serde_json::Value;
use vectorcode_server::AgentAction;

use super::shell::{self, ShellAction};

/// Tool output up to this size is checked for the locations of a hint, which are then not repeated. In longer output the agent
/// would have to look for the best locations, so the hint names them even if the output contains them.
const MAX_SHORT_OUTPUT: usize = 4 << 10;
/// Session ids are UUIDs, which are shorter than this.
const MAX_SESSION_CHARS: usize = 64;
/// A pattern with more words is pasted text.
const MAX_WORDS: usize = 12;
/// Shorter words occur everywhere.
const MIN_WORD_CHARS: usize = 4;
/// Keywords of programming languages, which say nothing about what the agent is looking for.
const KEYWORDS: [&str; 30] = [
    "async",
    "await",
    "bool",
    "break",
    "case",
    "class",
    "const",
    "crate",
    "else",
    "enum",
    "export",
    "extends",
    "false",
    "final",
    "from",
    "func",
    "function",
    "import",
    "impl",
    "interface",
    "none",
    "null",
    "private",
    "public",
    "return",
    "static",
    "string",
    "struct",
    "true",
    "void",
];

/// What an agent has just done.
#[derive(Debug, PartialEq, Eq)]
pub struct Event {
    /// The agent's name for the event, which the response must repeat.
    pub name: &'static str,
    pub session: String,
    /// Where the agent works.
    pub directory: PathBuf,
    done: Done,
    /// What the tool found, if it is short.
    output: Option<String>,
}

#[derive(Debug, PartialEq, Eq)]
enum Done {
    Searched(String),
    Read(PathBuf),
}

impl Event {
    /// `None` for anything but a read, or a search in more than a single file.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let event: Value = serde_json::from_slice(bytes).ok()?;
        let name = match event["hook_event_name"].as_str()? {
            "PostToolUse" => "PostToolUse",
            "AfterTool" => "AfterTool",
            _ => return None,
        };
        let directory = PathBuf::from(event["cwd"].as_str()?);
        if !directory.is_absolute() {
            return None;
        }
        let session: String =
            event["session_id"].as_str().unwrap_or_default().chars().take(MAX_SESSION_CHARS).collect();
        let done = done(event["tool_name"].as_str()?, &event["tool_input"], &directory)?;
        let output = short_text(&event["tool_response"]);
        Some(Self { name, session, directory, done, output })
    }

    /// The action that a hint is requested for. `relative` makes a path relative to the root.
    pub fn action(&self, relative: impl Fn(&PathBuf) -> Option<String>) -> Option<AgentAction> {
        Some(match &self.done {
            Done::Searched(words) => {
                AgentAction::Searched { words: words.clone(), output: self.output.clone() }
            }
            Done::Read(path) => AgentAction::Read { path: relative(path)? },
        })
    }
}

/// What a tool did. Tools are recognised by the names that the supported agents use.
fn done(tool: &str, input: &Value, directory: &Path) -> Option<Done> {
    let text = |key: &str| input[key].as_str();
    match tool {
        "Grep" | "grep_search" | "search_file_content" => {
            // A search in a single file needs no hint: the agent already knows the location.
            let place = text("path").or_else(|| text("dir_path")).map(|path| directory.join(path));
            if place.is_some_and(|place| place.is_file()) {
                return None;
            }
            words_of(text("pattern")?).map(Done::Searched)
        }
        "Read" | "read_file" => {
            let path = text("file_path").or_else(|| text("absolute_path"))?;
            Some(Done::Read(path.into()))
        }
        "Bash" | "run_shell_command" => match shell::action(text("command")?, directory)? {
            ShellAction::Searched(pattern) => words_of(&pattern).map(Done::Searched),
            ShellAction::Read(path) => Some(Done::Read(path)),
        },
        _ => None,
    }
}

/// The words of a pattern, without regex syntax; `None` if there is nothing worth searching for.
fn words_of(pattern: &str) -> Option<String> {
    let plain = without_escapes(pattern);
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut found: Vec<&str> = Vec::new();
    for word in plain.split(|c: char| !is_part(c)) {
        let is_keyword = KEYWORDS.contains(&word.to_ascii_lowercase().as_str());
        let is_telling = word.chars().count() >= MIN_WORD_CHARS && word.chars().any(char::is_alphabetic);
        if is_telling && !is_keyword && !found.contains(&word) {
            found.push(word);
        }
    }
    (1..=MAX_WORDS).contains(&found.len()).then(|| found.join(" "))
}

/// Replaces escapes: `\bretry\(` becomes ` retry(`. A backslash before a letter starts a class or an assertion; before any
/// other character it stands for that character.
fn without_escapes(pattern: &str) -> String {
    let mut plain = String::with_capacity(pattern.len());
    let mut characters = pattern.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => match characters.next() {
                Some(escaped) if !escaped.is_alphanumeric() => plain.push(escaped),
                _ => plain.push(' '),
            },
            other => plain.push(other),
        }
    }
    plain
}

/// All strings in a tool's response, if they are short in total.
fn short_text(response: &Value) -> Option<String> {
    let mut text = String::new();
    collect(response, &mut text).then_some(text)
}

/// Appends all strings in `value`. Returns false as soon as the text is too long.
fn collect(value: &Value, text: &mut String) -> bool {
    match value {
        Value::String(part) => {
            text.push_str(part);
            text.push('\n');
            text.len() <= MAX_SHORT_OUTPUT
        }
        Value::Array(items) => items.iter().all(|item| collect(item, text)),
        Value::Object(fields) => fields.values().all(|field| collect(field, text)),
        Value::Null | Value::Bool(_) | Value::Number(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn event(tool: &str, input: Value) -> Option<Event> {
        let mut event = json!({
            "hook_event_name": "PostToolUse", "session_id": "s", "cwd": "/p", "tool_name": tool,
            "tool_response": {"filenames": ["src/a.rs"], "numFiles": 1},
        });
        event["tool_input"] = input;
        Event::parse(event.to_string().as_bytes())
    }

    fn searched(tool: &str, input: Value) -> Option<String> {
        match event(tool, input)?.done {
            Done::Searched(words) => Some(words),
            Done::Read(_) => None,
        }
    }

    fn read(tool: &str, input: Value) -> Option<PathBuf> {
        match event(tool, input)?.done {
            Done::Read(path) => Some(path),
            Done::Searched(_) => None,
        }
    }

    #[cfg(unix)] // Unix paths.
    #[test]
    fn searches_of_three_agents_are_understood() {
        let pattern = json!({"pattern": "\\bretry_payment\\(", "path": "src"});
        for tool in ["Grep", "grep_search", "search_file_content"] {
            assert_eq!(searched(tool, pattern.clone()).as_deref(), Some("retry_payment"), "{tool}");
        }
        let command = json!({"command": "cd src && rg -n 'fn backoff|retryLimit' ."});
        assert_eq!(searched("Bash", command.clone()).as_deref(), Some("backoff retryLimit"));
        assert_eq!(searched("run_shell_command", command).as_deref(), Some("backoff retryLimit"));
    }

    #[cfg(unix)] // Unix paths.
    #[test]
    fn reads_of_three_agents_are_understood() {
        assert_eq!(read("Read", json!({"file_path": "/p/a.rs"})), Some("/p/a.rs".into()));
        assert_eq!(read("read_file", json!({"absolute_path": "/p/a.rs"})), Some("/p/a.rs".into()));
        assert_eq!(read("Bash", json!({"command": "sed -n '1,80p' src/a.rs"})), Some("/p/src/a.rs".into()));
    }

    #[test]
    fn what_says_nothing_is_not_asked_about() {
        for pattern in ["a.b", "import|from", "\\d+\\s*", "", "1234567", "^\\s*fn "] {
            assert_eq!(searched("Grep", json!({ "pattern": pattern })), None, "{pattern}");
        }
        assert!(event("Edit", json!({"file_path": "/p/a.rs"})).is_none());
        assert!(event("Bash", json!({"command": "cargo test"})).is_none());
        assert!(event("Bash", json!({"command": ["rg", "x"]})).is_none());
        assert!(Event::parse(b"{}").is_none() && Event::parse(b"\xff\x00").is_none());
        let relative = json!({"hook_event_name": "PostToolUse", "cwd": "p", "tool_name": "Read", "tool_input": {"file_path": "a"}});
        assert!(Event::parse(relative.to_string().as_bytes()).is_none());
    }

    #[test]
    fn only_short_output_is_kept() {
        assert_eq!(short_text(&json!({"files": ["a.rs"], "n": 1, "text": "b.rs"})).unwrap(), "a.rs\nb.rs\n");
        assert_eq!(short_text(&json!(["x".repeat(MAX_SHORT_OUTPUT)])), None);
    }
}
