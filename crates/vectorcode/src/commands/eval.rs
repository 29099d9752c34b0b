//! `vectorcode eval`: measures how well search works on the current project.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use vectorcode_core::{CancelToken, VERSION};
use vectorcode_engine::{Engine, SourceFile};
use vectorcode_measure::{
    Comparison, EvaluationInput, FromFile, Question, QuestionSource, Report, Searcher, SearcherScore, ask,
    deep_rank, from_history, pick, read_questions, save_questions,
};

use crate::arg_values::{at_least_one, with_default};
use crate::exit::Outcome;
use crate::freshen::{FreshenArgs, FreshenWait, freshen};
use crate::global_args::GlobalArgs;
use crate::interrupt;
use crate::output::eval::{self, Earlier, Miss};
use crate::output::numbers::plural;
use crate::output::{Printer, progress};
use crate::session::Session;

/// Enough for a margin of error below 0.1, and still takes only seconds.
const DEFAULT_LIMIT: usize = 100;

/// Not a doc comment, because rustdoc would read the brackets as a link.
const QUESTIONS_HELP: &str = "Use the questions of this file instead of the git history; one per line: \
                              {\"query\": \"...\", \"answers\": [\"path\"]}";

/// Below this number of questions the figures come with a warning.
const FEW: usize = 20;

#[derive(Debug, clap::Args)]
pub struct EvalArgs {
    #[arg(long, value_name = "FILE", help = QUESTIONS_HELP)]
    questions: Option<PathBuf>,

    /// Write the questions to a new file, to edit and reuse them with --questions
    #[arg(long, value_name = "FILE", conflicts_with = "questions")]
    save: Option<PathBuf>,

    /// Compare with the --json output of an earlier run
    #[arg(long, value_name = "FILE")]
    against: Option<PathBuf>,

    #[arg(long, short = 'n', value_name = "N", value_parser = at_least_one, help = limit_help())]
    limit: Option<usize>,

    /// Seed of the random selection of questions
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,

    /// Number of missed questions to show
    #[arg(long, value_name = "N", default_value_t = 3)]
    misses: usize,

    /// Measure only stage one, without the provider
    #[arg(long)]
    fast: bool,

    /// Print the report as JSON, with the result of every question
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    freshen: FreshenArgs,
}

fn limit_help() -> String {
    with_default("Maximum number of questions", format_args!("{DEFAULT_LIMIT}, or all of --questions"))
}

/// The questions to run, and where they come from.
struct QuestionSet {
    source: QuestionSource,
    questions: Vec<Question>,
}

pub fn run(args: &EvalArgs, global: &GlobalArgs, printer: &Printer) -> Result<Outcome> {
    let earlier = args.earlier()?;
    if let Some(path) = args.save.as_ref().filter(|path| path.exists()) {
        bail!("{} already exists; pass a new file name to --save", path.display());
    }
    let mut session = Session::open(global, Vec::new(), printer)?;
    freshen(&mut session, &args.freshen, FreshenWait::FOR_STRUCTURE, printer)?;
    let engine = &session.engine;
    let files = engine.files()?;
    let set = args.load_questions(engine, &files, printer)?;
    if let Some(path) = &args.save {
        save_questions(path, &set.questions)?;
        let saved = plural(set.questions.len() as u64, "question");
        printer.note(format!("Saved {saved} to {}", path.display()));
    }
    let cancel = CancelToken::default();
    interrupt::cancel_on_interrupt(&cancel)?;
    let report = args.ask(engine, &files, &set, &cancel, printer)?;
    args.show(engine, &report, earlier.as_ref(), &cancel, printer)?;
    if report.stopped {
        let (asked, all) = (report.questions.len(), set.questions.len());
        printer.warn(format!("Stopped after {asked} of {all} questions."));
        return Ok(Outcome::Failed);
    }
    Ok(Outcome::Done)
}

impl EvalArgs {
    fn earlier(&self) -> Result<Option<Earlier>> {
        let read =
            |path: &PathBuf| Ok(Earlier { name: path.display().to_string(), report: Report::read(path)? });
        self.against.as_ref().map(read).transpose()
    }

    fn load_questions(
        &self,
        engine: &Engine,
        files: &[SourceFile],
        printer: &Printer,
    ) -> Result<QuestionSet> {
        match &self.questions {
            Some(path) => self.questions_from_file(path, engine, files, printer),
            None => self.questions_from_history(engine, files, printer),
        }
    }

    fn questions_from_history(
        &self,
        engine: &Engine,
        files: &[SourceFile],
        printer: &Printer,
    ) -> Result<QuestionSet> {
        let history = from_history(engine.project().root(), files)?;
        if history.shallow {
            printer.warn("The clone is shallow: only part of its history was read.");
        }
        let source = QuestionSource::History { commits: history.commits, usable: history.questions.len() };
        let limit = self.limit.unwrap_or(DEFAULT_LIMIT);
        Ok(QuestionSet { source, questions: pick(history.questions, limit, self.seed) })
    }

