//! Interactive search in a pseudo-terminal of 80 columns and 24 lines.

#![cfg(target_os = "linux")]

use std::io::{Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::run::Cli;
use super::screen::Screen;

/// A program in a terminal, with input typed by the test.
pub(super) struct Terminal {
    child: Child,
    keys: ChildStdin,
    written: Arc<Mutex<Vec<u8>>>,
}

impl Terminal {
    /// `None` without the program `script`, which creates the terminal.
    pub(super) fn start(cli: &Cli, args: &str) -> Option<Self> {
        Command::new("script").arg("--version").output().ok()?;
        let line = format!("stty cols 80 rows 24; exec {} {args}", env!("CARGO_BIN_EXE_vectorcode"));
        let mut command = Command::new("script");
        command.args(["-qec", &line, "/dev/null"]).current_dir(cli.project.root());
        for (name, value) in cli.command(&[]).get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        let editor = cli.project.path("editor.sh");
        command.env("TERM", "xterm-256color").env("EDITOR", &editor).env_remove("VISUAL");
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().ok()?;
        let (keys, mut screen) = (child.stdin.take()?, child.stdout.take()?);
        let written: Arc<Mutex<Vec<u8>>> = Arc::default();
        let all = written.clone();
        std::thread::spawn(move || {
            let mut part = [0; 4096];
            while let Ok(count @ 1..) = screen.read(&mut part) {
                all.lock().unwrap().extend_from_slice(&part[..count]);
            }
        });
        Some(Self { child, keys, written })
    }

    /// Everything written so far.
    fn written(&self) -> String {
        String::from_utf8_lossy(&self.written.lock().unwrap()).into_owned()
    }

    /// The current contents of the screen.
    pub(super) fn text(&self) -> String {
        Screen::of(&self.written()).text()
    }

    pub(super) fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }

    #[track_caller]
    pub(super) fn wait_for(&self, wanted: impl Fn(&str) -> bool) {
        wait("not shown", || self.text(), wanted);
    }

    #[track_caller]
    fn wait_for_written(&self, wanted: impl Fn(&str) -> bool) {
        wait("not written", || self.written(), wanted);
    }

    pub(super) fn end(mut self) -> Option<i32> {
        drop(self.keys);
        self.child.wait().unwrap().code()
    }
}

