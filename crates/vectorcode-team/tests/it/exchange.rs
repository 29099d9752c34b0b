//! What a push uploads and a pull downloads.

use std::path::Path;

use tempfile::tempdir;
use vectorcode_core::config::ShareConfig;

use crate::clone::{Clone, clone_of, clone_with, function, objects, push};

fn texts(names: &[&str]) -> Vec<(String, String)> {
    names.iter().map(|name| (format!("src/{name}.rs"), function(name))).collect()
}

fn files(texts: &[(String, String)]) -> Vec<(&str, Option<&str>)> {
    texts.iter().map(|(path, text)| (path.as_str(), Some(text.as_str()))).collect()
}

/// A clone with one file for each name, in one commit.
fn shop(names: &[&str]) -> Clone {
    clone_of(&[&files(&texts(names))])
}

fn pushed(names: &[&str], folder: &Path) -> Clone {
    let clone = shop(names);
    clone.index();
    clone.push(folder).unwrap();
    clone
}

#[test]
fn a_clone_takes_all_vectors_and_embeds_nothing() {
    let folder = tempdir().unwrap();
    let first = pushed(&["apples", "boats", "cars"], folder.path());
    let second = shop(&["apples", "boats", "cars"]);
    let chunks = second.read_files().chunks;
    let report = second.pull_from(folder.path()).unwrap();
    assert_eq!((report.filled, report.missing, report.files, report.files_matched), (chunks, chunks, 3, 3));
    assert_eq!((report.notes.as_slice(), report.packs), ([].as_slice(), 1));
    assert_eq!(second.index().pending, 0);
    assert_eq!((second.embedded(), first.embedded() as u64), (0, chunks));
}

#[test]
fn an_index_without_vectors_pulls_by_itself_where_the_settings_say_so() {
    let folder = tempdir().unwrap();
    pushed(&["apples", "boats"], folder.path());
    let settings = ShareConfig { url: folder.path().display().to_string(), ..ShareConfig::default() };
    let made = texts(&["apples", "boats", "cars"]);
    let second = clone_with(
        &[&files(&made[..2]), &files(&made[2..])],
        "origin",
        "https://EXAMPLE.com/team/shop",
        &settings,
    );
    let report = second.index();
    assert_eq!((report.pending, second.embedded()), (0, 1), "only what the bundle lacks");
    assert!(report.notes[0].contains("vectors came from"), "{:?}", report.notes);
    let nowhere =
        ShareConfig { url: folder.path().join("gone").display().to_string(), ..ShareConfig::default() };
    let third = clone_with(&[&files(&made)], "origin", "https://example.com/team/shop", &nowhere);
    let report = third.index();
    assert_eq!((report.pending, third.embedded()), (0, 3));
    assert!(report.notes[0].contains("They are made here instead"), "{:?}", report.notes);
}

#[test]
fn who_is_ahead_takes_what_did_not_change_down_to_the_function() {
    let folder = tempdir().unwrap();
    pushed(&["apples", "boats", "cars"], folder.path());
    let mut ahead = shop(&["apples", "boats", "cars"]);
    let two = format!(
        "{}\n{}",
        function("boats"),
        function("boats").repeat(12).replace("count_boats", "tell_boats")
    );
    ahead.commit(&[("src/dogs.rs", Some(&function("dogs")))]);
    ahead.commit(&[("src/boats.rs", Some(&two)), ("src/cars.rs", None)]);
    let chunks = ahead.read_files().chunks;
    let report = ahead.pull_from(folder.path()).unwrap();
    assert_eq!((report.files_matched, report.missing), (1, chunks));
    assert!(report.filled >= 1 && report.filled < chunks, "{report:?}");
    ahead.index();
    assert_eq!(ahead.embedded() as u64, chunks - report.filled);
}

#[test]
fn a_bundle_of_another_line_of_commits_is_not_taken_and_why_is_said() {
    let folder = tempdir().unwrap();
    pushed(&["apples", "boats"], folder.path());
    let other = shop(&["apples"]);
    other.read_files();
    let report = other.pull_from(folder.path()).unwrap();
    assert_eq!((report.filled, report.commit), (0, None));
    assert!(report.notes[0].contains("that this checkout is based on"), "{:?}", report.notes);
    let empty = tempdir().unwrap();
    let report = other.pull_from(empty.path()).unwrap();
    assert!(report.notes[0].contains("There is no bundle of example.com/team/shop"), "{:?}", report.notes);
}

#[test]
fn a_shallow_clone_takes_what_was_pushed_last() {
    let folder = tempdir().unwrap();
    pushed(&["apples", "boats"], folder.path());
    let shallow = shop(&["apples"]);
    let head = std::fs::read_to_string(shallow.files.path(".git/refs/heads/main")).unwrap();
    std::fs::write(shallow.files.path(".git/shallow"), head).unwrap();
    shallow.read_files();
    let report = shallow.pull_from(folder.path()).unwrap();
    assert_eq!((report.filled, report.missing), (1, 1));
}

