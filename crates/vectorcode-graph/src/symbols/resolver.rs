//! Finds the definition that a reference means. Names after a receiver are handled in `member`.

use std::rc::Rc;

use vectorcode_core::api::Confidence;
use vectorcode_core::{DefinitionKind, LanguageTraits, Reference, ReferenceKind};

use super::canonical;
use super::names::{can_mean, is_type, owner, owner_type, scopes};
use super::path_names::module_name;
use super::receiver::Receiver;
use super::types;
use super::visibility::{Nearness, Visibility};
use crate::facts::{Facts, SymbolDefinition, SymbolId};
use crate::files::{FileGraph, ResolvedImport};
use crate::tree::FileId;

/// A reference with more possible definitions than this counts as ambiguous and gives no edges: a list of dozens of guesses helps
/// nobody.
const MAX_GUESSES: usize = 6;
/// How many re-exports are followed from an import to a definition.
pub(super) const MAX_REEXPORTS: u32 = 6;

/// The definitions that a reference may mean.
#[derive(Debug)]
pub(super) struct Resolution {
    pub targets: Vec<SymbolId>,
    pub confidence: Confidence,
    pub ambiguous: bool,
}

impl Resolution {
    pub fn none() -> Self {
        Self { targets: Vec::new(), confidence: Confidence::Guess, ambiguous: false }
    }

    pub fn at_best(self, confidence: Confidence) -> Self {
        Self { confidence: self.confidence.max(confidence), ..self }
    }

    pub fn is_none(&self) -> bool {
        self.targets.is_empty() && !self.ambiguous
    }
}

/// What the imports of a file say about a name.
enum Imported {
    /// It is imported, and these are its definitions.
    Found(Vec<SymbolDefinition>),
    /// It is imported from outside the project.
    External,
    /// It is imported from a file of the project in which no definition is found.
    Unresolved,
    /// No import binds it.
    NotNamed,
}

pub(super) struct Resolver<'r, F: Facts> {
    pub files: &'r FileGraph,
    pub facts: &'r F,
    pub visibility: &'r Visibility,
    pub file: FileId,
    pub traits: LanguageTraits,
    pub reference: &'r Reference,
    /// The definitions of `file`.
    pub definitions: Rc<[SymbolDefinition]>,
}

pub(super) type LookupResult<F, T = Resolution> = Result<T, <F as Facts>::Error>;

impl<'r, F: Facts> Resolver<'r, F> {
    pub fn new(
        files: &'r FileGraph,
        facts: &'r F,
        visibility: &'r Visibility,
        file: FileId,
        reference: &'r Reference,
    ) -> LookupResult<F, Self> {
        let traits = files.tree().traits(file);
        Ok(Self {
            files,
            facts,
            visibility,
            file,
            traits,
            reference,
            definitions: facts.definitions_of(file)?,
        })
    }

    pub fn resolve(&self) -> LookupResult<F> {
        let named = self.facts.definitions_named(&self.reference.name)?;
        let candidates: Vec<&SymbolDefinition> = named.iter().filter(|defined| self.fits(defined)).collect();
        let Some(receiver) = self.reference.path() else { return self.bare(&candidates) };
        if candidates.is_empty() {
            return Ok(Resolution::none());
        }
        match Receiver::parse(receiver, self.traits.base_class_names) {
            Receiver::Own => self.resolve_own(&candidates),
            Receiver::Parent => self.resolve_inherited(&candidates),
            Receiver::Chain(chain) => self.member(&chain, receiver, &candidates),
            Receiver::Call { on, function } => self.resolve_in_result(&on, function, &candidates),
            Receiver::Path(path) => self.resolve_in_path(&path, &candidates),
            Receiver::Typed(written) => {
                let types = self.written_in(self.file, types::named(written))?;
                self.resolve_in_types(&types, &candidates)
            }
            Receiver::Unknown => self.resolve_unknown(&candidates),
        }
    }

    pub fn fits(&self, defined: &SymbolDefinition) -> bool {
        let tree = self.files.tree();
        // A bare name that is assigned is a variable, or a field of a literal: `Afero{Fs: base}` does not mean the type `Fs`.
        let is_set = self.reference.kind == ReferenceKind::Write && self.reference.receiver.is_none();
        can_mean(self.reference.kind, defined.definition.kind)
            && !(is_set && is_type(defined.definition.kind))
            && tree.file(self.file).can_use(tree.file(defined.id.file))
    }

    /// The qualified name of the definition that contains the reference; empty at the top level.
    pub fn scope(&self) -> &str {
        let around = self.reference.enclosing.and_then(|ordinal| self.definitions.get(ordinal as usize));
        around.map_or("", |around| around.definition.qualified.as_str())
    }

    /// The qualified name of the class that contains the reference.
    pub fn class(&self) -> Option<&str> {
        let around = self.reference.enclosing.and_then(|ordinal| self.definitions.get(ordinal as usize))?;
        let qualified = around.definition.qualified.as_str();
        let is_class = |scope: &&str| {
            self.definitions
                .iter()
                .any(|defined| defined.definition.qualified == *scope && is_type(defined.definition.kind))
        };
        // If the class is in another file, it is the owner of the method.
        scopes(qualified).find(is_class).filter(|scope| !scope.is_empty()).or_else(|| {
            let is_method = around.definition.kind == DefinitionKind::Method;
            is_method.then(|| owner(&around.definition)).filter(|owner| !owner.is_empty())
        })
    }
}

