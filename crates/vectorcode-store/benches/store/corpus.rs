//! Synthetic code whose words follow Zipf's law, as they do in real code. The same on every run.

use vectorcode_core::{
    Chunk, ContentClass, Definition, DefinitionKind, FileFlags, ParsedFile, Reference, ReferenceKind, Span,
    VectorSpace,
};
use vectorcode_store::{ContentVersion, FileState, FileUpdate, IndexSpaces};
use vectorcode_testkit::SplitMix64;

/// The size of the vocabulary, and the number of distinct identifiers built from it.
const WORDS: u64 = 8_000;
const NAMES: u64 = 60_000;
const CHUNKS_PER_FILE: usize = 8;
const LINES_PER_CHUNK: usize = 26;
const CALLS_PER_CHUNK: usize = 8;

pub fn spaces() -> IndexSpaces {
    IndexSpaces {
        statics: VectorSpace::new("static", "bench", 192),
        provider: VectorSpace::new("onnx", "bench", 384),
    }
}

/// Draws a rank below `count`: rank `r` comes up about `1 / r` as often as the first.
fn rank(random: &mut SplitMix64, count: u64) -> u64 {
    ((count as f64).powf(random.unit()) - 1.0) as u64
}

/// The word of a rank; distinct ranks have distinct words.
pub fn word(rank: u64) -> String {
    const SYLLABLES: [&str; 20] = [
        "re", "con", "user", "get", "in", "ter", "str", "for", "map", "key", "val", "ex", "err", "or", "tok",
        "en", "par", "se", "lo", "ad",
    ];
    let mut left = rank + 20;
    let mut word = String::new();
    while left > 0 {
        word.push_str(SYLLABLES[(left % 20) as usize]);
        left /= 20;
    }
    word
}

fn identifier(random: &mut SplitMix64) -> String {
    let mut random = SplitMix64(rank(random, NAMES));
    let words: Vec<String> = (0..=random.next_u64() % 3).map(|_| word(rank(&mut random, WORDS))).collect();
    words.join("_")
}

pub fn vector(seed: u64, dimensions: usize) -> Vec<f32> {
    let mut random = SplitMix64(seed);
    (0..dimensions).map(|_| random.unit() as f32 - 0.5).collect()
}

pub fn files(chunks: usize) -> Vec<FileUpdate> {
    let mut random = SplitMix64(1);
    (0..chunks / CHUNKS_PER_FILE).map(|number| file(number, &mut random)).collect()
}

fn file(number: usize, random: &mut SplitMix64) -> FileUpdate {
    let path = format!("src/m{}/{}.rs", number % 40, identifier(random) + &number.to_string());
    let (mut chunks, mut definitions, mut references) = (Vec::new(), Vec::new(), Vec::new());
    let (mut line, mut offset) = (1, 0);
    for place in 0..CHUNKS_PER_FILE {
        let name = identifier(random);
        let content = body(&name, random);
        let lines = content.lines().count() as u32;
        let span = Span {
            start_line: line,
            end_line: line + lines - 1,
            byte_start: offset,
            byte_end: offset + content.len() as u32,
        };
        (line, offset) = (line + lines, offset + content.len() as u32);
        definitions.push(definition(&name, span));
        references.extend((0..CALLS_PER_CHUNK).map(|_| call(place, span.start_line, random)));
        chunks.push(chunk(&path, name, content, span));
    }
    let static_vectors = chunks.iter().map(|_| Some(vector(random.next_u64(), 192))).collect();
    let parsed = ParsedFile {
        path,
        language: if number.is_multiple_of(10) { "python".into() } else { "rust".into() },
        class: ContentClass::Code,
        flags: FileFlags::default(),
        chunks,
        definitions,
        references,
        imports: Vec::new(),
    };
    FileUpdate {
        state: FileState {
            blob: None,
            mtime_ns: number as i64,
            size: u64::from(offset),
            hash: [0; 32],
            content_version: ContentVersion(1),
        },
        parsed,
        static_vectors,
        known_vectors: Vec::new(),
    }
}

fn body(name: &str, random: &mut SplitMix64) -> String {
    let mut text = format!("/// {} {}\nfn {name}() {{\n", identifier(random), identifier(random));
    for _ in 0..LINES_PER_CHUNK {
        let line = format!(
            "    let {} = {}({});\n",
            word(rank(random, WORDS)),
            identifier(random),
            word(rank(random, WORDS))
        );
        text.push_str(&line);
    }
    text.push_str("}\n");
    text
}

fn chunk(path: &str, name: String, content: String, span: Span) -> Chunk {
    Chunk {
        path: path.into(),
        span,
        symbol: Some(name),
        kind: "function_item".into(),
        further_kinds: Vec::new(),
        content,
        parent_context: Some("impl Service".into()),
        language: "rust".into(),
        class: ContentClass::Code,
        is_test: false,
    }
}

fn definition(name: &str, span: Span) -> Definition {
    Definition {
        name: name.into(),
        qualified: format!("Service::{name}"),
        kind: DefinitionKind::Function,
        signature: format!("fn {name}(&self, input: &str) -> Result<()>"),
        span,
        name_line: span.start_line + 1,
    }
}

fn call(place: usize, line: u32, random: &mut SplitMix64) -> Reference {
    Reference {
        name: identifier(random),
        receiver: Some("self".into()),
        kind: ReferenceKind::Call,
        line,
        enclosing: Some(place as u32),
    }
}
