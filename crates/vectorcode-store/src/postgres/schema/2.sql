-- Which words a text holds (`WordPrints`), so that ranking needs no text. Null where a program before this wrote it: then the
-- text itself is read.
ALTER TABLE texts ADD COLUMN words bytea;
