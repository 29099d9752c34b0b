//! Any text as a query, a snippet or a location gets a response within the requested limit, or an error.
//!
//! The first byte decides how the rest is used.

use std::sync::{Arc, LazyLock};

use vectorcode_core::Location;
use vectorcode_core::api::{SearchMode, SearchRequest, SearchTarget};
use vectorcode_engine::Engine;
use vectorcode_testkit::TempProject;

static INDEXED: LazyLock<(TempProject, Arc<Engine>)> = LazyLock::new(super::indexed_project);

pub fn query(bytes: &[u8]) {
    let Some((how, rest)) = bytes.split_first() else { return };
    let text = String::from_utf8_lossy(rest).into_owned();
    let target = match how % 4 {
        0 => SearchTarget::Snippet(text),
        1 => match text.parse::<Location>() {
            Ok(location) => location.into(),
            Err(_) => return,
        },
        _ => SearchTarget::Query(text),
    };
    let mut request = SearchRequest { threshold: Some(0.0), ..SearchRequest::new(target) };
    request.mode = [SearchMode::Fast, SearchMode::Auto][usize::from(how / 4 % 2)];
    request.explain = how & 16 != 0;
    if how & 32 != 0 {
        // The same text as a path filter, together with a kind.
        request.paths = vec![String::from_utf8_lossy(rest).into_owned()];
        request.kinds = vec!["function".into()];
    }
    if let Ok(response) = INDEXED.1.search(&request) {
        assert!(response.hits.len() <= request.limit);
        assert!(response.hits.iter().all(|hit| hit.score.is_finite()), "{:?}", response.hits);
    }
}
