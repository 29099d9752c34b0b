//! The tests among what uses some code. Code of tests also has helpers and fixtures, which nobody can run.

use std::collections::HashSet;

use vectorcode_core::Definition;
use vectorcode_core::api::{AffectedSymbol, Confidence, GraphNode, GraphResponse, NodeKind};
use vectorcode_source::by_name;

use super::GraphContext;
use crate::EngineError;

/// The tests of an answer that change or surely reach what changes, in its order, each once.
pub(super) fn tests_to_run(
    context: &GraphContext<'_>,
    reached: &GraphResponse,
) -> Result<Vec<AffectedSymbol>, EngineError> {
    // A guess by name alone makes no test.
    let sure = reached.edges.iter().filter(|edge| edge.confidence < Confidence::Guess);
    let (callers, called): (HashSet<usize>, HashSet<usize>) = sure.map(|edge| (edge.from, edge.to)).unzip();
    let (mut tests, mut seen) = (Vec::new(), HashSet::new());
    for (at, node) in reached.nodes.iter().enumerate() {
        if !node.is_test || !(node.distance == 0 || callers.contains(&at)) {
            continue;
        }
        let test = outermost_function(context, node)?;
        let is_inner = test.name != node.name;
        // A helper is called by other code, a test by nobody.
        let is_helper = !is_inner && called.contains(&at);
        let can_be_run = is_test_by_name(node, &test.name).unwrap_or(!is_helper);
        if can_be_run && seen.insert((test.path.clone(), test.name.clone())) {
            tests.push(test);
        }
    }
    Ok(tests)
}

/// A definition or a file as an answer lists it.
pub(super) fn affected(node: &GraphNode) -> AffectedSymbol {
    AffectedSymbol {
        path: node.path.clone().unwrap_or_else(|| node.name.clone()),
        name: node.name.clone(),
        line: node.line,
        distance: node.distance,
    }
}

/// The function or method around a definition that no other one is around: what is defined inside a test stands for the
/// test.
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

/// `None` for what has no name of its own, and in languages whose names do not tell.
fn is_test_by_name(node: &GraphNode, qualified: &str) -> Option<bool> {
    let language = by_name(node.language.as_deref()?)?;
    node.definition.filter(|kind| kind.is_callable())?;
    language.is_test_name(qualified.rsplit('.').next().unwrap_or(qualified))
}
