//! The order in which chunks get their provider vectors: `chunk_rows.pending`, the greatest first.

use rusqlite::Connection;
use vectorcode_core::FileFlags;

use super::enum_codes;

/// More than any two times of files lie apart: 146 years.
const LATER_NS: i64 = i64::MAX / 2;

/// Recently modified files first. Generated and minified code comes after all other: it is large, and rarely what a question is
/// about. (Vendored code is not in the index unless the settings include it.)
pub(crate) fn pending_order(mtime_ns: i64, flags: FileFlags) -> i64 {
    if flags.generated || flags.minified { mtime_ns.saturating_sub(LATER_NS) } else { mtime_ns }
}

/// [`pending_order`] as an expression of PostgreSQL over a row `f` of its files.
#[cfg(feature = "postgres")]
pub(crate) fn pending_order_sql() -> String {
    let later = FileFlags { generated: true, minified: true, ..FileFlags::default() };
    let mask = enum_codes::flags_code(later);
    // An overflow would be an error.
    format!(
        "CASE WHEN f.flags & {mask} = 0 THEN f.mtime_ns ELSE greatest(f.mtime_ns, -{LATER_NS}) - {LATER_NS} END"
    )
}

/// Makes every chunk pending.
pub(crate) fn make_all_pending(conn: &Connection) -> rusqlite::Result<()> {
    let mut files = conn.prepare("SELECT id, mtime_ns, flags FROM source_files")?;
    let mut update = conn.prepare("UPDATE chunk_rows SET pending = ? WHERE file_id = ?")?;
    let mut rows = files.query([])?;
    while let Some(row) = rows.next()? {
        let order = pending_order(row.get(1)?, enum_codes::flags_of(row.get(2)?));
        update.execute([order, row.get(0)?])?;
    }
    Ok(())
}
