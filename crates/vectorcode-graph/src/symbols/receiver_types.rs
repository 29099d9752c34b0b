//! The declared types of a receiver: of parameters, fields, variables and constructors.

use vectorcode_core::DefinitionKind;

use super::names::{is_type, last, owner, owner_type, scopes};
use super::receiver::is_own;
use super::resolver::{LookupResult, Resolver};
use super::types;
use crate::facts::{Facts, SymbolDefinition};

impl<F: Facts> Resolver<'_, F> {
    /// The declared types of what a chain of names leads to; `None` when the facts do not tell.
    pub fn types_of(&self, names: &[&str]) -> LookupResult<F, Option<Vec<String>>> {
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
    fn types_of_name(&self, name: &str) -> LookupResult<F, Option<Vec<String>>> {
        for scope in scopes(self.scope()).filter(|scope| !scope.is_empty()) {
            let around = self.definitions.iter().filter(|defined| defined.definition.qualified == scope);
            for defined in around.filter(|defined| !is_type(defined.definition.kind)) {
                let signature = &defined.definition.signature;
                if let Some(types) = types::declared(signature, name, self.traits.type_annotation) {
                    return Ok(Some(types));
                }
            }
        }
        let at_top = |defined: &&SymbolDefinition| {
            defined.definition.name == name
                && owner(&defined.definition).is_empty()
                && !is_type(defined.definition.kind)
        };
        if let Some(types) =
            self.definitions.iter().find(at_top).and_then(|found| self.types_of_definition(found))
        {
            return Ok(Some(types));
        }
        match self.class().filter(|_| self.traits.implicit_self) {
            Some(class) => self.types_of_field(&[last(class).to_owned()], name),
            None => Ok(None),
        }
    }

    /// A field of these types, or a parameter of their constructors, which is most often kept under the same name.
    fn types_of_field(&self, owners: &[String], name: &str) -> LookupResult<F, Option<Vec<String>>> {
        let is_member =
            |defined: &&SymbolDefinition| owners.iter().any(|owner| owner == owner_type(&defined.definition));
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
                let declared = |defined: &SymbolDefinition| {
                    types::declared(&defined.definition.signature, name, self.traits.type_annotation)
                };
                if let Some(types) = own.find_map(declared) {
                    return Ok(Some(types));
                }
            }
        }
        Ok(None)
    }

    pub fn types_of_definition(&self, defined: &SymbolDefinition) -> Option<Vec<String>> {
        use DefinitionKind::{Constant, Field, Variable};
        let definition = &defined.definition;
        if is_type(definition.kind) {
            return Some(vec![definition.name.clone()]);
        }
        if !matches!(definition.kind, Constant | Field | Variable) {
            return None;
        }
        types::declared(&definition.signature, &definition.name, self.traits.type_annotation)
            .or_else(|| types::assigned(&definition.signature))
    }
}
