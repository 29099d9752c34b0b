-- The repository's history: what is compared with a question, without the texts.
CREATE TABLE commits (
    id      INTEGER PRIMARY KEY,
    name    BLOB NOT NULL UNIQUE,   -- SHA-1
    time    INTEGER NOT NULL,       -- committed, seconds since 1970
    parents BLOB NOT NULL,          -- their names, one after another
    changes INTEGER NOT NULL,       -- 0: `files` lists them all; 1: too many; 2: not known
    files   BLOB NOT NULL,          -- commit_paths.id, 32 bits each, little-endian
    words   BLOB NOT NULL,          -- of the message: 32 bits of the hash of a stem, 8 bits how often
    vector  BLOB                    -- of the message, by the static model: 8 bits a component
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
