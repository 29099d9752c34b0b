//! A database that was damaged, or made by somebody: everything that is asked of it is answered, or refused as damage.
//!
//! An input is a list of changes to a sound database, six bytes each: what to do, where, and with which value. That way a
//! short input reaches every page of the file.

use std::path::Path;
use std::sync::LazyLock;

use vectorcode_core::{
    Chunk, ContentClass, Definition, DefinitionKind, FileFlags, Import, ParsedFile, Reference, ReferenceKind,
    Span, VectorSpace,
};
use vectorcode_store::{
    CandidateQuery, ChunkFilter, ContentVersion, FileState, FileUpdate, IndexReader, IndexSpaces, NameMatch,
    NameQuery, SqliteStore, Store, StoreError, TextQuery, TextTerm,
};

const DIMENSIONS: usize = 8;
/// The page size of the database.
const PAGE: usize = 8192;

static SOUND: LazyLock<Vec<u8>> = LazyLock::new(sound_database);

pub fn store_open(bytes: &[u8]) {
    let mut database = SOUND.clone();
    bytes.chunks_exact(6).for_each(|change| damage(&mut database, change));
    let directory = tempfile::tempdir().expect("a temporary directory");
    std::fs::write(directory.path().join("index.db"), &database).expect("the directory is there");
    if let Err(error) = use_index(directory.path()) {
        assert!(error.is_damaged(), "{error:?}");
    }
}

fn damage(database: &mut Vec<u8>, change: &[u8]) {
    let offset = u32::from_le_bytes([change[1], change[2], change[3], 0]) as usize;
    if database.len() < 2 * PAGE {
        return;
    }
    let at = offset % (database.len() - 8);
    let page = at / PAGE * PAGE;
    match change[0] % 8 {
        0..=2 => database[at] = change[4],
        3 => database[at..at + 2].copy_from_slice(&change[4..6]),
        4 => database[at..at + 8].fill(change[4]),
        // The header of a page and the beginning of its list of cells, where structure is.
        5 => database[page + usize::from(change[4] % 64)] = change[5],
        6 => {
            let from = usize::from(change[4]) % (database.len() / PAGE) * PAGE;
            let copied = database[from..from + PAGE].to_vec();
            database[page..(page + PAGE)].copy_from_slice(&copied);
        }
        _ => database.truncate(at.max(1)),
    }
}

/// Asks everything that can be asked of an index, and writes to it.
fn use_index(directory: &Path) -> Result<(), StoreError> {
    let store = SqliteStore::open_in(directory);
    let reader = store.reader()?;
    read_index(&*reader)?;
    // An index of other models is not written to: the engine builds it again.
    if reader.spaces()? != spaces() {
        return Ok(());
    }
    drop(reader);
    let mut writer = store.writer()?;
    writer.write_files(&[file("src/b.rs", &["User holds a name", "fresh words"])])?;
    writer.remove_files(&["tests/c.rs".into()])?;
    writer.compact()?;
    read_index(writer.reader())
}

fn read_index(reader: &dyn IndexReader) -> Result<(), StoreError> {
    let terms = ["user", "row", "createuser", "a"].map(|word| TextTerm { word: word.into(), prefix: false });
    let names = [NameMatch::Exact("createUser".into()), NameMatch::Words(vec!["user".into()])];
    let spaces = reader.spaces()?;
    let query = CandidateQuery {
        text: TextQuery { terms: terms.to_vec() },
        // A search asks for the spaces first, and leaves out a vector that does not fit.
        static_vector: (spaces.statics.dimensions == DIMENSIONS).then(|| vector(1)),
        provider_vector: (spaces.provider.dimensions == DIMENSIONS).then(|| vector(1)),
        names: names.into_iter().map(|name| NameQuery { name, limit: 5 }).collect(),
        depth: 10,
        ..CandidateQuery::default()
    };
    reader.candidates(&query)?;
    for path in reader.files()?.into_keys() {
        reader.chunks_of(&path)?;
        reader.definitions_of(&path)?;
        reader.references_of(&path)?;
    }
    reader.definitions(&NameMatch::Fuzzy("user".into()), &ChunkFilter::default(), 5)?;
    reader.imports()?;
    reader.source_files()?;
    reader.skipped()?;
    reader.pending(10)?;
    reader.stats()?;
    reader.coverage()?;
    reader.files_version().map(drop)
}

