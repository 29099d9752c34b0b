-- The names that hold a word: those of one transaction in one value (`name_words`). A row for each took an eighth of the time of
-- writing an index.
CREATE TABLE word_names (
    word  TEXT NOT NULL,
    first INTEGER NOT NULL,           -- the id of the first name that was listed
    names BLOB NOT NULL,
    PRIMARY KEY (word, first)
) WITHOUT ROWID;
