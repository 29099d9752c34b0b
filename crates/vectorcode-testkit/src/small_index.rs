//! A small index, and a run through all operations on it: for the tests of the store, and for fuzzing it.

use vectorcode_core::{
    BlobId, Chunk, ContentClass, Definition, DefinitionKind, FileFlags, Import, ParsedFile, PathFilter,
    Reference, ReferenceKind, Span, VectorSpace,
};
use vectorcode_store::{
    CandidateQuery, ChunkFilter, ContentVersion, FileState, FileUpdate, IndexReader, IndexSpaces, NameMatch,
    NameQuery, Store, StoreError, TextQuery, TextTerm,
};

const DIMENSIONS: usize = 8;

pub fn spaces() -> IndexSpaces {
    IndexSpaces {
        statics: VectorSpace::new("static", "test", DIMENSIONS),
        provider: VectorSpace::new("onnx", "test", DIMENSIONS),
    }
}

/// Creates an index with both kinds of vectors, deleted chunks and refused chunks.
pub fn valid_index(store: &dyn Store) -> Result<(), StoreError> {
    let mut writer = store.create(&spaces())?;
    let lines = ["createUser inserts a row", "User holds a name", "drop_user deletes a row"];
    for path in ["src/a.rs", "src/b.rs", "tests/c.rs", "README.md"] {
        writer.write_files(&[file(path, &lines)])?;
    }
    writer.write_files(&[file("src/a.rs", &["createUser inserts", "another line"])])?;
    let pending = writer.reader().pending(100)?;
    let vectors: Vec<_> = pending[1..6].iter().map(|chunk| (chunk.row, vector(3))).collect();
    writer.write_vectors(&vectors)?;
    writer.refuse(pending[0].row, "too long")?;
    writer.compact()
}

/// Runs all reading and writing operations on an index.
pub fn exercise_index(store: &dyn Store) -> Result<(), StoreError> {
    let reader = store.reader()?;
    read_index(&*reader)?;
    // The engine never writes to an index of other models, but rebuilds it.
    if reader.spaces()? != spaces() {
        return Ok(());
    }
    drop(reader);
    let mut writer = store.writer()?;
    writer.write_files(&[file("src/b.rs", &["User holds a name", "fresh words"])])?;
    writer.remove_files(&["tests/c.rs".into()])?;
    let pending = writer.reader().pending(2)?;
    writer.write_vectors(&pending.iter().map(|chunk| (chunk.row, vector(1))).collect::<Vec<_>>())?;
    writer.set_meta("key", "value")?;
    writer.compact()?;
    read_index(writer.reader())
}

fn read_index(reader: &dyn IndexReader) -> Result<(), StoreError> {
    let terms = ["user", "row", "createuser", "a"].map(|word| TextTerm { word: word.into(), prefix: false });
    let names = [NameMatch::Exact("createUser".into()), NameMatch::Words(vec!["user".into()])];
    let spaces = reader.spaces()?;
    let query = CandidateQuery {
        text: TextQuery { terms: terms.to_vec() },
        // A search reads the spaces first, and leaves out a vector that does not fit.
        static_vector: (spaces.statics.dimensions == DIMENSIONS).then(|| vector(1)),
        provider_vector: (spaces.provider.dimensions == DIMENSIONS).then(|| vector(1)),
        names: names.into_iter().map(|name| NameQuery { name, limit: 5 }).collect(),
        filter: ChunkFilter { paths: PathFilter::prefix("src/"), ..ChunkFilter::default() },
        depth: 10,
        ..CandidateQuery::default()
    };
    reader.candidates(&query)?;
    reader.candidates(&CandidateQuery { filter: ChunkFilter::default(), ..query })?;
    let paths: Vec<String> = reader.files()?.into_keys().collect();
    for path in &paths {
        reader.chunks_of(path)?;
        reader.definitions_of(path)?;
        reader.references_of(path)?;
    }
    reader.definitions(&NameMatch::Fuzzy("user".into()), &ChunkFilter::default(), 5)?;
    reader.definitions_named(&["createUser"])?;
    reader.references_named(&["row"])?;
    reader.imports()?;
    reader.source_files()?;
    reader.skipped()?;
    reader.pending(10)?;
    reader.stats()?;
    reader.coverage()?;
    reader.files_version().map(drop)
}

