//! Packs the references of a file, and its imports, into one value each. They are always read as a whole.

use rustc_hash::FxHashSet;
use vectorcode_core::{Import, Reference};

use super::{enum_codes, varint};

/// A reference that repeats within one definition is stored once, with its first line.
pub(crate) fn pack_uses(references: &[Reference]) -> Vec<u8> {
    let (mut bytes, mut seen) = (Vec::new(), FxHashSet::default());
    for Reference { name, receiver, kind, line, enclosing } in references {
        if !seen.insert((name, receiver, kind, enclosing)) {
            continue;
        }
        push_text(&mut bytes, name);
        push_text(&mut bytes, receiver.as_deref().unwrap_or_default());
        bytes.push(enum_codes::reference_code(*kind) as u8 | u8::from(receiver.is_some()) << 4);
        varint::push(&mut bytes, u64::from(*line));
        varint::push(&mut bytes, enclosing.map_or(0, |enclosing| u64::from(enclosing) + 1));
    }
    bytes
}

/// The references to the wanted names. `None` if the bytes are damaged.
pub(crate) fn unpack_uses(mut bytes: &[u8], is_wanted: impl Fn(&str) -> bool) -> Option<Vec<Reference>> {
    let mut references = Vec::new();
    while !bytes.is_empty() {
        let (name, receiver) = (take_text(&mut bytes)?, take_text(&mut bytes)?);
        let (code, rest) = bytes.split_first()?;
        bytes = rest;
        let (line, enclosing) = (varint::take(&mut bytes)?, varint::take(&mut bytes)?);
        if is_wanted(name) {
            references.push(Reference {
                name: name.to_owned(),
                receiver: (code >> 4 == 1).then(|| receiver.to_owned()),
                kind: enum_codes::reference_of(i64::from(code & 0xf)),
                line: line as u32,
                enclosing: enclosing.checked_sub(1).map(|enclosing| enclosing as u32),
            });
        }
    }
    Some(references)
}

pub(crate) fn pack_imports(imports: &[Import]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for Import { specifier, names, line, kind } in imports {
        push_text(&mut bytes, specifier);
        push_text(&mut bytes, &names.join(" "));
        push_text(&mut bytes, kind);
        varint::push(&mut bytes, u64::from(*line));
    }
    bytes
}

/// `None` if the bytes are damaged.
pub(crate) fn unpack_imports(mut bytes: &[u8]) -> Option<Vec<Import>> {
    let mut imports = Vec::new();
    while !bytes.is_empty() {
        let (specifier, names) = (take_text(&mut bytes)?, take_text(&mut bytes)?);
        let (kind, line) = (take_text(&mut bytes)?, varint::take(&mut bytes)? as u32);
        let names = names.split_whitespace().map(str::to_owned).collect();
        imports.push(Import { specifier: specifier.to_owned(), names, line, kind: kind.to_owned() });
    }
    Some(imports)
}

fn push_text(bytes: &mut Vec<u8>, text: &str) {
    varint::push_slice(bytes, text.as_bytes());
}

fn take_text<'b>(bytes: &mut &'b [u8]) -> Option<&'b str> {
    std::str::from_utf8(varint::take_slice(bytes)?).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
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
            let unpacked = unpack_uses(&pack_uses(&references), |_| true).unwrap();
            let mut seen = FxHashSet::default();
            references.retain(|one| {
                seen.insert((one.name.clone(), one.receiver.clone(), one.kind, one.enclosing))
            });
            prop_assert_eq!(unpacked, references);
        }

        #[test]
        fn damaged_bytes_are_told(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
            let _ = (unpack_uses(&bytes, |_| true), unpack_imports(&bytes));
        }
    }
}