    fn questions_from_file(
        &self,
        path: &Path,
        engine: &Engine,
        files: &[SourceFile],
        printer: &Printer,
    ) -> Result<QuestionSet> {
        let FromFile { questions, left_out } = read_questions(path, files)?;
        for text in left_out {
            printer.warn(format!("{}: {text}", path.display()));
        }
        let own = relative(path, engine);
        if files.iter().any(|file| own.as_ref() == Some(&file.path)) {
            printer.warn(format!(
                "{} is in the index itself, so every question finds its own words. Add it to .vectorcodeignore.",
                path.display()
            ));
        }
        let limit = self.limit.unwrap_or(usize::MAX);
        let source = QuestionSource::File { path: path.display().to_string() };
        Ok(QuestionSet { source, questions: pick(questions, limit, self.seed) })
    }

    fn ask(
        &self,
        engine: &Engine,
        files: &[SourceFile],
        set: &QuestionSet,
        cancel: &CancelToken,
        printer: &Printer,
    ) -> Result<Report> {
        let status = engine.status()?;
        let with_provider = !self.fast && status.coverage.embedded > 0;
        let both = with_provider.then_some(Searcher::BothStages);
        let searchers: Vec<Searcher> =
            [Searcher::Keywords, Searcher::StageOne].into_iter().chain(both).collect();
        let bar = progress::counter("Asking", set.questions.len() as u64, "question", printer);
        let input = EvaluationInput { engine, files, questions: &set.questions, searchers: &searchers };
        let answered = ask(&input, cancel, || bar.inc(1));
        bar.finish_and_clear();
        let (questions, notes) = answered?;
        Ok(Report {
            version: VERSION.into(),
            project: engine.project().name(),
            source: set.source.clone(),
            space: status.space,
            semantic_coverage: status.coverage.fraction(),
            stopped: questions.len() < set.questions.len(),
            notes,
            scores: searchers
                .iter()
                .filter_map(|searcher| SearcherScore::of(*searcher, questions.iter()))
                .collect(),
            questions,
        })
    }

    fn show(
        &self,
        engine: &Engine,
        report: &Report,
        earlier: Option<&Earlier>,
        cancel: &CancelToken,
        printer: &Printer,
    ) -> Result<()> {
        if self.json {
            let against: Vec<Comparison> =
                earlier.map(|earlier| earlier.comparisons(report)).unwrap_or_default();
            printer.json(&eval::Json { report, against })?;
        } else if !report.questions.is_empty() {
            eval::print(report, earlier, printer)?;
            eval::print_misses(&self.misses(engine, report, cancel)?, printer)?;
        }
        for note in &report.notes {
            printer.warn(note);
        }
        self.advise(report, printer);
        Ok(())
    }

    /// The questions that the best searcher missed, the worst first.
    fn misses<'r>(&self, engine: &Engine, report: &'r Report, cancel: &CancelToken) -> Result<Vec<Miss<'r>>> {
        let Some(best) = report.scores.last().map(|score| score.searcher).filter(|_| self.misses > 0) else {
            return Ok(Vec::new());
        };
        let mut misses = Vec::new();
        for answered in &report.questions {
            let Some(outcome) = answered.outcomes.get(&best).filter(|outcome| outcome.rank.is_none()) else {
                continue;
            };
            if cancel.is_cancelled() {
                break;
            }
            let rank = deep_rank(engine, &answered.question(), best)?;
            misses.push(Miss { answered, first: outcome.first.as_deref(), rank });
        }
        misses.sort_by_key(|miss| std::cmp::Reverse(miss.rank.unwrap_or(usize::MAX)));
        misses.truncate(self.misses);
        Ok(misses)
    }

    fn advise(&self, report: &Report, printer: &Printer) {
        let coverage = report.semantic_coverage;
        if !self.fast && coverage == 0.0 {
            printer
                .note("Only stage one was measured: `vectorcode index` computes the vectors of stage two.");
        } else if !self.fast && coverage < 1.0 {
            let percent = (100.0 * coverage).floor();
            printer.warn(format!(
                "Vectors of the provider cover {percent} % of the index; `vectorcode index` completes them."
            ));
        }
        if !report.stopped && report.questions.len() < FEW {
            let asked = plural(report.questions.len() as u64, "question");
            printer.warn(format!("{asked} are too few for reliable figures."));
        }
    }
}

/// The path relative to the root, as the index stores it; `None` outside the project.
fn relative(path: &Path, engine: &Engine) -> Option<String> {
    engine.project().relative(&std::fs::canonicalize(path).ok()?).ok()
}
