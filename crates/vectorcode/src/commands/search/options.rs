//! The options of every search: what may be in the answer, who is asked, and how the answer looks.

use anyhow::{Result, bail};
use vectorcode_core::api::{
    ArtifactFilter, ClassFilter, Cursor, ProjectSelection, SearchMode, SearchRequest, SearchTarget,
    TestFilter,
};
use vectorcode_core::config::SearchConfig;

use crate::args::{at_least_one, choice};
use crate::freshen::FreshenArgs;

/// The options of a search within one project.
#[derive(Debug, clap::Args)]
pub struct SearchOptions {
    #[command(flatten)]
    pub filters: FilterArgs,

    #[command(flatten)]
    pub view: ViewArgs,
}

impl SearchOptions {
    pub fn request(&self, target: SearchTarget, defaults: &SearchConfig) -> Result<SearchRequest> {
        let filters = &self.filters;
        let threshold = filters.threshold.unwrap_or(defaults.default_threshold);
        if !(0.0..=1.0).contains(&threshold) {
            bail!("--threshold is {threshold}, but scores lie between 0 and 1");
        }
        Ok(SearchRequest {
            limit: filters.limit.unwrap_or(defaults.default_limit),
            threshold,
            languages: filters.language.clone(),
            path: filters.path.clone(),
            kind: filters.kind.clone(),
            class: filters.class,
            tests: filters.tests,
            artifacts: filters.artifacts,
            mode: filters.mode,
            cursor: (filters.skip > 0).then_some(Cursor(filters.skip)),
            explain: self.view.explain,
            neighbours: self.view.context,
            ..SearchRequest::new(target)
        })
    }
}

/// Which projects answer, if not the one at hand.
#[derive(Debug, clap::Args)]
pub struct ProjectArgs {
    /// Search every indexed project of this user
    #[arg(long, group = "selection")]
    all: bool,

    /// Search these projects, by name or path, with commas between them
    #[arg(long, value_name = "NAMES", value_delimiter = ',', group = "selection")]
    projects: Vec<String>,

    /// Search this project and those that its settings link
    #[arg(long, group = "selection")]
    linked: bool,
}

impl ProjectArgs {
    pub fn selection(&self) -> Result<Option<ProjectSelection>> {
        Ok(if self.all {
            Some(ProjectSelection::All)
        } else if self.linked {
            Some(ProjectSelection::Linked)
        } else if self.projects.is_empty() {
            None
        } else {
            Some(ProjectSelection::Named(
                self.projects.iter().map(|name| absolute(name)).collect::<Result<_>>()?,
            ))
        })
    }
}

/// A path is meant from the current directory, which need not be the project's root; a name stays a name.
fn absolute(name: &str) -> Result<String> {
    if name.starts_with('.') || name.contains(std::path::is_separator) {
        return Ok(std::path::absolute(name)?.to_string_lossy().into_owned());
    }
    Ok(name.to_owned())
}

/// What may be in the answer.
#[derive(Debug, clap::Args)]
pub struct FilterArgs {
    /// Most results [default: 10]
    #[arg(long, short = 'n', value_name = "N", value_parser = at_least_one())]
    limit: Option<usize>,

    /// Lowest score, 0 to 1 [default: 0.3]
    #[arg(long, short, value_name = "F")]
    threshold: Option<f32>,

    /// Only this language (may be given more than once)
    #[arg(long, short, value_name = "LANG")]
    language: Vec<String>,

    /// Only paths that begin so, or that match a glob: src/auth/ or '**/*.rs'
    #[arg(long, short, value_name = "PREFIX|GLOB")]
    path: Option<String>,

    /// Only this kind: function, class, struct, ... or a syntax kind such as `function_item`
    #[arg(long, short, value_name = "KIND")]
    kind: Option<String>,

    /// Only code, documentation or configuration
    #[arg(long, value_name = "CLASS", default_value_t, value_parser = choice::<ClassFilter>(), ignore_case = true)]
    class: ClassFilter,

    /// What to do with test code
    #[arg(long, value_name = "HOW", default_value_t, value_parser = choice::<TestFilter>(), ignore_case = true)]
    tests: TestFilter,

    /// What to do with files of context artifacts
    #[arg(long, value_name = "HOW", default_value_t, value_parser = choice::<ArtifactFilter>(), ignore_case = true)]
    artifacts: ArtifactFilter,

    /// Which parts of the index answer
    #[arg(long, value_name = "MODE", default_value_t, value_parser = choice::<SearchMode>(), ignore_case = true)]
    mode: SearchMode,

    /// Leave out the first N results
    #[arg(long, value_name = "N", default_value_t = 0)]
    skip: usize,

    #[command(flatten)]
    pub freshen: FreshenArgs,
}

/// How the answer looks.
#[derive(Debug, clap::Args)]
pub struct ViewArgs {
    /// One JSON document
    #[arg(long, group = "format")]
    pub json: bool,

    /// One JSON object a line and result
    #[arg(long, group = "format")]
    pub jsonl: bool,

    /// Paths only, each once
    #[arg(long, short = 'f', group = "format")]
    pub files: bool,

    /// The whole code of each result
    #[arg(long, short, conflicts_with = "lines")]
    pub show: bool,

    /// Lines of code a result [default: 6]
    #[arg(long, value_name = "N")]
    pub lines: Option<usize>,

    /// What each signal added to the score
    #[arg(long)]
    pub explain: bool,

    /// Who calls each result, and what it calls
    #[arg(long)]
    pub context: bool,
}
