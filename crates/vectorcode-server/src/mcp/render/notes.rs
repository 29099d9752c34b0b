//! Notes below an answer.

/// A line for each note, with the line break before it.
pub(super) fn note_lines(notes: &[String]) -> String {
    notes.iter().flat_map(|note| ["\nNote: ", note]).collect()
}
