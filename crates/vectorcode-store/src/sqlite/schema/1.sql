-- Facts about the index itself: provider, model, dimensions, times, versions.
CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;

-- Short strings that repeat in many rows: languages, syntax kinds, kinds of imports.
CREATE TABLE labels (
    id   INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
);

CREATE TABLE files (
    id         INTEGER PRIMARY KEY,
    path       TEXT NOT NULL UNIQUE,  -- relative to the project root, with '/'
    mtime_ns   INTEGER NOT NULL,
    size       INTEGER NOT NULL,
    hash       BLOB NOT NULL,         -- blake3 of the content
    language   INTEGER NOT NULL,      -- labels.id
    class      INTEGER NOT NULL,
    flags      INTEGER NOT NULL,
    indexed_at INTEGER NOT NULL       -- seconds since 1970
);

-- What is known of a chunk, without its text, so that a scan of all chunks stays small.
-- A row id is never used twice: a vector that arrives late must not land on another chunk.
CREATE TABLE chunks (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    file_id        INTEGER NOT NULL REFERENCES files ON DELETE CASCADE,
    start_line     INTEGER NOT NULL,
    end_line       INTEGER NOT NULL,
    byte_start     INTEGER NOT NULL,
    byte_end       INTEGER NOT NULL,
    kind           INTEGER NOT NULL,  -- labels.id
    traits         INTEGER NOT NULL,  -- which kinds of symbols it defines, and whether it is test code
    pending        INTEGER,           -- while it waits for its provider vector: its file's mtime_ns
    text_hash      BLOB NOT NULL,     -- first half of blake3 of the embedded text
    symbol         TEXT,
    parent_context TEXT
);
CREATE INDEX chunks_file ON chunks (file_id);
CREATE INDEX chunks_pending ON chunks (pending DESC) WHERE pending IS NOT NULL;

CREATE TABLE chunk_text (
    id      INTEGER PRIMARY KEY REFERENCES chunks ON DELETE CASCADE,
    content TEXT NOT NULL
);

-- Full text: each transaction adds a segment, which lists for every word the chunks that hold it.
CREATE TABLE segments (
    id        INTEGER PRIMARY KEY,
    first_row INTEGER NOT NULL,
    last_row  INTEGER NOT NULL,
    documents INTEGER NOT NULL,
    words     INTEGER NOT NULL
);
CREATE TABLE postings (
    segment INTEGER NOT NULL,
    term    TEXT NOT NULL,
    list    BLOB NOT NULL,
    PRIMARY KEY (segment, term)
) WITHOUT ROWID;
-- Deleted chunks that are still listed.
CREATE TABLE dead (
    row INTEGER PRIMARY KEY
);

-- Chunks whose text the provider refused for good.
CREATE TABLE refused (
    id     INTEGER PRIMARY KEY REFERENCES chunks ON DELETE CASCADE,
    reason TEXT NOT NULL
);

-- Every name that is defined or used anywhere.
CREATE TABLE names (
    id    INTEGER PRIMARY KEY,
    name  TEXT NOT NULL,
    words INTEGER NOT NULL DEFAULT 0  -- how many rows of name_words; 0 for a name that is only used
);
CREATE INDEX names_name ON names (name COLLATE NOCASE);

-- The words that the name of a definition is made of.
CREATE TABLE name_words (
    word    TEXT NOT NULL,
    name_id INTEGER NOT NULL,
    PRIMARY KEY (word, name_id)
) WITHOUT ROWID;

-- Definitions. `ordinal` is the place in its file.
CREATE TABLE symbols (
    file_id    INTEGER NOT NULL REFERENCES files ON DELETE CASCADE,
    ordinal    INTEGER NOT NULL,
    name_id    INTEGER NOT NULL,
    kind       INTEGER NOT NULL,
    chunk_id   INTEGER NOT NULL,      -- the chunk that holds the name
    start_line INTEGER NOT NULL,
    end_line   INTEGER NOT NULL,
    byte_start INTEGER NOT NULL,
    byte_end   INTEGER NOT NULL,
    name_line  INTEGER NOT NULL,
    qualified  TEXT,                  -- null when it is the bare name
    signature  TEXT NOT NULL,
    PRIMARY KEY (file_id, ordinal)
) WITHOUT ROWID;
CREATE INDEX symbols_name ON symbols (name_id);

-- Uses of names; one that repeats within a definition is kept once.
CREATE TABLE refs (
    file_id   INTEGER NOT NULL REFERENCES files ON DELETE CASCADE,
    ordinal   INTEGER NOT NULL,
    name_id   INTEGER NOT NULL,
    kind      INTEGER NOT NULL,
    line      INTEGER NOT NULL,
    enclosing INTEGER,                -- symbols.ordinal in the same file
    receiver  TEXT,
    PRIMARY KEY (file_id, ordinal)
) WITHOUT ROWID;
CREATE INDEX refs_name ON refs (name_id);

CREATE TABLE imports (
    file_id   INTEGER NOT NULL REFERENCES files ON DELETE CASCADE,
    ordinal   INTEGER NOT NULL,
    kind      INTEGER NOT NULL,       -- labels.id
    line      INTEGER NOT NULL,
    specifier TEXT NOT NULL,
    names     TEXT NOT NULL,          -- separated by spaces
    PRIMARY KEY (file_id, ordinal)
) WITHOUT ROWID;

CREATE TABLE skipped (
    reason TEXT PRIMARY KEY,
    count  INTEGER NOT NULL
) WITHOUT ROWID;

-- Which chunk rows each of the last transactions touched, so that a process which holds a copy of the vectors
-- can follow without reading them all again. Null: too many to list.
CREATE TABLE changes (
    seq  INTEGER PRIMARY KEY,
    rows BLOB
);
