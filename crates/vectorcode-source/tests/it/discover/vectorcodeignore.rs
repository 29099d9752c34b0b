//! `.vectorcodeignore`: it excludes files that git includes, and includes files that git or a default excludes.

use vectorcode_core::SkipReason;
use vectorcode_testkit::TempProject;

use super::{paths, scope, skipped};

#[test]
fn it_excludes_files_that_git_keeps() {
    let project = TempProject::new(&[
        (".vectorcodeignore", "*.md\n!README.md\n"),
        ("README.md", "x"),
        ("notes.md", "x"),
    ]);
    assert_eq!(paths(&project), ["README.md"]);
}

#[test]
fn it_brings_back_a_file_that_gitignore_or_a_default_excludes() {
    let project = TempProject::new(&[
        (".gitignore", "*.txt\n"),
        (".vectorcodeignore", "!keep.txt\n!app.min.js\n!.hidden.md\n!package-lock.json\n"),
        ("keep.txt", "x"),
        ("sub/keep.txt", "x"),
        ("drop.txt", "x"),
        ("app.min.js", "x"),
        (".hidden.md", "x"),
        ("package-lock.json", "{}"),
    ]);
    assert_eq!(
        paths(&project),
        [".hidden.md", "app.min.js", "keep.txt", "package-lock.json", "sub/keep.txt"]
    );
}

#[test]
fn it_brings_back_single_files_from_below_excluded_directories() {
    let project = TempProject::new(&[
        (".gitignore", "generated/\n"),
        (".vectorcodeignore", "!generated/api/client.md\n!vendor/*/ours.md\n!/node_modules/@us/**/*.md\n"),
        ("generated/api/client.md", "x"),
        ("generated/api/server.md", "x"),
        ("generated/other/client.md", "x"),
        ("vendor/lib/ours.md", "x"),
        ("vendor/lib/theirs.md", "x"),
        ("vendor/lib/deep/ours.md", "x"),
        ("node_modules/@us/ui/button/readme.md", "x"),
        ("node_modules/@them/ui/readme.md", "x"),
    ]);
    assert_eq!(
        paths(&project),
        ["generated/api/client.md", "node_modules/@us/ui/button/readme.md", "vendor/lib/ours.md"]
    );
    let scope = scope(&project);
    assert!(scope.enters("generated/api".as_ref()) && scope.enters("vendor/lib".as_ref()));
    assert!(!scope.enters("generated/other".as_ref()) && !scope.enters("node_modules/@them".as_ref()));
}

#[test]
fn a_directory_brought_back_is_judged_afresh_inside() {
    let project = TempProject::new(&[
        (".gitignore", "vendor/\n*.txt\n"),
        (".vectorcodeignore", "!vendor/ours/\n!dist/\n"),
        ("vendor/ours/a.md", "x"),
        ("vendor/ours/a.txt", "x"),
        ("vendor/ours/node_modules/b.md", "x"),
        ("vendor/theirs/a.md", "x"),
        ("dist/site.md", "x"),
        ("packages/web/dist/site.md", "x"),
    ]);
    assert_eq!(paths(&project), ["dist/site.md", "packages/web/dist/site.md", "vendor/ours/a.md"]);
}

#[test]
fn a_pattern_for_any_level_does_not_open_excluded_directories() {
    let project = TempProject::new(&[
        (".vectorcodeignore", "*.md\n!keep.md\n!**/also.md\n!vendor/one.md\n"),
        ("docs/keep.md", "x"),
        ("docs/also.md", "x"),
        ("node_modules/lib/keep.md", "x"),
        ("node_modules/lib/also.md", "x"),
        ("vendor/keep.md", "x"),
        ("vendor/one.md", "x"),
    ]);
    assert_eq!(paths(&project), ["docs/also.md", "docs/keep.md", "vendor/one.md"]);
}

#[test]
fn a_nested_file_is_stronger_than_the_one_above_it() {
    let project = TempProject::new(&[
        (".vectorcodeignore", "drafts/*\n*.txt\n"),
        ("docs/.vectorcodeignore", "!drafts/ready.md\n!notes.txt\n!dist/manual.md\n"),
        ("docs/drafts/ready.md", "x"),
        ("docs/drafts/raw.md", "x"),
        ("docs/notes.txt", "x"),
        ("docs/dist/manual.md", "x"),
        ("docs/dist/other.md", "x"),
        ("notes.txt", "x"),
    ]);
    let expected = ["docs/dist/manual.md", "docs/drafts/raw.md", "docs/drafts/ready.md", "docs/notes.txt"];
    assert_eq!(paths(&project), expected);
}

#[test]
fn it_never_brings_back_a_secret() {
    let project = TempProject::new(&[
        (".vectorcodeignore", "!.env\n!deploy.pem\n"),
        (".env", "KEY=1"),
        ("deploy.pem", "x"),
    ]);
    assert!(paths(&project).is_empty());
    assert_eq!(skipped(&project, ".env"), Some(SkipReason::Secret));
    assert_eq!(skipped(&project, "deploy.pem"), Some(SkipReason::Secret));
}
