//! The declared types of a receiver: of parameters, fields, variables and constructors.

use vectorcode_core::DefinitionKind;

use super::member::{MAX_GENERATIONS, has_word};
use super::names::{is_type, last, owner, owner_type, scopes};
use super::receiver::{Path, Step, is_own};
use super::resolver::{LookupResult, Resolver};
use super::types;
use super::written_types::are_outside;
use crate::facts::{Facts, SymbolDefinition};

/// With more fields of one name, what they are says nothing about one of them.
const MAX_FIELDS: usize = 6;

impl<F: Facts> Resolver<'_, F> {
    /// The declared types of what a chain of names leads to; `None` when the facts do not tell.
    pub fn types_of(&self, names: &[&str]) -> LookupResult<F, Option<Vec<String>>> {
        let Some((first, rest)) = names.split_first() else { return Ok(None) };
        let mut types = if is_own(first) {
            self.class().map(|class| vec![last(class).to_owned()])
        } else {
            match self.types_of_name(first.trim_start_matches(['@', '$']))? {
                // `Style.COMPACT.indent()`: what the type has.
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

    /// A parameter of the functions around, a field of the class around, a variable of the file.
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
            Some(class) => self.types_of_field(&[last(class).to_owned()], name),
            None => Ok(None),
        }
    }

    /// A field of these types or of their bases, or a parameter of a constructor, which is most often kept under the same name.
    fn types_of_field(&self, owners: &[String], name: &str) -> LookupResult<F, Option<Vec<String>>> {
        let mut generation = owners.to_vec();
        for _ in 0..MAX_GENERATIONS {
            if let Some(types) = self.types_of_own_field(&generation, name)? {
                return Ok(Some(types));
            }
            generation = self.bases(&generation)?;
            // An embedded type is a field of its own name.
            if let Some(embedded) = generation.iter().find(|base| last(base) == name) {
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

    /// What a method of these types or of their bases gives back.
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

    /// What a function or method says it gives back.
    pub fn types_of_call(&self, defined: &SymbolDefinition) -> LookupResult<F, Option<Vec<String>>> {
        let definition = &defined.definition;
        let signature = Some(&definition.signature).filter(|_| definition.kind.is_callable());
        let returned =
            |signature: &String| types::returned(signature, &definition.name, self.traits.type_annotation);
        let Some(types) = signature.and_then(returned) else { return Ok(None) };
        let owner = owner_type(definition);
        let types = types
            .into_iter()
            .map(|name| if last(&name) == "Self" { owner.to_owned() } else { name })
            .collect();
        self.written_in(defined.id.file, types).map(Some)
    }

    /// What the first definition says of which `types_of` knows anything.
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

    /// The declared types of all fields and properties of a name; none where they are too many to tell anything.
    pub fn types_of_fields_named(&self, name: &str) -> LookupResult<F, Vec<String>> {
        let named = self.facts.definitions_named(name)?;
        let fields: Vec<&SymbolDefinition> =
            named.iter().filter(|defined| !owner(&defined.definition).is_empty()).collect();
        if fields.len() > MAX_FIELDS {
            return Ok(Vec::new());
        }
        self.all_types(fields)
    }

    /// The types of all these variables and of what these functions give back.
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

    /// The types of what a path of names and calls leads to; `None` where one of its steps is not known.
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
                // What comes from outside leads to nothing inside.
                (Some(owners), _) if are_outside(&owners) => Some(owners),
                (Some(owners), true) => match self.types_of_method(&owners, name)? {
                    None if has_word(self.traits.element_methods, name) => Some(owners),
                    types => types,
                },
                (Some(owners), false) => self.types_of_field(&owners, name)?,
                (None, _) => None,
            };
            // A class that is called, or whose static members follow.
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
