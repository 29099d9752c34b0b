//! Selects tests among the users of some code. Test code also contains helpers and fixtures, which cannot be run.

use std::collections::{HashMap, HashSet};
use std::convert::Infallible;

use vectorcode_core::api::{AffectedSymbol, Confidence, GraphNode, GraphResponse, NodeKind};
use vectorcode_core::{Definition, DefinitionKind, bare_name, parent_folder};
use vectorcode_graph::{FileId, Tree, within};
use vectorcode_source::{by_name, by_path};

use super::GraphContext;
use crate::error::EngineError;

/// The tests in a response that change, or certainly reach a change, in its order and without duplicates.
pub(super) fn tests_to_run(
    context: &GraphContext<'_>,
    reached: &GraphResponse,
) -> Result<Vec<AffectedSymbol>, EngineError> {
    // A call that was guessed by name alone is not enough.
    let sure = reached.edges.iter().filter(|edge| edge.confidence < Confidence::Guess);
    let (callers, called): (HashSet<usize>, HashSet<usize>) = sure.map(|edge| (edge.from, edge.to)).unzip();
    let (mut tests, mut seen) = (Vec::new(), HashSet::new());
    for (at, node) in reached.nodes.iter().enumerate() {
        if !node.is_test || !(node.distance == 0 || callers.contains(&at)) {
            continue;
        }
        let test = outermost_function(context, node)?;
        let is_inner = test.name != node.name;
        // A helper is called by other code, a test is not.
        let is_helper = !is_inner && called.contains(&at);
        let can_be_run = is_test_by_name(node, &test.name).unwrap_or(!is_helper);
        if can_be_run && seen.insert((test.path.clone(), test.name.clone())) {
            tests.push(test);
        }
    }
    Ok(tests)
}

/// The test files that load one of `changed` through imports, nearest first, then those that only `reached` contains.
/// A test may run code that no chain of resolved calls leads to.
pub(super) fn test_files(
    context: &GraphContext<'_>,
    changed: impl Iterator<Item = FileId>,
    reached: &GraphResponse,
) -> Result<Vec<String>, EngineError> {
    let files = &context.snapshot.files;
    let tree = files.tree();
    let beside = tests_beside(tree);
    let starts: Vec<FileId> = changed.collect();
    let loading = within(&starts, u32::MAX, |file| {
        let importers = files.importers(file).iter().map(|edge| edge.file);
        let beside = beside.get(parent_folder(tree.path(file))).into_iter().flatten().copied();
        Ok::<_, Infallible>(importers.chain(beside).collect())
    });
    let Ok(loading) = loading;
    let by_calls = reached.nodes.iter().filter(|node| node.is_test);
    let by_calls = by_calls.filter_map(|node| tree.get(node.path.as_deref().unwrap_or(&node.name)));
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    for file in loading.into_iter().map(|(file, _)| file).chain(by_calls) {
        if tree.file(file).is_test && seen.insert(file) && has_tests(context, tree.path(file))? {
            found.push(tree.path(file).to_owned());
        }
    }
    Ok(found)
}

/// The test files of each folder, in languages where they need no import for code in the same folder.
fn tests_beside(tree: &Tree) -> HashMap<&str, Vec<FileId>> {
    let mut beside: HashMap<&str, Vec<FileId>> = HashMap::new();
    for (file, known) in tree.iter().filter(|(_, file)| file.is_test && file.traits.shares_folder) {
        beside.entry(parent_folder(&known.path)).or_default().push(file);
    }
    beside
}

/// Whether a file has a function with a test name. True in languages without such names. A class with a test name
/// also counts, because it may inherit all of its tests.
fn has_tests(context: &GraphContext<'_>, path: &str) -> Result<bool, EngineError> {
    let definitions = context.reader.definitions_of(path)?;
    let is_named_test = |name: &str| by_path(path)?.is_test_name(name);
    let is_test = |definition: &Definition| match definition.kind {
        DefinitionKind::Class => is_named_test(&definition.name.to_lowercase()) == Some(true),
        kind => kind.is_callable() && is_named_test(&definition.name) == Some(true),
    };
    Ok(is_named_test("").is_none() || definitions.iter().any(|stored| is_test(&stored.definition)))
}

/// A definition or a file as a response lists it.
pub(super) fn affected(node: &GraphNode) -> AffectedSymbol {
    AffectedSymbol {
        path: node.path.clone().unwrap_or_else(|| node.name.clone()),
        name: node.name.clone(),
        line: node.line,
        distance: node.distance,
    }
}

/// The outermost function or method that encloses a definition: code defined inside a test stands for the test.
fn outermost_function(context: &GraphContext<'_>, node: &GraphNode) -> Result<AffectedSymbol, EngineError> {
    let itself = affected(node);
    if node.kind != NodeKind::Symbol {
        return Ok(itself);
    }
    let is_around = |definition: &Definition| {
        let rest = node.name.strip_prefix(definition.qualified.as_str());
        definition.kind.is_callable() && rest.is_some_and(|rest| rest.starts_with('.'))
    };
    let definitions =
        context.reader.definitions_of(&itself.path)?.into_iter().map(|stored| stored.definition);
    let around = definitions.filter(is_around).min_by_key(|definition| definition.qualified.len());
    Ok(match around {
        Some(around) => AffectedSymbol { name: around.qualified, line: Some(around.name_line), ..itself },
        None => itself,
    })
}

/// `None` if it is not a function, or in languages without naming rules for tests.
fn is_test_by_name(node: &GraphNode, qualified: &str) -> Option<bool> {
    let language = by_name(node.language.as_deref()?)?;
    node.definition.filter(|kind| kind.is_callable())?;
    language.is_test_name(bare_name(qualified))
}