/// Resolution of names without a receiver.
impl<F: Facts> Resolver<'_, F> {
    fn bare(&self, candidates: &[&SymbolDefinition]) -> LookupResult<F> {
        let in_scope = self.in_scope(candidates);
        if !in_scope.is_empty() {
            return self.several(&in_scope, Confidence::Certain);
        }
        if self.traits.implicit_self && self.class().is_some() {
            let callable: Vec<&SymbolDefinition> =
                candidates.iter().filter(|defined| !is_constructor(defined)).copied().collect();
            let members = self.members_of_class(&callable)?;
            if !members.is_none() {
                return Ok(members);
            }
        }
        let imported = self.imported(&self.reference.name)?;
        match &imported {
            Imported::Found(found) => {
                let found: Vec<&SymbolDefinition> =
                    found.iter().filter(|defined| self.fits(defined)).collect();
                return self.several(&found, Confidence::Certain);
            }
            Imported::External => return Ok(Resolution::none()),
            Imported::Unresolved | Imported::NotNamed => {}
        }
        self.unimported(candidates, matches!(imported, Imported::Unresolved))
    }

    /// Definitions in the same file, from the innermost scope that has one.
    fn in_scope<'d>(&self, candidates: &[&'d SymbolDefinition]) -> Vec<&'d SymbolDefinition> {
        let here = |scope: &str| -> Vec<&'d SymbolDefinition> {
            let is_body =
                self.traits.class_body_is_scope && scope == self.scope() && self.class() == Some(scope);
            let is_here = |defined: &&&SymbolDefinition| {
                let is_method = defined.definition.kind == DefinitionKind::Method;
                // `new Style()` inside `Style` means the class.
                defined.id.file == self.file
                    && !is_constructor(defined)
                    && owner(&defined.definition) == scope
                    && (!is_method || self.traits.implicit_self || is_body)
            };
            candidates.iter().filter(is_here).copied().collect()
        };
        scopes(self.scope()).map(here).find(|found| !found.is_empty()).unwrap_or_default()
    }

    /// Names from wildcard imports, then from the same folder, then the only definition with that name.
    pub fn unimported(&self, candidates: &[&SymbolDefinition], is_unresolved: bool) -> LookupResult<F> {
        let free: Vec<&SymbolDefinition> = candidates
            .iter()
            .filter(|defined| defined.definition.kind != DefinitionKind::Method)
            .copied()
            .collect();
        let wildcard = self.visibility.wildcard_imports(self.files, self.file);
        let of = |test: &dyn Fn(FileId) -> bool| -> Vec<&SymbolDefinition> {
            free.iter().filter(|defined| test(defined.id.file)).copied().collect()
        };
        let wildcard = of(&|file| wildcard.contains(&file));
        if !wildcard.is_empty() {
            return self.several(&wildcard, Confidence::Likely);
        }
        let folder = of(&|file| self.nearness(file) == Nearness::SameFolder);
        if !folder.is_empty() {
            return self.several(&folder, Confidence::Likely);
        }
        let has_glob = self.files.statements(self.file).iter().any(ResolvedImport::is_glob);
        if self.traits.needs_no_import || is_unresolved || has_glob {
            return self.several(&free, Confidence::Possible);
        }
        // Macros of Rust and C are visible without an import.
        let macros: Vec<&SymbolDefinition> =
            free.into_iter().filter(|defined| defined.definition.kind == DefinitionKind::Macro).collect();
        self.several(&macros, Confidence::Possible)
    }

    fn imported(&self, name: &str) -> LookupResult<F, Imported> {
        let (mut found, mut is_named, mut is_unresolved) = (Vec::new(), false, false);
        for resolved in self.files.statements(self.file) {
            for (_, there) in resolved.statement.bindings().filter(|(here, _)| *here == name) {
                is_named = true;
                for target in resolved.files() {
                    self.exported(target, there, MAX_REEXPORTS, &mut found)?;
                    is_unresolved |= !self.passes_on_external(target, there, MAX_REEXPORTS);
                }
            }
        }
        Ok(match (found.is_empty(), is_unresolved, is_named) {
            (false, ..) => Imported::Found(found),
            (true, true, _) => Imported::Unresolved,
            (true, false, true) => Imported::External,
            (true, false, false) => Imported::NotNamed,
        })
    }

    /// Whether a file gets a name from outside the project, directly or through files that it imports the name from.
    fn passes_on_external(&self, file: FileId, name: &str, hops: u32) -> bool {
        let mut passed_on = self.files.statements(file).iter().flat_map(|resolved| {
            let names = resolved.statement.bindings().filter(|(here, _)| *here == name);
            names.map(move |(_, there)| (resolved, there))
        });
        passed_on.any(|(resolved, there)| {
            let mut targets = resolved.files().filter(|target| *target != file).peekable();
            targets.peek().is_none()
                || (hops > 0 && targets.all(|target| self.passes_on_external(target, there, hops - 1)))
        })
    }

    /// The definitions that a file has under a name, or re-exports from another file.
    pub fn exported(
        &self,
        file: FileId,
        name: &str,
        hops: u32,
        found: &mut Vec<SymbolDefinition>,
    ) -> LookupResult<F, ()> {
        let named = self.facts.definitions_named(name)?;
        let before = found.len();
        let add = |found: &mut Vec<SymbolDefinition>, file: FileId| {
            let own: Vec<&SymbolDefinition> =
                named.iter().filter(|defined| defined.id.file == file).collect();
            // `from . import nodes` means the module, not the field `nodes` of one of its classes.
            let is_module = module_name(self.files.tree(), file) == name;
            let at_top = is_module || own.iter().any(|defined| owner(&defined.definition).is_empty());
            let wanted = own.into_iter().filter(|defined| !at_top || owner(&defined.definition).is_empty());
            found.extend(wanted.cloned());
        };
        add(found, file);
        if found.len() > before || hops == 0 {
            return Ok(());
        }
        self.exported_by_name(file, name, hops, found)?;
        if found.len() == before {
            let wildcard = self.visibility.wildcard_imports(self.files, file);
            wildcard.iter().for_each(|target| add(found, *target));
            if found.len() == before && !self.files.tree().traits(file).imports_all {
                for target in wildcard.iter() {
                    self.exported_by_name(*target, name, hops, found)?;
                }
            }
            found[before..].sort_by_key(|defined| defined.id);
        }
        Ok(())
    }

    /// The definitions that a file re-exports under a name that it imports.
    fn exported_by_name(
        &self,
        file: FileId,
        name: &str,
        hops: u32,
        found: &mut Vec<SymbolDefinition>,
    ) -> LookupResult<F, ()> {
        for resolved in self.files.statements(file) {
            for (_, there) in resolved.statement.bindings().filter(|(here, _)| *here == name) {
                for target in resolved.files().filter(|target| *target != file) {
                    self.exported(target, there, hops - 1, found)?;
                }
            }
        }
        Ok(())
    }
}

