//! What must hold after any trouble: the next run continues, and the index becomes what an undisturbed run would have
//! created.

use serde_json::Value;
use vectorcode_testkit::TempProject;

use crate::binary_under_test::BinaryUnderTest;
use crate::scene::Violation;
use crate::tree;

/// Indexes the project and compares it with an undisturbed index of the same files.
pub fn recovers(binary: &BinaryUnderTest, project: &TempProject) -> Result<(), Violation> {
    let report = binary.json(project.root(), &["index", "--json", "--quiet"])?;
    // Notes would say that the index was damaged and rebuilt, or that something is missing.
    expect("notes after the trouble", &Value::Array(Vec::new()), &report["notes"])?;
    expect("chunks without a vector", &Value::from(0), &report["pending"])?;
    let fresh = copy_of(project);
    let expected = binary.json(fresh.root(), &["index", "--json", "--quiet"])?;
    expect("files", &expected["files"], &report["files"])?;
    expect("chunks", &expected["chunks"], &report["chunks"])?;
    answers_alike(binary, project, &fresh, &["add_17_to_total", "checks that a sum fits"])
}

/// Both projects must give the same hits with the same scores.
pub fn answers_alike(
    binary: &BinaryUnderTest,
    project: &TempProject,
    fresh: &TempProject,
    questions: &[&str],
) -> Result<(), Violation> {
    for question in questions {
        let arguments = ["search", "--json", "--quiet", "--limit", "5", *question];
        let found = hits(&binary.json(project.root(), &arguments)?);
        let expected = hits(&binary.json(fresh.root(), &arguments)?);
        expect(&format!("the answer to {question:?}"), &expected, &found)?;
    }
    Ok(())
}

/// The parts of a response that do not depend on where and when the project was indexed.
fn hits(answer: &Value) -> Value {
    let hits = answer["hits"].as_array().into_iter().flatten();
    hits.map(|hit| Value::from(vec![hit["file_path"].clone(), hit["score"].clone()])).collect()
}

/// A copy of the files in another directory, without an index.
fn copy_of(project: &TempProject) -> TempProject {
    let copy = TempProject::empty();
    for number in 0..tree::FILES {
        let path = tree::path_of(number);
        if project.path(&path).exists() {
            copy.write(&path, project.read(&path));
        }
    }
    copy
}

/// Compares one value of the index with its expected value.
pub fn expect(what: &str, expected: &Value, found: &Value) -> Result<(), Violation> {
    if expected == found { Ok(()) } else { Err(Violation::wrong(what, expected, found)) }
}
