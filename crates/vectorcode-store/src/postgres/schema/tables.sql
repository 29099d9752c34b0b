-- A manifest is the index of a checkout, or of a commit that was queried there. It has all rows of that checkout or commit; there
-- is one for each checkout and state, and one for each commit.
CREATE TABLE manifests (
    project         bigint NOT NULL,
    manifest        int NOT NULL,
    checkout        bigint NOT NULL,
    tree            bytea NOT NULL,         -- the commit and the rules for its files; empty for the files on disk
    name            text NOT NULL,
    state           smallint NOT NULL,      -- 0: in use; 1: being built; 2: set aside as damaged
    seq             bigint NOT NULL,        -- the generation: changes with each transaction
    files_version   bigint NOT NULL,
    history_version bigint NOT NULL,
    next_row        int NOT NULL,
    next_file       int NOT NULL,
    meta            jsonb NOT NULL,
    created         timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (project, manifest)
);
CREATE UNIQUE INDEX manifests_in_use ON manifests (project, checkout, tree) WHERE state = 0;

CREATE TABLE files (
    project         bigint NOT NULL,
    manifest        int NOT NULL,
    file            int NOT NULL,
    path_key        uuid NOT NULL,          -- a hash of the path, which may be too long for an index
    path            text COLLATE "C" NOT NULL,
    mtime_ns        bigint NOT NULL,
    size            bigint NOT NULL,
    hash            bytea NOT NULL,
    language        text NOT NULL,
    class           smallint NOT NULL,
    flags           smallint NOT NULL,
    content_version bigint NOT NULL,
    blob            bytea,                  -- the git object id of the content
    PRIMARY KEY (project, manifest, file)
);
CREATE UNIQUE INDEX files_path ON files (project, manifest, path_key);

-- The references and imports of a file, packed. Full text tells which chunks use a name.
CREATE TABLE file_facts (
    project    bigint NOT NULL,
    manifest   int NOT NULL,
    file       int NOT NULL,
    uses       bytea NOT NULL,
    imports    bytea NOT NULL,
    PRIMARY KEY (project, manifest, file)
);

CREATE TABLE chunks (
    project        bigint NOT NULL,
    manifest       int NOT NULL,
    row            int NOT NULL,
    file           int NOT NULL,
    start_line     int NOT NULL,
    end_line       int NOT NULL,
    byte_start     int NOT NULL,
    byte_end       int NOT NULL,
    traits         int NOT NULL,
    words          int NOT NULL,
    pending        bigint,
    terms_hash     bigint NOT NULL,
    text_hash      uuid NOT NULL,           -- of the embedded text: the key of its vectors
    content_hash   uuid NOT NULL,           -- of the content: the key of its text
    kinds          text NOT NULL,           -- separated by spaces, the chunk's own kind first
    symbol         text,
    parent_context text,
    PRIMARY KEY (project, manifest, row)
);
CREATE INDEX chunks_file ON chunks (project, manifest, file);
CREATE INDEX chunks_pending ON chunks (project, manifest, pending DESC) WHERE pending IS NOT NULL;

-- Stored once per project, shared by its manifests.
CREATE TABLE texts (
    project bigint NOT NULL,
    hash    uuid NOT NULL,
    content bytea NOT NULL,
    words   bytea NOT NULL,                 -- fingerprints of its words (`WordHashes`), so that ranking does not read the text
    PRIMARY KEY (project, hash)
);
CREATE TABLE vectors (
    project bigint NOT NULL,
    space   bigint NOT NULL,                -- a hash of provider, model and dimensions
    hash    uuid NOT NULL,
    vector  bytea NOT NULL,                 -- 8 bits per component
    PRIMARY KEY (project, space, hash)
);

-- The codes of the vectors of 64 neighbouring rows. A block fits into a page and is not compressible.
CREATE TABLE codes (
    project  bigint NOT NULL,
    manifest int NOT NULL,
    stage    smallint NOT NULL,
    block    int NOT NULL,
    codes    bytea NOT NULL,
    PRIMARY KEY (project, manifest, stage, block)
) WITH (toast_tuple_target = 8160, fillfactor = 100);
ALTER TABLE codes ALTER COLUMN codes SET STORAGE EXTERNAL;

CREATE TABLE segments (
    project   bigint NOT NULL,
    manifest  int NOT NULL,
    segment   int NOT NULL,
    first_row int NOT NULL,
    last_row  int NOT NULL,
    documents int NOT NULL,
    words     bigint NOT NULL,
    PRIMARY KEY (project, manifest, segment)
);
CREATE TABLE postings (
    project  bigint NOT NULL,
    manifest int NOT NULL,
    term     text COLLATE "C" NOT NULL,
    segment  int NOT NULL,
    list     bytea NOT NULL,
    PRIMARY KEY (project, manifest, term, segment)
);
CREATE TABLE dead (
    project  bigint NOT NULL,
    manifest int NOT NULL,
    row      int NOT NULL,
    PRIMARY KEY (project, manifest, row)
);

CREATE TABLE refused (
    project  bigint NOT NULL,
    manifest int NOT NULL,
    row      int NOT NULL,
    reason   text NOT NULL,
    PRIMARY KEY (project, manifest, row)
);

CREATE TABLE symbols (
    project    bigint NOT NULL,
    manifest   int NOT NULL,
    file       int NOT NULL,
    ordinal    int NOT NULL,
    row        int NOT NULL,
    kind       smallint NOT NULL,
    start_line int NOT NULL,
    end_line   int NOT NULL,
    byte_start int NOT NULL,
    byte_end   int NOT NULL,
    name_line  int NOT NULL,
    name       text COLLATE "C" NOT NULL,
    qualified  text,
    signature  text NOT NULL,
    PRIMARY KEY (project, manifest, file, ordinal)
);
-- With collation C, lower() only affects ASCII letters, as in the other backend. The prefix is indexed because long names would
-- not fit.
CREATE INDEX symbols_name ON symbols (project, manifest, lower(left(name, 200)));

CREATE TABLE name_words (
    project  bigint NOT NULL,
    manifest int NOT NULL,
    word     text COLLATE "C" NOT NULL,
    name     text COLLATE "C" NOT NULL,
    words    int NOT NULL,
    PRIMARY KEY (project, manifest, word, name)
);

-- The rows that each of the latest transactions touched. Null: too many to list.
CREATE TABLE changes (
    project  bigint NOT NULL,
    manifest int NOT NULL,
    seq      bigint NOT NULL,
    previous bigint NOT NULL,
    rows     bytea,
    PRIMARY KEY (project, manifest, seq)
);

CREATE TABLE skipped (
    project  bigint NOT NULL,
    manifest int NOT NULL,
    reason   text NOT NULL,
    count    bigint NOT NULL,
    PRIMARY KEY (project, manifest, reason)
);

CREATE TABLE commits (
    project  bigint NOT NULL,
    manifest int NOT NULL,
    id       int NOT NULL,
    name     bytea NOT NULL,
    time     bigint NOT NULL,
    changes  smallint NOT NULL,
    parents  bytea NOT NULL,
    files    bytea NOT NULL,
    words    bytea NOT NULL,
    vector   bytea,
    author   text,
    message  text,
    PRIMARY KEY (project, manifest, id)
);
CREATE UNIQUE INDEX commits_name ON commits (project, manifest, name);
CREATE TABLE commit_paths (
    project  bigint NOT NULL,
    manifest int NOT NULL,
    id       int NOT NULL,
    path     text COLLATE "C" NOT NULL,
    PRIMARY KEY (project, manifest, id)
);
