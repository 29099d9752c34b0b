//! One use of a name, led to the definition that it means.

use std::rc::Rc;

use rustc_hash::FxHashSet;
use vectorcode_core::api::Confidence;
use vectorcode_core::{DefinitionKind, Reference};

use super::names::{can_mean, is_type, last, owner, owner_type, scopes};
use super::receiver::{Receiver, is_own};
use super::scoping::{Scoping, module_name};
use super::sight::{Nearness, Sight};
use super::{canonical, types};
use crate::facts::{Defined, Facts, SymbolId};
use crate::files::{FileGraph, Resolved};
use crate::tree::FileId;

/// A use that could mean more definitions than this means none of them for certain: it is counted, not shown.
const MAX_GUESSES: usize = 6;
/// How many re-exports are followed from an import to a definition.
const MAX_REEXPORTS: u32 = 6;
/// How many generations of base classes are asked.
const MAX_GENERATIONS: u32 = 4;
/// Types that may be anything, so that they rule nothing out.
const VAGUE_TYPES: [&str; 8] = ["Any", "any", "object", "Object", "unknown", "interface", "Self", "auto"];

/// Where a use leads.
#[derive(Debug)]
pub(super) struct Resolution {
    pub targets: Vec<SymbolId>,
    pub confidence: Confidence,
    pub crowded: bool,
}

impl Resolution {
    fn none() -> Self {
        Self { targets: Vec::new(), confidence: Confidence::Guess, crowded: false }
    }

    fn at_best(self, confidence: Confidence) -> Self {
        Self { confidence: self.confidence.max(confidence), ..self }
    }

    fn is_none(&self) -> bool {
        self.targets.is_empty() && !self.crowded
    }
}

/// What the imports of a file say about a name.
enum Imported {
    /// It comes from there.
    Found(Vec<Defined>),
    /// It comes from outside the project.
    Outside,
    /// It comes from a file of the project that does not define it in a way that we see.
    Lost,
    /// No import names it.
    Not,
}

pub(super) struct Resolver<'r, F: Facts> {
    files: &'r FileGraph,
    facts: &'r F,
    sight: &'r Sight,
    file: FileId,
    scoping: Scoping,
    reference: &'r Reference,
    /// The definitions of `file`.
    definitions: Rc<[Defined]>,
}

type Answer<F, T = Resolution> = Result<T, <F as Facts>::Error>;

impl<'r, F: Facts> Resolver<'r, F> {
    pub fn new(
        files: &'r FileGraph,
        facts: &'r F,
        sight: &'r Sight,
        file: FileId,
        reference: &'r Reference,
    ) -> Answer<F, Self> {
        let scoping = Scoping::of(&files.tree().file(file).language);
        Ok(Self { files, facts, sight, file, scoping, reference, definitions: facts.definitions_of(file)? })
    }

    pub fn resolve(&self) -> Answer<F> {
        let named = self.facts.definitions_named(&self.reference.name)?;
        let candidates: Vec<&Defined> = named.iter().filter(|defined| self.fits(defined)).collect();
        let Some(receiver) = &self.reference.receiver else { return self.bare(&candidates) };
        if candidates.is_empty() {
            return Ok(Resolution::none());
        }
        match Receiver::parse(receiver, self.scoping.family == "rust") {
            Receiver::Own => self.own(&candidates),
            Receiver::Parent => self.inherited(&candidates),
            Receiver::Chain(chain) => self.member(&chain, receiver, &candidates),
            Receiver::Call(function) => self.of_result(function, &candidates),
            Receiver::Unknown => self.unknown(&candidates),
        }
    }

    fn fits(&self, defined: &Defined) -> bool {
        let language = |file: FileId| self.files.tree().file(file).language.as_str();
        can_mean(self.reference.kind, defined.definition.kind)
            && self.scoping.fits(language(self.file), language(defined.id.file))
    }

    /// The qualified name of the definition around the use; empty at the top level.
    fn scope(&self) -> &str {
        let around = self.reference.enclosing.and_then(|ordinal| self.definitions.get(ordinal as usize));
        around.map_or("", |around| around.definition.qualified.as_str())
    }

