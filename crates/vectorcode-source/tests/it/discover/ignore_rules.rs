//! Git's ignore files, and the settings that add to them.

use vectorcode_core::config::IndexingConfig;
use vectorcode_core::{CancelToken, SkipReason};
use vectorcode_source::Scope;
use vectorcode_testkit::TempProject;

use super::{discover, discover_with, paths, scope, skipped};

#[test]
fn gitignore_holds_without_a_repository_and_at_every_level() {
    let project = TempProject::new(&[
        (".gitignore", "*.txt\n/only_here/\n"),
        ("a.txt", "x"),
        ("a.md", "x"),
        ("only_here/b.md", "x"),
        ("src/.gitignore", "!keep.txt\nlocal.md\n"),
        ("src/keep.txt", "x"),
        ("src/local.md", "x"),
        ("src/only_here/c.md", "x"),
        ("src/deep/keep.txt", "x"),
        ("src/deep/drop.txt", "x"),
        ("other/local.md", "x"),
    ]);
    assert_eq!(
        paths(&project),
        ["a.md", "other/local.md", "src/deep/keep.txt", "src/keep.txt", "src/only_here/c.md"]
    );
}

#[test]
fn negation_in_the_same_file_works_and_an_excluded_directory_stays_excluded() {
    let project = TempProject::new(&[
        (".gitignore", "logs/*\n!logs/keep.md\ncache/\n!cache/keep.md\n"),
        ("logs/keep.md", "x"),
        ("logs/drop.md", "x"),
        ("cache/keep.md", "x"),
    ]);
    assert_eq!(paths(&project), ["logs/keep.md"]);
}

#[test]
fn info_exclude_is_weaker_than_gitignore() {
    let project = TempProject::new(&[
        (".git/info/exclude", "*.md\n"),
        (".gitignore", "!kept.md\n"),
        ("kept.md", "x"),
        ("private.md", "x"),
    ]);
    assert_eq!(paths(&project), ["kept.md"]);
}

#[test]
fn info_exclude_of_a_linked_worktree_is_that_of_its_repository() {
    let project = TempProject::new(&[
        ("repo/.git/info/exclude", "private.md\n"),
        ("repo/.git/worktrees/tree/commondir", "../..\n"),
        ("tree/.git", "gitdir: ../repo/.git/worktrees/tree\n"),
        ("tree/private.md", "x"),
        ("tree/public.md", "x"),
    ]);
    let scope = Scope::new(&project.path("tree"), &IndexingConfig::default()).unwrap();
    assert_eq!(scope.classify("private.md".as_ref()).unwrap_err(), SkipReason::Ignored);
    assert!(scope.classify("public.md".as_ref()).is_ok());
}

#[test]
fn a_project_inside_a_repository_obeys_the_gitignore_above_it() {
    let project = TempProject::new(&[
        (".git/HEAD", "ref: refs/heads/main\n"),
        (".gitignore", "*.txt\n/apps/shop/private/\nshop/\n"),
        ("apps/shop/a.txt", "x"),
        ("apps/shop/a.md", "x"),
        ("apps/shop/private/b.md", "x"),
    ]);
    let scope = Scope::new(&project.path("apps/shop"), &IndexingConfig::default()).unwrap();
    let found = scope.discover(&CancelToken::default()).unwrap();
    let paths: Vec<_> = found.files.iter().map(|file| file.path.as_str()).collect();
    // The project's own directory is ignored too, but is indexed because it was named explicitly.
    assert_eq!(paths, ["a.md"]);
}

#[test]
fn excluded_directories_and_extensions_come_from_the_settings() {
    let project = TempProject::new(&[
        ("node_modules/x/a.md", "x"),
        ("src/node_modules/a.md", "x"),
        ("app.min.js", "x"),
        ("yarn.lock", "x"),
        ("package-lock.json", "{}"),
        ("legacy/old.md", "x"),
        ("src/a.md", "x"),
    ]);
    assert_eq!(paths(&project), ["legacy/old.md", "src/a.md"]);
    assert_eq!(skipped(&project, "app.min.js"), Some(SkipReason::ExcludedExtension));
    assert_eq!(skipped(&project, "package-lock.json"), Some(SkipReason::Ignored));

    let config = IndexingConfig {
        exclude_dirs: vec!["legacy".into(), "src/node_modules/".into()],
        exclude_extensions: vec![".js".into()],
        ..IndexingConfig::default()
    };
    let found: Vec<_> = discover_with(&project, &config).files.into_iter().map(|file| file.path).collect();
    assert_eq!(found, ["node_modules/x/a.md", "src/a.md"]);
    let config =
        IndexingConfig { ignore: vec!["/src/*.md".into(), "!src/a.md".into()], ..IndexingConfig::default() };
    let found: Vec<_> = discover_with(&project, &config).files.into_iter().map(|file| file.path).collect();
    assert_eq!(found, ["legacy/old.md", "src/a.md"], "patterns as in a .gitignore at the root");
}

#[test]
fn the_index_and_the_git_store_are_never_entered() {
    let project = TempProject::new(&[
        (".vectorcodeignore", "!.git/notes.md\n!/.vectorcode/\n"),
        (".git/notes.md", "x"),
        (".vectorcode/notes.md", "x"),
    ]);
    let config = IndexingConfig { exclude_dirs: Vec::new(), ..IndexingConfig::default() };
    let found = discover_with(&project, &config);
    assert!(found.files.iter().all(|file| file.path == ".vectorcodeignore"), "{:?}", found.files);
}

#[test]
fn an_ignored_directory_is_counted_once_and_not_entered() {
    let project = TempProject::new(&[
        (".gitignore", "out/\n"),
        ("out/a.md", "x"),
        ("out/b.md", "x"),
        ("src/a.md", "x"),
    ]);
    let skipped = discover(&project).skipped;
    assert_eq!(skipped.count(SkipReason::Ignored), 1);
    assert_eq!(skipped.examples(SkipReason::Ignored), ["out"]);
    let scope = scope(&project);
    assert!(scope.enters("src".as_ref()) && scope.enters("".as_ref()));
    assert!(
        !scope.enters("out".as_ref()) && !scope.enters("missing".as_ref()) && !scope.enters("..".as_ref())
    );
}