/// A small index with both kinds of vectors and deleted chunks.
fn sound_database() -> Vec<u8> {
    let directory = tempfile::tempdir().expect("a temporary directory");
    make_index(directory.path()).expect("a new index can be written");
    std::fs::read(directory.path().join("index.db")).expect("it was written")
}

fn make_index(directory: &Path) -> Result<(), StoreError> {
    let mut writer = SqliteStore::open_in(directory).create(&spaces())?;
    let lines = ["createUser inserts a row", "User holds a name", "drop_user deletes a row"];
    for path in ["src/a.rs", "src/b.rs", "tests/c.rs", "README.md"] {
        writer.write_files(&[file(path, &lines)])?;
    }
    writer.write_files(&[file("src/a.rs", &["createUser inserts", "another line"])])?;
    let pending = writer.reader().pending(5)?;
    writer.write_vectors(&pending.iter().map(|chunk| (chunk.row, vector(3))).collect::<Vec<_>>())?;
    writer.compact()
}

fn spaces() -> IndexSpaces {
    IndexSpaces {
        statics: VectorSpace::new("static", "fuzz", DIMENSIONS),
        provider: VectorSpace::new("onnx", "fuzz", DIMENSIONS),
    }
}

fn vector(seed: usize) -> Vec<f32> {
    (0..DIMENSIONS).map(|i| ((seed * 31 + i * 17 + 7) as f32 * 12.9898).sin()).collect()
}

/// Each line is a chunk that defines its first word and uses its last.
fn file(path: &str, lines: &[&str]) -> FileUpdate {
    let spans: Vec<Span> = (0..lines.len() as u32)
        .map(|line| Span {
            start_line: line + 1,
            end_line: line + 1,
            byte_start: line * 40,
            byte_end: line * 40 + 20,
        })
        .collect();
    let parsed = ParsedFile {
        path: path.into(),
        language: "rust".into(),
        class: ContentClass::Code,
        flags: FileFlags::default(),
        chunks: lines.iter().zip(&spans).map(|(line, span)| chunk(path, line, *span)).collect(),
        definitions: lines.iter().zip(&spans).map(|(line, span)| definition(line, *span)).collect(),
        references: lines.iter().zip(&spans).map(|(line, span)| reference(line, *span)).collect(),
        imports: vec![Import {
            specifier: "./other".into(),
            names: vec!["other".into()],
            line: 1,
            kind: "use".into(),
        }],
    };
    let state = FileState {
        mtime_ns: 1,
        size: 60,
        hash: [lines.len() as u8; 32],
        content_version: ContentVersion(1),
    };
    FileUpdate { state, parsed, static_vectors: (0..lines.len()).map(|place| Some(vector(place))).collect() }
}

fn first_word(line: &str) -> String {
    line.split(' ').next().unwrap_or_default().into()
}

fn chunk(path: &str, line: &str, span: Span) -> Chunk {
    Chunk {
        path: path.into(),
        span,
        symbol: Some(first_word(line)),
        kind: "function_item".into(),
        content: line.into(),
        parent_context: None,
        language: "rust".into(),
        class: ContentClass::Code,
        is_test: path.starts_with("tests/"),
    }
}

fn definition(line: &str, span: Span) -> Definition {
    let name = first_word(line);
    Definition {
        qualified: format!("app::{name}"),
        kind: DefinitionKind::Function,
        signature: format!("fn {name}()"),
        span,
        name_line: span.start_line,
        name,
    }
}

fn reference(line: &str, span: Span) -> Reference {
    Reference {
        name: line.split(' ').next_back().unwrap_or_default().into(),
        receiver: None,
        kind: ReferenceKind::Call,
        line: span.start_line,
        enclosing: Some(span.start_line - 1),
    }
}
