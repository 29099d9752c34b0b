-- Full text: the posting lists of neighbouring terms, packed into one value (`fulltext::block`). A row for each term took longer
-- to write than its list.
CREATE TABLE posting_blocks (
    id      INTEGER PRIMARY KEY,
    segment INTEGER NOT NULL,
    first   BLOB NOT NULL,            -- its first term
    lists   BLOB NOT NULL
);
CREATE INDEX posting_blocks_first ON posting_blocks (segment, first);
