//! Which types implement an interface or trait, or extend a class, directly or through others; and which methods implement
//! a method.
//!
//! Most languages write it down: in the signature of a type (`class A extends B implements C`), or at an `impl` block. Where
//! they do not, as in Go, a type implements an interface when it has all of its methods.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use vectorcode_core::api::{Confidence, EdgeKind, GraphEdge, GraphNode, GraphResponse, NodeKind};
use vectorcode_core::{Definition, DefinitionKind};
use vectorcode_graph::{Facts, FileId, Node, SymbolDefinition, SymbolId, Symbols, extends};
use vectorcode_store::{ChunkFilter, NameMatch};

use super::GraphContext;
use super::facts::IndexFacts;
use super::target::Targets;
use crate::error::EngineError;

/// Types of one name that are looked at.
const MAX_SAME_NAME: usize = 20;
/// How many steps below a type others are looked for. Hierarchies are seldom deeper.
const MAX_DEPTH: u32 = 6;
/// With so many subtypes, those below them are no longer looked for: each is a walk over the uses of its name.
const MAX_SUBTYPES: usize = 200;
/// Methods of one family that are looked at.
const MAX_FAMILY: usize = 40;
const CONSTRUCTORS: [&str; 4] = ["constructor", "initialize", "new", "init"];

pub(super) fn implementations(
    context: &GraphContext<'_>,
    targets: &Targets<'_>,
    symbols: &Symbols<'_, IndexFacts<'_>>,
    written: &str,
) -> Result<GraphResponse, EngineError> {
    let found = targets.symbols(written)?;
    let search = Search { context, symbols };
    let mut all_asked = Vec::new();
    for id in &found.ids {
        all_asked.extend(symbols.defined(*id)?);
    }
    // Of types and methods of one name, the types are meant: `Render` is the interface, not each type's `Render` method, and
    // `Shape` is the class, not its constructor.
    if all_asked.iter().any(|asked| is_type(asked.definition.kind)) {
        all_asked.retain(|asked| is_type(asked.definition.kind));
    }
    let note = found.note().filter(|_| all_asked.len() > 1);
    let mut answer = Answer::default();
    let places: Vec<usize> = all_asked.iter().map(|asked| answer.add(search.node(asked, 0))).collect();
    for (at, asked) in places.into_iter().zip(&all_asked) {
        search.add_below(at, asked, &mut answer)?;
    }
    let mut response = answer.finish();
    response.notes.extend(note);
    Ok(response)
}

/// The methods that a method overrides, and those that override it. Constructors have none.
pub(super) fn family(
    context: &GraphContext<'_>,
    symbols: &Symbols<'_, IndexFacts<'_>>,
    id: SymbolId,
) -> Result<Vec<SymbolId>, EngineError> {
    let Some(method) = symbols.defined(id)? else { return Ok(Vec::new()) };
    let definition = &method.definition;
    let Some((owner, name)) = definition.qualified.rsplit_once('.') else { return Ok(Vec::new()) };
    let is_constructor = CONSTRUCTORS.contains(&name) || owner.rsplit('.').next() == Some(name);
    if definition.kind != DefinitionKind::Method || is_constructor || name.starts_with("__") {
        return Ok(Vec::new());
    }
    let search = Search { context, symbols };
    let Some(owner) = search.owner(&method, owner)? else { return Ok(Vec::new()) };
    let mut types: Vec<SymbolDefinition> = search.supertypes(&owner)?;
    let below = search.subtypes(&owner)?.into_iter();
    types.extend(below.filter(|sub| sub.confidence < Confidence::Guess).map(|sub| sub.defined));
    let mut family = Vec::new();
    for one in types {
        let members = search.named(&format!("{}.{name}", one.definition.qualified))?;
        for member in members.into_iter().filter(|member| member.id.file == one.id.file) {
            family.push(symbols.canonical(member.id)?);
        }
    }
    family.truncate(MAX_FAMILY);
    Ok(family)
}

struct Search<'a> {
    context: &'a GraphContext<'a>,
    symbols: &'a Symbols<'a, IndexFacts<'a>>,
}

type Found = Vec<(SymbolDefinition, Confidence)>;

/// A type below the one that was asked about.
struct Subtype {
    defined: SymbolDefinition,
    confidence: Confidence,
    distance: u32,
    /// The subtype that it extends; `None` for what was asked about.
    base: Option<usize>,
}

