//! Resolves a name after a receiver: `self.run`, `Retrier::new`, `gateway.charge`, `create().run`.

use rustc_hash::FxHashSet;
use vectorcode_core::api::Confidence;
use vectorcode_core::{DefinitionKind, Reference, ReferenceKind, bare_name};

use super::names::{is_type, owner, owner_type, scopes};
use super::path_names::{module_name, module_of};
use super::receiver::{Path, Step};
use super::resolver::{LookupResult, MAX_REEXPORTS, Resolution, Resolver};
use super::types;
use super::visibility::Nearness;
use super::written_types::is_outside;
use crate::facts::{Facts, SymbolDefinition};
use crate::files::ResolvedImport;
use crate::resolve::PACKAGE;
use crate::tree::FileId;

/// How many generations of base classes are searched.
pub(super) const MAX_GENERATIONS: u32 = 4;
/// Types that may be anything and therefore rule nothing out.
const VAGUE_TYPES: [&str; 8] = ["Any", "any", "object", "Object", "unknown", "interface", "Self", "auto"];
impl<F: Facts> Resolver<'_, F> {
    /// Resolves a member of the object or class that the code belongs to.
    pub fn resolve_own(&self, candidates: &[&SymbolDefinition]) -> LookupResult<F> {
        let members = self.members_of_class(candidates)?;
        if members.is_none() {
            Ok(self.resolve_unknown(candidates)?.at_best(Confidence::Guess))
        } else {
            Ok(members)
        }
    }

    pub fn members_of_class(&self, candidates: &[&SymbolDefinition]) -> LookupResult<F> {
        let Some(class) = self.class() else { return Ok(Resolution::none()) };
        let own = |defined: &&&SymbolDefinition| {
            defined.id.file == self.file && owner(&defined.definition) == class
        };
        let own: Vec<&SymbolDefinition> = candidates.iter().filter(own).copied().collect();
        if !own.is_empty() {
            return self.several(&own, Confidence::Certain);
        }
        self.members(&[bare_name(class).to_owned()], candidates)
    }

    /// Resolves a member of the base class.
    pub fn resolve_inherited(&self, candidates: &[&SymbolDefinition]) -> LookupResult<F> {
        let Some(class) = self.class() else { return Ok(Resolution::none()) };
        self.members(&self.bases(&[bare_name(class).to_owned()])?, candidates)
    }

    /// The members of these types, or of the nearest generation of their base classes that has one.
    fn members(&self, types: &[String], candidates: &[&SymbolDefinition]) -> LookupResult<F> {
        let mut types = types.to_vec();
        for _ in 0..MAX_GENERATIONS {
            let mut found = Vec::new();
            for defined in candidates {
                if self.is_owner(owner_type(&defined.definition), &types)? {
                    found.push(*defined);
                }
            }
            let found = self.without_hidden(found);
            if let Some(first) = found.first() {
                // A value may have a type that its file does not import. If the type's name is unique, it must be this one.
                let is_only = found.iter().all(|defined| defined.id.file == first.id.file);
                let choose = if is_only { Self::several } else { Self::nearest };
                return choose(self, &found, Confidence::Likely);
            }
            types = self.bases(&types)?;
            if types.is_empty() {
                break;
            }
        }
        Ok(Resolution::none())
    }

    /// Removes members of nested types that are not in scope, if a top-level type has the same name: `Iterator` does not mean
    /// `SkipList::Iterator`.
    fn without_hidden<'d>(&self, found: Vec<&'d SymbolDefinition>) -> Vec<&'d SymbolDefinition> {
        let is_seen = |defined: &&SymbolDefinition| {
            let around = owner(&defined.definition).rsplit_once('.').map_or("", |(around, _)| around);
            scopes(self.scope()).any(|scope| scope == around)
        };
        let seen: Vec<&SymbolDefinition> = found.iter().copied().filter(is_seen).collect();
        if seen.is_empty() { found } else { seen }
    }

    /// Whether a member's owner is one of the types: a type of the project, or an external one to which the project adds members.
    fn is_owner(&self, owner: &str, types: &[String]) -> LookupResult<F, bool> {
        let is_extended = || types.iter().any(|name| is_outside(name) && bare_name(name) == owner);
        Ok(types.iter().any(|name| name == owner) || (is_extended() && !self.is_type_name(owner)?))
    }

    /// The types that these classes extend, implement or mix in.
    pub fn bases(&self, classes: &[String]) -> LookupResult<F, Vec<String>> {
        let mut bases = Vec::new();
        for class in classes {
            let named = self.facts.definitions_named(class)?;
            for defined in named.iter().filter(|defined| is_type(defined.definition.kind)) {
                // For `type Made = () => App`, a value of the alias has the members of the types in its definition.
                let is_alias = defined.definition.kind == DefinitionKind::Type;
                for reference in self.facts.references_of(defined.id.file)?.iter() {
                    let is_named = is_alias
                        && reference.kind == ReferenceKind::Type
                        && reference.enclosing == Some(defined.id.ordinal);
                    let is_base = (is_named || is_base_of(reference, defined)) && reference.name != *class;
                    if is_base {
                        let base = self.base(defined.id.file, reference)?;
                        if !bases.contains(&base) {
                            bases.push(base);
                        }
                    }
                }
            }
        }
        Ok(bases)
    }

    fn base(&self, file: FileId, reference: &Reference) -> LookupResult<F, String> {
        let path = reference.path().map(|path| format!("{path}.{}", reference.name));
        let written = types::named(path.as_deref().unwrap_or(&reference.name)).pop();
        let types = self.written_in(file, written.into_iter().collect())?;
        Ok(types.into_iter().next().unwrap_or_default())
    }

    /// Resolves a member of something with a name: a module, a type, a variable or a field.
    pub fn member(&self, chain: &[&str], written: &str, candidates: &[&SymbolDefinition]) -> LookupResult<F> {
        if let Some(found) = self.through_import(chain, candidates)? {
            return Ok(found);
        }
        if let Some(types) = self.types_of(chain)? {
            return self.resolve_in_types(&types, candidates);
        }
        let named = self.resolve_in_named_types(chain, candidates)?;
        let is_type_name = chain.last().is_some_and(|name| name.starts_with(char::is_uppercase));
        if !named.is_none() || is_type_name || written.contains("::") || written.contains('\\') {
            return Ok(named);
        }
        self.resolve_in_field(chain, candidates)
    }

    /// Resolves a member of a field whose object is unknown: `it.request.header()` uses the types of all fields called `request`.
    fn resolve_in_field(&self, chain: &[&str], candidates: &[&SymbolDefinition]) -> LookupResult<F> {
        if let [_, .., field] = chain {
            let types = self.types_of_fields_named(field)?;
            let members = self.members(&types, candidates)?.at_best(Confidence::Possible);
            if !members.is_none() {
                return Ok(members);
            }
        }
        self.resolve_unknown(candidates)
    }

    /// Resolves a member of the result of a path of names and calls.
    pub fn resolve_in_path(&self, path: &Path<'_>, candidates: &[&SymbolDefinition]) -> LookupResult<F> {
        let types = self.types_of_path(path)?.unwrap_or_default();
        let members = self.members(&types, candidates)?;
        match path.steps.last() {
            _ if !members.is_none() || types.iter().any(|name| is_outside(name)) => {
                self.resolve_in_types(&types, candidates)
            }
            Some(Step { name, is_call: true }) if types.is_empty() => {
                self.resolve_in_result(&[], name, candidates)
            }
            Some(Step { name, is_call: false }) if types.is_empty() => {
                self.resolve_in_field(&["", name], candidates)
            }
            _ => self.resolve_unknown(candidates),
        }
    }

    /// Resolves a member of a value with one of these types. If the types say nothing, the value may be anything.
    pub fn resolve_in_types(&self, types: &[String], candidates: &[&SymbolDefinition]) -> LookupResult<F> {
        if self.is_of_container(types) {
            return Ok(Resolution::none());
        }
        let members = self.members(types, candidates)?;
        let is_vague = types
            .iter()
            .map(|name| bare_name(name))
            .all(|name| name.len() == 1 || VAGUE_TYPES.contains(&name));
        if members.is_none() && is_vague { self.resolve_unknown(candidates) } else { Ok(members) }
    }

    /// Whether a value is an external list or map and the method one of its own: `shops.size()` with `shops: std::vector<Shop>`.
    fn is_of_container(&self, types: &[String]) -> bool {
        let traits = &self.traits;
        let is_container =
            |outer: &String| is_outside(outer) && !has_word(traits.wrapper_types, bare_name(outer));
        !traits.wrapper_types.is_empty()
            && types.first().is_some_and(is_container)
            && has_word(traits.builtin_methods, &self.reference.name)
    }

    /// Resolves a member of the type or module with this name: `Retrier.new`, `retry::backoff`.
    fn resolve_in_named_types(&self, names: &[&str], candidates: &[&SymbolDefinition]) -> LookupResult<F> {
        let outside = matches!(names.first(), Some(&("std" | "core" | "alloc")));
        let Some(name) = names.last().filter(|_| !outside) else { return Ok(Resolution::none()) };
        let pick = |test: &dyn Fn(&SymbolDefinition) -> bool| -> Vec<&SymbolDefinition> {
            candidates.iter().filter(|defined| test(defined)).copied().collect()
        };
        let of_type = pick(&|defined| owner_type(&defined.definition) == *name);
        if !of_type.is_empty() {
            let is_here = of_type.iter().any(|defined| defined.id.file == self.file);
            let confidence = if is_here { Confidence::Certain } else { Confidence::Likely };
            return self.nearest(&of_type, confidence);
        }
        if !self.traits.header_extensions.is_empty() {
            return self.of_namespace(name, &pick(&|defined| owner(&defined.definition).is_empty()));
        }
        let of_module = pick(&|defined| {
            owner(&defined.definition).is_empty() && module_name(self.files.tree(), defined.id.file) == *name
        });
        self.nearest(&of_module, Confidence::Likely)
    }

    /// Resolves `shop::open`, where the namespace is not part of the qualified names.
    fn of_namespace(&self, name: &str, free: &[&SymbolDefinition]) -> LookupResult<F> {
        let named = self.facts.definitions_named(name)?;
        if !named.iter().any(|defined| defined.definition.kind == DefinitionKind::Module) {
            return Ok(Resolution::none());
        }
        let here: Vec<&SymbolDefinition> =
            free.iter().filter(|defined| defined.id.file == self.file).copied().collect();
        if here.is_empty() { self.unimported(free, false) } else { self.several(&here, Confidence::Likely) }
    }

    /// Resolves a member if an import binds the first name; `None` if no import does.
    fn through_import(
        &self,
        chain: &[&str],
        candidates: &[&SymbolDefinition],
    ) -> LookupResult<F, Option<Resolution>> {
        let Some((first, rest)) = chain.split_first() else { return Ok(None) };
        let (mut targets, mut is_named) = (Vec::new(), false);
        for resolved in self.files.statements(self.file) {
            let statement = &resolved.statement;
            let binding = statement.bindings().find(|(here, _)| here == first).map(|(_, there)| there);
            let is_module = statement.names.is_empty() && self.is_called(resolved, first);
            if binding.is_some() || is_module {
                is_named = true;
                targets.extend(resolved.files().map(|file| (file, binding)));
            }
        }
        if targets.is_empty() {
            return Ok(is_named.then(Resolution::none));
        }
        if !rest.is_empty() {
            let named = self.resolve_in_named_types(chain, candidates)?;
            return Ok((!named.is_none()).then_some(named));
        }
        self.in_targets(&targets, candidates).map(Some)
    }

    /// Whether a module imported without an alias is used under this name: that of its `package` clause, otherwise the last part
    /// of its path. `example.com/task/v3` has the package `task`.
    fn is_called(&self, resolved: &ResolvedImport, name: &str) -> bool {
        let declared = resolved.files().find_map(|file| {
            let mut clauses = self.files.statements(file).iter().map(|resolved| &resolved.statement);
            clauses.find(|statement| statement.kind == PACKAGE && statement.names.is_empty())
        });
        let declared = declared.map(|clause| clause.specifier.as_str()).filter(|name| !name.is_empty());
        declared.is_some_and(|declared| declared == name) || module_of(&resolved.statement.specifier) == name
    }

    /// Resolves a member of an imported class, a function of an imported module, or a method of an imported variable.
    fn in_targets(
        &self,
        targets: &[(FileId, Option<&str>)],
        candidates: &[&SymbolDefinition],
    ) -> LookupResult<F> {
        let mut of_class: Vec<&SymbolDefinition> = Vec::new();
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
                types.extend(self.types_of_definition(defined)?.into_iter().flatten());
            }
            if imported.is_empty() {
                self.exported(*file, &self.reference.name, MAX_REEXPORTS, &mut passed_on)?;
            }
        }
        if !of_class.is_empty() {
            return self.several(&of_class, Confidence::Certain);
        }
        let passed_on: Vec<&SymbolDefinition> =
            passed_on.iter().filter(|defined| self.fits(defined)).collect();
        if !passed_on.is_empty() {
            return self.several(&passed_on, Confidence::Certain);
        }
        self.members(&types, candidates)
    }

    /// Resolves a member of a function's result.
    pub fn resolve_in_result(
        &self,
        on: &[&str],
        function: &str,
        candidates: &[&SymbolDefinition],
    ) -> LookupResult<F> {
        // An external function may return what it was given: `cast(Frame, frame)`.
        if let Some(module) = on.first()
            && self.is_imported_from_outside(self.file, module)?
        {
            return self.resolve_unknown(candidates);
        }
        let mut types = self.types_returned(on, function)?;
        if types::is_type_like(function) {
            types.extend(self.written_in(self.file, vec![function.to_owned()])?);
        }
        let class = on.last().filter(|name| types::is_type_like(name));
        if let Some(class) = class.filter(|_| types.is_empty()) {
            types.push((*class).to_owned());
        }
        let members = self.members(&types, candidates)?;
        let is_known = !members.is_none() || types.iter().any(|name| is_outside(name));
        if is_known { self.resolve_in_types(&types, candidates) } else { self.resolve_unknown(candidates) }
    }

    /// The declared return types of functions with this name: those of the class before the name, if it has any.
    pub fn types_returned(&self, on: &[&str], function: &str) -> LookupResult<F, Vec<String>> {
        let named = self.facts.definitions_named(function)?;
        let of_class = |defined: &&SymbolDefinition| on.last() == Some(&owner_type(&defined.definition));
        let is_visible = |defined: &&SymbolDefinition| self.nearness(defined.id.file) < Nearness::NotVisible;
        let mut functions: Vec<&SymbolDefinition> = named.iter().filter(of_class).collect();
        if functions.is_empty() {
            functions = named.iter().filter(is_visible).collect();
        }
        // A called variable holds a function, whose type includes the return type.
        self.all_types(functions)
    }

    /// Resolves a member of a value whose type is unknown.
    pub fn resolve_unknown(&self, candidates: &[&SymbolDefinition]) -> LookupResult<F> {
        let members: Vec<&SymbolDefinition> =
            candidates.iter().filter(|defined| !owner(&defined.definition).is_empty()).copied().collect();
        let mentioned = self.mentioned_types()?;
        let of_mentioned: Vec<&SymbolDefinition> = members
            .iter()
            .filter(|defined| mentioned.contains(owner_type(&defined.definition)))
            .copied()
            .collect();
        // Choosing one of several because a nearby name mentions its type is still a guess.
        let is_chosen = !of_mentioned.is_empty() && of_mentioned.len() < members.len();
        let few = if of_mentioned.is_empty() { members } else { of_mentioned };
        let is_visible = few.iter().any(|defined| self.nearness(defined.id.file) < Nearness::NotVisible);
        // A method that calls its own name on another object delegates the call.
        let is_own = |defined: &&SymbolDefinition| {
            defined.id.file == self.file && self.reference.enclosing == Some(defined.id.ordinal)
        };
        // Fields and properties often share their name with many other things, called methods less often. But lists and maps have
        // methods with these names too.
        let is_builtin = has_word(self.traits.builtin_methods, &self.reference.name);
        let is_possible = is_visible
            && self.reference.kind == ReferenceKind::Call
            && !is_builtin
            && !is_chosen
            && !few.iter().all(is_own)
            && !self.is_from_outside()?;
        self.nearest(&few, if is_possible { Confidence::Possible } else { Confidence::Guess })
    }

    /// Whether the value comes from a name imported from outside the project: `httptest.NewServer().Close()`, or `logger.debug()`
    /// after `logger = logging.getLogger()` at the top of the file.
    fn is_from_outside(&self) -> LookupResult<F, bool> {
        let receiver = self.reference.path().unwrap_or_default();
        let head = first_name(receiver);
        let is_it = |defined: &&SymbolDefinition| {
            defined.definition.qualified == head && !defined.definition.kind.is_callable()
        };
        let value =
            self.definitions.iter().find(is_it).and_then(|set| types::assigned(&set.definition.signature));
        self.is_imported_from_outside(self.file, value.as_deref().map_or(head, first_name))
    }

    /// All names that occur in the same definition as the use.
    fn mentioned_types(&self) -> LookupResult<F, FxHashSet<String>> {
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

/// Whether a reference declares a base of this type.
pub(super) fn is_base_of(reference: &Reference, defined: &SymbolDefinition) -> bool {
    let applied_to = reference.applied_to().map(bare_name);
    reference.kind == ReferenceKind::Base
        && match applied_to {
            Some(name) => name == defined.definition.name,
            None => reference.enclosing == Some(defined.id.ordinal),
        }
}

/// The first identifier of a text.
fn first_name(text: &str) -> &str {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default()
}

/// Whether a space-separated list contains a word.
pub(super) fn has_word(words: &str, word: &str) -> bool {
    words.split(' ').any(|known| known == word)
}
