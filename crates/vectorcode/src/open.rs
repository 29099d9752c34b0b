//! Opens files in the user's editor and pages in the browser.

use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use vectorcode_core::programs;

/// How to pass a line number to an editor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LineArgument {
    /// `+12 file`
    Plus,
    /// `--goto file:12`
    Goto,
    /// `file:12`
    Suffix,
    /// `--line 12 file`
    Line,
    /// Not supported, or not known.
    None,
}

/// Editors by program name.
const EDITORS: [(&[&str], LineArgument); 4] = [
    (
        &[
            "vi",
            "vim",
            "nvim",
            "gvim",
            "mvim",
            "view",
            "nano",
            "pico",
            "emacs",
            "emacsclient",
            "kak",
            "micro",
            "joe",
            "jed",
            "mg",
            "ne",
            "gedit",
            "mcedit",
        ],
        LineArgument::Plus,
    ),
    (&["code", "code-insiders", "codium", "vscodium", "cursor", "windsurf", "kiro"], LineArgument::Goto),
    (&["hx", "helix", "subl", "zed", "zeditor", "lapce"], LineArgument::Suffix),
    (
        &[
            "idea",
            "pycharm",
            "goland",
            "clion",
            "webstorm",
            "phpstorm",
            "rubymine",
            "rustrover",
            "mate",
            "kate",
        ],
        LineArgument::Line,
    ),
];

/// Opens the file at a line in `$VISUAL` or `$EDITOR` and waits until the editor exits.
pub fn in_editor(file: &Path, line: u32) -> Result<()> {
    let command = ["VISUAL", "EDITOR"].iter().filter_map(|name| std::env::var(name).ok());
    let Some(command) = command.into_iter().find(|command| !command.trim().is_empty()) else {
        bail!(
            "no editor is set; set the variable VISUAL or EDITOR, for example to vim, nano or \"code --wait\""
        );
    };
    let mut words = command.split_whitespace();
    let program = words.next().unwrap_or_default();
    let status = Command::new(found(program)?)
        .args(words)
        .args(arguments(program, &std::path::absolute(file)?, line))
        .status()
        .with_context(|| format!("cannot start the editor {program}"))?;
    if !status.success() {
        bail!("the editor {program} ended with {status}");
    }
    Ok(())
}

/// The absolute path of a program that an environment variable of the user names.
fn found(program: &str) -> Result<PathBuf> {
    programs::find_program(program.as_ref()).with_context(|| {
        format!("cannot start {program}: it must be an absolute path, or a name on an absolute entry of PATH")
    })
}

/// The arguments for an editor. The file path must be absolute: editors take a name that starts with `-` or `+` as an option,
/// which may run commands.
fn arguments(program: &str, file: &Path, line: u32) -> Vec<OsString> {
    let name = Path::new(program).file_stem().unwrap_or_default().to_string_lossy().to_lowercase();
    let known = EDITORS.iter().find(|(names, _)| names.contains(&name.as_str()));
    let file_and_line = || {
        let mut place = file.as_os_str().to_owned();
        place.push(format!(":{line}"));
        place
    };
    match known.map_or(LineArgument::None, |(_, how)| *how) {
        LineArgument::Plus => vec![format!("+{line}").into(), file.into()],
        // A name with a colon would be taken for another file and a line number.
        LineArgument::Goto | LineArgument::Suffix if has_colon(file) => vec![file.into()],
        LineArgument::Goto => vec!["--goto".into(), file_and_line()],
        LineArgument::Suffix => vec![file_and_line()],
        LineArgument::Line => vec!["--line".into(), line.to_string().into(), file.into()],
        LineArgument::None => vec![file.into()],
    }
}

/// Whether the path contains a colon, apart from the drive on Windows.
fn has_colon(file: &Path) -> bool {
    file.components()
        .any(|part| matches!(part, Component::Normal(name) if name.as_encoded_bytes().contains(&b':')))
}

/// Shows a page in the browser, without waiting for it. `$BROWSER` takes precedence, as in other programs.
pub fn in_browser(url: &str) -> Result<()> {
    let chosen = std::env::var("BROWSER").ok().filter(|browser| !browser.is_empty());
    let (program, arguments): (&str, &[&str]) = match &chosen {
        Some(browser) => (browser, &[]),
        None if cfg!(windows) => ("cmd", &["/c", "start", ""]),
        None if cfg!(target_os = "macos") => ("open", &[]),
        None => ("xdg-open", &[]),
    };
    let quiet = if std::io::stderr().is_terminal() { Stdio::null } else { Stdio::inherit };
    Command::new(found(program)?)
        // `xdg-open` is a script that starts other programs.
        .env("PATH", programs::absolute_search_path())
        .args(arguments)
        .arg(url)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(quiet())
        .spawn()
        .with_context(|| format!("cannot start {program} to open {url}"))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(program: &str, file: &str) -> String {
        let words: Vec<_> = arguments(program, Path::new(file), 7)
            .into_iter()
            .map(|word| word.into_string().unwrap())
            .collect();
        words.join(" ")
    }

    #[test]
    fn editors_are_told_the_line_in_their_own_way() {
        assert_eq!(told("/usr/bin/vim", "/p/a.rs"), "+7 /p/a.rs");
        assert_eq!(told("code", "/p/a.rs"), "--goto /p/a.rs:7");
        assert_eq!(told("hx", "/p/a.rs"), "/p/a.rs:7");
        assert_eq!(told("idea", "/p/a.rs"), "--line 7 /p/a.rs");
        assert_eq!(told("something", "/p/a.rs"), "/p/a.rs");
    }

    /// `code --goto /p/a.rs:12:7` opens line 12 of `a.rs`.
    #[test]
    fn a_name_with_a_colon_is_not_read_as_a_file_and_a_line() {
        for editor in ["code", "hx", "subl"] {
            assert_eq!(told(editor, "/p/a.rs:12"), "/p/a.rs:12");
            assert_eq!(told(editor, "/p/a:9/b.rs"), "/p/a:9/b.rs");
        }
        assert_eq!(told("vim", "/p/a.rs:12"), "+7 /p/a.rs:12");
    }
}
