//! What is packed into one value a file: the uses of names and the imports. They are read as a whole or not at all.

use vectorcode_core::{Import, Reference};

use crate::sqlite::prepared_file::distinct_references;
use crate::sqlite::{enum_codes, varint};

/// A use that repeats within the same definition is stored once, with its first line.
pub(super) fn pack_uses(references: &[Reference]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for place in distinct_references(references) {
        let Reference { name, receiver, kind, line, enclosing } = &references[place];
        push_text(&mut bytes, name);
        push_text(&mut bytes, receiver.as_deref().unwrap_or_default());
        bytes.push(enum_codes::reference_code(*kind) as u8 | u8::from(receiver.is_some()) << 4);
        varint::push(&mut bytes, u64::from(*line));
        varint::push(&mut bytes, enclosing.map_or(0, |enclosing| u64::from(enclosing) + 1));
    }
    bytes
}

/// `None` for bytes that cannot be right.
pub(super) fn unpack_uses(mut bytes: &[u8]) -> Option<Vec<Reference>> {
    let mut references = Vec::new();
    while !bytes.is_empty() {
        let (name, receiver) = (take_text(&mut bytes)?, take_text(&mut bytes)?);
        let (code, rest) = bytes.split_first()?;
        bytes = rest;
        let (line, enclosing) = (varint::take(&mut bytes)?, varint::take(&mut bytes)?);
        references.push(Reference {
            name,
            receiver: (code >> 4 == 1).then_some(receiver),
            kind: enum_codes::reference_of(i64::from(code & 0xf)),
            line: line as u32,
            enclosing: enclosing.checked_sub(1).map(|enclosing| enclosing as u32),
        });
    }
    Some(references)
}

pub(super) fn pack_imports(imports: &[Import]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for Import { specifier, names, line, kind } in imports {
        push_text(&mut bytes, specifier);
        push_text(&mut bytes, &names.join(" "));
        push_text(&mut bytes, kind);
        varint::push(&mut bytes, u64::from(*line));
    }
    bytes
}

/// `None` for bytes that cannot be right.
pub(super) fn unpack_imports(mut bytes: &[u8]) -> Option<Vec<Import>> {
    let mut imports = Vec::new();
    while !bytes.is_empty() {
        let (specifier, names) = (take_text(&mut bytes)?, take_text(&mut bytes)?);
        let (kind, line) = (take_text(&mut bytes)?, varint::take(&mut bytes)? as u32);
        let names = names.split_whitespace().map(str::to_owned).collect();
        imports.push(Import { specifier, names, line, kind });
    }
    Some(imports)
}

fn push_text(bytes: &mut Vec<u8>, text: &str) {
    varint::push(bytes, text.len() as u64);
    bytes.extend_from_slice(text.as_bytes());
}

fn take_text(bytes: &mut &[u8]) -> Option<String> {
    let length = usize::try_from(varint::take(bytes)?).ok()?;
    let (text, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    String::from_utf8(text.to_vec()).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rustc_hash::FxHashSet;
    use vectorcode_core::ReferenceKind;

    use super::*;

    proptest! {
        #[test]
        fn what_is_packed_is_unpacked(
            uses in prop::collection::vec(("\\PC{0,9}", any::<Option<u8>>(), any::<u16>(), any::<Option<u16>>()), 0..20),
        ) {
            let mut references: Vec<Reference> = uses
                .into_iter()
                .map(|(name, receiver, line, enclosing)| Reference {
                    name,
                    receiver: receiver.map(|receiver| receiver.to_string()),
                    kind: if line % 2 == 0 { ReferenceKind::Call } else { ReferenceKind::Type },
                    line: line.into(),
                    enclosing: enclosing.map(u32::from),
                })
                .collect();
            let unpacked = unpack_uses(&pack_uses(&references)).unwrap();
            let mut seen = FxHashSet::default();
            references.retain(|one| {
                seen.insert((one.name.clone(), one.receiver.clone(), one.kind, one.enclosing))
            });
            prop_assert_eq!(unpacked, references);
        }

        #[test]
        fn damaged_bytes_are_told(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
            let _ = (unpack_uses(&bytes), unpack_imports(&bytes));
        }
    }
}
