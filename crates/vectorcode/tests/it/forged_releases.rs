//! `vectorcode upgrade` against a compromised server, and releases signed by the program minisign.

use std::env::consts::EXE_SUFFIX;
use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::release_server::{archive_name, archive_with, signature};
use crate::upgrade::{Installed, NEXT, assert_refused, release};

const INDEX: &str = "/latest/download/release.json";

/// A genuine old release with known vulnerabilities is named as the newest one. `--force` reinstalls the same version, but does
/// not allow an older one.
#[test]
fn force_does_not_install_an_older_release_that_the_server_names() {
    let installed = Installed::new();
    installed.server.publish("0.0.1", &release("0.0.1"));
    let run = installed.upgrade(&["--force"]).expect(2);
    assert!(run.stderr.contains("0.0.1 is older than the running version"), "{}", run.stderr);
    installed.assert_untouched();
}

/// A few kilobytes could expand to gigabytes before any signature is checked.
#[test]
fn a_response_that_expands_is_cut_off() {
    let installed = Installed::new();
    installed.server.publish(NEXT, &release(NEXT));
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    packed.write_all(&vec![b' '; 20 << 20]).unwrap();
    let packed = packed.finish().unwrap();
    assert!(packed.len() < 40_000);
    for path in [INDEX.to_owned(), format!("/download/v{NEXT}/{}.minisig", archive_name())] {
        let before = installed.server.get(&path);
        installed.server.put_response(&path, "200 OK", "Content-Encoding: gzip", &packed);
        assert_refused(&installed, "larger than 65536 bytes");
        installed.server.put(&path, before);
    }
}

#[test]
fn a_redirect_out_of_the_web_is_not_followed() {
    let installed = Installed::new();
    let local = installed.home.write("release.json", format!("{{\"version\": \"{NEXT}\"}}"));
    let local = format!("file://{}", local.display());
    for target in [local.as_str(), "ftp://127.0.0.1/x", INDEX] {
        installed.server.put_response(INDEX, "302 Found", &format!("Location: {target}"), b"");
        installed.upgrade(&[]).expect(2);
        installed.assert_untouched();
    }
}

/// The id of a key is public and not part of the key.
#[test]
fn a_signature_that_bears_the_number_of_our_key_is_refused() {
    const NUMBER: std::ops::Range<usize> = 54..62;
    let installed = Installed::new();
    let archive = archive_with(&format!("vectorcode{EXE_SUFFIX}"), b"#!/bin/sh\necho evil\n");
    installed.server.publish_archive(NEXT, &archive);
    let mut forged = minisign::KeyPair::generate_unencrypted_keypair().unwrap();
    let mut bytes = forged.sk.to_bytes();
    bytes[NUMBER].copy_from_slice(installed.server.keys().sk.keynum());
    forged.sk = minisign::SecretKey::from_bytes(&bytes).unwrap();
    let comment = format!("vectorcode {NEXT} {}", archive_name());
    installed.server.put_signature(NEXT, &signature(&forged, &archive, &comment));
    assert_refused(&installed, "the file is not the one that was signed");
}

/// The signature of the file is genuine, but of an older release; the comment, which names the version, was changed.
#[test]
fn a_comment_that_was_rewritten_is_refused() {
    let installed = Installed::new();
    let archive = archive_with(&format!("vectorcode{EXE_SUFFIX}"), &release(NEXT));
    installed.server.publish_archive(NEXT, &archive);
    let old = signature(installed.server.keys(), &archive, &format!("vectorcode 0.0.1 {}", archive_name()));
    installed.server.put_signature(NEXT, &old.replace("vectorcode 0.0.1", &format!("vectorcode {NEXT}")));
    assert_refused(&installed, "the signature of");
}

#[cfg(unix)]
mod signed_by_us {
    //! Archives that only the key's owner could publish, by mistake.

    use std::path::Path;

    use super::*;

    fn tar_of(kind: tar::EntryType, name: &str, target: &str) -> Vec<u8> {
        let mut archive = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(kind);
        header.set_size(0);
        header.set_mode(0o755);
        header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
        header.set_link_name(target).unwrap();
        header.set_cksum();
        archive.append(&header, std::io::empty()).unwrap();
        archive.into_inner().unwrap().finish().unwrap()
    }

    #[test]
    fn a_link_in_the_place_of_the_binary_is_no_binary() {
        let installed = Installed::new();
        for kind in [tar::EntryType::Symlink, tar::EntryType::Link, tar::EntryType::Directory] {
            installed.server.publish_archive(NEXT, &tar_of(kind, "../../vectorcode", "/bin/sh"));
            assert_refused(&installed, "contains no binary");
        }
        assert!(!Path::new(&installed.home.path("../vectorcode")).exists());
    }
}

/// All steps of docs/notes/releasing.md, if the program is installed.
#[cfg(unix)]
#[test]
fn what_the_release_script_signs_is_installed() {
    use std::process::Command;

    if Command::new("minisign").arg("-v").output().is_err() {
        eprintln!("skipped: the program minisign is not installed");
        return;
    }
    let installed = Installed::new();
    let copy = installed.home.project("");
    let run = |command: &mut Command| {
        let output = command.current_dir(&copy).env("HOME", &copy).output().unwrap();
        assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    };
    for folder in ["scripts", "crates/vectorcode", "dist"] {
        std::fs::create_dir_all(copy.join(folder)).unwrap();
    }
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/sign-release.sh");
    std::fs::copy(script, copy.join("scripts/sign-release.sh")).unwrap();
    run(Command::new("minisign").args(["-G", "-W", "-p", "crates/vectorcode/minisign.pub", "-s", "key"]));
    let archive = archive_with(&format!("vectorcode{EXE_SUFFIX}"), &release(NEXT));
    installed.server.publish_archive(NEXT, &archive);
    for name in [archive_name(), "other.zip".to_owned()] {
        std::fs::write(copy.join("dist").join(name), &archive).unwrap();
    }
    let secret = std::fs::read_to_string(copy.join("key")).unwrap();
    run(Command::new("bash")
        .args(["scripts/sign-release.sh", NEXT, "dist"])
        .env("MINISIGN_SECRET_KEY", secret.trim()));
    let signed = std::fs::read_to_string(copy.join(format!("dist/{}.minisig", archive_name()))).unwrap();
    installed.server.put_signature(NEXT, &signed);
    let public = std::fs::read_to_string(copy.join("crates/vectorcode/minisign.pub")).unwrap();
    let mut upgrade = installed.command(&[]);
    upgrade.env("VECTORCODE_RELEASES_KEY", public.lines().nth(1).unwrap());
    crate::home::run(&mut upgrade).expect(0);
    assert_eq!(installed.version(), format!("vectorcode {NEXT}"));
}
