//! `vectorcode-eval`: measures quality on labelled questions and issues, and records the signals of the ranker.

use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::Result;
use clap::{Args, Parser, Subcommand};
use serde_json::json;
use vectorcode_core::api::SearchMode;
use vectorcode_core::config::StoreConfig;
use vectorcode_eval::Dataset;
use vectorcode_eval::agents::{AgentRun, BugReport, QueryText, table};
use vectorcode_eval::dataset::{LabelledQuery, Repository, read_json_lines};
use vectorcode_eval::features::{QuestionRow, candidate};
use vectorcode_eval::localise::{self, LocaliseArgs};
use vectorcode_eval::report::{Row, render};
use vectorcode_eval::run::{RunRow, write};
use vectorcode_eval::speed::times;
use vectorcode_eval::trees::{State, Tree, TreeQuery, Trees};
use vectorcode_measure::Latency;
use vectorcode_measure::metrics::measure;

#[derive(Debug, Parser)]
#[command(about, version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Only index the repositories.
    Index(DatasetArgs),
    /// Run every question and print NDCG@10, MRR@10 and recall@10 next to the figures of other tools.
    Quality {
        #[command(flatten)]
        source: DatasetArgs,
        /// Write the results to this file, in the format of `score.py`.
        #[arg(long, value_name = "RUN.jsonl")]
        out: Option<PathBuf>,
        /// Also print, for each question, the rank of its first right answer among the first hundred hits.
        #[arg(long)]
        ranks: bool,
        /// The state of the index when a question is run.
        #[arg(long, value_enum, default_value_t)]
        state: State,
    },
    /// Time warm searches in process, for each repository.
    Speed {
        #[command(flatten)]
        source: DatasetArgs,
        /// How often each question is repeated.
        #[arg(long, default_value_t = 5)]
        rounds: usize,
    },
    /// Count the tokens that an agent reads until it sees the file and the function that a bug report is about.
    Agents(AgentsArgs),
    /// Write the signals of every candidate of every question, for `scripts/fit-ranker.py`.
    Features {
        #[command(flatten)]
        source: DatasetArgs,
        #[arg(long, value_name = "FEATURES.jsonl")]
        out: PathBuf,
    },
    /// Search for the files that the fix of each issue changed, and print Acc@k, hit@k, MRR and NDCG@10 next to BM25.
    Localise(LocaliseArgs),
}

/// Which issues to run, and how.
#[derive(Debug, Args)]
struct AgentsArgs {
    /// Bug reports with the lines of their fixes, one JSON object per line.
    #[arg(long)]
    issues: PathBuf,
    /// Folder with one indexed tree per issue, named after the issue.
    #[arg(long)]
    trees: PathBuf,
    /// Maximum length of a response, in tokens.
    #[arg(long)]
    max_tokens: Option<usize>,
    /// `fast` (stage one only) or `auto` (both stages).
    #[arg(long, default_value_t = SearchMode::Fast)]
    mode: SearchMode,
}

#[derive(Debug, Args)]
struct DatasetArgs {
    /// Folder with `repos.json` and `annotations/`.
    #[arg(long)]
    bench: PathBuf,
    /// Folder with one tree per repository; each has its index in its own `.vectorcode`.
    #[arg(long)]
    trees: PathBuf,
    /// `fast` (stage one only), `auto` (both stages) or `semantic` (stage two only).
    #[arg(long, default_value_t)]
    mode: SearchMode,
    /// Only these repositories.
    #[arg(long, value_delimiter = ',')]
    repos: Vec<String>,
    /// Folder of the embedding cache.
    #[arg(long)]
    cache: Option<PathBuf>,
    /// Use the indexes as they are.
    #[arg(long)]
    no_index: bool,
    /// Store the indexes in this PostgreSQL database.
    #[arg(long, value_name = "URL")]
    store: Option<String>,
}

fn main() -> Result<()> {
    match Arguments::parse().command {
        Command::Index(source) => source.each(State::Complete, |_, _| Ok(())),
        Command::Quality { source, out, ranks, state } => quality(&source, out, ranks, state),
        Command::Speed { source, rounds } => speed(&source, rounds),
        Command::Features { source, out } => features(&source, &out),
        Command::Agents(args) => agents(&args),
        Command::Localise(args) => localise::run(&args, &mut std::io::stdout()),
    }
}

