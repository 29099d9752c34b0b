//! A damaged, foreign or malicious bundle causes at most a warning.

use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::{TempDir, tempdir};
use vectorcode_core::api::SearchRequest;
use vectorcode_core::config::ShareConfig;
use vectorcode_team::TeamError;

use crate::clone::{Clone, clone_of, function, objects};

fn shop() -> Clone {
    clone_of(&[&[("src/apples.rs", Some(&function("apples"))), ("src/boats.rs", Some(&function("boats")))]])
}

/// A folder with a bundle, and a clone that has not pulled yet.
fn pushed() -> (TempDir, Clone) {
    let folder = tempdir().unwrap();
    let first = shop();
    first.index();
    first.push(folder.path()).unwrap();
    let second = shop();
    second.read_files();
    (folder, second)
}

fn only(folder: &Path, part: &str) -> PathBuf {
    let found = objects(folder, part);
    assert_eq!(found.len(), 1, "{found:?}");
    found[0].clone()
}

/// Checks that the clone computes its own vectors and finds what is on its disk.
fn goes_on(clone: &Clone) {
    assert_eq!(clone.index().pending, 0);
    assert_eq!(clone.embedded(), 2);
    let found = clone
        .engine
        .search(&SearchRequest { threshold: Some(0.0), ..SearchRequest::query("count the boats") });
    assert_eq!(found.unwrap().hits[0].path, "src/boats.rs");
}

#[test]
fn a_pack_that_was_changed_cut_or_lost_is_left_out() {
    let damages: [fn(&Path); 4] = [
        |path| {
            let mut bytes = std::fs::read(path).unwrap();
            let middle = bytes.len() / 2;
            bytes[middle] ^= 1;
            std::fs::write(path, bytes).unwrap();
        },
        |path| {
            let bytes = std::fs::read(path).unwrap();
            std::fs::write(path, &bytes[..bytes.len() / 2]).unwrap();
        },
        |path| std::fs::remove_file(path).unwrap(),
        |path| std::fs::write(path, vec![0; 40 << 20]).unwrap(),
    ];
    for damage in damages {
        let (folder, clone) = pushed();
        damage(&only(folder.path(), "/packs/"));
        let report = clone.pull_from(folder.path()).unwrap();
        assert_eq!((report.filled, report.notes.len()), (0, 1), "{report:?}");
        goes_on(&clone);
    }
}

/// Reading from a pipe that nobody writes to would never end.
#[cfg(unix)]
#[test]
fn a_pipe_in_the_folder_is_not_waited_for() {
    for part in ["/packs/", "/manifests/", "/commits"] {
        let (folder, clone) = pushed();
        let object = only(folder.path(), part);
        std::fs::remove_file(&object).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(&object).status().unwrap().success());
        let told = match clone.pull_from(folder.path()) {
            Ok(report) => report.notes.concat(),
            Err(error) => error.to_string(),
        };
        assert!(told.contains("not a regular file"), "{part}: {told}");
        goes_on(&clone);
    }
}

/// Rewrites the list of packs in an unsigned manifest.
fn change_packs(manifest: &Path, change: impl FnOnce(&mut Vec<Value>)) {
    // The magic number, and the length of an absent signature.
    const HEAD: usize = 12;
    let bytes = std::fs::read(manifest).unwrap();
    let mut json: Value = serde_json::from_slice(&zstd::decode_all(&bytes[HEAD..]).unwrap()).unwrap();
    change(json["packs"].as_array_mut().unwrap());
    let payload = zstd::encode_all(json.to_string().as_bytes(), 1).unwrap();
    std::fs::write(manifest, [&bytes[..HEAD], &payload].concat()).unwrap();
}

#[test]
fn a_pack_that_is_listed_many_times_is_read_once() {
    let (folder, clone) = pushed();
    change_packs(&only(folder.path(), "/manifests/"), |packs| *packs = vec![packs[0].clone(); 3_000]);
    let report = clone.pull_from(folder.path()).unwrap();
    assert_eq!((report.packs, report.filled, report.missing), (1, 2, 2), "{report:?}");
}

#[test]
fn a_bundle_of_packs_without_use_is_given_up() {
    let (folder, clone) = pushed();
    change_packs(&only(folder.path(), "/manifests/"), |packs| {
        let named = |number: u32| {
            let mut pack = packs[0].clone();
            pack["id"] = format!("{number:064x}").into();
            pack
        };
        *packs = (0..5_000).map(named).collect();
    });
    let report = clone.pull_from(folder.path()).unwrap();
    assert!(report.notes.len() < 50, "{} notes", report.notes.len());
    assert!(report.notes.last().unwrap().contains("The rest of the bundle"), "{report:?}");
    goes_on(&clone);
}

#[test]
fn a_manifest_that_is_none_is_an_error_that_says_so() {
    for content in [&b""[..], b"<html>404</html>", b"vcmani1\0\0\0\0\0\0\0", &[0xff; 4096]] {
        let (folder, clone) = pushed();
        std::fs::write(only(folder.path(), "/manifests/"), content).unwrap();
        let error = clone.pull_from(folder.path()).unwrap_err();
        assert!(matches!(error, TeamError::BadBundle { .. }), "{error}");
        goes_on(&clone);
    }
}

#[test]
fn a_list_of_rubbish_is_no_bundle() {
    let (folder, clone) = pushed();
    std::fs::write(only(folder.path(), "/commits"), vec![b'a'; 100_000]).unwrap();
    let report = clone.pull_from(folder.path()).unwrap();
    assert_eq!((report.filled, report.commit), (0, None));
    goes_on(&clone);
}

/// Anyone who can write to the bucket can change vectors. That changes the order of results; their texts come from the disk.
#[test]
fn vectors_of_somebody_elses_making_show_no_text_of_theirs() {
    let (folder, clone) = pushed();
    clone.pull_from(folder.path()).unwrap();
    clone.files.write("src/boats.rs", function("ships"));
    clone.index();
    let found = clone
        .engine
        .search(&SearchRequest { threshold: Some(0.0), ..SearchRequest::query("count the boats") });
    let texts: Vec<String> = found.unwrap().hits.into_iter().map(|hit| hit.content).collect();
    assert!(!texts.is_empty() && !texts.iter().any(|text| text.contains("boats")), "{texts:?}");
}

#[test]
fn with_a_key_in_the_settings_an_unsigned_bundle_is_refused() {
    let (folder, mut clone) = pushed();
    // The example from minisign's documentation.
    let public_key = "RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3".to_owned();
    clone.settings = ShareConfig { public_key, ..ShareConfig::default() };
    let error = clone.pull_from(folder.path()).unwrap_err();
    assert!(matches!(error, TeamError::BadSignature { .. }), "{error}");
    clone.settings.public_key = "no key".into();
    assert!(matches!(clone.pull_from(folder.path()).unwrap_err(), TeamError::BadKey { .. }));
    goes_on(&clone);
}

#[test]
fn a_repository_without_a_remote_or_commit_cannot_share() {
    let folder = tempdir().unwrap();
    let lost = clone_of(&[]);
    lost.read_files();
    assert!(matches!(lost.pull_from(folder.path()).unwrap_err(), TeamError::NoCommit));
    let local = crate::clone::clone_with(
        &[&[("a.rs", Some("fn a() {}\n"))]],
        "origin",
        "/srv/git/shop.git",
        &ShareConfig::default(),
    );
    local.index();
    assert!(matches!(local.push(folder.path()).unwrap_err(), TeamError::NoIdentity { .. }));
    assert!(objects(folder.path(), "").is_empty());
}
