//! `vectorcode upgrade` with good, missing, damaged and useless releases.

use std::env::consts::EXE_SUFFIX;
use std::fs;
#[cfg(unix)]
use std::os::unix::fs::{MetadataExt, PermissionsExt};
#[cfg(unix)]
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;

use crate::home::{self, Home, Run};
use crate::release_server::{ReleaseServer, archive_name, archive_with, signature};

const VERSION: &str = env!("CARGO_PKG_VERSION");
pub const NEXT: &str = "9.9.9";

/// An installed binary and the releases it can see.
pub struct Installed {
    pub home: Home,
    pub server: ReleaseServer,
}

impl Installed {
    pub fn new() -> Self {
        let installed = Self { home: Home::new(), server: ReleaseServer::start() };
        fs::copy(env!("CARGO_BIN_EXE_vectorcode"), installed.binary()).unwrap();
        installed
    }

    fn binary(&self) -> PathBuf {
        self.home.bin(&format!("vectorcode{EXE_SUFFIX}"))
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = self.home.command(self.binary());
        command.arg("upgrade").args(args);
        self.with_releases(&mut command);
        command
    }

    fn with_releases<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        command
            .env("VECTORCODE_RELEASES_URL", self.server.url())
            .env("VECTORCODE_RELEASES_KEY", self.server.public_key())
    }

    pub fn upgrade(&self, args: &[&str]) -> Run {
        home::run(&mut self.command(args))
    }

    pub fn version(&self) -> String {
        home::run(self.home.command(self.binary()).arg("--version")).expect(0).stdout.trim().to_owned()
    }

    /// The binary is the old one, and there is no stray file next to it.
    #[track_caller]
    pub fn assert_untouched(&self) {
        assert_eq!(self.version(), format!("vectorcode {VERSION}"));
        assert_eq!(fs::read_dir(self.home.bin("")).unwrap().count(), 1);
    }
}

/// A program that prints `--version` like a real release. On platforms without scripts it is a program that does not run; tests
/// that get as far as running it are for Unix.
pub fn release(version: &str) -> Vec<u8> {
    format!("#!/bin/sh\necho vectorcode {version}\n").into_bytes()
}

#[cfg(unix)]
#[test]
fn a_newer_release_takes_the_place_of_the_binary() {
    let installed = Installed::new();
    installed.server.publish(NEXT, &release(NEXT));
    let run = installed.upgrade(&[]).expect(0);
    assert!(run.stdout.contains(&format!("{VERSION} was replaced by {NEXT}")), "{}", run.stdout);
    assert_eq!(installed.version(), format!("vectorcode {NEXT}"));
    assert_eq!(fs::metadata(installed.binary()).unwrap().permissions().mode() & 0o777, 0o755);
    assert_eq!(fs::read_dir(installed.home.bin("")).unwrap().count(), 1);
}

#[cfg(unix)]
#[test]
fn the_real_binary_can_be_installed_again() {
    let installed = Installed::new();
    installed.server.publish(VERSION, &fs::read(env!("CARGO_BIN_EXE_vectorcode")).unwrap());
    let before = fs::metadata(installed.binary()).unwrap().ino();
    installed.upgrade(&["--force"]).expect(0);
    assert_ne!(fs::metadata(installed.binary()).unwrap().ino(), before);
    installed.assert_untouched();
}

