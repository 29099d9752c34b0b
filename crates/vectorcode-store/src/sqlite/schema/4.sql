-- Codes of the vectors of 64 neighbouring chunks, a few bits a component: what a search scans. `block` is chunks.id / 64.
CREATE TABLE vec_static_codes (
    block INTEGER PRIMARY KEY,
    codes BLOB NOT NULL
);
CREATE TABLE vec_chunks_codes (
    block INTEGER PRIMARY KEY,
    codes BLOB NOT NULL
);
