//! Unreadable folders: their files stay in the index, and the exit code reports the problem.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::home::{self, Home, Run};

const NOBODY: u32 = 65534;

/// A project of a user who is subject to file permissions: `nobody` if the tests run as root.
struct Owned {
    home: Home,
    is_root: bool,
}

impl Owned {
    fn new() -> Self {
        let home = Home::new();
        let is_root = fs::metadata(home.path("")).unwrap().uid() == 0;
        home.open_to_all();
        for (path, text) in [
            ("README.md", "# Shop\n"),
            ("src/pay.py", "def retry_payment(order):\n    return order.charge_again()\n"),
            ("src/deep/refund.py", "def refund_order(order):\n    return order.refund()\n"),
        ] {
            let path = home.project(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        fs::create_dir(home.project(".git")).unwrap();
        fs::copy(env!("CARGO_BIN_EXE_vectorcode"), home.bin("vectorcode")).unwrap();
        if is_root {
            give_away(&home.path(""));
            give_away(&home.project(""));
        }
        Self { home, is_root }
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = self.home.command(self.home.bin("vectorcode"));
        command.args(args);
        if self.is_root {
            command.uid(NOBODY);
        }
        command
    }

    fn run(&self, args: &[&str]) -> Run {
        home::run(&mut self.command(args))
    }

    /// Runs `act` while a folder has other permissions.
    fn with_mode<T>(&self, folder: &str, mode: u32, act: impl FnOnce() -> T) -> T {
        let folder: PathBuf = self.home.project(folder);
        let set = |mode| fs::set_permissions(&folder, fs::Permissions::from_mode(mode)).unwrap();
        set(mode);
        let done = act();
        set(0o755);
        done
    }

    fn files(&self) -> u64 {
        let status = self.run(&["status", "--json"]).expect(0);
        let status: Value = serde_json::from_str(&status.stdout).unwrap();
        status["files"].as_u64().unwrap_or_else(|| panic!("{status}"))
    }
}

fn give_away(place: &Path) {
    chown(place, Some(NOBODY), Some(NOBODY)).unwrap();
    if place.is_dir() {
        for entry in fs::read_dir(place).unwrap() {
            give_away(&entry.unwrap().path());
        }
    }
}

#[test]
fn a_folder_that_cannot_be_read_keeps_its_files_in_the_index() {
    let owned = Owned::new();
    owned.run(&["index", "--fast"]).expect(0);
    assert_eq!(owned.files(), 3);
    // Without permission to list, and with permission to list but not to enter.
    let (all, some) =
        (["index", "--fast"].as_slice(), ["index", "--fast", "src/pay.py", "src/deep"].as_slice());
    for (folder, mode, args) in [
        ("src", 0o000, all),
        ("src", 0o444, all),
        ("src", 0o000, some),
        ("src", 0o444, some),
        ("src/deep", 0o000, all),
        ("src/deep", 0o000, some),
        ("", 0o311, all),
    ] {
        let run = owned.with_mode(folder, mode, || owned.run(args));
        let told = run.stderr.contains("cannot be read. The index keeps");
        assert!(run.code == 3 && told, "{folder} {mode:o} {args:?}: {} {}", run.code, run.stderr);
        assert_eq!(owned.files(), 3, "{folder} {mode:o} {args:?}");
    }
    // The folder is readable again: no action is needed, and files that are really gone are removed.
    owned.run(&["index", "--fast"]).expect(0);
    fs::remove_dir_all(owned.home.project("src/deep")).unwrap();
    owned.run(&["index", "--fast"]).expect(0);
    assert_eq!(owned.files(), 2);
}

/// For example the data of a container, which was never indexed and is no reason to alarm scripts.
#[test]
fn a_folder_that_was_never_readable_is_counted_as_before() {
    let owned = Owned::new();
    owned.with_mode("src/deep", 0o000, || {
        let run = owned.run(&["index", "--fast"]).expect(0);
        assert!(run.stderr.contains("1 unreadable"), "{}", run.stderr);
        owned.run(&["index", "--fast"]).expect(0);
    });
}
