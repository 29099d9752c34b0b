-- Which versions of the chunker, the extractor, the tokenizer and the embedded text wrote the rows of a file; 0: older
-- than their recording. The next sync reads files of another version again.
ALTER TABLE files ADD COLUMN content_version INTEGER NOT NULL DEFAULT 0;

-- How many words full text has of a chunk, and a hash of what full text indexes of it beside the embedded text.
ALTER TABLE chunks ADD COLUMN words INTEGER NOT NULL DEFAULT 0;
ALTER TABLE chunks ADD COLUMN terms_hash INTEGER NOT NULL DEFAULT 0;

-- The figures of a segment are those of its live chunks from now on. How many words each chunk has was not recorded, so
-- each is taken to have the average until its file is read again.
UPDATE chunks SET words = coalesce(
    (SELECT words / max(documents, 1) FROM segments WHERE chunks.id BETWEEN first_row AND last_row), 0);
UPDATE segments SET
    documents = (SELECT count(*) FROM chunks WHERE chunks.id BETWEEN first_row AND last_row),
    words = (SELECT coalesce(sum(chunks.words), 0) FROM chunks WHERE chunks.id BETWEEN first_row AND last_row);

-- Vectors of the static model and of the provider: one row each, 8 bits a component.
CREATE TABLE vec_static (
    id        INTEGER PRIMARY KEY REFERENCES chunks ON DELETE CASCADE,
    embedding BLOB NOT NULL
);
CREATE TABLE vec_chunks (
    id        INTEGER PRIMARY KEY REFERENCES chunks ON DELETE CASCADE,
    embedding BLOB NOT NULL
);
