//! Opens a file in the user's editor, and a page in the browser.

use std::io::IsTerminal;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// How an editor is told a line.
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
    /// It cannot be told, or we do not know how.
    None,
}

/// Editors by the name of their program.
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

/// Opens the file at a line in `$VISUAL` or `$EDITOR` and waits until the editor ends.
pub fn in_editor(file: &Path, line: u32) -> Result<()> {
    let command = ["VISUAL", "EDITOR"].iter().filter_map(|name| std::env::var(name).ok());
    let Some(command) = command.into_iter().find(|command| !command.trim().is_empty()) else {
        bail!(
            "no editor is set; set the variable VISUAL or EDITOR, for example to vim, nano or \"code --wait\""
        );
    };
    let mut words = command.split_whitespace();
    let program = words.next().unwrap_or_default();
    let status = Command::new(program)
        .args(words)
        .args(arguments(program, &file.to_string_lossy(), line))
        .status()
        .with_context(|| format!("cannot start the editor {program}"))?;
    if !status.success() {
        bail!("the editor {program} ended with {status}");
    }
    Ok(())
}

fn arguments(program: &str, file: &str, line: u32) -> Vec<String> {
    let name = Path::new(program).file_stem().unwrap_or_default().to_string_lossy().to_lowercase();
    let known = EDITORS.iter().find(|(names, _)| names.contains(&name.as_str()));
    match known.map_or(LineArgument::None, |(_, how)| *how) {
        LineArgument::Plus => vec![format!("+{line}"), file.into()],
        LineArgument::Goto => vec!["--goto".into(), format!("{file}:{line}")],
        LineArgument::Suffix => vec![format!("{file}:{line}")],
        LineArgument::Line => vec!["--line".into(), line.to_string(), file.into()],
        LineArgument::None => vec![file.into()],
    }
}

/// Shows a page in the browser, without waiting for it. `$BROWSER` is asked first, as other programs do.
pub fn in_browser(url: &str) -> Result<()> {
    let chosen = std::env::var("BROWSER").ok().filter(|browser| !browser.is_empty());
    let (program, arguments): (&str, &[&str]) = match &chosen {
        Some(browser) => (browser, &[]),
        None if cfg!(windows) => ("cmd", &["/c", "start", ""]),
        None if cfg!(target_os = "macos") => ("open", &[]),
        None => ("xdg-open", &[]),
    };
    let quiet = if std::io::stderr().is_terminal() { Stdio::null } else { Stdio::inherit };
    Command::new(program)
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

    #[test]
    fn editors_are_told_the_line_in_their_own_way() {
        let told = |program: &str| arguments(program, "a.rs", 7).join(" ");
        assert_eq!(told("/usr/bin/vim"), "+7 a.rs");
        assert_eq!(told("code"), "--goto a.rs:7");
        assert_eq!(told("hx"), "a.rs:7");
        assert_eq!(told("idea"), "--line 7 a.rs");
        assert_eq!(told("something"), "a.rs");
    }
}
