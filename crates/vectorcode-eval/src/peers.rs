//! Published figures of other tools on the same questions, for orientation.

/// A tool's published NDCG@10 on the 32 repositories of the public benchmark (mean over repositories).
pub const PUBLISHED: [(&str, f64); 13] = [
    ("CodeRankEmbed hybrid", 0.858),
    ("semble", 0.847),
    ("semble's ranking over BM25", 0.829),
    ("CodeRankEmbed", 0.762),
    ("ColGREP (old)", 0.679),
    ("BM25", 0.667),
    ("zvec-grep", 0.653),
    ("potion-code-16M", 0.645),
    ("ck", 0.626),
    ("grepai", 0.601),
    ("codebase-memory", 0.594),
    ("probe", 0.355),
    ("ripgrep", 0.111),
];

/// The number of repositories that the published figures cover.
pub const REPOSITORIES: usize = 32;