/// Windows cannot delete a running program, and the running program is the one to replace.
#[cfg(windows)]
#[test]
fn the_running_binary_is_set_aside_until_the_next_upgrade() {
    let installed = Installed::new();
    installed.server.publish(VERSION, &fs::read(env!("CARGO_BIN_EXE_vectorcode")).unwrap());
    for _ in 0..2 {
        let run = installed.upgrade(&["--force"]).expect(0);
        assert!(!run.stdout.contains(r"\\?\"), "{}", run.stdout);
        assert_eq!(installed.version(), format!("vectorcode {VERSION}"));
        assert_eq!(fs::read_dir(installed.home.bin("")).unwrap().count(), 2);
    }
}

#[cfg(unix)]
#[test]
fn a_link_stays_a_link() {
    let installed = Installed::new();
    installed.server.publish(NEXT, &release(NEXT));
    let link = installed.home.project("vc");
    std::os::unix::fs::symlink(installed.binary(), &link).unwrap();
    let mut command = installed.home.command(&link);
    home::run(installed.with_releases(command.arg("upgrade"))).expect(0);
    assert!(link.is_symlink());
    assert_eq!(installed.version(), format!("vectorcode {NEXT}"));
}

#[test]
fn check_tells_and_changes_nothing() {
    let installed = Installed::new();
    installed.server.publish(NEXT, &release(NEXT));
    let run = installed.upgrade(&["--check"]).expect(0);
    assert_eq!(run.stdout, format!("vectorcode {NEXT} is available (this is {VERSION})\n"));
    installed.assert_untouched();
    installed.server.publish(VERSION, b"");
    let run = installed.upgrade(&["--check"]).expect(1);
    assert_eq!(run.stdout, format!("vectorcode {VERSION} is the newest release\n"));
}

#[test]
fn the_newest_release_is_left_alone() {
    let installed = Installed::new();
    installed.server.publish(VERSION, b"never downloaded");
    let run = installed.upgrade(&[]).expect(0);
    assert!(run.stdout.contains("is the newest release"), "{}", run.stdout);
    installed.assert_untouched();
}

#[cfg(unix)]
#[test]
fn a_chosen_version_comes_from_its_own_directory() {
    let installed = Installed::new();
    installed.server.publish("9.9.8", &release("9.9.8"));
    installed.server.publish(NEXT, &release(NEXT));
    installed.upgrade(&["--version", "v9.9.8"]).expect(0);
    assert_eq!(installed.version(), "vectorcode 9.9.8");
}

#[test]
fn a_downgrade_must_be_asked_for_twice() {
    let installed = Installed::new();
    installed.server.publish("0.0.1", &release("0.0.1"));
    let run = installed.upgrade(&["--version", "0.0.1"]).expect(2);
    assert!(run.stderr.contains("hint: run `vectorcode upgrade --version 0.0.1 --force`"), "{}", run.stderr);
    installed.assert_untouched();
    if cfg!(unix) {
        installed.upgrade(&["--version", "0.0.1", "--force"]).expect(0);
        assert_eq!(installed.version(), "vectorcode 0.0.1");
    }
}

/// Asserts that the upgrade fails with this message and the binary stays.
#[track_caller]
pub fn assert_refused(installed: &Installed, message: &str) {
    let run = installed.upgrade(&[]).expect(2);
    assert!(run.stderr.contains(message), "{}", run.stderr);
    installed.assert_untouched();
}

#[test]
fn a_damaged_archive_is_refused() {
    let installed = Installed::new();
    installed.server.publish(NEXT, &release(NEXT));
    installed.server.corrupt(NEXT);
    assert_refused(&installed, "the file is not the one that was signed");
}

/// An attacker who takes over the server can replace the archive and its checksum, but cannot sign.
#[test]
fn a_replaced_archive_with_a_matching_checksum_is_refused() {
    let installed = Installed::new();
    installed.server.publish(NEXT, &release(NEXT));
    let archive = archive_with(&format!("vectorcode{EXE_SUFFIX}"), b"#!/bin/sh\necho evil\n");
    installed.server.replace_archive(NEXT, &archive);
    assert_refused(&installed, "the file is not the one that was signed");
}

#[test]
fn a_signature_by_another_key_is_refused() {
    let installed = Installed::new();
    let archive = archive_with(&format!("vectorcode{EXE_SUFFIX}"), &release(NEXT));
    installed.server.publish_archive(NEXT, &archive);
    let other = minisign::KeyPair::generate_unencrypted_keypair().unwrap();
    let comment = format!("vectorcode {NEXT} {}", archive_name());
    installed.server.put_signature(NEXT, &signature(&other, &archive, &comment));
    assert_refused(&installed, "it was made with another key");
}

#[test]
fn a_missing_or_unreadable_signature_is_refused() {
    let installed = Installed::new();
    installed.server.publish(NEXT, &release(NEXT));
    installed.server.put_signature(NEXT, "not a signature\n");
    assert_refused(&installed, "it cannot be read");
    installed.server.remove_signature(NEXT);
    assert_refused(&installed, &format!("{} has no signature", archive_name()));
}

/// An old release, or the archive of another platform, has a genuine signature and is served as the newest one.
#[test]
fn a_genuine_signature_for_another_version_or_file_is_refused() {
    let installed = Installed::new();
    let archive = archive_with(&format!("vectorcode{EXE_SUFFIX}"), &release(NEXT));
    installed.server.publish_archive(NEXT, &archive);
    for comment in [
        format!("vectorcode 0.0.1 {}", archive_name()),
        format!("vectorcode {NEXT} vectorcode-plan9-mips.zip"),
    ] {
        installed.server.sign(NEXT, &archive, &comment);
        assert_refused(&installed, &format!("the signature is for `{comment}`"));
    }
}

/// The key in the environment is for releases at another address; alone it does not replace the project's key.
#[test]
fn a_mirror_without_a_key_is_held_to_the_key_of_the_project() {
    let installed = Installed::new();
    installed.server.publish(NEXT, &release(NEXT));
    let run = home::run(installed.command(&[]).env_remove("VECTORCODE_RELEASES_KEY")).expect(2);
    let reasons = ["this build has no release key", "it was made with another key"];
    assert!(reasons.iter().any(|reason| run.stderr.contains(reason)), "{}", run.stderr);
    installed.assert_untouched();
}

#[test]
fn an_archive_that_was_damaged_before_it_was_signed_is_refused() {
    let installed = Installed::new();
    let archive = &archive_with(&format!("vectorcode{EXE_SUFFIX}"), &release(NEXT).repeat(1000))[..60];
    installed.server.publish_archive(NEXT, archive);
    assert_refused(&installed, "cannot be unpacked");
}

#[test]
fn missing_files_are_named() {
    let installed = Installed::new();
    let run = installed.upgrade(&[]).expect(2);
    assert!(run.stderr.contains("release.json does not exist"), "{}", run.stderr);

    installed.server.publish(NEXT, &release(NEXT));
    installed.server.remove(&format!("/download/v{NEXT}/{}", archive_name()));
    let run = installed.upgrade(&[]).expect(2);
    assert!(run.stderr.contains(&format!("{} does not exist", archive_name())), "{}", run.stderr);
    installed.assert_untouched();
}

#[test]
fn a_release_without_a_binary_is_refused() {
    let installed = Installed::new();
    installed.server.publish_archive(NEXT, &archive_with("README.md", b"hello"));
    assert_refused(&installed, "contains no binary");
}

#[test]
fn a_binary_that_fails_or_is_another_version_is_refused() {
    let useless = [b"not a program".to_vec(), b"#!/bin/sh\nexit 3\n".to_vec(), release("1.1.1")];
    for binary in useless {
        let installed = Installed::new();
        installed.server.publish(NEXT, &binary);
        let run = installed.upgrade(&[]).expect(2);
        assert!(run.stderr.contains("the new binary does not run"), "{}", run.stderr);
        installed.assert_untouched();
    }
}

#[cfg(unix)]
#[test]
fn a_binary_that_only_fails_in_its_final_place_is_rolled_back() {
    let installed = Installed::new();
    let script = format!("#!/bin/sh\ncase \"$0\" in */vectorcode) exit 1 ;; esac\necho vectorcode {NEXT}\n");
    installed.server.publish(NEXT, script.as_bytes());
    let run = installed.upgrade(&[]).expect(2);
    assert!(run.stderr.contains("the old one was kept"), "{}", run.stderr);
    installed.assert_untouched();
}

#[test]
fn a_server_that_is_down_is_an_error_with_a_hint() {
    let installed = Installed::new();
    let mut command = installed.command(&[]);
    // Nothing listens on port 9.
    let run = home::run(command.env("VECTORCODE_RELEASES_URL", "http://127.0.0.1:9")).expect(2);
    assert!(run.stderr.contains("cannot download") && run.stderr.contains("hint:"), "{}", run.stderr);
    installed.assert_untouched();
}

#[cfg(unix)]
#[test]
fn a_directory_without_permission_is_said_before_any_download() {
    let installed = Installed::new();
    installed.server.publish(NEXT, &release(NEXT));
    installed.server.remove(&format!("/download/v{NEXT}/{}", archive_name()));
    let bin = installed.home.bin("");
    fs::set_permissions(&bin, fs::Permissions::from_mode(0o555)).unwrap();
    let mut command = installed.command(&[]);
    if fs::metadata(&bin).unwrap().uid() == 0 {
        // Root is not subject to permissions, so the command runs as nobody.
        installed.home.open_to_all();
        command.uid(65534);
    }
    let run = home::run(&mut command).expect(2);
    fs::set_permissions(&bin, fs::Permissions::from_mode(0o755)).unwrap();
    assert!(run.stderr.contains("no permission to replace"), "{}", run.stderr);
    assert!(run.stderr.contains("hint: run `sudo vectorcode upgrade`"), "{}", run.stderr);
    installed.assert_untouched();
}