/// Choosing among several definitions.
impl<F: Facts> Resolver<'_, F> {
    pub fn nearness(&self, file: FileId) -> Nearness {
        self.visibility.nearness(self.files, self.file, file)
    }

    /// Chooses the definitions in the nearest files.
    pub fn nearest(&self, candidates: &[&SymbolDefinition], confidence: Confidence) -> LookupResult<F> {
        let Some(best) = candidates.iter().map(|defined| self.nearness(defined.id.file)).min() else {
            return Ok(Resolution::none());
        };
        let near: Vec<&SymbolDefinition> =
            candidates.iter().filter(|defined| self.nearness(defined.id.file) == best).copied().collect();
        let limit = if best == Nearness::NotVisible { Confidence::Possible } else { Confidence::Certain };
        self.several(&near, confidence.max(limit))
    }

    /// Chooses all definitions: with `confidence` if they are one symbol, as guesses if they are several.
    pub fn several(&self, candidates: &[&SymbolDefinition], confidence: Confidence) -> LookupResult<F> {
        let mut targets = Vec::with_capacity(candidates.len());
        let is_meant = |defined: &&&SymbolDefinition| {
            !is_constructor_of(defined, candidates) && !self.is_type_beside_value(defined, candidates)
        };
        for defined in candidates.iter().filter(is_meant) {
            let named = self.facts.definitions_named(&defined.definition.name)?;
            targets.push(canonical(self.files, &named, defined));
        }
        targets.sort_unstable();
        targets.dedup();
        Ok(match targets.len() {
            0 => Resolution::none(),
            1 => Resolution { targets, confidence, ambiguous: false },
            count if count <= MAX_GUESSES => {
                Resolution { targets, confidence: Confidence::Guess, ambiguous: false }
            }
            _ => Resolution { ambiguous: true, ..Resolution::none() },
        })
    }
}

impl<F: Facts> Resolver<'_, F> {
    /// Whether a type shares its name with a function or variable, which a value means instead.
    fn is_type_beside_value(&self, defined: &SymbolDefinition, all: &[&SymbolDefinition]) -> bool {
        let is_beside = |other: &&SymbolDefinition| {
            !is_type(other.definition.kind)
                && other.id.file == defined.id.file
                && other.definition.qualified == defined.definition.qualified
        };
        self.traits.types_are_apart && is_type(defined.definition.kind) && all.iter().any(is_beside)
    }
}

/// Whether a method has the name of its class.
fn is_constructor(defined: &SymbolDefinition) -> bool {
    let definition = &defined.definition;
    definition.kind == DefinitionKind::Method && owner_type(definition) == definition.name
}

/// Whether it is the constructor `Retry.Retry` of a class `Retry` in the list: a call means both.
fn is_constructor_of(defined: &SymbolDefinition, all: &[&SymbolDefinition]) -> bool {
    let definition = &defined.definition;
    owner_type(definition) == definition.name
        && all.iter().any(|other| is_type(other.definition.kind) && other.id.file == defined.id.file)
}