    /// The class around the use, by its qualified name.
    fn class(&self) -> Option<&str> {
        let around = self.reference.enclosing.and_then(|ordinal| self.definitions.get(ordinal as usize))?;
        let qualified = around.definition.qualified.as_str();
        let is_class = |scope: &&str| {
            self.definitions
                .iter()
                .any(|defined| defined.definition.qualified == *scope && is_type(defined.definition.kind))
        };
        // The class may be in another file: then it is what the method belongs to.
        scopes(qualified).find(is_class).filter(|scope| !scope.is_empty()).or_else(|| {
            let is_method = around.definition.kind == DefinitionKind::Method;
            is_method.then(|| owner(&around.definition)).filter(|owner| !owner.is_empty())
        })
    }
}

/// A name without anything before it.
impl<F: Facts> Resolver<'_, F> {
    fn bare(&self, candidates: &[&Defined]) -> Answer<F> {
        let in_scope = self.in_scope(candidates);
        if !in_scope.is_empty() {
            return self.several(&in_scope, Confidence::Certain);
        }
        if self.scoping.implicit_self && self.class().is_some() {
            let members = self.members_of_class(candidates)?;
            if !members.is_none() {
                return Ok(members);
            }
        }
        let imported = self.imported(&self.reference.name)?;
        match &imported {
            Imported::Found(found) => {
                let found: Vec<&Defined> = found.iter().filter(|defined| self.fits(defined)).collect();
                return self.several(&found, Confidence::Certain);
            }
            Imported::Outside => return Ok(Resolution::none()),
            Imported::Lost | Imported::Not => {}
        }
        self.unimported(candidates, matches!(imported, Imported::Lost))
    }

    /// Definitions of the same file, of the innermost scope that has one.
    fn in_scope<'d>(&self, candidates: &[&'d Defined]) -> Vec<&'d Defined> {
        let here = |scope: &str| -> Vec<&'d Defined> {
            let is_here = |defined: &&&Defined| {
                defined.id.file == self.file
                    && owner(&defined.definition) == scope
                    && (self.scoping.implicit_self || defined.definition.kind != DefinitionKind::Method)
            };
            candidates.iter().filter(is_here).copied().collect()
        };
        scopes(self.scope()).map(here).find(|found| !found.is_empty()).unwrap_or_default()
    }

    /// What comes in whole, what the folder shares, and what is the only one of its name.
    fn unimported(&self, candidates: &[&Defined], is_lost: bool) -> Answer<F> {
        let free: Vec<&Defined> = candidates
            .iter()
            .filter(|defined| defined.definition.kind != DefinitionKind::Method)
            .copied()
            .collect();
        let whole = self.sight.whole(self.files, self.file);
        let of = |test: &dyn Fn(FileId) -> bool| -> Vec<&Defined> {
            free.iter().filter(|defined| test(defined.id.file)).copied().collect()
        };
        let whole = of(&|file| whole.contains(&file));
        if !whole.is_empty() {
            return self.several(&whole, Confidence::Likely);
        }
        let folder = of(&|file| self.nearness(file) == Nearness::SameFolder);
        if !folder.is_empty() {
            return self.several(&folder, Confidence::Likely);
        }
        let has_glob = self.files.statements(self.file).iter().any(Resolved::is_glob);
        if self.scoping.is_loose || is_lost || has_glob {
            return self.several(&free, Confidence::Possible);
        }
        // Macros of Rust and C reach further than imports tell.
        let macros: Vec<&Defined> =
            free.into_iter().filter(|defined| defined.definition.kind == DefinitionKind::Macro).collect();
        self.several(&macros, Confidence::Possible)
    }

    fn imported(&self, name: &str) -> Answer<F, Imported> {
        let (mut found, mut is_named, mut is_lost) = (Vec::new(), false, false);
        for resolved in self.files.statements(self.file) {
            for (_, there) in resolved.statement.bindings().filter(|(here, _)| *here == name) {
                is_named = true;
                for target in resolved.files() {
                    is_lost = true;
                    self.exported(target, there, MAX_REEXPORTS, &mut found)?;
                }
            }
        }
        Ok(match (found.is_empty(), is_lost, is_named) {
            (false, ..) => Imported::Found(found),
            (true, true, _) => Imported::Lost,
            (true, false, true) => Imported::Outside,
            (true, false, false) => Imported::Not,
        })
    }

    /// What a file defines under a name, or passes on from elsewhere.
    fn exported(&self, file: FileId, name: &str, hops: u32, found: &mut Vec<Defined>) -> Answer<F, ()> {
        let named = self.facts.definitions_named(name)?;
        let before = found.len();
        let add = |found: &mut Vec<Defined>, file: FileId| {
            let own: Vec<&Defined> = named.iter().filter(|defined| defined.id.file == file).collect();
            let at_top = own.iter().any(|defined| owner(&defined.definition).is_empty());
            let wanted = own.into_iter().filter(|defined| !at_top || owner(&defined.definition).is_empty());
            found.extend(wanted.cloned());
        };
        add(found, file);
        if found.len() > before || hops == 0 {
            return Ok(());
        }
        for resolved in self.files.statements(file) {
            for (_, there) in resolved.statement.bindings().filter(|(here, _)| *here == name) {
                for target in resolved.files().filter(|target| *target != file) {
                    self.exported(target, there, hops - 1, found)?;
                }
            }
        }
        if found.len() == before {
            self.sight.whole(self.files, file).iter().for_each(|target| add(found, *target));
            found[before..].sort_by_key(|defined| defined.id);
        }
        Ok(())
    }
}

