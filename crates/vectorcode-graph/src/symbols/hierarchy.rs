//! The type hierarchy: which types extend or implement others, and which methods override each other.
//!
//! In most languages this is declared, and the facts have it as references of kind `Base`. In others, such as Go, a type
//! implements an interface if it has all of its methods.

use std::collections::{BTreeMap, BTreeSet};

use vectorcode_core::api::Confidence;
use vectorcode_core::{DefinitionKind, bare_name};

use super::Symbols;
use super::member::is_base_of;
use super::names::{is_type, owner};
use crate::facts::{Facts, SymbolDefinition, SymbolId};

/// How many levels above and below a type are searched. Hierarchies are seldom deeper.
const MAX_DEPTH: u32 = 6;
/// With this many subtypes, their own subtypes are no longer searched: each costs a walk over the references to its name.
const MAX_SUBTYPES: usize = 200;
/// The maximum number of methods in a family.
const MAX_FAMILY: usize = 40;
const CONSTRUCTORS: [&str; 4] = ["constructor", "initialize", "new", "init"];

/// A type below the queried one.
#[derive(Clone, Debug)]
pub struct Subtype {
    pub defined: SymbolDefinition,
    pub confidence: Confidence,
    pub distance: u32,
    /// The subtype that it extends, as an index into the list; `None` for the queried type.
    pub base: Option<usize>,
}

