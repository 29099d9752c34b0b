//! Recognises what an agent's shell command searches or reads: `rg -n backoff src`, `sed -n 1,80p src/retry.rs`.
//!
//! Only plain commands are understood. A line with substitutions, here documents or anything else that only a shell can
//! evaluate is ignored.

use std::path::{Path, PathBuf};

#[derive(Debug, PartialEq, Eq)]
pub enum ShellAction {
    /// The pattern of a search in the whole project or a folder.
    Searched(String),
    Read(PathBuf),
}

const SEARCHERS: [&str; 6] = ["rg", "grep", "egrep", "fgrep", "ag", "ack"];
const READERS: [&str; 6] = ["cat", "head", "tail", "nl", "bat", "sed"];
/// Options of searchers and readers whose value is the next word.
const WITH_VALUE: [&str; 15] = [
    "-A",
    "-B",
    "-C",
    "-m",
    "-g",
    "-t",
    "-T",
    "-n",
    "-c",
    "-M",
    "--glob",
    "--type",
    "--include",
    "--exclude",
    "--max-count",
];

/// The first search or read of a command line.
pub fn action(line: &str, directory: &Path) -> Option<ShellAction> {
    let mut directory = directory.to_owned();
    for command in commands(line)? {
        let words: Vec<&str> =
            command.words.iter().map(String::as_str).skip_while(|word| is_assignment(word)).collect();
        match words.as_slice() {
            ["cd", folder] => directory = directory.join(folder),
            // `sh`, `bash`, `zsh` and so on.
            [shell, "-c" | "-lc", inner] if shell.ends_with("sh") => return action(inner, &directory),
            ["git", "grep", rest @ ..] => return searched(rest, &directory),
            // After a pipe it would search the output of another program.
            [program, rest @ ..] if SEARCHERS.contains(program) && !command.is_piped => {
                return searched(rest, &directory);
            }
            [program, rest @ ..] if READERS.contains(program) && !command.is_piped => {
                return read(program, rest, &directory);
            }
            _ => {}
        }
    }
    None
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

fn searched(words: &[&str], directory: &Path) -> Option<ShellAction> {
    let explicit = words.windows(2).find(|pair| matches!(pair[0], "-e" | "--regexp")).map(|pair| pair[1]);
    let operands = operands(words, |option| option == "-n" || option == "-c");
    let (pattern, places) = match explicit {
        Some(pattern) => (pattern, operands.as_slice()),
        None => operands.split_first().map(|(pattern, places)| (*pattern, places))?,
    };
    // A search in named files needs no hint: the agent already knows the locations.
    let names_files = places.iter().any(|place| directory.join(place).is_file());
    (!names_files).then(|| ShellAction::Searched(pattern.to_owned()))
}

/// The file that is read. `None` for several files, since reading those is a way of searching.
fn read(program: &str, words: &[&str], directory: &Path) -> Option<ShellAction> {
    if program == "sed" && !words.contains(&"-n") {
        return None;
    }
    let operands = operands(words, |_| !matches!(program, "head" | "tail"));
    let files = if program == "sed" { operands.get(1..)? } else { &operands[..] };
    match files {
        [file] => Some(ShellAction::Read(directory.join(file))),
        _ => None,
    }
}

/// The words that are neither options nor their values. `is_flag` tells which options take no value in this program.
fn operands<'w>(words: &[&'w str], is_flag: impl Fn(&str) -> bool) -> Vec<&'w str> {
    let mut operands = Vec::new();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        match *word {
            "--" => {
                operands.extend(rest.by_ref());
            }
            "-e" | "--regexp" => {
                rest.next();
            }
            option if WITH_VALUE.contains(&option) && !is_flag(option) => {
                rest.next();
            }
            option if option.starts_with('-') && option.len() > 1 => {}
            operand => operands.push(operand),
        }
    }
    operands
}

/// A command between shell operators.
#[derive(Debug, Default, PartialEq, Eq)]
struct Command {
    words: Vec<String>,
    /// Whether it reads the output of the command before it.
    is_piped: bool,
}