/// A vector that depends on the seed, and differs between seeds.
pub fn vector(seed: usize) -> Vec<f32> {
    (0..DIMENSIONS).map(|i| ((seed * 31 + i * 17 + 7) as f32 * 12.9898).sin()).collect()
}

/// The number from which the static vectors of a file's chunks are seeded.
pub fn seed(path: &str) -> usize {
    path.bytes().fold(0, |sum, byte| (sum * 31 + usize::from(byte)) % 10_007)
}

/// A file with one function per line: `name body words`. Each line is a chunk that defines `name`.
pub fn file(path: &str, lines: &[&str]) -> FileUpdate {
    let mut offset = 0;
    let (mut chunks, mut definitions) = (Vec::new(), Vec::new());
    for (place, line) in lines.iter().enumerate() {
        let name = line.split(' ').next().unwrap_or_default();
        let span = span(place as u32 + 1, offset, line.len());
        offset += line.len() + 1;
        chunks.push(chunk(path, name, line, span));
        definitions.push(definition(name, span));
    }
    let references = lines.iter().enumerate().map(|(place, line)| reference(place, line)).collect();
    let imports = vec![Import {
        specifier: "./other".into(),
        names: vec!["other".into()],
        line: 1,
        kind: "use".into(),
    }];
    let parsed = ParsedFile {
        path: path.into(),
        language: language(path).into(),
        class: class(path),
        flags: FileFlags { test: path.starts_with("tests/"), ..FileFlags::default() },
        chunks,
        definitions,
        references,
        imports,
    };
    let static_vectors = (0..lines.len()).map(|place| Some(vector(seed(path) + place))).collect();
    FileUpdate { state: state(&lines.join("\n")), parsed, static_vectors, known_vectors: Vec::new() }
}

pub fn state(content: &str) -> FileState {
    FileState {
        blob: BlobId::of(content.as_bytes()),
        mtime_ns: 1,
        size: content.len() as u64,
        hash: *blake3::hash(content.as_bytes()).as_bytes(),
        content_version: ContentVersion(1),
    }
}

fn span(line: u32, offset: usize, length: usize) -> Span {
    Span { start_line: line, end_line: line, byte_start: offset as u32, byte_end: (offset + length) as u32 }
}

/// A chunk that defines `name`.
pub fn chunk(path: &str, name: &str, content: &str, span: Span) -> Chunk {
    Chunk {
        path: path.into(),
        span,
        symbol: Some(name.into()),
        kind: "function_item".into(),
        further_kinds: Vec::new(),
        content: content.into(),
        parent_context: None,
        language: language(path).into(),
        class: class(path),
        is_test: path.starts_with("tests/"),
    }
}

fn language(path: &str) -> &'static str {
    if path.contains(".py") { "python" } else { "rust" }
}

fn class(path: &str) -> ContentClass {
    if path.contains(".md") { ContentClass::Docs } else { ContentClass::Code }
}

fn definition(name: &str, span: Span) -> Definition {
    Definition {
        name: name.into(),
        qualified: format!("app::{name}"),
        kind: if name.starts_with(char::is_uppercase) {
            DefinitionKind::Struct
        } else {
            DefinitionKind::Function
        },
        signature: format!("fn {name}()"),
        span,
        name_line: span.start_line,
    }
}

fn reference(place: usize, line: &str) -> Reference {
    Reference {
        name: line.split(' ').next_back().unwrap_or_default().into(),
        receiver: None,
        kind: ReferenceKind::Call,
        line: place as u32 + 1,
        enclosing: Some(place as u32),
    }
}
