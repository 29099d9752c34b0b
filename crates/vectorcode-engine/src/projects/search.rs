//! A search over several projects.
//!
//! Every project returns its hits; only the best ones overall are compared with the disk, the others are not even
//! read. When many projects are searched, most have nothing that makes it onto the page. So each gets a quick search
//! first, and those whose best hit scores close to the page are then searched as thoroughly as if they were searched
//! alone.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use vectorcode_core::api::{Cursor, Hit, IndexRequest, ProjectSelection, SearchRequest, SearchResponse};
use vectorcode_core::{CancelToken, SilentProgress};

use super::merge::{self, HitPlace, MergedRanking, ProjectScores};
use super::pool::ProjectFailure;
use super::{Freshen, Projects, no_answer};
use crate::engine::{CheckedHits, Findings, POOR};
use crate::error::EngineError;
use crate::project::registry::ProjectEntry;
use crate::search::Depth;

/// Up to this many projects are searched thoroughly at once.
const FEW: usize = 4;
/// How far below the last hit on the page a project's best hit from the quick search may score before the project is
/// left out.
const MARGIN: f32 = 0.1;

impl Projects {
    /// Searches several projects and merges their results into one ranking.
    pub fn search(
        &self,
        request: &SearchRequest,
        selection: &ProjectSelection,
    ) -> Result<SearchResponse, EngineError> {
        self.search_until(request, selection, &CancelToken::default())
    }

    /// Like [`Self::search`], but can be cancelled.
    pub fn search_until(
        &self,
        request: &SearchRequest,
        selection: &ProjectSelection,
        cancel: &CancelToken,
    ) -> Result<SearchResponse, EngineError> {
        let started = Instant::now();
        if request.in_diff.is_some() {
            return Err(EngineError::DiffOfProjects);
        }
        let for_others = self.target_for_others(&request.target)?;
        let (entries, mut notes) = self.select(selection)?;
        let own = request.from_the_start();
        let for_others = SearchRequest { target: for_others, ..own.clone() };
        let search = ManySearch { projects: self, requests: Arc::new(Requests { own, for_others }), cancel };
        let (found, failures) = search.find(entries);
        if found.is_empty() {
            return Err(no_answer(failures, notes));
        }
        let mut response = search.respond(request, &found);
        notes.extend(failures.iter().map(|(name, failure)| not_searched(name, failure)));
        response.notes.splice(..0, notes);
        response.took_ms = started.elapsed().as_secs_f64() * 1e3;
        Ok(response)
    }
}

/// A search in progress.
struct ManySearch<'s> {
    projects: &'s Projects,
    requests: Arc<Requests>,
    cancel: &'s CancelToken,
}

/// The request for the current project, and the one for the others.
struct Requests {
    own: SearchRequest,
    for_others: SearchRequest,
}

/// The result of one project.
struct ProjectFindings {
    entry: ProjectEntry,
    findings: Arc<Findings>,
    /// What the user should know about this project in addition to the hits.
    notes: Vec<String>,
}

impl ProjectFindings {
    fn scores(&self) -> ProjectScores {
        let result = &self.findings.result;
        ProjectScores { scores: result.scores().collect(), total: result.total, likely: result.likely }
    }
}

/// The hits of the requested page and of those before it, best first, with notes.
#[derive(Default)]
struct CheckedRanking {
    hits: Vec<(usize, Hit)>,
    gone: usize,
    notes: Vec<String>,
}