impl Search<'_> {
    /// Adds the subtypes of a type, or their methods of the name of a method. Each is linked to what it implements, which of a
    /// method may lie several types above.
    fn add_below(&self, at: usize, asked: &SymbolDefinition, answer: &mut Answer) -> Result<(), EngineError> {
        let (owner, method) = match asked.definition.qualified.rsplit_once('.') {
            _ if is_type(asked.definition.kind) => (Some(asked.clone()), None),
            Some((owner, method)) => (self.owner(asked, owner)?, Some(method)),
            None => (None, None),
        };
        let subtypes = owner.map_or_else(|| Ok(Vec::new()), |owner| self.subtypes(&owner))?;
        let mut places: Vec<usize> = Vec::new();
        for subtype in &subtypes {
            let above = subtype.base.map_or(at, |base| places[base]);
            let own = match method {
                None => vec![subtype.defined.clone()],
                Some(method) => self.named(&format!("{}.{method}", subtype.defined.definition.qualified))?,
            };
            let mut first = None;
            for own in own {
                let place = answer.add(self.node(&own, subtype.distance));
                answer.link(place, above, own.definition.name_line, subtype.confidence);
                first = first.or(Some(place));
            }
            places.push(first.unwrap_or(above));
        }
        Ok(())
    }

    /// The type that a method belongs to.
    fn owner(&self, method: &SymbolDefinition, name: &str) -> Result<Option<SymbolDefinition>, EngineError> {
        let definitions = self.definitions_of(method.id)?;
        Ok(definitions.into_iter().find(|other| other.definition.qualified == name))
    }

    /// The types that a type extends or implements, and those that they do.
    fn supertypes(&self, asked: &SymbolDefinition) -> Result<Vec<SymbolDefinition>, EngineError> {
        let mut found: Vec<SymbolDefinition> = Vec::new();
        let mut open = vec![asked.clone()];
        for _ in 0..MAX_DEPTH {
            let mut above = Vec::new();
            for one in &open {
                for reference in self.context.reader.references_of(self.path(one.id))? {
                    let is_base = reference.enclosing == Some(one.id.ordinal)
                        && extends(&one.definition, &reference.name);
                    let targets =
                        if is_base { self.symbols.targets(one.id.file, &reference)? } else { Vec::new() };
                    for target in targets {
                        above.extend(
                            self.symbols.defined(target)?.filter(|base| is_type(base.definition.kind)),
                        );
                    }
                }
            }
            above.retain(|base| base.id != asked.id && found.iter().all(|known| known.id != base.id));
            above.sort_by_key(|base| base.id);
            above.dedup_by_key(|base| base.id);
            found.extend(above.iter().cloned());
            open = above;
        }
        Ok(found)
    }

    fn path(&self, id: SymbolId) -> &str {
        self.context.snapshot.files.tree().path(id.file)
    }

    /// The types that implement or extend a type, and those that extend them, nearest first. Guesses are not followed.
    fn subtypes(&self, asked: &SymbolDefinition) -> Result<Vec<Subtype>, EngineError> {
        let mut seen = BTreeSet::from([asked.id]);
        let mut below = |defined: &SymbolDefinition, distance: u32, base: Option<usize>| {
            let mut direct = self.of_type(defined)?;
            direct.retain(|(found, _)| seen.insert(found.id));
            let subtype = move |(defined, confidence)| Subtype { defined, confidence, distance, base };
            Ok::<_, EngineError>(direct.into_iter().map(subtype))
        };
        let mut found: Vec<Subtype> = below(asked, 1, None)?.collect();
        let mut place = 0;
        while place < found.len() && found.len() < MAX_SUBTYPES {
            let Subtype { defined, confidence, distance, .. } = &found[place];
            if *confidence < Confidence::Guess && *distance < MAX_DEPTH {
                let further = below(defined, distance + 1, Some(place))?;
                found.extend(further);
            }
            place += 1;
        }
        Ok(found)
    }

    fn of_type(&self, asked: &SymbolDefinition) -> Result<Found, EngineError> {
        let name = &asked.definition.name;
        let aliases = self.context.snapshot.files.aliases(name);
        let extends_it = |user: &Definition| {
            // `type Alias = Base` is no subtype of what it names.
            is_type(user.kind)
                && user.kind != DefinitionKind::Type
                && (extends(user, name) || aliases.iter().any(|alias| extends(user, alias)))
        };
        let mut found: Found = Vec::new();
        for used in self.symbols.uses(asked.id)? {
            let user = match used.from {
                Node::Symbol(user) => self.symbols.defined(user)?,
                Node::File(_) => None,
            };
            if let Some(user) = user.filter(|user| extends_it(&user.definition)) {
                found.push((user, used.confidence));
            } else {
                let types = self.by_impl_block(used.from.file(), used.line, name)?;
                found.extend(types.into_iter().map(|found| (found, used.confidence)));
            }
        }
        if found.is_empty() && asked.definition.kind == DefinitionKind::Interface {
            found = self.by_methods(asked)?;
        }
        let mut seen = BTreeSet::from([asked.id]);
        found.retain(|(found, _)| seen.insert(found.id));
        Ok(found)
    }

    /// Types that have every method of an interface.
    fn by_methods(&self, asked: &SymbolDefinition) -> Result<Found, EngineError> {
        let prefix = format!("{}.", asked.definition.qualified);
        let definitions = self.definitions_of(asked.id)?;
        let methods: BTreeSet<&str> = definitions
            .iter()
            .filter(|other| other.definition.qualified.starts_with(&prefix))
            .map(|other| other.definition.name.as_str())
            .collect();
        let mut owners: BTreeMap<String, usize> = BTreeMap::new();
        for method in &methods {
            let candidates = self.context.reader.definitions_named(&[*method])?;
            let of_type = candidates
                .iter()
                .flatten()
                .filter_map(|stored| Some(stored.definition.qualified.rsplit_once('.')?.0.to_owned()));
            for owner in of_type.collect::<BTreeSet<_>>() {
                *owners.entry(owner).or_default() += 1;
            }
        }
        let mut found = Vec::new();
        for (owner, _) in
            owners.into_iter().filter(|(_, count)| *count == methods.len() && !methods.is_empty())
        {
            let types = self.named(&owner)?.into_iter().filter(|found| is_type(found.definition.kind));
            let concrete = types.filter(|found| found.definition.kind != DefinitionKind::Interface);
            found.extend(concrete.map(|found| (found, Confidence::Likely)));
        }
        Ok(found)
    }

    /// The type in `impl Name for Type` at a line of a file; the one in the same file, if there is one.
    fn by_impl_block(
        &self,
        file: FileId,
        line: u32,
        name: &str,
    ) -> Result<Vec<SymbolDefinition>, EngineError> {
        let path = self.context.snapshot.files.tree().path(file);
        let Some(target) = self.line(path, line).and_then(|text| impl_target(&text, name)) else {
            return Ok(Vec::new());
        };
        let types = self.named(&target)?.into_iter().filter(|found| is_type(found.definition.kind));
        let (here, elsewhere): (Vec<_>, Vec<_>) = types.partition(|found| found.id.file == file);
        Ok(if here.is_empty() { elsewhere } else { here })
    }

    fn line(&self, path: &str, line: u32) -> Option<String> {
        let found = self.context.scope.judge(Path::new(path)).ok()?;
        let content = self.context.scope.read(&found).ok()?;
        content.source.text.lines().nth((line as usize).checked_sub(1)?).map(str::to_owned)
    }

    fn definitions_of(&self, id: SymbolId) -> Result<Vec<SymbolDefinition>, EngineError> {
        let facts =
            IndexFacts::new(self.context.reader, self.context.snapshot.files.tree(), self.context.cancel);
        Ok(facts.definitions_of(id.file)?.to_vec())
    }

    fn named(&self, qualified: &str) -> Result<Vec<SymbolDefinition>, EngineError> {
        let exact = NameMatch::Exact(qualified.to_owned());
        let found = self.context.reader.definitions(&exact, &ChunkFilter::default(), MAX_SAME_NAME)?;
        let tree = self.context.snapshot.files.tree();
        let defined = found.into_iter().filter_map(|found| {
            let stored = found.definition;
            let id = SymbolId { file: tree.get(&stored.path)?, ordinal: stored.ordinal };
            Some(SymbolDefinition { id, definition: stored.definition, is_test: stored.is_test })
        });
        Ok(defined.collect())
    }

    fn node(&self, defined: &SymbolDefinition, distance: u32) -> GraphNode {
        let tree = self.context.snapshot.files.tree();
        GraphNode {
            name: defined.definition.qualified.clone(),
            kind: NodeKind::Symbol,
            path: Some(tree.path(defined.id.file).to_owned()),
            line: Some(defined.definition.name_line),
            definition: Some(defined.definition.kind),
            language: Some(tree.file(defined.id.file).language.clone()),
            files: None,
            is_test: defined.is_test,
            distance,
        }
    }
}

