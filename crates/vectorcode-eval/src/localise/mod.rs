//! File localisation: the whole text of an issue is the query, and the files that its fix changed are the right answers.
//!
//! Each issue is searched in the tree before its fix, whose history ends there ([`checkouts`]). Test code is left out, and a
//! file ranks at its best hit. [`metrics`] computes the same metrics as the dataset's reference implementation. The baseline is
//! BM25 over the same files.

mod checkouts;
mod issues;
mod metrics;
mod record;
mod report;

use std::collections::HashMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Result;
use vectorcode_core::ContentClass;
use vectorcode_core::api::{Hit, SearchMode, TestFilter};
use vectorcode_measure::metrics::{DEPTH, Target};
use vectorcode_measure::{Keywords, Question, WARM_UP};

use self::checkouts::{Checkout, Checkouts};
use self::issues::Issue;
use self::metrics::{LocalisationMetrics, ranks};
use self::record::{Answered, Lines, answered};
use self::report::{IssueOutcome, Unasked, render};
use crate::features::{QuestionRow, candidate};
use crate::trees::{Tree, TreeQuery};

#[derive(Debug, clap::Args)]
pub struct LocaliseArgs {
    /// File of issues, one JSON object per line.
    #[arg(long, value_name = "ISSUES.jsonl")]
    pub issues: PathBuf,
    /// Folder with a bare clone of each repository, named `owner+name/repo`.
    #[arg(long)]
    pub mirrors: PathBuf,
    /// Folder for the trees, one per issue, each with its index. The next run uses them again.
    #[arg(long)]
    pub trees: PathBuf,
    /// Folder for `run.jsonl`, `keywords.jsonl` and `features.jsonl`. An interrupted run continues where it stopped.
    #[arg(long)]
    pub out: PathBuf,
    /// `fast` (stage one only) or `auto` (both stages).
    #[arg(long, default_value_t)]
    pub mode: SearchMode,
    /// Only issues of these repositories (`owner/name`).
    #[arg(long, value_delimiter = ',')]
    pub repos: Vec<String>,
    /// Folder of the embedding cache.
    #[arg(long)]
    pub cache: Option<PathBuf>,
    /// Do not compute vectors of the provider in advance: `auto` embeds the best candidates during the search, within its
    /// time budget.
    #[arg(long)]
    pub lazy: bool,
    /// Use the indexes as they are.
    #[arg(long)]
    pub no_index: bool,
    /// Use one tree and one index per repository, and search each commit in it: takes a fraction of the time and space. Only
    /// stage one, and without the keyword baseline.
    #[arg(long)]
    pub one_index: bool,
}

/// Runs the issues that have no result yet, and prints the figures of all.
pub fn run(args: &LocaliseArgs, out: &mut dyn Write) -> Result<()> {
    std::fs::create_dir_all(&args.out)?;
    let mut issues = issues::read(&args.issues)?;
    issues.retain(|issue| args.repos.is_empty() || args.repos.contains(&issue.repo));
    if args.one_index {
        // The tree is that of the newest issue, which has the longest history.
        issues.reverse();
    }
    let mut run = LocaliseRun::new(args)?;
    for (number, issue) in issues.iter().enumerate() {
        let said = run.visit(issue)?;
        eprintln!("[{}/{}] {:<36} {said}", number + 1, issues.len(), issue.id);
    }
    let outcomes: Vec<IssueOutcome> = issues.iter().map(|issue| run.outcome(issue)).collect();
    Ok(out.write_all(render(&outcomes, &run.unasked).as_bytes())?)
}

/// The state of a run.
struct LocaliseRun<'a> {
    args: &'a LocaliseArgs,
    checkouts: Checkouts,
    answered: HashMap<String, Answered>,
    by_keywords: HashMap<String, Answered>,
    unasked: Vec<Unasked>,
    run: Lines,
    keywords: Lines,
    features: Lines,
    /// The repository and path of the last tree, which the next one is derived from.
    last: Option<(String, PathBuf)>,
}

impl<'a> LocaliseRun<'a> {
    fn new(args: &'a LocaliseArgs) -> Result<Self> {
        let file = |name: &str| args.out.join(name);
        Ok(Self {
            args,
            checkouts: Checkouts { mirrors: args.mirrors.clone(), trees: args.trees.clone() },
            answered: answered(&file("run.jsonl"))?,
            by_keywords: answered(&file("keywords.jsonl"))?,
            unasked: Vec::new(),
            run: Lines::open(file("run.jsonl"))?,
            keywords: Lines::open(file("keywords.jsonl"))?,
            features: Lines::open(file("features.jsonl"))?,
            last: None,
        })
    }