impl DatasetArgs {
    /// Opens each repository in turn, indexes it unless `no_index` is set, and calls `visit`.
    fn each(&self, state: State, mut visit: impl FnMut(&Repository, &Tree) -> Result<()>) -> Result<()> {
        let store = StoreConfig { url: self.store.clone(), ..StoreConfig::default() };
        let trees = Trees { folder: self.trees.clone(), cache: self.cache.clone(), store };
        for repository in &Dataset::load(&self.bench)?.only(&self.repos).repositories {
            let tree = trees.open(repository)?;
            if !self.no_index {
                let started = Instant::now();
                tree.bring_to(state, self.mode)?;
                let (name, seconds) = (&repository.name, started.elapsed().as_secs_f64());
                let coverage = tree.coverage()?;
                eprintln!(
                    "{name:<20} {:>6} chunks, {} embedded, {seconds:.1} s",
                    coverage.total, coverage.embedded
                );
            }
            visit(repository, &tree)?;
        }
        Ok(())
    }
}

fn quality(source: &DatasetArgs, out: Option<PathBuf>, with_ranks: bool, state: State) -> Result<()> {
    let (mut rows, mut run, mut ranks) = (Vec::new(), Vec::new(), String::new());
    source.each(state, |repository, tree| {
        for question in &repository.questions {
            if state == State::First {
                tree.index_words()?;
            }
            let results = tree.answers(&TreeQuery::new(question, source.mode))?;
            if with_ranks {
                ranks.push_str(&rank_line(repository, question, tree, source.mode)?);
            }
            rows.push(Row {
                repo: repository.name.clone(),
                language: repository.language.clone(),
                category: question.category.clone(),
                measures: measure(&results, &question.targets(repository.root.as_deref())),
            });
            run.push(RunRow { repo: repository.name.clone(), query: question.query.clone(), results });
        }
        Ok(())
    })?;
    if let Some(path) = out {
        write(&path, &run)?;
    }
    Ok(std::io::stdout().write_all((render(&rows) + &ranks).as_bytes())?)
}

fn rank_line(
    repository: &Repository,
    question: &LabelledQuery,
    tree: &Tree,
    mode: SearchMode,
) -> Result<String> {
    let targets = question.targets(repository.root.as_deref());
    let rank = tree.rank(&TreeQuery::new(question, mode), &targets)?;
    let rank = rank.map_or_else(|| "-".to_owned(), |rank| rank.to_string());
    Ok(format!("{:<20} {rank:>3}  {}\n", repository.name, question.query))
}

fn speed(source: &DatasetArgs, rounds: usize) -> Result<()> {
    let mut out = std::io::stdout().lock();
    source.each(State::Complete, |repository, tree| {
        let times = times(repository, tree, source.mode, rounds.max(1))?;
        let searches = times.len();
        let Some(speed) = Latency::of(times) else { return Ok(()) };
        let (name, chunks) = (&repository.name, tree.chunks()?);
        writeln!(
            out,
            "{name:<20} {chunks:>6} chunks  {searches:>4} searches  median {:>6.2} ms  p90 {:>6.2} ms  p99 {:>6.2} ms",
            speed.median, speed.p90, speed.p99
        )?;
        Ok(())
    })
}

fn agents(args: &AgentsArgs) -> Result<()> {
    let mut arguments = json!({"mode": args.mode});
    if let Some(max_tokens) = args.max_tokens {
        arguments["max_tokens"] = max_tokens.into();
    }
    let (mut by_title, mut by_report, mut with_ripgrep) = (Vec::new(), Vec::new(), Vec::new());
    for issue in read_json_lines::<BugReport>(&args.issues)? {
        let tree = args.trees.join(&issue.id);
        if !tree.is_dir() {
            eprintln!("{}: no tree", issue.id);
            continue;
        }
        let run = AgentRun::open(&tree, arguments.clone())?;
        by_title.push(run.with_tools(&issue, QueryText::Title));
        by_report.push(run.with_tools(&issue, QueryText::Report));
        with_ripgrep.push(run.with_ripgrep(&issue)?);
    }
    let agents = [
        ("vectorcode, title alone", by_title.as_slice()),
        ("vectorcode, whole report", &by_report),
        ("ripgrep, then whole files", &with_ripgrep),
    ];
    Ok(std::io::stdout().write_all(table(&agents).as_bytes())?)
}

fn features(source: &DatasetArgs, out: &PathBuf) -> Result<()> {
    let mut file = std::io::BufWriter::new(std::fs::File::create(out)?);
    source.each(State::Complete, |repository, tree| {
        for question in &repository.questions {
            let targets = question.targets(repository.root.as_deref());
            let hits = tree.candidates(&TreeQuery::new(question, source.mode))?;
            let row = QuestionRow {
                repo: repository.name.clone(),
                language: repository.language.clone(),
                category: question.category.clone(),
                query: question.query.clone(),
                targets: targets.len(),
                candidates: hits.iter().map(|hit| candidate(tree.answer(hit), hit, &targets)).collect(),
            };
            serde_json::to_writer(&mut file, &row)?;
            file.write_all(b"\n")?;
        }
        Ok(())
    })?;
    Ok(file.flush()?)
}