impl ManySearch<'_> {
    /// The results of the projects, and why others failed.
    fn find(&self, entries: Vec<ProjectEntry>) -> (Vec<ProjectFindings>, Vec<(String, ProjectFailure)>) {
        let depth = self.first_depth(entries.len());
        let roots = entries.iter().map(|entry| entry.root.clone()).collect();
        let answers = self.ask(roots, depth, self.projects.freshness);
        let (mut found, mut failures) = (Vec::new(), Vec::new());
        for (entry, answer) in entries.into_iter().zip(answers) {
            match answer {
                Ok((findings, notes)) => found.push(ProjectFindings { entry, findings, notes }),
                Err(failure) => failures.push((entry.name, failure)),
            }
        }
        if depth == Depth::Glance {
            self.search_deeper(&mut found);
        }
        (found, failures)
    }

    /// With a reranker every project is searched thoroughly: it reads the best hits of each project, and may find
    /// more in them than a quick search does.
    fn first_depth(&self, projects: usize) -> Depth {
        let has_reranker = !matches!(self.projects.home.reranker(), Ok(None));
        if projects <= FEW || has_reranker { Depth::Whole } else { Depth::Glance }
    }

    #[allow(clippy::type_complexity, reason = "a result is the findings and notes, or a failure")]
    fn ask(
        &self,
        roots: Vec<PathBuf>,
        depth: Depth,
        freshness: Freshen,
    ) -> Vec<Result<(Arc<Findings>, Vec<String>), ProjectFailure>> {
        let (deadline, home) = (self.projects.deadline(), self.projects.home.project().clone());
        let (requests, cancel) = (self.requests.clone(), self.cancel.clone());
        let asked = roots.into_iter().map(|root| (root, ())).collect();
        self.projects.pool.ask_all(asked, deadline, move |engine, ()| {
            if freshness == Freshen::First && engine.is_indexed() {
                let until = CancelToken::expiring(deadline / 2);
                engine.freshen(&IndexRequest::before_search(), &SilentProgress, &until);
            }
            let request = if *engine.project() == home { &requests.own } else { &requests.for_others };
            let findings = engine.find(request, depth, &cancel)?;
            let notes =
                findings.notes().chain(engine.notes()).chain(engine.progress_note(request.mode)).collect();
            Ok((Arc::new(findings), notes))
        })
    }

    /// Thoroughly searches the projects that may have a hit on the page. One that fails now keeps its first result.
    fn search_deeper(&self, found: &mut [ProjectFindings]) {
        let mut scores: Vec<f32> = found.iter().flat_map(|found| found.scores().scores).collect();
        scores.sort_by(|one, other| other.total_cmp(one));
        let last_of_page = scores.get(self.requests.own.limit.saturating_sub(1)).copied().unwrap_or(0.0);
        let is_near = |found: &&mut ProjectFindings| found.findings.result.best >= last_of_page - MARGIN;
        let near: Vec<&mut ProjectFindings> = found.iter_mut().filter(is_near).collect();
        let roots = near.iter().map(|found| found.entry.root.clone()).collect();
        let answers = self.ask(roots, Depth::Whole, Freshen::Never);
        for (found, answer) in near.into_iter().zip(answers) {
            if let Ok((findings, mut notes)) = answer {
                notes.retain(|note| !found.notes.contains(note));
                found.notes.append(&mut notes);
                found.findings = findings;
            }
        }
    }

    fn respond(&self, request: &SearchRequest, found: &[ProjectFindings]) -> SearchResponse {
        let scores: Vec<ProjectScores> = found.iter().map(ProjectFindings::scores).collect();
        let MergedRanking { hits: ranking, total, likely } = merge::merge(&scores, request);
        let checked = self.check(found, &ranking, request.end());
        let total = total.saturating_sub(checked.gone);
        let notes = found.iter().flat_map(|found| of_project(&found.entry, &found.notes));
        let notes = notes.chain(checked.notes.iter().cloned()).chain(self.remarks(found, &checked)).collect();
        let end = request.end().min(checked.hits.len());
        let start = request.start().min(end);
        let coverages = found.iter().filter_map(|found| found.findings.result.semantic_coverage);
        SearchResponse {
            next: (start < end && end < total).then_some(Cursor::at(end)),
            ranking: None,
            likely: likely.saturating_sub(checked.gone),
            weak: likely == 0 && start < end,
            hits: checked.hits.into_iter().take(end).skip(start).map(|(_, hit)| hit).collect(),
            total,
            semantic_coverage: coverages.reduce(f32::min),
            notes,
            took_ms: 0.0,
        }
    }

    /// Compares the first hits of the ranking with the disk. A hit whose file no longer exists is replaced by the
    /// next one.
    fn check(&self, found: &[ProjectFindings], ranking: &[HitPlace], wanted: usize) -> CheckedRanking {
        let mut checked = CheckedRanking::default();
        let mut rest = ranking;
        while checked.hits.len() < wanted && !rest.is_empty() {
            let (next, others) = rest.split_at((wanted - checked.hits.len()).min(rest.len()));
            self.check_some(found, next, &mut checked);
            rest = others;
        }
        checked
    }

    fn check_some(&self, found: &[ProjectFindings], places: &[HitPlace], checked: &mut CheckedRanking) {
        let mut by_project: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for place in places {
            by_project.entry(place.project).or_default().push(place.hit);
        }
        let asked = by_project.iter().map(|(project, hits)| {
            let ProjectFindings { entry, findings, .. } = &found[*project];
            (entry.root.clone(), (findings.clone(), hits.clone()))
        });
        let (asked, deadline) = (asked.collect(), self.projects.deadline());
        let answers =
            self.projects.pool.ask_all(asked, deadline, |engine, (findings, hits): (Arc<Findings>, _)| {
                engine.check(&findings, hits)
            });
        let mut hits: BTreeMap<usize, std::vec::IntoIter<Option<Hit>>> = BTreeMap::new();
        for (project, answer) in by_project.into_keys().zip(answers) {
            let entry = &found[project].entry;
            match answer {
                Ok(CheckedHits { hits: of_project, notes }) => {
                    hits.insert(project, of_project.into_iter());
                    checked.notes.extend(self::of_project(entry, &notes));
                }
                Err(failure) => checked.notes.push(not_searched(&entry.name, &failure)),
            }
        }
        for place in places {
            match hits.get_mut(&place.project).and_then(Iterator::next).flatten() {
                Some(hit) => {
                    let project = Some(found[place.project].entry.name.clone());
                    checked.hits.push((place.project, Hit { project, ..hit }));
                }
                None => checked.gone += 1,
            }
        }
    }

    /// Hints for a search that found little: from every project if there are no hits, otherwise from the projects
    /// with hits.
    fn remarks(&self, found: &[ProjectFindings], checked: &CheckedRanking) -> Vec<String> {
        let best = checked.hits.first().map_or(0.0, |(_, hit)| hit.score);
        if best >= POOR {
            return Vec::new();
        }
        let is_asked =
            |project| checked.hits.is_empty() || checked.hits.iter().any(|(one, _)| *one == project);
        let asked: Vec<&ProjectFindings> =
            found.iter().enumerate().filter(|(place, _)| is_asked(*place)).map(|(_, found)| found).collect();
        let roots = asked.iter().map(|found| (found.entry.root.clone(), found.findings.clone())).collect();
        let is_empty = checked.hits.is_empty();
        let answers = self.projects.pool.ask_all(
            roots,
            self.projects.deadline(),
            move |engine, findings: Arc<Findings>| {
                let filters = if is_empty { engine.explain_filters(&findings.request)? } else { Vec::new() };
                Ok([filters, engine.hints(&findings.request, best)?].concat())
            },
        );
        let mut remarks: Vec<String> = Vec::new();
        let mut known: Vec<String> = Vec::new();
        for (found, answer) in asked.into_iter().zip(answers) {
            // A failing project has already been reported. A note that several projects give is shown once.
            let mut new = answer.unwrap_or_default();
            new.retain(|note| !known.contains(note));
            remarks.extend(of_project(&found.entry, &new));
            known.extend(new);
        }
        remarks
    }
}

/// Prefixes notes with the name of their project.
fn of_project<'n>(entry: &'n ProjectEntry, notes: &'n [String]) -> impl Iterator<Item = String> + 'n {
    notes.iter().map(|note| format!("{}: {note}", entry.name))
}

fn not_searched(name: &str, failure: &ProjectFailure) -> String {
    format!("{name} was not searched: {failure}")
}
