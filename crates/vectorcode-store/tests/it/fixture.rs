//! Small parsed files and indexes to test with.

use tempfile::TempDir;
use vectorcode_core::{
    Chunk, ContentClass, Definition, DefinitionKind, FileFlags, Import, ParsedFile, Reference, ReferenceKind,
    Span, VectorSpace,
};
use vectorcode_store::{FileState, FileUpdate, IndexReader, IndexSpaces, SqliteReader, SqliteWriter};

pub const DIMENSIONS: usize = 8;

pub fn spaces() -> IndexSpaces {
    IndexSpaces {
        statics: VectorSpace::new("static", "test", DIMENSIONS),
        provider: VectorSpace::new("onnx", "test", DIMENSIONS),
    }
}

/// An index in a directory of its own.
pub struct Index {
    pub directory: TempDir,
    pub writer: SqliteWriter,
}

impl Index {
    pub fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let writer = SqliteWriter::create(&directory.path().join("index.db"), &spaces()).unwrap();
        Self { directory, writer }
    }

    pub fn reader(&self) -> SqliteReader {
        SqliteReader::open(self.writer.path()).unwrap()
    }

    /// The tables that still hold rows which only files put there.
    pub fn rows_left(&self) -> Vec<String> {
        let conn = rusqlite::Connection::open(self.writer.path()).unwrap();
        let tables = [
            "files",
            "chunks",
            "chunk_text",
            "refused",
            "names",
            "name_words",
            "symbols",
            "refs",
            "imports",
            "segments",
            "postings",
            "dead",
            "vec_static_rowids",
            "vec_static_chunks",
            "vec_chunks_rowids",
            "vec_chunks_chunks",
        ];
        let has_rows = |table: &&str| {
            let sql = format!("SELECT EXISTS (SELECT 1 FROM {table})");
            conn.query_row(&sql, [], |row| row.get::<_, bool>(0)).unwrap()
        };
        tables.into_iter().filter(has_rows).map(String::from).collect()
    }

    /// The contents of the chunks of a file.
    pub fn contents_of(&self, path: &str) -> Vec<String> {
        self.writer.chunks_of(path).unwrap().into_iter().map(|stored| stored.chunk.content).collect()
    }
}

/// A direction that is the same for the same number and differs between numbers.
pub fn vector(seed: usize) -> Vec<f32> {
    (0..DIMENSIONS).map(|i| ((seed * 31 + i * 17 + 7) as f32 * 12.9898).sin()).collect()
}

/// What the static vectors of a file's chunks count from.
pub fn seed(path: &str) -> usize {
    path.bytes().fold(0, |sum, byte| (sum * 31 + usize::from(byte)) % 10_007)
}

/// One function a line: `name body words`; each line is a chunk that defines `name`.
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
    FileUpdate { state: state(&lines.join("\n")), parsed, static_vectors }
}

pub fn state(content: &str) -> FileState {
    FileState { mtime_ns: 1, size: content.len() as u64, hash: *blake3::hash(content.as_bytes()).as_bytes() }
}

fn span(line: u32, offset: usize, length: usize) -> Span {
    Span { start_line: line, end_line: line, byte_start: offset as u32, byte_end: (offset + length) as u32 }
}

fn chunk(path: &str, name: &str, content: &str, span: Span) -> Chunk {
    Chunk {
        path: path.into(),
        span,
        symbol: Some(name.into()),
        kind: "function_item".into(),
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
