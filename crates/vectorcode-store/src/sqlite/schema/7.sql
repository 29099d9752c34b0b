-- What a file uses and imports, packed into one value each (`packed_facts`): it is read as a whole or not at all. Which files use a
-- name is told by full text, where used names are terms of their own; so every file is read again.
CREATE TABLE file_facts (
    file_id INTEGER PRIMARY KEY REFERENCES source_files ON DELETE CASCADE,
    uses    BLOB NOT NULL,
    imports BLOB NOT NULL
);
DROP TABLE refs;
DROP TABLE imports;
UPDATE source_files SET content_version = 0;

-- A name that is only used needs no row any more.
DELETE FROM names WHERE words = 0;
