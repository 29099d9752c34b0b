-- Properties of the index itself: provider, model, dimensions, times, versions.
CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;

-- Short strings that repeat in many rows: languages and syntax kinds.
CREATE TABLE labels (
    id   INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
);

-- File versions: the files of the main worktree, and versions that only commits (`trees`) and linked worktrees (`checkout_files`)
-- have. Ids are never reused: otherwise a commit could get another version.
CREATE TABLE source_files (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    path       TEXT NOT NULL,         -- relative to the project root, with '/'
    working    INTEGER CHECK (working = 1),  -- null: parked, only used by others. A path has at most one file that is not parked
    blob       BLOB,                  -- the git object id (SHA-1) of the content; null if it cannot be trusted
    mtime_ns   INTEGER NOT NULL,
    size       INTEGER NOT NULL,
    hash       BLOB NOT NULL,         -- blake3 of the content
    language   INTEGER NOT NULL,      -- labels.id
    class      INTEGER NOT NULL,
    flags      INTEGER NOT NULL,
    indexed_at INTEGER NOT NULL,      -- seconds since 1970
    -- The versions of the chunker, the extractor, the tokenizer and the embedded text that wrote the rows of the file. The next
    -- sync re-reads files with another version.
    content_version INTEGER NOT NULL,
    UNIQUE (path, working)
);
CREATE INDEX parked_files ON source_files (id) WHERE working IS NULL;

-- Worktrees that git has linked to the main one, by git's names for them.
CREATE TABLE checkouts (
    id   INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE
);

-- Their files. If several worktrees share a file version, only the modification time differs.
CREATE TABLE checkout_files (
    checkout INTEGER NOT NULL REFERENCES checkouts,
    file_id  INTEGER NOT NULL REFERENCES source_files,
    mtime_ns INTEGER NOT NULL,
    PRIMARY KEY (checkout, file_id)
) WITHOUT ROWID;
CREATE INDEX checkout_files_file ON checkout_files (file_id);

-- Indexed commits.
CREATE TABLE trees (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    commit_id BLOB NOT NULL,          -- SHA-1
    rules    BLOB NOT NULL,           -- a hash of the settings that decide which files are read
    files    BLOB NOT NULL,           -- source_files.id, in order, packed (`row_bitmap`)
    missing  INTEGER NOT NULL,        -- the number of files whose content is missing from the repository
    read_at  INTEGER NOT NULL,        -- seconds since 1970
    UNIQUE (commit_id, rules)
);

-- Chunks without their texts, so that a scan of all chunks reads little. Row ids are never reused: a vector that arrives late
-- must not be stored for another chunk.
CREATE TABLE chunk_rows (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    file_id        INTEGER NOT NULL REFERENCES source_files ON DELETE CASCADE,
    start_line     INTEGER NOT NULL,
    end_line       INTEGER NOT NULL,
    byte_start     INTEGER NOT NULL,
    byte_end       INTEGER NOT NULL,
    kind           INTEGER NOT NULL,  -- labels.id
    traits         INTEGER NOT NULL,  -- which kinds of symbols it defines, and whether it is test code
    pending        INTEGER,           -- its position in the queue while it waits for its provider vector (`pending_order`)
    text_hash      BLOB NOT NULL,     -- first half of blake3 of the embedded text
    symbol         TEXT,
    parent_context TEXT,
    words          INTEGER NOT NULL,  -- the number of its words in full text
    terms_hash     INTEGER NOT NULL,  -- of what full text indexes in addition to the embedded text
    -- A chunk may contain nodes of several kinds. This is the labels.id of all of them, separated by spaces, `kind` first. Null
    -- if there is only one.
    kinds          INTEGER,
    -- The id under which its text, words and static vector are stored: its own, or that of a chunk with the same text in another
    -- version of the file. They are kept after that chunk is deleted.
    body           INTEGER NOT NULL
);
-- With the column `words`, a search that hides the files of other commits reads only this index.
CREATE INDEX chunks_file ON chunk_rows (file_id, words);
CREATE INDEX chunks_pending ON chunk_rows (pending DESC) WHERE pending IS NOT NULL;
CREATE INDEX chunks_sharing ON chunk_rows (body) WHERE body <> id;

CREATE TABLE chunk_text (
    id      INTEGER PRIMARY KEY,      -- chunk_rows.body
    content TEXT NOT NULL
);

-- Fingerprints of a chunk's words (`WordHashes`), so that ranking does not read the text. They are not in `chunk_rows`, because
-- scans of that table do not need them.
CREATE TABLE chunk_words (
    id     INTEGER PRIMARY KEY,       -- chunk_rows.body
    prints BLOB NOT NULL
);

-- The vectors of the static model and of the provider: one row each, 8 bits per component.
CREATE TABLE vec_static (
    id        INTEGER PRIMARY KEY,    -- chunk_rows.body
    embedding BLOB NOT NULL
);
CREATE TABLE vec_provider (
    id        INTEGER PRIMARY KEY REFERENCES chunk_rows ON DELETE CASCADE,
    embedding BLOB NOT NULL
);

-- The codes of the vectors of 64 neighbouring chunks, a few bits per component, which searches scan. `block` is chunk_rows.id /
-- 64.
CREATE TABLE vec_static_codes (
    block INTEGER PRIMARY KEY,
    codes BLOB NOT NULL
);
CREATE TABLE vec_chunks_codes (
    block INTEGER PRIMARY KEY,
    codes BLOB NOT NULL
);

-- Chunks whose text the provider refused permanently.
CREATE TABLE refused (
    id     INTEGER PRIMARY KEY REFERENCES chunk_rows ON DELETE CASCADE,
    reason TEXT NOT NULL
);

