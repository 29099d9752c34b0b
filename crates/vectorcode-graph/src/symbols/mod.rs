//! The call graph: references, resolved to definitions on demand.
//!
//! Nothing is stored. The callers of a definition are the references to its name that resolve to it; its callees are the
//! definitions that the references inside it resolve to. A reference is resolved by scope, receiver, import, package or, last,
//! because there is only one definition with that name. The [`Confidence`] of the edge says how.

mod hierarchy;
mod member;
mod names;
mod path_names;
mod receiver;
mod receiver_types;
mod resolver;
mod types;
mod visibility;
mod written_types;

use std::cell::RefCell;
use std::rc::Rc;

use rustc_hash::FxHashMap;
use vectorcode_core::api::{Confidence, EdgeKind};
use vectorcode_core::{Reference, ReferenceKind, bare_name};

pub use self::hierarchy::Subtype;
use self::names::is_same_symbol;
use self::path_names::{is_header, is_of_header};
use self::resolver::{Resolution, Resolver};
use self::visibility::Visibility;
use crate::facts::{Facts, SymbolDefinition, SymbolId, SymbolUse};
use crate::files::FileGraph;
use crate::tree::FileId;

/// The end of an edge: a definition, or a file if the code is outside of all definitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Node {
    File(FileId),
    Symbol(SymbolId),
}