    /// Runs one issue, unless it has a result. Returns a message for the user.
    fn visit(&mut self, issue: &Issue) -> Result<String> {
        let earlier = self.last.take().filter(|(repo, _)| *repo == issue.repo).map(|(_, tree)| tree);
        let checkout = match &earlier {
            Some(tree) if self.args.one_index => Checkouts::within(tree, issue),
            _ => self.checkouts.prepare(issue, earlier.as_deref())?,
        };
        match checkout {
            Checkout::Unavailable(reason) => {
                self.last = earlier.map(|tree| (issue.repo.clone(), tree));
                self.unasked.push(Unasked { id: issue.id.clone(), reason: reason.clone() });
                Ok(reason)
            }
            Checkout::Ready(folder) => {
                let said = self.ask(issue, &folder)?;
                self.last = Some((issue.repo.clone(), folder));
                Ok(said)
            }
        }
    }

    fn ask(&mut self, issue: &Issue, folder: &Path) -> Result<String> {
        let has_keywords = self.args.one_index || self.by_keywords.contains_key(&issue.id);
        if self.answered.contains_key(&issue.id) && has_keywords {
            return Ok("asked before".into());
        }
        let mut tree = Tree::at(folder, self.args.cache.clone())?;
        let started = Instant::now();
        if !self.args.no_index {
            tree.index(if self.args.lazy { SearchMode::Fast } else { self.args.mode })?;
        }
        if self.args.one_index {
            tree = tree.of_commit(&issue.base_commit)?;
        }
        let seconds = started.elapsed().as_secs_f64();
        if !has_keywords {
            let row = by_keywords(&tree, issue)?;
            self.keywords.append(&row)?;
            self.by_keywords.insert(issue.id.clone(), row);
        }
        if !self.answered.contains_key(&issue.id) {
            let (row, features) = search(&tree, issue, self.args.mode)?;
            // Features are written first: if a run is interrupted between the two, the next one repeats the issue, and the
            // later line counts.
            self.features.append(&features)?;
            self.run.append(&row)?;
            self.answered.insert(issue.id.clone(), row);
        }
        let places = ranks(&self.answered[&issue.id].files, &issue.gold_files());
        let chunks = tree.chunks()?;
        Ok(format!("{chunks:>6} chunks, {seconds:.1} s; {} right files at {places:?}", issue.gold.len()))
    }

    fn outcome(&self, issue: &Issue) -> IssueOutcome {
        let gold = issue.gold_files();
        let metrics = |answers: &HashMap<String, Answered>| {
            answers
                .get(&issue.id)
                .map_or_else(LocalisationMetrics::default, |row| LocalisationMetrics::of(&row.files, &gold))
        };
        IssueOutcome {
            language: issue.language().to_owned(),
            tokens: issue.tokens(),
            keywords: metrics(&self.by_keywords),
            searched: metrics(&self.answered),
            took_ms: self.answered.get(&issue.id).and_then(|row| row.took_ms),
        }
    }
}

/// The list that a user would page through, and the signals behind it. Only the first page is timed, because that is what a
/// user waits for.
fn search(tree: &Tree, issue: &Issue, mode: SearchMode) -> Result<(Answered, QuestionRow)> {
    let asked = |query: &str| TreeQuery { tests: TestFilter::Exclude, ..TreeQuery::text(query, mode) };
    tree.search(&asked(WARM_UP), DEPTH)?;
    let started = Instant::now();
    tree.search(&asked(&issue.text), DEPTH)?;
    let took_ms = started.elapsed().as_secs_f64() * 1000.0;
    let hits = tree.candidates(&asked(&issue.text))?;
    let row = Answered { id: issue.id.clone(), files: distinct_files(&hits), took_ms: Some(took_ms) };
    Ok((row, features(tree, issue, &hits)))
}

fn distinct_files(hits: &[Hit]) -> Vec<String> {
    let mut files: Vec<String> = Vec::new();
    for hit in hits {
        if !files.contains(&hit.path) {
            files.push(hit.path.clone());
        }
    }
    files
}

fn features(tree: &Tree, issue: &Issue, hits: &[Hit]) -> QuestionRow {
    let targets: Vec<Target> =
        issue.gold.keys().map(|path| Target { paths: vec![path.clone()], lines: None }).collect();
    QuestionRow {
        repo: issue.repo.clone(),
        language: issue.language().to_owned(),
        category: "issue".into(),
        query: issue.text.clone(),
        targets: targets.len(),
        candidates: hits.iter().map(|hit| candidate(tree.answer(hit), hit, &targets)).collect(),
    }
}

/// BM25 over source files only, as in published figures. Over all files, changelogs and issue templates would rank first.
fn by_keywords(tree: &Tree, issue: &Issue) -> Result<Answered> {
    let mut files = tree.files()?;
    files.retain(|file| !file.is_test && file.class == ContentClass::Code);
    let question = Question { query: issue.text.clone(), answers: Vec::new(), from: None };
    let keywords = Keywords::new(tree.project(), &files, std::slice::from_ref(&question));
    let found = keywords.answers(&question.query).into_iter().map(|answer| answer.path).collect();
    Ok(Answered { id: issue.id.clone(), files: found, took_ms: None })
}