/// Splits a line into commands and words like a shell, as far as quotes and operators go. `None` if the line needs more than
/// that.
fn commands(line: &str) -> Option<Vec<Command>> {
    let mut commands = vec![Command::default()];
    let mut word: Option<String> = None;
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\'' => word.get_or_insert_default().push_str(&quoted(&mut characters, '\'')?),
            '"' => {
                let text = quoted(&mut characters, '"')?;
                if text.contains(['$', '`']) {
                    return None;
                }
                word.get_or_insert_default().push_str(&text);
            }
            '\\' => word.get_or_insert_default().extend(characters.next()),
            '`' | '$' | '<' => return None,
            '|' | '&' | ';' | '\n' => {
                end_word(&mut commands, &mut word);
                let is_double = characters.next_if_eq(&character).is_some();
                let is_piped = character == '|' && !is_double;
                commands.push(Command { words: Vec::new(), is_piped });
            }
            '>' => skip_redirection(&mut commands, &mut word, &mut characters),
            space if space.is_whitespace() => end_word(&mut commands, &mut word),
            other => word.get_or_insert_default().push(other),
        }
    }
    end_word(&mut commands, &mut word);
    Some(commands)
}

fn end_word(commands: &mut [Command], word: &mut Option<String>) {
    if let (Some(word), Some(command)) = (word.take(), commands.last_mut()) {
        command.words.push(word);
    }
}

/// Reads up to the closing quote; `None` if there is none. In double quotes a backslash escapes a quote or another backslash.
fn quoted(characters: &mut impl Iterator<Item = char>, quote: char) -> Option<String> {
    let mut text = String::new();
    while let Some(character) = characters.next() {
        match character {
            end if end == quote => return Some(text),
            '\\' if quote == '"' => match characters.next()? {
                escaped @ ('"' | '\\') => text.push(escaped),
                other => text.extend(['\\', other]),
            },
            other => text.push(other),
        }
    }
    None
}

/// Skips a redirection such as `2>/dev/null` or `>&1`: neither the number before it nor the target after it is a word.
fn skip_redirection(
    commands: &mut [Command],
    word: &mut Option<String>,
    characters: &mut std::iter::Peekable<std::str::Chars<'_>>,
) {
    if word.as_ref().is_some_and(|word| word.chars().all(|c| c.is_ascii_digit())) {
        *word = None;
    }
    end_word(commands, word);
    while characters.next_if(|c| matches!(c, '>' | '&' | ' ')).is_some() {}
    while characters.next_if(|c| !c.is_whitespace() && !matches!(c, '|' | ';' | '&')).is_some() {}
}

#[cfg(test)]
mod tests {
    use super::*;

    fn searched(line: &str) -> Option<String> {
        match action(line, Path::new("/p"))? {
            ShellAction::Searched(pattern) => Some(pattern),
            ShellAction::Read(_) => None,
        }
    }

    fn read(line: &str) -> Option<String> {
        match action(line, Path::new("/p"))? {
            ShellAction::Read(path) => Some(path.display().to_string()),
            ShellAction::Searched(_) => None,
        }
    }

    #[test]
    fn patterns_are_found_among_options_and_places() {
        for line in [
            "rg backoff",
            "rg -n 'backoff' src/ 2>/dev/null | head -20",
            "cd /p/src && grep -rn --include='*.rs' \"backoff\" .",
            "grep -A 3 -e backoff -r .",
            "RUST_LOG=x rg -t rust -g '*.rs' backoff",
            "bash -lc \"rg -n backoff src\"",
            "git grep -n backoff",
            "echo start; rg -i -- backoff src",
        ] {
            assert_eq!(searched(line).as_deref(), Some("backoff"), "{line}");
        }
    }

    #[cfg(unix)] // Unix paths.
    #[test]
    fn one_file_that_is_read_is_found() {
        assert_eq!(read("cat src/a.rs").as_deref(), Some("/p/src/a.rs"));
        assert_eq!(read("cd src && sed -n '10,80p' a.rs").as_deref(), Some("/p/src/a.rs"));
        assert_eq!(read("head -n 40 src/a.rs | tail -5").as_deref(), Some("/p/src/a.rs"));
        assert_eq!(read("nl -ba src/a.rs").as_deref(), Some("/p/src/a.rs"));
        assert_eq!(read("cat -n src/a.rs").as_deref(), Some("/p/src/a.rs"));
        assert_eq!(read("cat a.rs b.rs"), None);
        assert_eq!(read("sed -i s/a/b/ a.rs"), None);
    }

    #[test]
    fn what_needs_a_shell_is_left_alone() {
        for line in [
            "cargo test | grep FAILED",
            "ps aux | grep server",
            "rg $(cat pattern)",
            "rg \"$NAME\"",
            "cat <<EOF > a.rs",
            "rg 'unclosed",
            "grep",
            "",
            "\u{0}\u{1b}[2J",
        ] {
            assert!(action(line, Path::new("/p")).is_none(), "{line:?}");
        }
    }
}