-- Full text. Each transaction adds a segment, which has a posting list for every word. Its statistics only count live chunks.
CREATE TABLE segments (
    id        INTEGER PRIMARY KEY,
    first_row INTEGER NOT NULL,
    last_row  INTEGER NOT NULL,
    documents INTEGER NOT NULL,
    words     INTEGER NOT NULL
);

-- The posting lists of neighbouring terms, packed into one value (`fulltext::block`). With one row per term, the row took longer
-- to write than its list.
CREATE TABLE posting_blocks (
    id      INTEGER PRIMARY KEY,
    segment INTEGER NOT NULL,
    first   BLOB NOT NULL,            -- its first term
    lists   BLOB NOT NULL
);
CREATE INDEX posting_blocks_first ON posting_blocks (segment, first);

-- Tombstones: deleted chunks that posting lists still contain.
CREATE TABLE dead (
    row INTEGER PRIMARY KEY
);

-- Every name that is defined anywhere.
CREATE TABLE names (
    id    INTEGER PRIMARY KEY,
    name  TEXT NOT NULL,
    words INTEGER NOT NULL            -- the number of its words
);
CREATE INDEX names_name ON names (name COLLATE NOCASE);

-- The names that contain a word: those of one transaction in one value (`name_words`). One row per name took an eighth of the
-- time of writing an index.
CREATE TABLE word_names (
    word  TEXT NOT NULL,
    first INTEGER NOT NULL,           -- the id of the first listed name
    names BLOB NOT NULL,
    PRIMARY KEY (word, first)
) WITHOUT ROWID;

-- Definitions. `ordinal` is the position in the file.
CREATE TABLE symbols (
    file_id    INTEGER NOT NULL REFERENCES source_files ON DELETE CASCADE,
    ordinal    INTEGER NOT NULL,
    name_id    INTEGER NOT NULL,
    kind       INTEGER NOT NULL,
    chunk_id   INTEGER NOT NULL,      -- the chunk that contains the name
    start_line INTEGER NOT NULL,
    end_line   INTEGER NOT NULL,
    byte_start INTEGER NOT NULL,
    byte_end   INTEGER NOT NULL,
    name_line  INTEGER NOT NULL,
    qualified  TEXT,                  -- null if it equals the bare name
    signature  TEXT NOT NULL,
    PRIMARY KEY (file_id, ordinal)
) WITHOUT ROWID;
CREATE INDEX symbols_name ON symbols (name_id);

-- The references and imports of a file, packed into one value each (`packed_facts`), because they are always read as a whole.
-- Which files use a name is found through full text, where used names are terms of their own.
CREATE TABLE file_facts (
    file_id INTEGER PRIMARY KEY REFERENCES source_files ON DELETE CASCADE,
    uses    BLOB NOT NULL,
    imports BLOB NOT NULL
);

CREATE TABLE skipped (
    checkout INTEGER NOT NULL,        -- checkouts.id, or 0 for the main worktree
    reason   TEXT NOT NULL,
    count    INTEGER NOT NULL,
    PRIMARY KEY (checkout, reason)
) WITHOUT ROWID;

-- The chunk rows that each of the latest transactions touched, so that a process with a copy of the vectors can update it without
-- reloading everything. Null: too many to list.
CREATE TABLE changes (
    seq  INTEGER PRIMARY KEY,
    rows BLOB
);

-- The commit history: what queries are compared with, without texts.
CREATE TABLE commits (
    id      INTEGER PRIMARY KEY,
    name    BLOB NOT NULL UNIQUE,   -- SHA-1
    time    INTEGER NOT NULL,       -- committed, seconds since 1970
    parents BLOB NOT NULL,          -- their names, concatenated
    changes INTEGER NOT NULL,       -- 0: `files` lists them all; 1: too many; 2: unknown
    files   BLOB NOT NULL,          -- commit_paths.id, 32 bits each, little-endian
    words   BLOB NOT NULL,          -- of the message: for each stem 32 bits of its hash and 8 bits of its count
    vector  BLOB                    -- of the message, by the static model: 8 bits per component
);

CREATE TABLE commit_text (
    id      INTEGER PRIMARY KEY REFERENCES commits ON DELETE CASCADE,
    author  TEXT NOT NULL,
    message TEXT NOT NULL
);

-- Every file that a commit changed, whether it still exists or not.
CREATE TABLE commit_paths (
    id   INTEGER PRIMARY KEY,
    path TEXT NOT NULL UNIQUE
);

-- For other programs: the tables and columns of the specification (sections 5 and 6). Nothing here reads them.
CREATE VIEW files AS
    SELECT path, mtime_ns / 1000000000 AS mtime, size, lower(hex(hash)) AS hash, indexed_at
    FROM source_files WHERE working = 1;

-- `id` is the text that the specification hashes, because SQL has no blake3.
CREATE VIEW chunks AS
    SELECT f.path || ':' || c.byte_start || ':' || c.byte_end AS id,
        f.path AS file_path, c.start_line, c.end_line, c.byte_start, c.byte_end, c.symbol, kind.name AS kind,
        t.content, c.parent_context, language.name AS language, f.mtime_ns / 1000000000 AS file_mtime,
        lower(hex(c.text_hash)) AS content_hash
    FROM chunk_rows AS c JOIN source_files AS f ON f.id = c.file_id JOIN chunk_text AS t ON t.id = c.body
        JOIN labels AS kind ON kind.id = c.kind JOIN labels AS language ON language.id = f.language
    WHERE f.working = 1;

CREATE VIEW vec_chunks AS
    SELECT f.path || ':' || c.byte_start || ':' || c.byte_end AS chunk_id, v.embedding
    FROM vec_provider AS v JOIN chunk_rows AS c ON c.id = v.id JOIN source_files AS f ON f.id = c.file_id
    WHERE f.working = 1;
