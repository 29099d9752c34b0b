//! Applies `--limit` to what is printed: results, or files with `--files`, where several results may be in the same file.

use std::collections::BTreeSet;

use anyhow::Result;
use vectorcode_core::api::{SearchRequest, SearchResponse};

/// What each printed row stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rows {
    Hits,
    Files,
}

/// Maximum number of pages to request, for projects with few files.
const MAX_PAGES: usize = 20;

impl Rows {
    /// Requests further pages until there are as many rows as the request wants.
    pub fn fill(
        self,
        request: &SearchRequest,
        search: impl Fn(&SearchRequest) -> Result<SearchResponse>,
    ) -> Result<SearchResponse> {
        let mut response = search(request)?;
        if self == Self::Hits {
            return Ok(response);
        }
        for _ in 1..MAX_PAGES {
            let Some(next) = response.next.filter(|_| files(&response) < request.limit) else { break };
            let page = search(&SearchRequest { cursor: Some(next), ..request.clone() })?;
            response.hits.extend(page.hits);
            response.next = page.next;
        }
        keep_files(&mut response, request.limit);
        Ok(response)
    }
}

/// The number of files with results, including those that contain a copy of the same code.
fn files(response: &SearchResponse) -> usize {
    let files = response
        .hits
        .iter()
        .flat_map(|hit| std::iter::once(&hit.path).chain(&hit.also_in).map(|path| (&hit.project, path)));
    files.collect::<BTreeSet<_>>().len()
}

/// Drops the results of files beyond the limit.
fn keep_files(response: &mut SearchResponse, limit: usize) {
    let mut seen = BTreeSet::new();
    response.hits.retain_mut(|hit| {
        let mut keeps = |path: &String| {
            let file = (hit.project.clone(), path.clone());
            seen.contains(&file) || (seen.len() < limit && seen.insert(file))
        };
        let is_kept = keeps(&hit.path);
        hit.also_in.retain(keeps);
        is_kept
    });
}