/// A name after a receiver.
impl<F: Facts> Resolver<'_, F> {
    /// On the object or class that the code belongs to.
    fn own(&self, candidates: &[&Defined]) -> Answer<F> {
        let members = self.members_of_class(candidates)?;
        if members.is_none() { Ok(self.unknown(candidates)?.at_best(Confidence::Guess)) } else { Ok(members) }
    }

    fn members_of_class(&self, candidates: &[&Defined]) -> Answer<F> {
        let Some(class) = self.class() else { return Ok(Resolution::none()) };
        let own = |defined: &&&Defined| defined.id.file == self.file && owner(&defined.definition) == class;
        let own: Vec<&Defined> = candidates.iter().filter(own).copied().collect();
        if !own.is_empty() {
            return self.several(&own, Confidence::Certain);
        }
        self.members(&[last(class).to_owned()], candidates)
    }

    /// On the base class.
    fn inherited(&self, candidates: &[&Defined]) -> Answer<F> {
        let Some(class) = self.class() else { return Ok(Resolution::none()) };
        self.members(&self.bases(&[last(class).to_owned()])?, candidates)
    }

    /// Members of these types, or of the nearest generation of their base classes that has one.
    fn members(&self, types: &[String], candidates: &[&Defined]) -> Answer<F> {
        let mut types = types.to_vec();
        for _ in 0..MAX_GENERATIONS {
            let of_types = |defined: &&&Defined| {
                let owner = owner_type(&defined.definition);
                types.iter().any(|name| name == owner)
            };
            let found: Vec<&Defined> = candidates.iter().filter(of_types).copied().collect();
            if !found.is_empty() {
                return self.nearest(&found, Confidence::Likely);
            }
            types = self.bases(&types)?;
            if types.is_empty() {
                break;
            }
        }
        Ok(Resolution::none())
    }

    /// The types that the heads of these classes name.
    fn bases(&self, classes: &[String]) -> Answer<F, Vec<String>> {
        let mut bases = Vec::new();
        for class in classes {
            let named = self.facts.definitions_named(class)?;
            for defined in named.iter().filter(|defined| is_type(defined.definition.kind)) {
                for reference in self.facts.references_of(defined.id.file)?.iter() {
                    let is_base = reference.enclosing == Some(defined.id.ordinal) && reference.name != *class;
                    if is_base && !bases.contains(&reference.name) {
                        bases.push(reference.name.clone());
                    }
                }
            }
        }
        Ok(bases)
    }

    /// On something with a name: a module, a type, a variable, a field.
    fn member(&self, chain: &[&str], written: &str, candidates: &[&Defined]) -> Answer<F> {
        if let Some(found) = self.through_import(chain, candidates)? {
            return Ok(found);
        }
        if let Some(types) = self.types_of(chain)? {
            let members = self.members(&types, candidates)?;
            let is_vague = types.iter().all(|name| name.len() == 1 || VAGUE_TYPES.contains(&name.as_str()));
            if !members.is_none() || !is_vague {
                return Ok(members);
            }
        }
        let named = self.of_named(chain, candidates)?;
        let is_type_name = chain.last().is_some_and(|name| name.starts_with(char::is_uppercase));
        if !named.is_none() || is_type_name || written.contains("::") || written.contains('\\') {
            return Ok(named);
        }
        self.unknown(candidates)
    }

    /// `Retrier.new`, `retry::backoff`: what a type or module of that name has.
    fn of_named(&self, names: &[&str], candidates: &[&Defined]) -> Answer<F> {
        let outside = matches!(names.first(), Some(&("std" | "core" | "alloc")));
        let Some(name) = names.last().filter(|_| !outside) else { return Ok(Resolution::none()) };
        let pick = |test: &dyn Fn(&Defined) -> bool| -> Vec<&Defined> {
            candidates.iter().filter(|defined| test(defined)).copied().collect()
        };
        let of_type = pick(&|defined| owner_type(&defined.definition) == *name);
        if !of_type.is_empty() {
            let is_here = of_type.iter().any(|defined| defined.id.file == self.file);
            let confidence = if is_here { Confidence::Certain } else { Confidence::Likely };
            return self.nearest(&of_type, confidence);
        }
        let of_module = pick(&|defined| {
            owner(&defined.definition).is_empty()
                && module_name(self.files.tree().path(defined.id.file)) == *name
        });
        self.nearest(&of_module, Confidence::Likely)
    }

    /// When the first name is one that an import brings in; `None` when it is not.
    fn through_import(&self, chain: &[&str], candidates: &[&Defined]) -> Answer<F, Option<Resolution>> {
        let Some((first, rest)) = chain.split_first() else { return Ok(None) };
        let (mut targets, mut is_named) = (Vec::new(), false);
        for resolved in self.files.statements(self.file) {
            let statement = &resolved.statement;
            let binding = statement.bindings().find(|(here, _)| here == first).map(|(_, there)| there);
            let is_module = statement.names.is_empty() && module_of(&statement.specifier) == *first;
            if binding.is_some() || is_module {
                is_named = true;
                targets.extend(resolved.files().map(|file| (file, binding)));
            }
        }
        if targets.is_empty() {
            return Ok(is_named.then(Resolution::none));
        }
        if !rest.is_empty() {
            let named = self.of_named(chain, candidates)?;
            return Ok((!named.is_none()).then_some(named));
        }
        self.in_targets(&targets, candidates).map(Some)
    }

    /// The member of an imported class, function of an imported module, or method of an imported variable.
    fn in_targets(&self, targets: &[(FileId, Option<&str>)], candidates: &[&Defined]) -> Answer<F> {
        let mut of_class: Vec<&Defined> = Vec::new();
        let mut passed_on = Vec::new();
        let mut types = Vec::new();
        for (file, binding) in targets {
            let mut imported = Vec::new();
            if let Some(there) = binding {
                self.exported(*file, there, MAX_REEXPORTS, &mut imported)?;
            }
            for defined in &imported {
                let class = &defined.definition.qualified;
                of_class.extend(candidates.iter().filter(|member| {
                    member.id.file == defined.id.file && owner(&member.definition) == class.as_str()
                }));
                types.extend(self.types_of_definition(defined).into_iter().flatten());
            }
            if imported.is_empty() {
                self.exported(*file, &self.reference.name, MAX_REEXPORTS, &mut passed_on)?;
            }
        }
        if !of_class.is_empty() {
            return self.several(&of_class, Confidence::Certain);
        }
        let passed_on: Vec<&Defined> = passed_on.iter().filter(|defined| self.fits(defined)).collect();
        if !passed_on.is_empty() {
            return self.several(&passed_on, Confidence::Certain);
        }
        self.members(&types, candidates)
    }

    /// On what a function gives back.
    fn of_result(&self, function: &str, candidates: &[&Defined]) -> Answer<F> {
        let mut types = Vec::new();
        if function.starts_with(char::is_uppercase) {
            types.push(function.to_owned());
        }
        for defined in self.facts.definitions_named(function)?.iter() {
            if self.nearness(defined.id.file) < Nearness::OutOfSight {
                let definition = &defined.definition;
                let returned =
                    types::returned(&definition.signature, &definition.name, self.scoping.annotation);
                let own =
                    |name: String| if name == "Self" { owner_type(definition).to_owned() } else { name };
                types.extend(returned.into_iter().flatten().map(own));
            }
        }
        let members = self.members(&types, candidates)?;
        if members.is_none() { self.unknown(candidates) } else { Ok(members) }
    }

    /// On something whose type the facts do not tell.
    fn unknown(&self, candidates: &[&Defined]) -> Answer<F> {
        let members: Vec<&Defined> =
            candidates.iter().filter(|defined| !owner(&defined.definition).is_empty()).copied().collect();
        let mentioned = self.mentioned_types()?;
        let of_mentioned: Vec<&Defined> = members
            .iter()
            .filter(|defined| mentioned.contains(owner_type(&defined.definition)))
            .copied()
            .collect();
        let few = if of_mentioned.is_empty() { members } else { of_mentioned };
        let is_in_sight = few.iter().any(|defined| self.nearness(defined.id.file) < Nearness::OutOfSight);
        self.nearest(&few, if is_in_sight { Confidence::Possible } else { Confidence::Guess })
    }

    /// The names that stand in the same definition as the use.
    fn mentioned_types(&self) -> Answer<F, FxHashSet<String>> {
        let mut names = FxHashSet::default();
        for other in self.facts.references_of(self.file)?.iter() {
            if other.enclosing == self.reference.enclosing {
                names.insert(other.name.clone());
                let receiver = other.receiver.as_deref().unwrap_or_default();
                names.extend(receiver.rsplit(['.', ':']).next().map(str::to_owned));
            }
        }
        Ok(names)
    }
}