#[test]
fn a_fork_takes_from_what_it_was_forked_from() {
    let folder = tempdir().unwrap();
    pushed(&["apples"], folder.path());
    let made = texts(&["apples"]);
    let fork = clone_with(&[&files(&made)], "origin", "git@example.com:me/shop.git", &ShareConfig::default());
    let config = fork.files.path(".git/config");
    let mut text = std::fs::read_to_string(&config).unwrap();
    text.push_str("[remote \"upstream\"]\n\turl = https://example.com/team/shop\n");
    std::fs::write(&config, text).unwrap();
    fork.read_files();
    let report = fork.pull_from(folder.path()).unwrap();
    assert_eq!((report.filled, report.project.as_deref()), (1, Some("example.com/team/shop")));

    let settings = ShareConfig { project: "example.com/team/shop".into(), ..ShareConfig::default() };
    let named = clone_with(&[&files(&made)], "origin", "/srv/git/shop.git", &settings);
    named.read_files();
    assert_eq!(named.pull_from(folder.path()).unwrap().filled, 1);
}

#[test]
fn only_what_is_committed_is_pushed() {
    let folder = tempdir().unwrap();
    let clone = shop(&["apples", "boats"]);
    clone.files.write("src/boats.rs", function("secret_boats"));
    clone.files.write("notes.md", "# Private\n\nNobody else reads this.\n");
    let indexed = clone.index();
    assert_eq!(indexed.files, 3);
    let report = clone.push(folder.path()).unwrap();
    assert_eq!((report.files, report.vectors), (1, 1));
    // A file that git stores with other line endings is the same file.
    clone.files.write("src/boats.rs", function("boats").replace('\n', "\r\n"));
    clone.index();
    assert_eq!(clone.push(folder.path()).unwrap().files, 2);
}

#[test]
fn a_later_push_uploads_what_is_new() {
    let folder = tempdir().unwrap();
    let names: Vec<String> = (0..30).map(|number| format!("things{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut clone = pushed(&names, folder.path());
    let again = clone.push(folder.path()).unwrap();
    assert_eq!((again.packs_new, again.vectors_new, again.packs), (0, 0, 1), "{again:?}");
    clone.commit(&[("src/new.rs", Some(&function("new")))]);
    clone.index();
    let later = clone.push(folder.path()).unwrap();
    assert_eq!((later.files, later.files_new, later.packs, later.packs_new), (31, 1, 2, 1));
    let fresh = shop(&names);
    fresh.read_files();
    assert_eq!(fresh.pull_from(folder.path()).unwrap().filled, 30, "the older commit is still there");
}

#[test]
fn pushers_at_the_same_time_all_succeed() {
    let folder = tempdir().unwrap();
    let clones: Vec<Clone> = (0..4)
        .map(|number| {
            let mut clone = shop(&["apples", "boats"]);
            for extra in 0..=number {
                clone.commit(&[(&format!("src/extra{extra}.rs"), Some(&function(&format!("extra{extra}"))))]);
            }
            clone.index();
            clone
        })
        .collect();
    std::thread::scope(|scope| {
        for clone in &clones {
            let (engine, settings) = (&clone.engine, &clone.settings);
            let folder = folder.path();
            scope.spawn(move || push(engine, settings, folder, None).unwrap());
        }
    });
    let list = objects(folder.path(), "commits");
    assert_eq!(std::fs::read_to_string(&list[0]).unwrap().lines().count(), 4);
    for pusher in &clones {
        let mut second = shop(&["apples", "boats"]);
        for extra in 0..=(pusher.engine.files().unwrap().len() - 3) {
            second.commit(&[(&format!("src/extra{extra}.rs"), Some(&function(&format!("extra{extra}"))))]);
        }
        second.read_files();
        let report = second.pull_from(folder.path()).unwrap();
        assert_eq!((report.filled, report.notes.len()), (report.missing, 0), "{report:?}");
    }
}

#[test]
fn old_bundles_are_deleted_on_demand_and_new_ones_stay_whole() {
    let folder = tempdir().unwrap();
    let mut clone = pushed(&["apples", "boats"], folder.path());
    for name in ["cars", "dogs", "eels"] {
        clone.commit(&[(&format!("src/{name}.rs"), Some(&function(name)))]);
        clone.index();
        clone.push_keeping(folder.path(), Some(2)).unwrap();
    }
    assert_eq!(objects(folder.path(), "/manifests/").len(), 2);
    let names = ["apples", "boats"];
    let mut second = shop(&names);
    for name in ["cars", "dogs", "eels"] {
        second.commit(&[(&format!("src/{name}.rs"), Some(&function(name)))]);
    }
    second.read_files();
    assert_eq!(second.pull_from(folder.path()).unwrap().filled, 5);
}

#[test]
fn a_model_of_another_name_has_a_bundle_of_its_own() {
    let folder = tempdir().unwrap();
    pushed(&["apples"], folder.path());
    let keys = objects(folder.path(), "/packs/");
    assert_eq!(keys.len(), 1);
    let text: Vec<u8> = std::fs::read(&keys[0]).unwrap();
    let all: Vec<String> = objects(folder.path(), "").iter().map(|path| path.display().to_string()).collect();
    for told in ["shop", "apples", "example.com"] {
        assert!(!all.iter().any(|path| path.contains(told)), "{told} in {all:?}");
    }
    assert!(!text.windows(6).any(|window| window == b"apples"));
}
