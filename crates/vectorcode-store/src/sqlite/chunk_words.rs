//! The words of every chunk, for indexes that were made before they were kept.

use rusqlite::Connection;
use vectorcode_core::WordPrints;

pub(crate) fn write_all(conn: &Connection) -> rusqlite::Result<()> {
    let mut texts = conn.prepare("SELECT id, content FROM chunk_text ORDER BY id")?;
    let mut insert = conn.prepare("INSERT INTO chunk_words (id, prints) VALUES (?, ?)")?;
    let mut rows = texts.query([])?;
    while let Some(row) = rows.next()? {
        let prints = WordPrints::of(row.get_ref(1)?.as_str()?);
        insert.execute((row.get::<_, i64>(0)?, prints.as_bytes()))?;
    }
    Ok(())
}