/// Types that are written down.
impl<F: Facts> Resolver<'_, F> {
    /// The declared types of what a chain of names leads to; `None` when the facts do not tell.
    fn types_of(&self, names: &[&str]) -> Answer<F, Option<Vec<String>>> {
        let Some((first, rest)) = names.split_first() else { return Ok(None) };
        let mut types = if is_own(first) {
            self.class().map(|class| vec![last(class).to_owned()])
        } else {
            self.types_of_name(first.trim_start_matches(['@', '$']))?
        };
        for name in rest {
            let Some(owners) = types else { return Ok(None) };
            types = self.types_of_field(&owners, name)?;
        }
        Ok(types)
    }

    /// A parameter of the functions around, a field of the class around, a variable of the file.
    fn types_of_name(&self, name: &str) -> Answer<F, Option<Vec<String>>> {
        for scope in scopes(self.scope()).filter(|scope| !scope.is_empty()) {
            let around = self.definitions.iter().filter(|defined| defined.definition.qualified == scope);
            for defined in around.filter(|defined| !is_type(defined.definition.kind)) {
                let signature = &defined.definition.signature;
                if let Some(types) = types::declared(signature, name, self.scoping.annotation) {
                    return Ok(Some(types));
                }
            }
        }
        let at_top = |defined: &&Defined| {
            defined.definition.name == name
                && owner(&defined.definition).is_empty()
                && !is_type(defined.definition.kind)
        };
        if let Some(types) =
            self.definitions.iter().find(at_top).and_then(|found| self.types_of_definition(found))
        {
            return Ok(Some(types));
        }
        match self.class().filter(|_| self.scoping.implicit_self) {
            Some(class) => self.types_of_field(&[last(class).to_owned()], name),
            None => Ok(None),
        }
    }

    /// A field of these types, or a parameter of their constructors, which is most often kept under the same name.
    fn types_of_field(&self, owners: &[String], name: &str) -> Answer<F, Option<Vec<String>>> {
        let is_member =
            |defined: &&Defined| owners.iter().any(|owner| owner == owner_type(&defined.definition));
        let named = self.facts.definitions_named(name)?;
        let mut fields = named.iter().filter(is_member);
        if let Some(types) = fields.find_map(|field| self.types_of_definition(field)) {
            return Ok(Some(types));
        }
        for owner in owners {
            for constructor in ["constructor", "__init__", "initialize", "__construct", "init", owner] {
                let named = self.facts.definitions_named(constructor)?;
                let mut own =
                    named.iter().filter(|defined| is_member(defined) || defined.definition.name == *owner);
                let declared = |defined: &Defined| {
                    types::declared(&defined.definition.signature, name, self.scoping.annotation)
                };
                if let Some(types) = own.find_map(declared) {
                    return Ok(Some(types));
                }
            }
        }
        Ok(None)
    }

    fn types_of_definition(&self, defined: &Defined) -> Option<Vec<String>> {
        use DefinitionKind::{Constant, Field, Variable};
        let definition = &defined.definition;
        if is_type(definition.kind) {
            return Some(vec![definition.name.clone()]);
        }
        if !matches!(definition.kind, Constant | Field | Variable) {
            return None;
        }
        types::declared(&definition.signature, &definition.name, self.scoping.annotation)
            .or_else(|| types::assigned(&definition.signature))
    }
}

