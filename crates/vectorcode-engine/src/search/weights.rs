//! The weight of each signal. Fitted by `scripts/fit-ranker.py` on the public benchmark, by cross-validation over
//! repositories; `docs/quality.md` has the figures and what each signal is worth.

use super::signals::Signal;

/// A signal and what one unit of it adds to the ranking score.
pub(crate) type Weight = (Signal, f32);

/// Stage one alone: full text, definitions, static vectors.
pub(crate) const STAGE_ONE: &[Weight] = &[
    (Signal::FullText, 0.018),
    (Signal::Static, 0.564),
    (Signal::StaticRank, 0.599),
    (Signal::Coverage, 0.927),
    (Signal::NameCoverage, 0.671),
    (Signal::NamePrecision, 1.144),
    (Signal::NameFull, 1.046),
    (Signal::FolderCoverage, 0.652),
    (Signal::SymbolPrecision, 0.532),
    (Signal::FileCoverage, 0.909),
    (Signal::Defines, 1.066),
    (Signal::DefinesWords, 0.717),
    (Signal::FileDefines, 0.490),
    (Signal::FileNamed, 0.863),
    (Signal::FileFullText, 0.996),
    (Signal::FileStatic, 0.759),
    (Signal::FileSum, 1.500),
    (Signal::Test, -1.583),
    (Signal::Docs, -1.363),
    (Signal::Barrel, -0.425),
    (Signal::Depth, -1.127),
    (Signal::Named, 0.239),
    (Signal::Size, 0.760),
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
    (Signal::FullText, 0.384),
    (Signal::Static, 0.292),
    (Signal::StaticRank, 0.329),
    (Signal::Coverage, 0.362),
    (Signal::NameCoverage, 0.598),
    (Signal::NamePrecision, 0.965),
    (Signal::NameFull, 0.969),
    (Signal::FolderCoverage, 0.570),
    (Signal::SymbolPrecision, 0.038),
    (Signal::FileCoverage, 0.981),
    (Signal::Defines, 0.640),
    (Signal::DefinesWords, 0.446),
    (Signal::FileDefines, 0.715),
    (Signal::FileNamed, 0.792),
    (Signal::FileFullText, 0.646),
    (Signal::FileStatic, 0.476),
    (Signal::FileSum, 1.312),
    (Signal::Test, -1.455),
    (Signal::Docs, -1.337),
    (Signal::Barrel, -0.469),
    (Signal::Depth, -1.105),
    (Signal::Named, 0.547),
    (Signal::Size, 0.605),
    (Signal::Provider, 0.666),
    (Signal::ProviderRank, 0.483),
    (Signal::FileProvider, 1.123),
    (Signal::Literal, 2.000),
    (Signal::PathNamed, 3.000),
    (Signal::Generated, -1.000),
    (Signal::Example, -1.000),
    (Signal::Foreign, -0.500),
    (Signal::Config, -1.000),
    (Signal::Declarations, -0.500),
];

/// The provider's vectors alone.
pub(crate) const MEANING: &[Weight] = &[(Signal::Provider, 10.0), (Signal::Test, -0.5)];

/// Code that is like other code: names and places say nothing, the text says all.
pub(crate) const LIKENESS: &[Weight] =
    &[(Signal::Provider, 6.0), (Signal::Static, 4.0), (Signal::FullText, 2.0), (Signal::FullTextRank, 1.0)];
