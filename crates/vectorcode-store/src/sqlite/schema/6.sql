-- Which words a chunk's text holds (`WordPrints`), so that ranking needs no text. A table of its own: whoever reads all of
-- `chunk_rows` does not want them.
CREATE TABLE chunk_words (
    id     INTEGER PRIMARY KEY REFERENCES chunk_rows ON DELETE CASCADE,
    prints BLOB NOT NULL
);