impl<F: Facts> Symbols<'_, F> {
    /// The methods that a method overrides, and those that override it or the same methods. Constructors have none.
    pub fn family(&self, id: SymbolId) -> Result<Vec<SymbolId>, F::Error> {
        let Some(method) = self.defined(id)? else { return Ok(Vec::new()) };
        let definition = &method.definition;
        let (name, around) = (definition.name.as_str(), owner(definition));
        let is_constructor =
            CONSTRUCTORS.contains(&name) || bare_name(around) == name || name.starts_with("__");
        if definition.kind != DefinitionKind::Method || is_constructor || around.is_empty() {
            return Ok(Vec::new());
        }
        let Some(owner) = self.owner(&method)? else { return Ok(Vec::new()) };
        let above = self.supertypes(&owner)?;
        let mut types = above.clone();
        // Of the types above, only those that have the method: a call through them may reach all of their subtypes.
        let mut roots = vec![owner];
        for one in above {
            if !self.methods_of(&one, name)?.is_empty() {
                roots.push(one);
            }
        }
        for root in &roots {
            let below = self.subtypes(root)?.into_iter();
            types.extend(below.filter(|sub| sub.confidence < Confidence::Guess).map(|sub| sub.defined));
        }
        let mut family = BTreeSet::new();
        for one in types {
            family.extend(self.methods_of(&one, name)?);
        }
        family.remove(&self.canonical(id)?);
        Ok(family.into_iter().take(MAX_FAMILY).collect())
    }

    fn methods_of(&self, one: &SymbolDefinition, name: &str) -> Result<Vec<SymbolId>, F::Error> {
        let members = self.facts.definitions_named(name)?;
        let is_member = |member: &&SymbolDefinition| {
            let definition = &member.definition;
            definition.kind.is_callable() && owner(definition) == one.definition.qualified
        };
        let (here, elsewhere): (Vec<_>, Vec<_>) =
            members.iter().filter(is_member).partition(|member| member.id.file == one.id.file);
        // Methods may be in another file than their type, if no other type has its name.
        let members = if here.is_empty() { elsewhere } else { here };
        members.into_iter().map(|member| self.canonical(member.id)).collect()
    }

    /// The type that a method belongs to.
    pub fn owner(&self, method: &SymbolDefinition) -> Result<Option<SymbolDefinition>, F::Error> {
        let around = owner(&method.definition);
        let of_name = self.facts.definitions_named(bare_name(around))?;
        let is_owner = |other: &&SymbolDefinition| {
            is_type(other.definition.kind) && other.definition.qualified == around
        };
        let here = of_name.iter().filter(is_owner).find(|other| other.id.file == method.id.file);
        let mut others = of_name.iter().filter(is_owner);
        Ok(here.or_else(|| others.next().filter(|_| others.next().is_none())).cloned())
    }

    /// The types that a type extends or implements, directly or indirectly.
    pub fn supertypes(&self, asked: &SymbolDefinition) -> Result<Vec<SymbolDefinition>, F::Error> {
        let mut found: Vec<SymbolDefinition> = Vec::new();
        let mut open = vec![asked.clone()];
        for _ in 0..MAX_DEPTH {
            let mut above = Vec::new();
            for one in &open {
                above.extend(self.direct_supertypes(one)?);
            }
            above.retain(|base| base.id != asked.id && found.iter().all(|known| known.id != base.id));
            above.sort_by_key(|base| base.id);
            above.dedup_by_key(|base| base.id);
            found.extend(above.iter().cloned());
            open = above;
        }
        Ok(found)
    }

    fn direct_supertypes(&self, one: &SymbolDefinition) -> Result<Vec<SymbolDefinition>, F::Error> {
        let mut above = Vec::new();
        for reference in self.facts.references_of(one.id.file)?.iter() {
            if is_base_of(reference, one) {
                for target in self.targets(one.id.file, reference)? {
                    above.extend(self.defined(target)?.filter(|base| is_type(base.definition.kind)));
                }
            }
        }
        if self.files.tree().traits(one.id.file).implicit_interfaces {
            above.extend(self.implicit_interfaces(one)?);
        }
        Ok(above)
    }

    /// The interfaces whose methods a type has all of.
    fn implicit_interfaces(&self, one: &SymbolDefinition) -> Result<Vec<SymbolDefinition>, F::Error> {
        if one.definition.kind == DefinitionKind::Interface {
            return Ok(Vec::new());
        }
        let definitions = self.facts.definitions_of(one.id.file)?;
        let own = definitions.iter().filter(|other| owner(&other.definition) == one.definition.qualified);
        let methods: BTreeSet<&str> = own
            .filter(|other| other.definition.kind == DefinitionKind::Method)
            .map(|other| other.definition.name.as_str())
            .collect();
        let mut found: Vec<SymbolDefinition> = Vec::new();
        for method in methods {
            for candidate in self.facts.definitions_named(method)?.iter() {
                let is_new =
                    found.iter().all(|known| known.definition.qualified != owner(&candidate.definition));
                let Some(interface) = self.owner(candidate)?.filter(|_| is_new) else { continue };
                if interface.definition.kind == DefinitionKind::Interface
                    && self.by_methods(&interface)?.iter().any(|(found, _)| found.id == one.id)
                {
                    found.push(interface);
                }
            }
        }
        Ok(found)
    }

    /// The types that implement or extend a type, directly or indirectly, nearest first. Guesses are not followed.
    pub fn subtypes(&self, asked: &SymbolDefinition) -> Result<Vec<Subtype>, F::Error> {
        let mut seen = BTreeSet::from([asked.id]);
        let mut reopened = BTreeSet::new();
        let mut below = |defined: &SymbolDefinition, distance: u32, base: Option<usize>| {
            let mut direct = self.direct_subtypes(defined)?;
            direct.retain(|(found, _)| seen.insert(found.id));
            direct.retain(|(found, _)| {
                !self.is_reopened(found) || reopened.insert(found.definition.qualified.clone())
            });
            let subtype = move |(defined, confidence)| Subtype { defined, confidence, distance, base };
            Ok::<_, F::Error>(direct.into_iter().map(subtype))
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

    /// Whether several definitions of the name are parts of one class, each of which may declare its base.
    fn is_reopened(&self, defined: &SymbolDefinition) -> bool {
        self.files.tree().traits(defined.id.file).reopens_types
    }

    fn direct_subtypes(
        &self,
        asked: &SymbolDefinition,
    ) -> Result<Vec<(SymbolDefinition, Confidence)>, F::Error> {
        let mut found = Vec::new();
        for used in self.uses(asked.id)? {
            let Some(subtype) = used.subtype else { continue };
            let subtype = self.defined(subtype)?.filter(|found| is_type(found.definition.kind));
            // `type Alias = Base` is not a subtype of `Base`.
            let subtype = subtype.filter(|found| found.definition.kind != DefinitionKind::Type);
            found.extend(subtype.map(|subtype| (subtype, used.confidence)));
        }
        if found.is_empty() && asked.definition.kind == DefinitionKind::Interface {
            found = self.by_methods(asked)?;
        }
        let mut seen = BTreeSet::from([asked.id]);
        found.retain(|(found, _)| seen.insert(found.id));
        Ok(found)
    }

    /// The types that have every method of an interface.
    fn by_methods(&self, asked: &SymbolDefinition) -> Result<Vec<(SymbolDefinition, Confidence)>, F::Error> {
        let definitions = self.facts.definitions_of(asked.id.file)?;
        let own = definitions.iter().filter(|other| owner(&other.definition) == asked.definition.qualified);
        let methods: BTreeSet<&str> = own.map(|other| other.definition.name.as_str()).collect();
        let mut owners: BTreeMap<String, usize> = BTreeMap::new();
        for method in &methods {
            let candidates = self.facts.definitions_named(method)?;
            let of_type: BTreeSet<&str> = candidates.iter().map(|one| owner(&one.definition)).collect();
            for owner in of_type.into_iter().filter(|owner| !owner.is_empty()) {
                *owners.entry(owner.to_owned()).or_default() += 1;
            }
        }
        let mut found = Vec::new();
        for (owner, _) in owners.into_iter().filter(|(_, count)| *count == methods.len()) {
            let of_name = self.facts.definitions_named(bare_name(&owner))?;
            let is_it = |one: &&SymbolDefinition| {
                let kind = one.definition.kind;
                one.definition.qualified == owner && is_type(kind) && kind != DefinitionKind::Interface
            };
            found.extend(of_name.iter().filter(is_it).map(|one| (one.clone(), Confidence::Likely)));
        }
        Ok(found)
    }
}
