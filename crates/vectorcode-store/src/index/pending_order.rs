//! The order in which chunks get their provider vectors: the column `pending` of chunks, highest first.

use vectorcode_core::FileFlags;

/// More than the distance between any two modification times: 146 years.
pub(crate) const LATER_NS: i64 = i64::MAX / 2;

/// Recently modified files first. Generated and minified code comes after everything else: it is large, and questions are rarely
/// about it. (Vendored code is not in the index unless the settings include it.)
pub(crate) fn pending_order(mtime_ns: i64, flags: FileFlags) -> i64 {
    if flags.generated || flags.minified { mtime_ns.saturating_sub(LATER_NS) } else { mtime_ns }
}
