//! The files of the web page, which are part of the binary. The page gets its data from the REST API.

use std::sync::LazyLock;

use axum::Router;
use axum::body::Bytes;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;

/// A file of the page.
#[derive(Debug)]
struct Asset {
    /// The URL path.
    path: &'static str,
    content_type: &'static str,
    bytes: &'static [u8],
}

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const SVG: &str = "image/svg+xml";

/// A browser may cache a file but must revalidate it each time, so that an upgrade takes effect at once.
const REVALIDATE: HeaderValue = HeaderValue::from_static("no-cache");

macro_rules! assets {
    ($(($path:literal, $file:literal, $content_type:expr),)*) => {
        [$(Asset {
            path: $path,
            content_type: $content_type,
            bytes: include_bytes!(concat!("../../../web/", $file)),
        }),*]
    };
}

static ASSETS: &[Asset] = &assets![
    ("/", "index.html", HTML),
    ("/assets/api.js", "api.js", SCRIPT),
    ("/assets/base.css", "base.css", CSS),
    ("/assets/blocks.js", "blocks.js", SCRIPT),
    ("/assets/browse.css", "browse.css", CSS),
    ("/assets/code.js", "code.js", SCRIPT),
    ("/assets/dom.js", "dom.js", SCRIPT),
    ("/assets/drawing.js", "drawing.js", SCRIPT),
    ("/assets/editor.js", "editor.js", SCRIPT),
    ("/assets/excerpt.js", "excerpt.js", SCRIPT),
    ("/assets/filters.js", "filters.js", SCRIPT),
    ("/assets/fold.js", "fold.js", SCRIPT),
    ("/assets/graph.css", "graph.css", CSS),
    ("/assets/graph.js", "graph.js", SCRIPT),
    ("/assets/history.js", "history.js", SCRIPT),
    ("/assets/icon.svg", "icon.svg", SVG),
    ("/assets/keys.js", "keys.js", SCRIPT),
    ("/assets/landing.js", "landing.js", SCRIPT),
    ("/assets/layout.js", "layout.js", SCRIPT),
    ("/assets/main.js", "main.js", SCRIPT),
    ("/assets/names.js", "names.js", SCRIPT),
    ("/assets/page.css", "page.css", CSS),
    ("/assets/pane.js", "pane.js", SCRIPT),
    ("/assets/projects.js", "projects.js", SCRIPT),
    ("/assets/questions.js", "questions.js", SCRIPT),
    ("/assets/references.js", "references.js", SCRIPT),
    ("/assets/results.js", "results.js", SCRIPT),
    ("/assets/search.js", "search.js", SCRIPT),
    ("/assets/state.js", "state.js", SCRIPT),
    ("/assets/status.js", "status.js", SCRIPT),
    ("/assets/theme.js", "theme.js", SCRIPT),
    ("/assets/tree.js", "tree.js", SCRIPT),
    ("/assets/unknown.js", "unknown.js", SCRIPT),
    ("/assets/viewer.js", "viewer.js", SCRIPT),
    ("/assets/where.js", "where.js", SCRIPT),
    ("/assets/why.js", "why.js", SCRIPT),
];

/// One tag for all files, because they only work together.
static ETAG_VALUE: LazyLock<String> = LazyLock::new(|| {
    let mut hasher = blake3::Hasher::new();
    for asset in ASSETS {
        hasher.update(asset.bytes);
    }
    format!("\"{}\"", &hasher.finalize().to_hex()[..16])
});

pub(crate) fn routes() -> Router {
    ASSETS.iter().fold(Router::new(), |router, asset| {
        router.route(asset.path, get(move |headers: HeaderMap| async move { respond(asset, &headers) }))
    })
}

fn respond(asset: &'static Asset, asked: &HeaderMap) -> Response {
    let known = asked.get(IF_NONE_MATCH).is_some_and(|tag| tag.as_bytes() == ETAG_VALUE.as_bytes());
    let headers = [(ETAG, HeaderValue::from_str(&ETAG_VALUE)), (CACHE_CONTROL, Ok(REVALIDATE))];
    let mut response = if known {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        ([(CONTENT_TYPE, asset.content_type)], Bytes::from_static(asset.bytes)).into_response()
    };
    let sent = headers.into_iter().filter_map(|(name, value)| Some((name, value.ok()?)));
    response.headers_mut().extend(sent);
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    const WEB: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/web");

    fn asset(path: &str) -> &'static Asset {
        ASSETS.iter().find(|asset| asset.path == path).unwrap()
    }

    #[test]
    fn every_file_of_the_page_is_served() {
        for entry in std::fs::read_dir(WEB).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            let path = if name == "index.html" { "/".to_owned() } else { format!("/assets/{name}") };
            let served = asset(&path);
            assert_eq!(served.bytes, std::fs::read(format!("{WEB}/{name}")).unwrap(), "{name}");
        }
    }

    #[test]
    fn files_say_what_they_are_and_how_long_they_hold() {
        for (path, content_type) in [("/", HTML), ("/assets/page.css", CSS), ("/assets/main.js", SCRIPT)] {
            let response = respond(asset(path), &HeaderMap::new());
            assert_eq!(response.status(), StatusCode::OK);
            assert_eq!(response.headers()[CONTENT_TYPE], content_type);
            assert_eq!(response.headers()[CACHE_CONTROL], "no-cache");
        }
    }

    #[test]
    fn a_file_that_the_browser_has_is_not_sent_again() {
        let tag = respond(asset("/"), &HeaderMap::new()).headers()[ETAG].clone();
        let answer =
            |tag: HeaderValue| respond(asset("/"), &HeaderMap::from_iter([(IF_NONE_MATCH, tag)])).status();
        assert_eq!(answer(tag), StatusCode::NOT_MODIFIED);
        assert_eq!(answer(HeaderValue::from_static("\"old\"")), StatusCode::OK);
    }

    /// The policy forbids inline scripts and styles and other hosts; a page that has any would be broken.
    #[test]
    fn nothing_of_the_page_is_inline_or_from_elsewhere() {
        for asset in ASSETS {
            let text = std::str::from_utf8(asset.bytes).unwrap();
            for forbidden in [" style=\"", " onclick=", "javascript:", "innerHTML", "https://", "eval("] {
                assert!(!text.contains(forbidden), "{} has {forbidden}", asset.path);
            }
            for script in text.match_indices("<script").map(|(at, _)| &text[at..]) {
                assert!(script.split('>').next().unwrap().contains("src=\"/assets/"), "{}", asset.path);
            }
        }
    }
}
