//! Properties that hold for any tree and any ignore files.

use std::collections::BTreeSet;

use proptest::prelude::*;
use vectorcode_testkit::TempProject;

use super::{discover, scope};

fn name() -> impl Strategy<Value = String> {
    prop_oneof!["[ab]", Just("vendor".into()), Just("dist".into()), Just(".github".into())]
}

fn path() -> impl Strategy<Value = String> {
    (prop::collection::vec(name(), 0..3), "[abc]\\.(md|txt|bin|min\\.js)").prop_map(|(mut parts, file)| {
        parts.push(file);
        parts.join("/")
    })
}

fn pattern() -> impl Strategy<Value = String> {
    (
        "!?",
        "/?",
        prop::collection::vec(prop_oneof![name(), Just("*".into()), Just("**".into())], 0..3),
        "(/|/\\*\\.md|/a\\.md|\\*\\.txt)",
    )
        .prop_map(|(not, slash, parts, end)| format!("{not}{slash}{}{end}\n", parts.join("/")))
}

fn ignore_file() -> impl Strategy<Value = String> {
    prop::collection::vec(pattern(), 0..5).prop_map(|lines| lines.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// The walk and the check of a single path must always agree, or files would repeatedly enter and leave the index.
    #[test]
    fn walk_and_single_answers_agree(
        files in prop::collection::btree_set(path(), 1..12),
        git in ignore_file(),
        own in ignore_file(),
        nested in ignore_file(),
    ) {
        let project = TempProject::new(&[(".gitignore", &git), (".vectorcodeignore", &own), ("a/.vectorcodeignore", &nested)]);
        for file in &files {
            project.write(file, "x");
        }
        let walked: BTreeSet<_> = discover(&project).files.into_iter().map(|file| file.path).collect();
        let scope = scope(&project);
        for file in &files {
            prop_assert_eq!(walked.contains(file), scope.classify(file.as_ref()).is_ok(), "{}", file);
        }
    }

    /// Without a `.vectorcodeignore`, and apart from the defaults, discovery finds the files that git does not ignore.
    #[test]
    fn an_ignored_file_is_never_taken(files in prop::collection::btree_set("[ab]{1,2}(/[ab]{1,2}){0,2}\\.md", 1..10)) {
        let project = TempProject::new(&[(".gitignore", "a*\n!ab*\n")]);
        for file in &files {
            project.write(file, "x");
        }
        let taken = |path: &str| path.split('/').all(|part| !part.starts_with('a') || part.starts_with("ab"));
        let expected: Vec<_> = files.iter().filter(|file| taken(file)).cloned().collect();
        prop_assert_eq!(super::paths(&project), expected);
    }
}
