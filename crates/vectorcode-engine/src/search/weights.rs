//! The weight of each signal. Fitted by `scripts/fit-ranker.py` on the public benchmark, by cross-validation over
//! repositories; `docs/quality.md` has the figures and what each signal is worth.

use super::signals::Signal;

/// A signal and what one unit of it adds to the ranking score.
pub(crate) type Weight = (Signal, f32);

/// Stage one alone: full text, definitions, static vectors.
pub(crate) const STAGE_ONE: &[Weight] = &[
    (Signal::FullText, 1.5),
    (Signal::FullTextRank, 1.0),
    (Signal::Static, 2.0),
    (Signal::StaticRank, 1.5),
    (Signal::Coverage, 1.0),
    (Signal::NameCoverage, 2.0),
    (Signal::NamePrecision, 1.0),
    (Signal::FolderCoverage, 0.5),
    (Signal::SymbolCoverage, 0.5),
    (Signal::SymbolPrecision, 0.5),
    (Signal::FileCoverage, 1.0),
    (Signal::Defines, 1.5),
    (Signal::FileDefines, 1.0),
    (Signal::FileNamed, 1.5),
    (Signal::FileFullText, 0.5),
    (Signal::FileStatic, 0.5),
    (Signal::Literal, 2.0),
    (Signal::PathNamed, 3.0),
    (Signal::Test, -2.0),
    (Signal::Generated, -1.0),
    (Signal::Example, -1.5),
    (Signal::Foreign, -1.0),
    (Signal::Docs, -1.0),
    (Signal::Config, -1.0),
    (Signal::Barrel, -0.5),
    (Signal::Declarations, -0.5),
];

/// Stage one and the provider's vectors together.
pub(crate) const BOTH_STAGES: &[Weight] = &[
    (Signal::FullText, 1.5),
    (Signal::FullTextRank, 1.0),
    (Signal::Static, 1.0),
    (Signal::StaticRank, 0.7),
    (Signal::Provider, 2.0),
    (Signal::ProviderRank, 1.5),
    (Signal::Coverage, 1.0),
    (Signal::NameCoverage, 2.0),
    (Signal::NamePrecision, 1.0),
    (Signal::FolderCoverage, 0.5),
    (Signal::SymbolCoverage, 0.5),
    (Signal::SymbolPrecision, 0.5),
    (Signal::FileCoverage, 1.0),
    (Signal::Defines, 1.5),
    (Signal::FileDefines, 1.0),
    (Signal::FileNamed, 1.5),
    (Signal::FileFullText, 0.5),
    (Signal::FileProvider, 0.5),
    (Signal::Literal, 2.0),
    (Signal::PathNamed, 3.0),
    (Signal::Test, -2.0),
    (Signal::Generated, -1.0),
    (Signal::Example, -1.5),
    (Signal::Foreign, -1.0),
    (Signal::Docs, -1.0),
    (Signal::Config, -1.0),
    (Signal::Barrel, -0.5),
    (Signal::Declarations, -0.5),
];

/// The provider's vectors alone.
pub(crate) const MEANING: &[Weight] = &[(Signal::Provider, 10.0), (Signal::Test, -0.5)];

/// Code that is like other code: names and places say nothing, the text says all.
pub(crate) const LIKENESS: &[Weight] =
    &[(Signal::Provider, 6.0), (Signal::Static, 4.0), (Signal::FullText, 2.0), (Signal::FullTextRank, 1.0)];
