//! BM25 (Robertson and Zaragoza, 2009): how much a word adds to the score of a document that contains it, depending on how
//! rare the word is and how long the document is.
//!
//! A word adds `idf * (k1 + 1) * count / (count + k1 * (1 - b + b * length / mean length))`. `idf` is the form with `1 +` that
//! Lucene uses, which is never negative.

/// How soon repetition stops counting (`k1`), and how much the length of a document counts against it (`b`): the defaults of
/// Lucene and tantivy.
pub const K1: f32 = 1.2;
const B: f32 = 0.75;

/// The weight of a word that `holding` of `documents` documents contain.
pub fn idf(holding: f32, documents: f32) -> f32 {
    (1.0 + (documents - holding + 0.5) / (holding + 0.5)).ln()
}

/// The denominator's length term for a document of this length, relative to the mean: what the word count is added to.
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
