-- The tables that the program works with get names of their own, so that views can have those of the specification.
ALTER TABLE files RENAME TO source_files;
ALTER TABLE chunks RENAME TO chunk_rows;
ALTER TABLE vec_chunks RENAME TO vec_provider;

-- A chunk may hold nodes of several kinds: labels.id of all of them, `kind` first, separated by spaces. Null where there
-- is one only, which saves writing most rows again.
ALTER TABLE chunk_rows ADD COLUMN kinds INTEGER;

-- For other programs: the tables and columns of the specification (sections 5 and 6). Nothing here reads them.
CREATE VIEW files AS
    SELECT path, mtime_ns / 1000000000 AS mtime, size, lower(hex(hash)) AS hash, indexed_at
    FROM source_files;

-- `id` is the text that the specification hashes: SQL has no blake3.
CREATE VIEW chunks AS
    SELECT f.path || ':' || c.byte_start || ':' || c.byte_end AS id,
        f.path AS file_path, c.start_line, c.end_line, c.byte_start, c.byte_end, c.symbol, kind.name AS kind,
        t.content, c.parent_context, language.name AS language, f.mtime_ns / 1000000000 AS file_mtime,
        lower(hex(c.text_hash)) AS content_hash
    FROM chunk_rows AS c JOIN source_files AS f ON f.id = c.file_id JOIN chunk_text AS t ON t.id = c.id
        JOIN labels AS kind ON kind.id = c.kind JOIN labels AS language ON language.id = f.language;

CREATE VIEW vec_chunks AS
    SELECT f.path || ':' || c.byte_start || ':' || c.byte_end AS chunk_id, v.embedding
    FROM vec_provider AS v JOIN chunk_rows AS c ON c.id = v.id JOIN source_files AS f ON f.id = c.file_id;
