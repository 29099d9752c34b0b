//! Renders the notes below a result.

use crate::budget::tokens;

/// Maximum share of notes in the budget, in percent. The results come first.
const NOTES_PERCENT: usize = 25;

/// A line for each note, with the line break before it.
pub(super) fn note_lines(notes: &[String]) -> String {
    notes.iter().flat_map(|note| ["\nNote: ", note]).collect()
}

/// Cuts notes to their first sentence, longest notes first, until they fit their share of the budget.
pub(super) fn shorten_notes(notes: &mut [String], max_tokens: usize) {
    let mut longest_first: Vec<usize> = (0..notes.len()).collect();
    longest_first.sort_by_key(|at| std::cmp::Reverse(notes[*at].len()));
    for at in longest_first {
        if tokens(&note_lines(notes)) <= max_tokens * NOTES_PERCENT / 100 {
            return;
        }
        let end = notes[at].find(". ").map_or(notes[at].len(), |end| end + 1);
        notes[at].truncate(end);
    }
}
