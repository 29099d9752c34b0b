//! Symbolic links, unreadable entries, and entries that are not files.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use vectorcode_core::config::IndexingConfig;
use vectorcode_core::{CancelToken, SkipReason};
use vectorcode_source::Scope;
use vectorcode_testkit::TempProject;

use super::{discover, paths, scope, skipped};

#[test]
fn links_are_not_followed_wherever_they_lead() {
    let outside = TempProject::new(&[("secret.md", "x"), ("deep/secret.md", "x")]);
    let project = TempProject::new(&[("src/a.md", "x")]);
    symlink(outside.path("secret.md"), project.path("out.md")).unwrap();
    symlink(outside.path("deep"), project.path("out_dir.md")).unwrap();
    symlink("src/a.md", project.path("inside.md")).unwrap();
    symlink("nowhere", project.path("broken.md")).unwrap();
    assert_eq!(paths(&project), ["src/a.md"]);
    let counted = discover(&project).skipped;
    assert_eq!(counted.examples(SkipReason::OutsideRoot), ["out.md", "out_dir.md"]);
    assert_eq!(counted.examples(SkipReason::Link), ["inside.md"]);
    assert_eq!(counted.examples(SkipReason::Unreadable), ["broken.md"]);
}

#[test]
fn loops_of_links_end() {
    let project = TempProject::new(&[("src/a.md", "x")]);
    symlink("..", project.path("src/up")).unwrap();
    symlink("self.md", project.path("self.md")).unwrap();
    assert_eq!(paths(&project), ["src/a.md"]);
}

#[test]
fn a_path_through_a_linked_directory_is_answered_for_its_true_place() {
    let outside = TempProject::new(&[("b.md", "x")]);
    let project = TempProject::new(&[("src/a.md", "x")]);
    symlink("src", project.path("alias")).unwrap();
    symlink(outside.root(), project.path("away")).unwrap();
    assert_eq!(scope(&project).classify("alias/a.md".as_ref()).unwrap().path, "src/a.md");
    assert_eq!(skipped(&project, "away/b.md"), Some(SkipReason::OutsideRoot));
}

#[test]
fn a_root_given_as_a_link_is_resolved() {
    let project = TempProject::new(&[("real/a.md", "x")]);
    symlink("real", project.path("link")).unwrap();
    let scope = Scope::new(&project.path("link"), &IndexingConfig::default()).unwrap();
    assert_eq!(scope.discover(&CancelToken::default()).unwrap().files[0].path, "a.md");
}

#[test]
fn pipes_are_not_opened() {
    let project = TempProject::empty();
    let status = std::process::Command::new("mkfifo").arg(project.path("pipe.md")).status().unwrap();
    assert!(status.success());
    assert_eq!(skipped(&project, "pipe.md"), Some(SkipReason::Unreadable));
}

#[test]
fn what_may_not_be_read_is_counted_and_the_rest_is_found() {
    let project = TempProject::new(&[("locked/a.md", "x"), ("file.md", "x"), ("open.md", "x")]);
    let set_mode =
        |path: &str, mode| fs::set_permissions(project.path(path), PermissionsExt::from_mode(mode)).unwrap();
    set_mode("locked", 0o000);
    set_mode("file.md", 0o000);
    let may_read_anyway = fs::read(project.path("file.md")).is_ok();
    let found = discover(&project);
    let scope = scope(&project);
    let read = found.files.iter().filter(|file| scope.read(file).is_ok()).count();
    set_mode("locked", 0o700);
    // The superuser can read everything; for other users, the directory and the file are inaccessible.
    if may_read_anyway {
        assert_eq!((read, found.skipped.count(SkipReason::Unreadable)), (3, 0));
    } else {
        assert_eq!((read, found.skipped.count(SkipReason::Unreadable)), (1, 1));
    }
}