/// Choosing among definitions.
impl<F: Facts> Resolver<'_, F> {
    fn nearness(&self, file: FileId) -> Nearness {
        self.sight.nearness(self.files, self.file, file)
    }

    /// Those that are nearest to the file.
    fn nearest(&self, candidates: &[&Defined], confidence: Confidence) -> Answer<F> {
        let Some(best) = candidates.iter().map(|defined| self.nearness(defined.id.file)).min() else {
            return Ok(Resolution::none());
        };
        let near: Vec<&Defined> =
            candidates.iter().filter(|defined| self.nearness(defined.id.file) == best).copied().collect();
        let limit = if best == Nearness::OutOfSight { Confidence::Possible } else { Confidence::Certain };
        self.several(&near, confidence.max(limit))
    }

    /// All of them: with `confidence` when they are one symbol, and as guesses when they are not.
    fn several(&self, candidates: &[&Defined], confidence: Confidence) -> Answer<F> {
        let mut targets = Vec::with_capacity(candidates.len());
        for defined in candidates.iter().filter(|defined| !is_constructor_of(defined, candidates)) {
            let named = self.facts.definitions_named(&defined.definition.name)?;
            targets.push(canonical(self.files, &named, defined));
        }
        targets.sort_unstable();
        targets.dedup();
        Ok(match targets.len() {
            0 => Resolution::none(),
            1 => Resolution { targets, confidence, crowded: false },
            count if count <= MAX_GUESSES => {
                Resolution { targets, confidence: Confidence::Guess, crowded: false }
            }
            _ => Resolution { crowded: true, ..Resolution::none() },
        })
    }
}

/// `Retry.Retry` beside the class `Retry`: whoever calls one means both.
fn is_constructor_of(defined: &Defined, all: &[&Defined]) -> bool {
    let definition = &defined.definition;
    owner_type(definition) == definition.name
        && all.iter().any(|other| is_type(other.definition.kind) && other.id.file == defined.id.file)
}

/// The name under which a module without an alias is used: `gateway` of `example.com/shop/gateway`.
fn module_of(specifier: &str) -> &str {
    let name = specifier.trim_end_matches('/').rsplit(['/', '.', ':', '\\']).next().unwrap_or(specifier);
    name.strip_suffix(".git").unwrap_or(name)
}
