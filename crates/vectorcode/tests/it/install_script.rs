//! `install.sh` with a file server in the place of GitHub.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::home::{self, Home};
use crate::release_server::{ReleaseServer, archive_name};

const RELEASE: &[u8] = b"#!/bin/sh\necho vectorcode 9.9.9\n";

fn script(home: &Home, server: &ReleaseServer) -> Command {
    let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../install.sh");
    let mut command = home.command("/bin/sh");
    command.arg(script).env("VECTORCODE_BASE_URL", server.url());
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