impl Node {
    pub fn file(self) -> FileId {
        match self {
            Self::File(file) | Self::Symbol(SymbolId { file, .. }) => file,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SymbolEdge {
    pub from: Node,
    pub to: SymbolId,
    pub kind: EdgeKind,
    /// The kind of the first use.
    pub used: ReferenceKind,
    pub confidence: Confidence,
    /// The line of the first call, or else of the first use, in the file of `from`.
    pub line: u32,
    /// If it is used as a base, the subtype.
    pub subtype: Option<SymbolId>,
}

/// The resolved references to one name.
#[derive(Debug, Default)]
struct NameEdges {
    edges: Vec<SymbolEdge>,
    /// The references behind the edges, one by one.
    uses: Vec<SymbolEdge>,
    /// The number of references with too many possible definitions.
    ambiguous: usize,
}

/// The call graph over the facts of one version of the index.
pub struct Symbols<'g, F: Facts> {
    files: &'g FileGraph,
    facts: &'g F,
    visibility: Visibility,
    by_name: RefCell<FxHashMap<String, Rc<NameEdges>>>,
}

impl<'g, F: Facts> Symbols<'g, F> {
    pub fn new(files: &'g FileGraph, facts: &'g F) -> Self {
        Self { files, facts, visibility: Visibility::default(), by_name: RefCell::default() }
    }

    /// The definition with this id, if the facts have it.
    pub fn defined(&self, id: SymbolId) -> Result<Option<SymbolDefinition>, F::Error> {
        Ok(self.facts.definitions_of(id.file)?.get(id.ordinal as usize).cloned())
    }

    /// The representative id of a symbol: all overloads are one symbol, as are a declaration in a header and its definition.
    pub fn canonical(&self, id: SymbolId) -> Result<SymbolId, F::Error> {
        let Some(defined) = self.defined(id)? else { return Ok(id) };
        let named = self.facts.definitions_named(&defined.definition.name)?;
        Ok(canonical(self.files, &named, &defined))
    }

    /// The edges from users of a definition, in the order of their locations.
    pub fn callers(&self, of: SymbolId) -> Result<Vec<SymbolEdge>, F::Error> {
        let Some(defined) = self.defined(of)? else { return Ok(Vec::new()) };
        let of = self.canonical(of)?;
        let edges = self.edges_to(&defined.definition.name)?;
        Ok(edges.edges.iter().filter(|edge| edge.to == of).copied().collect())
    }

    /// The individual uses of a definition, while [`Self::callers`] has one edge for all uses by the same code.
    pub fn uses(&self, of: SymbolId) -> Result<Vec<SymbolEdge>, F::Error> {
        let Some(defined) = self.defined(of)? else { return Ok(Vec::new()) };
        let of = self.canonical(of)?;
        let edges = self.edges_to(&defined.definition.name)?;
        Ok(edges.uses.iter().filter(|edge| edge.to == of).copied().collect())
    }

    /// The number of uses of a name that give no edge because there are too many possible definitions.
    pub fn ambiguous(&self, name: &str) -> Result<usize, F::Error> {
        Ok(self.edges_to(name)?.ambiguous)
    }

    /// What the code of a definition calls, in line order.
    pub fn callees(&self, of: SymbolId) -> Result<Vec<SymbolEdge>, F::Error> {
        let of = self.canonical(of)?;
        let definitions = self.facts.definitions_of(of.file)?;
        let Some(own) = definitions.get(of.ordinal as usize) else { return Ok(Vec::new()) };
        let traits = self.files.tree().traits(of.file);
        let parts: Vec<&SymbolDefinition> = definitions
            .iter()
            .filter(|other| is_same_symbol(&other.definition, &own.definition, &traits))
            .collect();
        let is_inside = |reference: &Reference| {
            let around = reference.enclosing.and_then(|ordinal| definitions.get(ordinal as usize));
            around.is_some_and(|around| {
                parts.iter().any(|part| part.definition.span.contains(&around.definition.span))
            })
        };
        let references = self.facts.references_of(of.file)?;
        let calls = references.iter().filter(|used| used.kind == ReferenceKind::Call && is_inside(used));
        let calls: Vec<&Reference> = calls.collect();
        self.facts.prefetch_definitions(&calls.iter().map(|call| call.name.as_str()).collect::<Vec<_>>())?;
        let mut edges = Vec::new();
        for call in calls {
            let found = self.resolve(of.file, call)?;
            add_edges(&mut edges, Node::Symbol(of), call, &found);
        }
        Ok(edges)
    }

    /// The definitions that a reference may mean, and how certain that is.
    pub fn targets_of(
        &self,
        file: FileId,
        reference: &Reference,
    ) -> Result<(Vec<SymbolId>, Confidence), F::Error> {
        let found = self.resolve(file, reference)?;
        Ok((found.targets, found.confidence))
    }

    /// The definitions that a reference may mean.
    pub fn targets(&self, file: FileId, reference: &Reference) -> Result<Vec<SymbolId>, F::Error> {
        Ok(self.resolve(file, reference)?.targets)
    }

    /// The edges to definitions with this name, including uses through import aliases.
    fn edges_to(&self, name: &str) -> Result<Rc<NameEdges>, F::Error> {
        if let Some(known) = self.by_name.borrow().get(name) {
            return Ok(known.clone());
        }
        let mut found = NameEdges::default();
        let names = std::iter::once(name).chain(self.files.aliases(name).iter().map(String::as_str));
        let names: Vec<&str> = names.collect();
        self.facts.prefetch_references(&names)?;
        for used in names {
            for used in self.facts.references_named(used)?.iter() {
                self.add_use(&mut found, used)?;
            }
        }
        let found = Rc::new(found);
        self.by_name.borrow_mut().insert(name.to_owned(), found.clone());
        Ok(found)
    }

    fn add_use(&self, found: &mut NameEdges, used: &SymbolUse) -> Result<(), F::Error> {
        let resolution = self.resolve(used.file, &used.reference)?;
        found.ambiguous += usize::from(resolution.ambiguous);
        if !resolution.targets.is_empty() {
            let from = self.user(used)?;
            // Importing a name without using it does not count as a call.
            if used.reference.kind != ReferenceKind::Import {
                add_edges(&mut found.edges, from, &used.reference, &resolution);
            }
            let subtype = self.subtype(used)?;
            add_uses(&mut found.uses, from, &used.reference, &resolution, subtype);
        }
        Ok(())
    }

    /// The code that contains a use. A declaration in a header counts as a user of its own, because the line is there.
    fn user(&self, used: &SymbolUse) -> Result<Node, F::Error> {
        let Some(ordinal) = used.reference.enclosing else { return Ok(Node::File(used.file)) };
        let around = SymbolId { file: used.file, ordinal };
        let canonical = self.canonical(around)?;
        Ok(Node::Symbol(if canonical.file == used.file { canonical } else { around }))
    }

    /// The type that gets a base: the enclosing type, or the one that an `impl` block names.
    fn subtype(&self, used: &SymbolUse) -> Result<Option<SymbolId>, F::Error> {
        let SymbolUse { file, reference } = used;
        if reference.kind != ReferenceKind::Base {
            return Ok(None);
        }
        let Some(name) = reference.applied_to() else {
            return Ok(reference.enclosing.map(|ordinal| SymbolId { file: *file, ordinal }));
        };
        let name = bare_name(name).to_owned();
        let named = Reference { name, receiver: None, kind: ReferenceKind::Type, ..reference.clone() };
        Ok(self.resolve(*file, &named)?.targets.first().copied())
    }

    fn resolve(&self, file: FileId, reference: &Reference) -> Result<Resolution, F::Error> {
        Resolver::new(self.files, self.facts, &self.visibility, file, reference)?.resolve()
    }
}

fn kind_of(reference: &Reference) -> EdgeKind {
    if reference.kind == ReferenceKind::Call { EdgeKind::Calls } else { EdgeKind::Uses }
}

fn add_uses(
    uses: &mut Vec<SymbolEdge>,
    from: Node,
    reference: &Reference,
    found: &Resolution,
    subtype: Option<SymbolId>,
) {
    let edge = |to: &SymbolId| SymbolEdge {
        from,
        to: *to,
        kind: kind_of(reference),
        used: reference.kind,
        confidence: found.confidence,
        line: reference.line,
        subtype,
    };
    uses.extend(found.targets.iter().map(edge));
}

/// Merges several uses of one symbol by another into one edge, with the highest certainty and the line of the first call.
fn add_edges(edges: &mut Vec<SymbolEdge>, from: Node, reference: &Reference, found: &Resolution) {
    let kind = kind_of(reference);
    for to in found.targets.iter().copied().filter(|to| from != Node::Symbol(*to)) {
        // Uses are ordered by file, so a known edge is near the end.
        let mut known = edges.iter_mut().rev().take_while(|edge| edge.from.file() == from.file());
        if let Some(edge) = known.find(|edge| (edge.from, edge.to) == (from, to)) {
            if kind < edge.kind {
                (edge.kind, edge.used, edge.line) = (kind, reference.kind, reference.line);
            }
            edge.confidence = edge.confidence.min(found.confidence);
        } else {
            let (used, confidence, line) = (reference.kind, found.confidence, reference.line);
            edges.push(SymbolEdge { from, to, kind, used, confidence, line, subtype: None });
        }
    }
}

/// See [`Symbols::canonical`]. `named` are all definitions with that name.
fn canonical(files: &FileGraph, named: &[SymbolDefinition], defined: &SymbolDefinition) -> SymbolId {
    let traits = files.tree().traits(defined.id.file);
    let same: Vec<&SymbolDefinition> = named
        .iter()
        .filter(|other| is_same_symbol(&other.definition, &defined.definition, &traits))
        .collect();
    let first_in = |file: FileId| same.iter().find(|other| other.id.file == file).map(|first| first.id);
    let own = || first_in(defined.id.file).unwrap_or(defined.id);
    if traits.header_extensions.is_empty() {
        return own();
    }
    let is_header_of = |header: &SymbolDefinition, other: &SymbolDefinition| {
        let callable = header.definition.kind.is_callable();
        is_header(files.tree(), header.id.file)
            && (callable || !is_header(files.tree(), other.id.file))
            && declares(files, header.id.file, other.id.file)
    };
    let header = same.iter().find(|other| is_header_of(other, defined)).map_or(defined, |header| header);
    let mut implementing: Vec<FileId> =
        same.iter().filter(|other| is_header_of(header, other)).map(|other| other.id.file).collect();
    implementing.dedup();
    match implementing[..] {
        [] => return own(),
        [only] => first_in(only),
        // Several implementations, one for each platform.
        _ => first_in(header.id.file),
    }
    .unwrap_or(defined.id)
}

/// Whether a file implements a header: it includes the header, or has the same name.
fn declares(files: &FileGraph, header: FileId, other: FileId) -> bool {
    let tree = files.tree();
    let includes = |from: FileId, to: FileId| files.imports(from).iter().any(|edge| edge.file == to);
    // Some headers include the file with the function bodies at their end.
    let is_first = || !includes(header, other) || tree.path(header).len() < tree.path(other).len();
    header != other
        && (is_of_header(tree, other, header) && !is_header(tree, other)
            || includes(other, header) && is_first())
}

impl<F: Facts> std::fmt::Debug for Symbols<'_, F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Symbols").field("files", &self.files.tree().len()).finish_non_exhaustive()
    }
}