fn is_type(kind: DefinitionKind) -> bool {
    matches!(
        kind,
        DefinitionKind::Class
            | DefinitionKind::Struct
            | DefinitionKind::Enum
            | DefinitionKind::Interface
            | DefinitionKind::Trait
            | DefinitionKind::Type
    )
}

/// `Type` of `impl Name<X> for Type<Y>`, without its path and parameters.
fn impl_target(line: &str, name: &str) -> Option<String> {
    let line = line.trim_start();
    let line = line.strip_prefix("unsafe ").unwrap_or(line);
    let (implemented, target) = line.strip_prefix("impl")?.split_once(" for ")?;
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let implemented = after_parameters(implemented);
    let implemented = implemented.split('<').next().unwrap_or(implemented).trim();
    let target = target.trim_start_matches(['&', '(']).split(|c: char| !is_word(c) && c != ':').next()?;
    let target = target.rsplit(':').next().unwrap_or(target);
    (implemented.rsplit(':').next() == Some(name) && !target.is_empty()).then(|| target.to_owned())
}

/// ` Trait<X>` of `<T: Into<X>> Trait<X>`.
fn after_parameters(text: &str) -> &str {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '<' => depth += 1,
            '>' if !text[..at].ends_with('-') => depth -= 1,
            _ if depth == 0 => return &text[at..],
            _ => {}
        }
    }
    text
}