#[track_caller]
fn wait(what: &str, text: impl Fn() -> String, wanted: impl Fn(&str) -> bool) {
    let deadline = Instant::now() + Duration::from_mins(2);
    while !wanted(&text()) {
        assert!(Instant::now() < deadline, "{what}: {}", text());
        // Waits before the next look at the screen, so that the program has time to draw it.
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn shop() -> Cli {
    use std::os::unix::fs::PermissionsExt;
    let cli = Cli::new(&[
        (
            "src/invoice.rs",
            "/// Adds the prices of an invoice.\npub fn total(prices: &[u64]) -> u64 {\n    prices.iter().sum()\n}\n",
        ),
        ("src/paint.rs", "/// Mixes two colours.\npub fn mix(a: u8, b: u8) -> u8 {\n    a / 2 + b / 2\n}\n"),
        ("editor.sh", "#!/bin/sh\necho \"$@\" > opened.txt\n"),
    ]);
    let editor = cli.project.path("editor.sh");
    std::fs::set_permissions(editor, std::fs::Permissions::from_mode(0o755)).unwrap();
    cli.stdout(&["index", "--fast"]);
    cli
}

#[test]
fn results_come_while_typing_and_enter_opens_the_editor() {
    let cli = shop();
    let Some(mut terminal) = Terminal::start(&cli, "") else { return };
    terminal.wait_for(|text| text.contains("Type a few words"));
    terminal.press("sum of prices");
    // Checks the preview too: results for the first letters may have the other file first.
    terminal.wait_for(|text| text.contains("src/invoice.rs:1") && text.contains("prices.iter().sum()"));
    terminal.press("\u{19}"); // ctrl-y
    terminal.wait_for_written(|text| text.contains("\u{1b}]52;c;"));
    terminal.press("\r");
    // Waits until the program has the terminal again; before that, ctrl-c would go to the editor.
    terminal.wait_for_written(|text| text.matches("\u{1b}[?1049h").count() == 2);
    terminal.press("\u{3}"); // ctrl-c
    assert_eq!(terminal.end(), Some(0));
    let opened = std::fs::read_to_string(cli.project.path("opened.txt")).unwrap();
    assert!(opened.contains("src/invoice.rs"), "{opened}");
}

#[test]
fn a_filter_key_changes_what_is_searched_and_no_colours_are_used_where_none_are_wanted() {
    let cli = shop();
    let Some(mut terminal) = Terminal::start(&cli, "--color never search -I sum of prices") else { return };
    terminal.wait_for(|text| text.contains("src/invoice.rs:1"));
    terminal.press("\u{c}"); // ctrl-l
    terminal.wait_for(|text| text.contains("content: code"));
    terminal.press("\u{3}");
    let text = terminal.written();
    assert_eq!(terminal.end(), Some(0));
    assert!(!text.contains("\u{1b}[31m") && !text.contains("\u{1b}[38;5;"), "{text}");
}

#[test]
fn filters_of_the_command_line_hold_for_what_is_typed() {
    let cli = shop();
    let Some(mut terminal) = Terminal::start(&cli, "search -I -p src/paint.rs sum of prices") else { return };
    terminal.wait_for(|text| text.contains("src/paint.rs:1"));
    terminal.press("\u{3}");
    let text = terminal.written();
    assert_eq!(terminal.end(), Some(0));
    assert!(!text.contains("src/invoice.rs"), "{text}");
}

/// The keeper logs a warning about it while the screen is shown.
#[test]
fn lines_of_the_log_are_not_written_over_the_screen() {
    let cli = shop();
    cli.project.write(".git/HEAD", "ref: refs/heads/main\n");
    let Some(mut terminal) = Terminal::start(&cli, "search -I sum of prices") else { return };
    terminal.wait_for(|text| text.contains("src/invoice.rs:1"));
    terminal.press("\u{3}");
    let text = terminal.written();
    assert_eq!(terminal.end(), Some(0));
    assert!(!text.contains("WARN"), "{text}");
}

#[test]
fn a_pasted_line_break_does_not_open_the_editor() {
    let cli = shop();
    let Some(mut terminal) = Terminal::start(&cli, "") else { return };
    terminal.wait_for(|text| text.contains("Type a few words"));
    terminal.press("\u{1b}[200~sum of\nprices\n\u{1b}[201~");
    terminal.wait_for(|text| text.contains("src/invoice.rs:1"));
    terminal.press("\u{3}");
    assert_eq!(terminal.end(), Some(0));
    assert!(!cli.project.path("opened.txt").exists());
}

#[test]
fn edits_are_found_while_the_user_stays() {
    let cli = shop();
    let Some(mut terminal) = Terminal::start(&cli, "") else { return };
    terminal.wait_for(|text| text.contains("Type a few words"));
    cli.project.write("src/later.rs", "/// Sends a parcel by mail.\npub fn ship() {}\n");
    // Repeats the query after each response, because a query that is typed over gets none.
    for round in 0.. {
        terminal.press(&format!("\u{15}send a parcel {round}"));
        terminal.wait_for(|text| text.contains(&format!("parcel {round}")) && !text.contains("Searching..."));
        if terminal.text().contains("src/later.rs:1") {
            break;
        }
        assert!(round < 1_000, "{}", terminal.text());
    }
    terminal.press("\u{3}");
    assert_eq!(terminal.end(), Some(0));
}

/// Typing takes time: results for the first part of a query are shown while the rest is typed.
#[test]
fn results_are_shown_while_somebody_types_on() {
    let cli = shop();
    let Some(mut terminal) = Terminal::start(&cli, "") else { return };
    terminal.wait_for(|text| text.contains("Type a few words"));
    let deadline = Instant::now() + Duration::from_mins(2);
    terminal.press("sum of prices");
    while !terminal.text().contains("src/invoice.rs:1") {
        assert!(Instant::now() < deadline, "{}", terminal.text());
        terminal.press(" and");
        std::thread::sleep(Duration::from_millis(100));
    }
    terminal.press("\u{3}");
    assert_eq!(terminal.end(), Some(0));
}

#[test]
fn without_a_terminal_the_help_is_printed_as_a_mistake() {
    let cli = shop();
    let said = cli.fails(&[], 2);
    assert!(said.contains("Usage:"), "{said}");
    assert!(cli.fails(&["search", "-I"], 2).contains("needs a terminal"));
}
