//! The options of every search: filters, projects and output.

use anyhow::{Result, bail};
use vectorcode_core::DefinitionKind;
use vectorcode_core::api::{
    ArtifactFilter, ClassFilter, Cursor, ProjectSelection, SearchMode, SearchRequest, SearchTarget,
    TestFilter,
};
use vectorcode_core::config::SearchConfig;

use super::super::path_args::PathArgs;
use crate::arg_values::{at_least_one, choice, with_default};
use crate::freshen::FreshenArgs;
use crate::output::OutputFormat;
use crate::output::hits::{self, Lines};

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
        let threshold = filters.threshold.or(defaults.default_threshold);
        if let Some(threshold) = threshold.filter(|threshold| !(0.0..=1.0).contains(threshold)) {
            bail!("--threshold is {threshold}, but scores are between 0 and 1");
        }
        Ok(SearchRequest {
            limit: filters.limit.unwrap_or(defaults.default_limit),
            threshold: threshold.map(|threshold| threshold as f32),
            languages: filters.language.clone(),
            kinds: filters.kind.clone(),
            class: filters.class,
            tests: filters.tests,
            artifacts: filters.artifacts,
            mode: filters.mode,
            cursor: (filters.skip != Cursor::at(0)).then_some(filters.skip),
            explain: self.view.explain,
            neighbours: self.view.context,
            ..SearchRequest::new(target)
        })
    }
}

fn limit_help() -> String {
    with_default("Maximum number of results", SearchConfig::default().default_limit)
}

fn kind_help() -> String {
    format!(
        "Only definitions of these kinds, separated by commas: {}; or a syntax node such as `function_item`",
        DefinitionKind::WORDS.join(", ")
    )
}

/// Which projects are searched, if not the current one.
#[derive(Debug, clap::Args)]
pub struct ProjectArgs {
    /// Search all indexed projects of this user
    #[arg(long, group = "selection")]
    all: bool,

    /// Search these projects, by name or path, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',', group = "selection")]
    projects: Vec<String>,

    /// Search this project and the projects that its settings link to
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

/// Makes a path absolute, since the current directory need not be the project's root. A name is returned unchanged.
fn absolute(name: &str) -> Result<String> {
    if name.starts_with('.') || name.contains(std::path::is_separator) {
        return Ok(std::path::absolute(name)?.to_string_lossy().into_owned());
    }
    Ok(name.to_owned())
}

/// Which results are returned.
#[derive(Debug, clap::Args)]
pub struct FilterArgs {
    #[arg(long, short = 'n', value_name = "N", value_parser = at_least_one, help = limit_help())]
    pub limit: Option<usize>,

    /// Leave out results with a lower score, 0 to 1
    #[arg(long, short, value_name = "SCORE")]
    threshold: Option<f64>,

    /// Only these languages, separated by commas (can be repeated)
    #[arg(long, short, value_name = "LANG", value_delimiter = ',')]
    pub language: Vec<String>,

    #[command(flatten)]
    pub paths: PathArgs,

    /// Only files with these extensions, separated by commas: .go,.ts
    #[arg(long, value_name = "EXT", value_delimiter = ',')]
    pub ext: Vec<String>,

    #[arg(long, short, value_name = "KIND", value_delimiter = ',', help = kind_help())]
    kind: Vec<String>,

    /// Which content to return
    #[arg(long, value_name = "CLASS", default_value_t, value_parser = choice::<ClassFilter>(), ignore_case = true)]
    pub class: ClassFilter,

    /// What to do with test code
    #[arg(long, value_name = "HOW", default_value_t, value_parser = choice::<TestFilter>(), ignore_case = true)]
    pub tests: TestFilter,

    /// What to do with files of context artifacts
    #[arg(long, value_name = "HOW", default_value_t, value_parser = choice::<ArtifactFilter>(), ignore_case = true)]
    artifacts: ArtifactFilter,

    /// Which parts of the index to use
    #[arg(long, value_name = "MODE", default_value_t, value_parser = choice::<SearchMode>(), ignore_case = true)]
    mode: SearchMode,

    /// Skip the first N results
    #[arg(long, value_name = "N", default_value_t = Cursor::at(0))]
    skip: Cursor,

    #[command(flatten)]
    pub freshen: FreshenArgs,

    /// Wait until all files are indexed; without it, a search on a terminal uses what has been indexed after 10 seconds
    #[arg(long)]
    pub wait: bool,
}

/// How the results are displayed.
#[derive(Debug, clap::Args)]
pub struct ViewArgs {
    /// Print one JSON document
    #[arg(long, group = "format")]
    pub json: bool,

    /// Print one JSON object per line, one for each result
    #[arg(long, group = "format")]
    pub jsonl: bool,

    /// Print only the paths of the files, each once
    #[arg(long, short = 'f', group = "format")]
    pub files: bool,

    /// Print path:line:column:text, one line for each result, for editors
    #[arg(long, group = "format")]
    pub vimgrep: bool,

    /// Open the first result in $VISUAL or $EDITOR; --open=3 opens the third
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "1", value_parser = at_least_one, group = "format")]
    pub open: Option<usize>,

    /// With --files, end each path with a NUL byte instead of a newline, for xargs -0
    #[arg(long = "null", short = '0', requires = "files")]
    pub null: bool,

    /// Print the whole code of each result
    #[arg(long, short, conflicts_with = "lines")]
    pub show: bool,

    /// Lines of code to print for each result
    #[arg(long, value_name = "N", default_value_t = hits::DEFAULT_LINES)]
    pub lines: usize,

    /// Print how each ranking signal contributed to the score
    #[arg(long)]
    pub explain: bool,

    /// Print the callers and callees of each result
    #[arg(long)]
    pub context: bool,
}

impl ViewArgs {
    pub fn format(&self) -> OutputFormat {
        match self {
            Self { json: true, .. } => OutputFormat::Json,
            Self { jsonl: true, .. } => OutputFormat::JsonLines,
            Self { files: true, .. } => OutputFormat::Files { end: if self.null { "\0" } else { "\n" } },
            Self { vimgrep: true, .. } => OutputFormat::Vimgrep,
            _ => OutputFormat::Text,
        }
    }

    pub fn excerpt_lines(&self) -> Lines {
        if self.show { Lines::All } else { Lines::AtMost(self.lines) }
    }
}
