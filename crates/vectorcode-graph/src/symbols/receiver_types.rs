//! The declared types of a receiver: from parameters, fields, variables and constructors.

use vectorcode_core::{DefinitionKind, bare_name};

use super::member::{MAX_GENERATIONS, has_word};
use super::names::{is_type, owner, owner_type, scopes};
use super::receiver::{Path, Step, is_own};
use super::resolver::{LookupResult, Resolver};
use super::types;
use super::written_types::are_outside;
use crate::facts::{Facts, SymbolDefinition};

/// If more fields than this have the same name, their types say nothing about any one of them.
const MAX_FIELDS: usize = 6;

impl<F: Facts> Resolver<'_, F> {
    /// The declared types of a chain of names; `None` if the facts do not say.
    pub fn types_of(&self, names: &[&str]) -> LookupResult<F, Option<Vec<String>>> {
        let Some((first, rest)) = names.split_first() else { return Ok(None) };
        let mut types = if is_own(first) {
            self.class().map(|class| vec![bare_name(class).to_owned()])
        } else {
            match self.types_of_name(first.trim_start_matches(['@', '$']))? {
                // The name may be a type: `Style.COMPACT.indent()`.
                None if !rest.is_empty() && self.is_type_name(first)? => Some(vec![(*first).to_owned()]),
                types => types,
            }
        };
        for name in rest {
            let Some(owners) = types else { return Ok(None) };
            types = self.types_of_field(&owners, name)?;
        }
        Ok(types)
    }

    pub fn is_type_name(&self, name: &str) -> LookupResult<F, bool> {
        Ok(self.facts.definitions_named(name)?.iter().any(|defined| is_type(defined.definition.kind)))
    }

    /// The types of a name: a parameter of an enclosing function, a variable of the file, or a field of the enclosing class.
    fn types_of_name(&self, name: &str) -> LookupResult<F, Option<Vec<String>>> {
        for scope in scopes(self.scope()).filter(|scope| !scope.is_empty()) {
            let around = self.definitions.iter().filter(|defined| defined.definition.qualified == scope);
            for defined in around.filter(|defined| !is_type(defined.definition.kind)) {
                let signature = &defined.definition.signature;
                if let Some(types) = types::declared(signature, name, self.traits.type_annotation) {
                    return self.written_in(self.file, types).map(Some);
                }
            }
        }
        let at_top = |defined: &&SymbolDefinition| {
            defined.definition.name == name
                && owner(&defined.definition).is_empty()
                && !is_type(defined.definition.kind)
        };
        if let Some(found) = self.definitions.iter().find(at_top)
            && let Some(types) = self.types_of_definition(found)?
        {
            return Ok(Some(types));
        }
        match self.class().filter(|_| self.traits.implicit_self) {
            Some(class) => self.types_of_field(&[bare_name(class).to_owned()], name),
            None => Ok(None),
        }
    }

    /// The types of a field of these types or of their bases. A constructor parameter counts as a field, which usually has the
    /// same name.
    fn types_of_field(&self, owners: &[String], name: &str) -> LookupResult<F, Option<Vec<String>>> {
        let mut generation = owners.to_vec();
        for _ in 0..MAX_GENERATIONS {
            if let Some(types) = self.types_of_own_field(&generation, name)? {
                return Ok(Some(types));
            }
            generation = self.bases(&generation)?;
            // An embedded type is a field with the type's name.
            if let Some(embedded) = generation.iter().find(|base| bare_name(base) == name) {
                return Ok(Some(vec![embedded.clone()]));
            }
            if generation.is_empty() {
                break;
            }
        }
        Ok(None)
    }

    fn types_of_own_field(&self, owners: &[String], name: &str) -> LookupResult<F, Option<Vec<String>>> {
        let is_member =
            |defined: &&SymbolDefinition| owners.iter().any(|owner| owner == owner_type(&defined.definition));
        let named = self.facts.definitions_named(name)?;
        let fields: Vec<&SymbolDefinition> = named.iter().filter(is_member).collect();
        if let Some(types) = self.first_types(&fields, Self::types_of_definition)? {
            return Ok(Some(types));
        }
        if let Some(types) = self.first_types(&fields, Self::types_of_call)? {
            return Ok(Some(types));
        }
        for owner in owners {
            for constructor in ["constructor", "__init__", "initialize", "__construct", "init", owner] {
                let named = self.facts.definitions_named(constructor)?;
                let mut own =
                    named.iter().filter(|defined| is_member(defined) || defined.definition.name == *owner);
                let declared = |defined: &SymbolDefinition| {
                    let signature = &defined.definition.signature;
                    let types = types::declared(signature, name, self.traits.type_annotation)?;
                    Some((defined.id.file, types))
                };
                if let Some((file, types)) = own.find_map(declared) {
                    return self.written_in(file, types).map(Some);
                }
            }
        }
        Ok(None)
    }

    /// The return types of a method of these types or of their bases.
    fn types_of_method(&self, owners: &[String], name: &str) -> LookupResult<F, Option<Vec<String>>> {
        let named = self.facts.definitions_named(name)?;
        let mut generation = owners.to_vec();
        for _ in 0..MAX_GENERATIONS {
            let is_member = |defined: &&SymbolDefinition| {
                generation.iter().any(|owner| owner == owner_type(&defined.definition))
            };
            let members: Vec<&SymbolDefinition> = named.iter().filter(is_member).collect();
            if !members.is_empty() {
                return self.first_types(&members, Self::types_of_call);
            }
            generation = self.bases(&generation)?;
            if generation.is_empty() {
                break;
            }
        }
        Ok(None)
    }

    /// The declared return types of a function or method.
    pub fn types_of_call(&self, defined: &SymbolDefinition) -> LookupResult<F, Option<Vec<String>>> {
        let definition = &defined.definition;
        let signature = Some(&definition.signature).filter(|_| definition.kind.is_callable());
        let returned =
            |signature: &String| types::returned(signature, &definition.name, self.traits.type_annotation);
        let Some(types) = signature.and_then(returned) else { return Ok(None) };
        let owner = owner_type(definition);
        let types = types
            .into_iter()
            .map(|name| if bare_name(&name) == "Self" { owner.to_owned() } else { name })
            .collect();
        self.written_in(defined.id.file, types).map(Some)
    }

    /// The result for the first definition for which `types_of` has one.
    fn first_types(
        &self,
        defined: &[&SymbolDefinition],
        types_of: impl Fn(&Self, &SymbolDefinition) -> LookupResult<F, Option<Vec<String>>>,
    ) -> LookupResult<F, Option<Vec<String>>> {
        for defined in defined {
            if let Some(types) = types_of(self, defined)? {
                return Ok(Some(types));
            }
        }
        Ok(None)
    }

    /// The declared types of all fields and properties with this name; none if there are too many of them.
    pub fn types_of_fields_named(&self, name: &str) -> LookupResult<F, Vec<String>> {
        let named = self.facts.definitions_named(name)?;
        let fields: Vec<&SymbolDefinition> =
            named.iter().filter(|defined| !owner(&defined.definition).is_empty()).collect();
        if fields.len() > MAX_FIELDS {
            return Ok(Vec::new());
        }
        self.all_types(fields)
    }

    /// The types of all these variables, and the return types of these functions.
    pub fn all_types(&self, defined: Vec<&SymbolDefinition>) -> LookupResult<F, Vec<String>> {
        let mut types = Vec::new();
        for defined in defined {
            match self.types_of_definition(defined)? {
                Some(own) => types.extend(own),
                None => types.extend(self.types_of_call(defined)?.into_iter().flatten()),
            }
        }
        Ok(types)
    }

    /// The types of a path of names and calls; `None` if the type of a step is unknown.
    pub fn types_of_path(&self, path: &Path<'_>) -> LookupResult<F, Option<Vec<String>>> {
        let mut types = match path.of {
            Some(written) => Some(self.written_in(self.file, types::named(written))?),
            None => None,
        };
        for (at, Step { name, is_call }) in path.steps.iter().enumerate() {
            let is_first = at == 0 && path.of.is_none();
            types = match (types, is_call) {
                _ if is_first && !is_call => self.types_of(&[name])?,
                _ if is_first => Some(self.types_returned(&[], name)?).filter(|types| !types.is_empty()),
                // Members of external types are external.
                (Some(owners), _) if are_outside(&owners) => Some(owners),
                (Some(owners), true) => match self.types_of_method(&owners, name)? {
                    None if has_word(self.traits.element_methods, name) => Some(owners),
                    types => types,
                },
                (Some(owners), false) => self.types_of_field(&owners, name)?,
                (None, _) => None,
            };
            // The name may be a class that is called, or whose static members follow.
            if types.is_none() && name.starts_with(char::is_uppercase) {
                types = Some(vec![(*name).to_owned()]);
            }
        }
        Ok(types)
    }

    pub fn types_of_definition(&self, defined: &SymbolDefinition) -> LookupResult<F, Option<Vec<String>>> {
        use DefinitionKind::{Constant, Field, Variable};
        let definition = &defined.definition;
        if is_type(definition.kind) {
            return Ok(Some(vec![definition.name.clone()]));
        }
        if !matches!(definition.kind, Constant | Field | Variable) {
            return Ok(None);
        }
        let (signature, file) = (&definition.signature, defined.id.file);
        if let Some(types) = types::declared(signature, &definition.name, self.traits.type_annotation) {
            return self.written_in(file, types).map(Some);
        }
        let Some(value) = types::assigned(signature) else { return Ok(None) };
        if !types::is_type_like(&value) {
            return Ok(None);
        }
        self.written_in(file, vec![value]).map(Some)
    }
}
