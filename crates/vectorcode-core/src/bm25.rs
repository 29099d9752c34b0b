//! BM25 (Robertson and Zaragoza, 2009): what a word adds to the score of a document that holds it, by how rare the word is and
//! how long the document.
//!
//! A word adds `idf * (k1 + 1) * count / (count + k1 * (1 - b + b * length / mean length))`. `idf` is the form with `1 +` that
//! Lucene uses, which is never negative.

/// How soon repetition stops counting, and how much the length of a document counts against it: the defaults of
/// Lucene and tantivy.
pub const K1: f32 = 1.2;
const B: f32 = 0.75;

/// What a word weighs that so many of all documents hold.
pub fn idf(holding: f32, documents: f32) -> f32 {
    (1.0 + (documents - holding + 0.5) / (holding + 0.5)).ln()
}

/// What the count of a word is compared with in a document that is so long, as a multiple of the mean.
pub fn damping(relative_length: f32) -> f32 {
    K1 * (1.0 - B + B * relative_length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_words_weigh_more_and_common_ones_never_less_than_nothing() {
        assert!(idf(1.0, 100.0) > idf(50.0, 100.0));
        assert!(idf(100.0, 100.0) > 0.0);
        assert!(damping(2.0) > damping(0.5));
    }
}
