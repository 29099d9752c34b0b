//! The weight of each signal. Fitted by `scripts/fit-ranker.py` on the public benchmark, by cross-validation over
//! repositories; `docs/quality.md` has the figures and what each signal is worth.

use super::signals::Signal;

/// A signal and what one unit of it adds to the ranking score.
pub(crate) type Weight = (Signal, f32);

/// Stage one alone: full text, definitions, static vectors.
pub(crate) const STAGE_ONE: &[Weight] = &[
    (Signal::FullText, 0.010),
    (Signal::Static, 0.593),
    (Signal::StaticRank, 0.675),
    (Signal::Coverage, 0.844),
    (Signal::NameCoverage, 0.675),
    (Signal::NamePrecision, 1.134),
    (Signal::NameFull, 1.056),
    (Signal::FolderCoverage, 0.658),
    (Signal::SymbolPrecision, 0.585),
    (Signal::FileCoverage, 0.943),
    (Signal::Defines, 0.957),
    (Signal::DefinesWords, 0.622),
    (Signal::FileDefines, 0.604),
    (Signal::FileNamed, 0.863),
    (Signal::FileFullText, 1.011),
    (Signal::FileStatic, 0.679),
    (Signal::FileSum, 1.496),
    (Signal::Test, -1.580),
    (Signal::Docs, -1.361),
    (Signal::Barrel, -0.424),
    (Signal::Depth, -1.133),
    (Signal::Named, 0.227),
    (Signal::Size, 0.710),
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
    (Signal::FullText, 0.381),
    (Signal::Static, 0.287),
    (Signal::StaticRank, 0.340),
    (Signal::Coverage, 0.406),
    (Signal::NameCoverage, 0.596),
    (Signal::NamePrecision, 0.967),
    (Signal::NameFull, 0.970),
    (Signal::FolderCoverage, 0.567),
    (Signal::SymbolPrecision, 0.048),
    (Signal::FileCoverage, 0.965),
    (Signal::Defines, 0.647),
    (Signal::DefinesWords, 0.444),
    (Signal::FileDefines, 0.710),
    (Signal::FileNamed, 0.791),
    (Signal::FileFullText, 0.640),
    (Signal::FileStatic, 0.469),
    (Signal::FileSum, 1.314),
    (Signal::Test, -1.455),
    (Signal::Docs, -1.337),
    (Signal::Barrel, -0.470),
    (Signal::Depth, -1.104),
    (Signal::Named, 0.542),
    (Signal::Size, 0.597),
    (Signal::Provider, 0.668),
    (Signal::ProviderRank, 0.463),
    (Signal::FileProvider, 1.135),
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
