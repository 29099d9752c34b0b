//! The weight of each signal. Fitted by `scripts/fit-ranker.py` on the public benchmark, by cross-validation over
//! repositories; `docs/quality.md` has the figures and what each signal is worth.

use super::signals::Signal;

/// A signal and what one unit of it adds to the ranking score.
pub(crate) type Weight = (Signal, f32);

/// Stage one alone: full text, definitions, static vectors.
pub(crate) const STAGE_ONE: &[Weight] = &[
    (Signal::FullText, 0.826),
    (Signal::Static, 0.979),
    (Signal::StaticRank, 0.415),
    (Signal::Coverage, 0.323),
    (Signal::NameCoverage, 0.515),
    (Signal::NamePrecision, 1.201),
    (Signal::NameFull, 1.064),
    (Signal::FolderCoverage, 0.441),
    (Signal::SymbolPrecision, 0.656),
    (Signal::FileCoverage, 1.106),
    (Signal::Defines, 0.347),
    (Signal::DefinesWords, 0.536),
    (Signal::FileDefines, 0.654),
    (Signal::FileNamed, 0.742),
    (Signal::FileFullText, 1.469),
    (Signal::FileStatic, 0.819),
    (Signal::FileSum, 1.205),
    (Signal::Test, -2.043),
    (Signal::Docs, -1.723),
    (Signal::Barrel, -0.044),
    (Signal::Depth, -0.957),
    (Signal::Named, -0.006),
    (Signal::Size, 0.779),
    (Signal::Literal, 2.000),
    (Signal::PathNamed, 3.000),
    (Signal::Generated, -1.000),
    (Signal::Example, -1.000),
    (Signal::Foreign, -0.500),
    (Signal::Config, -1.000),
    (Signal::Declarations, -0.500),
];

/// Stage one and the provider's vectors together.
pub(crate) const BOTH_STAGES: &[Weight] = &[
    (Signal::FullText, 1.092),
    (Signal::Static, 0.476),
    (Signal::StaticRank, -0.066),
    (Signal::Coverage, -0.021),
    (Signal::NameCoverage, 0.436),
    (Signal::NamePrecision, 0.987),
    (Signal::NameFull, 1.002),
    (Signal::FolderCoverage, 0.365),
    (Signal::SymbolPrecision, 0.054),
    (Signal::FileCoverage, 1.118),
    (Signal::Defines, 0.237),
    (Signal::DefinesWords, 0.225),
    (Signal::FileDefines, 0.631),
    (Signal::FileNamed, 0.599),
    (Signal::FileFullText, 1.046),
    (Signal::FileStatic, 0.678),
    (Signal::FileSum, 0.954),
    (Signal::Test, -2.014),
    (Signal::Docs, -1.630),
    (Signal::Barrel, -0.173),
    (Signal::Depth, -0.985),
    (Signal::Named, 0.152),
    (Signal::Size, 0.886),
    (Signal::Provider, 1.117),
    (Signal::ProviderRank, 0.716),
    (Signal::FileProvider, 0.951),
    (Signal::Literal, 2.000),
    (Signal::PathNamed, 3.000),
    (Signal::Generated, -1.000),
    (Signal::Example, -1.000),
    (Signal::Foreign, -0.500),
    (Signal::Config, -1.000),
    (Signal::Declarations, -0.500),
];

/// The provider's vectors alone.
pub(crate) const SEMANTIC: &[Weight] = &[(Signal::Provider, 10.0), (Signal::Test, -0.5)];

/// Code that is similar to other code: the question names nothing, so names and paths say nothing either.
pub(crate) const SIMILAR_CODE: &[Weight] =
    &[(Signal::Provider, 6.0), (Signal::Static, 4.0), (Signal::FullText, 2.0), (Signal::FullTextRank, 1.0)];