/// Nodes and edges, each node once.
#[derive(Default)]
struct Answer {
    nodes: Vec<GraphNode>,
    edges: Vec<GraphEdge>,
}

impl Answer {
    fn add(&mut self, node: GraphNode) -> usize {
        let same =
            |other: &GraphNode| (&other.name, &other.path, other.line) == (&node.name, &node.path, node.line);
        self.nodes.iter().position(same).unwrap_or_else(|| {
            self.nodes.push(node);
            self.nodes.len() - 1
        })
    }

    fn link(&mut self, from: usize, to: usize, line: u32, confidence: Confidence) {
        let edge = GraphEdge {
            from,
            to,
            kind: EdgeKind::Implements,
            confidence,
            line: Some(line),
            uses: Vec::new(),
            count: 1,
        };
        self.edges.push(edge);
    }

    /// Nearest first, also where several types were asked about; code of tests last, which has more subtypes of some classes than
    /// all other code.
    fn finish(self) -> GraphResponse {
        let Self { nodes, mut edges } = self;
        let mut order: Vec<usize> = (0..nodes.len()).collect();
        order.sort_by_key(|place| {
            (nodes[*place].is_test && nodes[*place].distance > 0, nodes[*place].distance)
        });
        let mut places = vec![0; nodes.len()];
        for (new, old) in order.iter().enumerate() {
            places[*old] = new;
        }
        for edge in &mut edges {
            (edge.from, edge.to) = (places[edge.from], places[edge.to]);
        }
        let nodes: Vec<GraphNode> = order.into_iter().map(|place| nodes[place].clone()).collect();
        GraphResponse { total: nodes.len(), nodes, edges, ..GraphResponse::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impl_blocks_name_their_type() {
        assert_eq!(impl_target("impl Store for SqliteStore {", "Store"), Some("SqliteStore".into()));
        assert_eq!(
            impl_target("    unsafe impl<T> io::Read for my::Reader<T>", "Read"),
            Some("Reader".into())
        );
        assert_eq!(impl_target("impl<S: Store> Cache for S2<S> {", "Cache"), Some("S2".into()));
        assert_eq!(impl_target("impl SqliteStore {", "Store"), None);
        assert_eq!(impl_target("impl<S: Store> From<S> for Cache {", "Store"), None);
        assert_eq!(impl_target("impl From<Row> for Cache {", "Row"), None);
        assert_eq!(impl_target("impl<F: Fn() -> X> From<Row> for Cache {", "From"), Some("Cache".into()));
    }
}
