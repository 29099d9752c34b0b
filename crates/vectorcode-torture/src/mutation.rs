//! Mutations that parsers do not expect. All use one random number generator, so that a seed repeats them.

use fastrand::Rng;

/// Bytes with a special meaning in many formats and languages.
const SPECIAL: &[u8] = b"\0\n\r\t \"'`\\{}[]()<>:;#$@%-\x7f\x80\xc3\xf0\xff";
/// Maximum length of a run of one byte: as deep as nesting goes before scanners give up.
const LONGEST_RUN: usize = 600;
/// Maximum size of a mutated text.
const LONGEST_TEXT: usize = 200_000;

/// Applies one to eight mutations to `bytes`.
pub fn mutate(rng: &mut Rng, bytes: &mut Vec<u8>) {
    for _ in 0..rng.usize(1..=8) {
        match rng.u8(0..8) {
            0 => flip(rng, bytes),
            1 => insert_run(rng, bytes),
            2 => remove_range(rng, bytes),
            3 => repeat_range(rng, bytes),
            4 => insert_special(rng, bytes),
            5 => bytes.truncate(rng.usize(0..=bytes.len())),
            6 => swap_lines(rng, bytes),
            _ => indent_lines(rng, bytes),
        }
        bytes.truncate(LONGEST_TEXT);
    }
}

fn flip(rng: &mut Rng, bytes: &mut [u8]) {
    if !bytes.is_empty() {
        let at = rng.usize(0..bytes.len());
        bytes[at] ^= 1 << rng.u8(0..8);
    }
}

/// Inserts a run of one byte: deep nesting, long words, long numbers.
fn insert_run(rng: &mut Rng, bytes: &mut Vec<u8>) {
    let byte = if rng.bool() { special(rng) } else { rng.u8(b'0'..=b'z') };
    let at = rng.usize(0..=bytes.len());
    let run = std::iter::repeat_n(byte, rng.usize(1..LONGEST_RUN));
    bytes.splice(at..at, run);
}

fn remove_range(rng: &mut Rng, bytes: &mut Vec<u8>) {
    let range = range(rng, bytes.len());
    bytes.drain(range);
}

fn repeat_range(rng: &mut Rng, bytes: &mut Vec<u8>) {
    let range = range(rng, bytes.len());
    let (at, part) = (range.end, bytes[range].to_vec());
    let copies = part.repeat(rng.usize(1..32));
    bytes.splice(at..at, copies);
}

fn insert_special(rng: &mut Rng, bytes: &mut Vec<u8>) {
    let at = rng.usize(0..=bytes.len());
    bytes.insert(at, special(rng));
}

fn swap_lines(rng: &mut Rng, bytes: &mut Vec<u8>) {
    let mut lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
    let (left, right) = (rng.usize(0..lines.len()), rng.usize(0..lines.len()));
    lines.swap(left, right);
    *bytes = lines.join(&b'\n');
}

/// Indents every line deeper than the one before: languages that count indentation keep a stack of it.
fn indent_lines(rng: &mut Rng, bytes: &mut Vec<u8>) {
    let step = rng.usize(1..3);
    let lines = bytes.split(|byte| *byte == b'\n').take(300).enumerate();
    let indented: Vec<Vec<u8>> =
        lines.map(|(depth, line)| [b" ".repeat(depth * step), line.to_vec()].concat()).collect();
    *bytes = indented.join(&b'\n');
}

fn special(rng: &mut Rng) -> u8 {
    SPECIAL[rng.usize(0..SPECIAL.len())]
}

fn range(rng: &mut Rng, length: usize) -> std::ops::Range<usize> {
    let start = rng.usize(0..=length);
    start..rng.usize(start..=length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_repeats_a_mutation_and_another_seed_does_not() {
        let mutated = |seed| {
            let mut bytes = b"fn retry() {\n    call();\n}\n".repeat(20);
            mutate(&mut Rng::with_seed(seed), &mut bytes);
            bytes
        };
        assert_eq!(mutated(7), mutated(7));
        assert_ne!(mutated(7), mutated(8));
    }

    #[test]
    fn any_bytes_can_be_mutated() {
        for seed in 0..2_000 {
            for text in [&b""[..], b"\n", b"a"] {
                let mut bytes = text.to_vec();
                mutate(&mut Rng::with_seed(seed), &mut bytes);
                assert!(bytes.len() <= LONGEST_TEXT);
            }
        }
    }
}
