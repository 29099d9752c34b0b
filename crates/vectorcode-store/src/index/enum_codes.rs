//! The codes of small enums in database columns. They are part of the schema: add new ones, but never change old ones.

use vectorcode_core::{ContentClass, DefinitionKind, FileFlags, ReferenceKind, SkipReason};

pub(crate) fn class_code(class: ContentClass) -> i64 {
    match class {
        ContentClass::Code => 0,
        ContentClass::Docs => 1,
        ContentClass::Config => 2,
    }
}

pub(crate) fn class_of(code: i64) -> ContentClass {
    match code {
        1 => ContentClass::Docs,
        2 => ContentClass::Config,
        _ => ContentClass::Code,
    }
}

pub(crate) fn kind_code(kind: DefinitionKind) -> i64 {
    DefinitionKind::ALL.iter().position(|known| *known == kind).map_or(0, |place| place as i64)
}

pub(crate) fn kind_of(code: i64) -> DefinitionKind {
    DefinitionKind::ALL.get(code as usize).copied().unwrap_or(DefinitionKind::Section)
}

pub(crate) fn reference_code(kind: ReferenceKind) -> i64 {
    match kind {
        ReferenceKind::Call => 0,
        ReferenceKind::Type => 1,
        ReferenceKind::Base => 2,
        ReferenceKind::Construction => 3,
        ReferenceKind::Decorator => 4,
        ReferenceKind::Value => 5,
        ReferenceKind::Read => 6,
        ReferenceKind::Write => 7,
        ReferenceKind::Import => 8,
    }
}

pub(crate) fn reference_of(code: i64) -> ReferenceKind {
    match code {
        1 => ReferenceKind::Type,
        2 => ReferenceKind::Base,
        3 => ReferenceKind::Construction,
        4 => ReferenceKind::Decorator,
        5 => ReferenceKind::Value,
        6 => ReferenceKind::Read,
        7 => ReferenceKind::Write,
        8 => ReferenceKind::Import,
        _ => ReferenceKind::Call,
    }
}

/// A text column, with the name that the reason has in JSON.
pub(crate) fn reason_name(reason: SkipReason) -> String {
    match serde_json::to_value(reason) {
        Ok(serde_json::Value::String(name)) => name,
        _ => format!("{reason:?}"),
    }
}

/// `None` for a reason that only a later version knows.
pub(crate) fn reason_of(name: &str) -> Option<SkipReason> {
    serde_json::from_value(name.into()).ok()
}

pub(crate) fn flags_code(flags: FileFlags) -> i64 {
    [flags.generated, flags.minified, flags.test, flags.lossy, flags.unparsed, flags.masked]
        .into_iter()
        .enumerate()
        .map(|(bit, set)| i64::from(set) << bit)
        .sum()
}

pub(crate) fn flags_of(code: i64) -> FileFlags {
    let bit = |place: i64| code >> place & 1 == 1;
    FileFlags {
        generated: bit(0),
        minified: bit(1),
        test: bit(2),
        lossy: bit(3),
        unparsed: bit(4),
        masked: bit(5),
    }
}

/// The properties of a chunk that filters need: a bit for each kind of symbol that it defines, and one for test code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TraitBits(pub u32);

impl TraitBits {
    const TEST: u32 = 1 << 31;

    pub fn new(is_test: bool) -> Self {
        Self(if is_test { Self::TEST } else { 0 })
    }

    pub fn add(&mut self, kind: DefinitionKind) {
        self.0 |= 1 << kind_code(kind);
    }

    pub fn is_test(self) -> bool {
        self.0 & Self::TEST != 0
    }

    pub fn defines(self, kind: DefinitionKind) -> bool {
        self.0 >> kind_code(kind) & 1 == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_lead_back_to_what_they_stand_for() {
        for class in [ContentClass::Code, ContentClass::Docs, ContentClass::Config] {
            assert_eq!(class_of(class_code(class)), class);
        }
        for kind in DefinitionKind::ALL {
            assert_eq!(kind_of(kind_code(kind)), kind);
        }
        for kind in [ReferenceKind::Call, ReferenceKind::Type, ReferenceKind::Base, ReferenceKind::Import] {
            assert_eq!(reference_of(reference_code(kind)), kind);
        }
        for code in 0..64 {
            assert_eq!(flags_code(flags_of(code)), code);
        }
    }

    #[test]
    fn traits_keep_kinds_and_test_apart() {
        let mut traits = TraitBits::new(true);
        traits.add(DefinitionKind::Method);
        assert!(traits.is_test() && traits.defines(DefinitionKind::Method));
        assert!(!traits.defines(DefinitionKind::Function) && !TraitBits::default().is_test());
    }
}
