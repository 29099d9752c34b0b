//! Help texts, completions and manual pages.

use crate::home::Home;

fn help(args: &[&str]) -> String {
    Home::new().run(args).expect(0).stdout
}

pub const COMMANDS: [&str; 28] = [
    "init",
    "index",
    "sync",
    "search",
    "similar",
    "graph",
    "symbols",
    "history",
    "projects",
    "context",
    "eval",
    "status",
    "stats",
    "serve",
    "token",
    "repo",
    "worker",
    "watch",
    "config",
    "trust",
    "doctor",
    "remove",
    "install",
    "uninstall",
    "hook",
    "upgrade",
    "completions",
    "man",
];

#[test]
fn each_command_explains_itself() {
    for command in COMMANDS {
        Home::new().snapshot(&format!("help_{command}"), &help(&[command, "--help"]));
    }
}

#[test]
fn completions_exist_for_every_shell() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(help(&["completions", shell]).contains("vectorcode"), "{shell}");
    }
}

#[test]
fn the_manual_page_is_roff_and_pages_can_be_written_to_a_directory() {
    assert!(help(&["man"]).contains(".TH vectorcode 1"));
    let home = Home::new();
    home.run(&["man", "--out", "pages"]).expect(0);
    assert!(home.project("pages/vectorcode.1").exists());
    assert!(home.project("pages/vectorcode-install.1").exists());
}

#[test]
fn a_wrong_command_line_exits_with_two() {
    Home::new().run(&["no-such-command"]).expect(2);
    Home::new().run(&["install", "--target", "emacs"]).expect(2);
}
