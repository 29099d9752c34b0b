//! `install.sh` with a file server instead of GitHub.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::home::{self, Home};
use crate::release_server::{ReleaseServer, archive_name, archive_with};

const RELEASE: &[u8] = b"#!/bin/sh\necho vectorcode 9.9.9\n";

fn script(home: &Home, server: &ReleaseServer) -> Command {
    let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../install.sh");
    let mut command = home.command("/bin/sh");
    command.arg(script).env("VECTORCODE_BASE_URL", server.url());
    command.env("VECTORCODE_RELEASES_KEY", server.public_key());
    command.env("PATH", std::env::var_os("PATH").unwrap());
    command
}

#[test]
fn it_installs_a_verified_binary() {
    let (home, server) = (Home::new(), ReleaseServer::start());
    server.publish("9.9.9", RELEASE);
    let dir = home.path("tools");
    let run = home::run(script(&home, &server).env("VECTORCODE_INSTALL_DIR", &dir)).expect(0);
    assert!(run.stderr.contains("vectorcode 9.9.9 installed to"), "{}", run.stderr);
    assert!(run.stderr.contains("export PATH="), "{}", run.stderr);
    assert_eq!(fs::read(dir.join("vectorcode")).unwrap(), RELEASE);
    assert_eq!(fs::read_dir(&dir).unwrap().count(), 1);
}

#[test]
fn it_replaces_an_older_binary() {
    let (home, server) = (Home::new(), ReleaseServer::start());
    server.publish("9.9.9", RELEASE);
    home.write("tools/vectorcode", "old");
    home::run(script(&home, &server).env("VECTORCODE_INSTALL_DIR", home.path("tools"))).expect(0);
    assert_eq!(fs::read(home.path("tools/vectorcode")).unwrap(), RELEASE);
}

#[test]
fn it_takes_the_version_that_is_asked_for() {
    let (home, server) = (Home::new(), ReleaseServer::start());
    server.publish("1.0.0", b"#!/bin/sh\necho vectorcode 1.0.0\n");
    server.publish("9.9.9", RELEASE);
    let mut command = script(&home, &server);
    command.env("VECTORCODE_INSTALL_DIR", home.path("tools")).env("VECTORCODE_VERSION", "1.0.0");
    let run = home::run(&mut command).expect(0);
    assert!(run.stderr.contains("vectorcode 1.0.0 installed"), "{}", run.stderr);
}

/// Whether this machine has a program that verifies signatures. Without one, the script only compares the checksum and says so.
fn can_verify_signatures() -> bool {
    let check = "command -v minisign || openssl pkeyutl -help 2>&1 | grep rawin";
    Command::new("/bin/sh").args(["-c", check]).output().unwrap().status.success()
}

#[test]
fn it_refuses_an_archive_that_the_key_did_not_sign() {
    let (home, server) = (Home::new(), ReleaseServer::start());
    let dir = home.path("tools");
    let mut install = script(&home, &server);
    install.env("VECTORCODE_INSTALL_DIR", &dir);
    server.publish("9.9.9", RELEASE);
    server
        .replace_archive("9.9.9", &archive_with("vectorcode", b"#!/bin/sh\necho vectorcode 9.9.9 # evil\n"));
    let run = home::run(&mut install);
    if can_verify_signatures() {
        assert!(run.stderr.contains("is not valid"), "{}", run.stderr);
        assert!(!dir.join("vectorcode").exists());
    } else {
        assert!(run.stderr.contains("only the checksum was compared"), "{}", run.stderr);
    }
}

#[test]
fn it_refuses_a_signature_for_another_version_or_no_signature() {
    let (home, server) = (Home::new(), ReleaseServer::start());
    let dir = home.path("tools");
    let refused = |version: &str, reason: &str| {
        let mut install = script(&home, &server);
        install.env("VECTORCODE_INSTALL_DIR", &dir).env("VECTORCODE_VERSION", version);
        let run = home::run(&mut install).expect(2);
        assert!(run.stderr.contains(reason), "{}", run.stderr);
        assert!(!dir.join("vectorcode").exists());
    };
    let archive = archive_with("vectorcode", RELEASE);
    server.publish_archive("9.9.9", &archive);
    server.sign("9.9.9", &archive, &format!("vectorcode 0.0.1 {}", archive_name()));
    refused("9.9.9", "the signature is for vectorcode 0.0.1");
    refused("", "the signature is for vectorcode 0.0.1");
    server.remove_signature("9.9.9");
    refused("9.9.9", "cannot download");
}

#[test]
fn it_refuses_without_a_key_of_the_releases() {
    let (home, server) = (Home::new(), ReleaseServer::start());
    server.publish("9.9.9", RELEASE);
    let mut install = script(&home, &server);
    install.env_remove("VECTORCODE_RELEASES_KEY").env("VECTORCODE_INSTALL_DIR", home.path("tools"));
    let run = home::run(&mut install).expect(2);
    let reasons = ["has no release key", "is not valid"];
    assert!(reasons.iter().any(|reason| run.stderr.contains(reason)), "{}", run.stderr);
}

#[test]
fn it_refuses_what_it_cannot_verify() {
    let (home, server) = (Home::new(), ReleaseServer::start());
    let dir = home.path("tools");
    let refused = |reason: &str| {
        let run = home::run(script(&home, &server).env("VECTORCODE_INSTALL_DIR", &dir)).expect(2);
        assert!(run.stderr.contains(reason), "{}", run.stderr);
        assert!(!dir.join("vectorcode").exists());
    };
    refused("cannot download");
    server.publish("9.9.9", RELEASE);
    server.corrupt("9.9.9");
    refused("the checksum of");
    server.put("/latest/download/SHA256SUMS", "00  another-file\n");
    refused("SHA256SUMS does not list");
    server.publish("9.9.9", b"#!/bin/sh\nexit 1\n");
    refused("does not run on this machine");
    server.remove(&format!("/latest/download/{}", archive_name()));
    refused("cannot download");
}
