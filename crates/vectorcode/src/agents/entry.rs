//! The entry in an agent's file: the fields of one server, in the form that the agent reads.

use std::path::Path;

/// The name of our server in agents' files.
pub const SERVER_NAME: &str = "vectorcode";

/// The arguments that start our server, after the program.
const SERVE: [&str; 2] = ["serve", "--mcp"];

/// The command that hooks run.
const HOOK: &str = "hook";

/// One field of a server's entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    pub key: &'static str,
    pub value: FieldValue,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldValue {
    Text(String),
    List(Vec<String>),
    Flag(bool),
    Number(u32),
    EmptyMap,
}

/// The form of an entry. Every agent in the table uses one of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryFormat {
    /// `command`, `args`.
    Plain,
    /// `type: stdio`, `command`, `args`.
    Stdio,
    /// Like [`EntryFormat::Stdio`] with an empty `env`, as Claude Code itself writes it.
    StdioEnv,
    /// `command`, `args` and an empty `env`.
    Env,
    /// `type: local`, `command`, `args`, and all tools allowed.
    CopilotCli,
    /// `type: local`, and the whole command line in `command`.
    OpenCode,
    Goose,
    /// A list item with a `name`.
    Continue,
}

impl EntryFormat {
    /// All fields of an entry that starts `program`.
    pub fn fields(self, program: &str) -> Vec<Field> {
        let command = || text("command", program);
        let args = || list("args", SERVE.map(str::to_owned).to_vec());
        match self {
            Self::Plain => vec![command(), args()],
            Self::Stdio => vec![text("type", "stdio"), command(), args()],
            Self::StdioEnv => vec![text("type", "stdio"), command(), args(), empty("env")],
            Self::Env => vec![command(), args(), empty("env")],
            Self::CopilotCli => {
                vec![text("type", "local"), command(), args(), list("tools", vec!["*".to_owned()])]
            }
            Self::OpenCode => {
                let words = launch_words(program);
                vec![text("type", "local"), list("command", words), empty("environment"), flag("enabled")]
            }
            Self::Goose => vec![
                text("name", SERVER_NAME),
                text("type", "stdio"),
                text("description", "Semantic code search"),
                text("cmd", program),
                args(),
                empty("envs"),
                flag("enabled"),
                Field { key: "timeout", value: FieldValue::Number(300) },
            ],
            Self::Continue => vec![text("name", SERVER_NAME), command(), args()],
        }
    }

    /// The single field to change so that an entry that now runs `words` starts `program` instead.
    pub fn program_field(self, program: &str, words: &[String]) -> Field {
        if self == Self::OpenCode {
            let rest = words.iter().skip(1).cloned();
            return list("command", std::iter::once(program.to_owned()).chain(rest).collect());
        }
        text(self.command_key(), program)
    }

    /// The keys of the fields that form the command line, in order.
    pub fn launch_keys(self) -> [&'static str; 2] {
        [self.command_key(), "args"]
    }

    fn command_key(self) -> &'static str {
        if self == Self::Goose { "cmd" } else { "command" }
    }
}

/// The command line of our entry.
pub fn launch_words(program: &str) -> Vec<String> {
    std::iter::once(program).chain(SERVE).map(str::to_owned).collect()
}

/// Whether a command line found under our name starts our server; further arguments are allowed. Another project with the same
/// name also has a server, whose entry must not be changed.
pub fn is_ours(words: &[String]) -> bool {
    let Some((program, args)) = words.split_first() else { return false };
    is_our_program(program) && args.iter().any(|arg| arg == SERVE[0])
}

/// The command line of our hook. Agents pass it to a shell, so a program path with special characters is quoted.
pub fn hook_command(program: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "/\\._-+:~".contains(c);
    let program = match program {
        plain if plain.chars().all(is_plain) => plain.to_owned(),
        other if cfg!(windows) => format!("\"{other}\""),
        other => format!("'{}'", other.replace('\'', "'\\''")),
    };
    format!("{program} {HOOK}")
}

/// Whether the command line of a hook runs our hook; further arguments are allowed.
pub fn is_our_hook(command: &str) -> bool {
    let Some((program, _)) = command.rsplit_once(&format!(" {HOOK}")) else { return false };
    is_our_program(program.trim_matches(['\'', '"']))
}

fn is_our_program(program: &str) -> bool {
    let file_name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    Path::new(file_name).file_stem().and_then(|stem| stem.to_str()) == Some(SERVER_NAME)
}

fn text(key: &'static str, value: &str) -> Field {
    Field { key, value: FieldValue::Text(value.to_owned()) }
}

fn list(key: &'static str, values: Vec<String>) -> Field {
    Field { key, value: FieldValue::List(values) }
}

fn flag(key: &'static str) -> Field {
    Field { key, value: FieldValue::Flag(true) }
}

fn empty(key: &'static str) -> Field {
    Field { key, value: FieldValue::EmptyMap }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ours(line: &str) -> bool {
        is_ours(&line.split(' ').map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn an_entry_is_ours_by_what_it_starts() {
        assert!(ours("vectorcode serve --mcp"));
        assert!(ours("/opt/bin/vectorcode serve --mcp --no-watch"));
        assert!(ours(r"C:\Tools\vectorcode.exe serve --mcp"));
        assert!(!ours("vectorcode-mcp-server"));
        assert!(!ours("uvx vectorcode serve"));
        assert!(!ours("vectorcode"));
    }

    #[test]
    fn a_hook_is_ours_by_what_it_runs() {
        for program in ["vectorcode", "/opt/bin/vectorcode", "/home/ada's files/vectorcode"] {
            assert!(is_our_hook(&hook_command(program)), "{}", hook_command(program));
        }
        assert!(is_our_hook("\"C:\\My Tools\\vectorcode.exe\" hook --limit-ms 30"));
        assert!(
            !is_our_hook("vectorcode") && !is_our_hook("my-vectorcode hook") && !is_our_hook("echo hook")
        );
    }

    #[test]
    fn a_moved_program_keeps_the_other_words() {
        let words = ["old", "serve", "--mcp", "--no-watch"].map(str::to_owned);
        let field = EntryFormat::OpenCode.program_field("new", &words);
        let expected = ["new", "serve", "--mcp", "--no-watch"].map(str::to_owned).to_vec();
        assert_eq!(field.value, FieldValue::List(expected));
    }
}
