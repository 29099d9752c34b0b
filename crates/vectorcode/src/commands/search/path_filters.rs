//! Combines the places, globs and extensions of the command line into one list of path filters.

use anyhow::{Result, bail};
use vectorcode_core::{EXCLUDE, is_glob};

use crate::session::Session;

/// The files and directories of the command line, relative to the root.
pub fn seen_from_here(places: &[String], session: &Session) -> Result<Vec<String>> {
    places.iter().map(|place| session.paths.pattern(place)).collect()
}

/// Restricts filters to places, as in `grep --include='*.go' src`: a glob for file names anywhere becomes a glob below each
/// place.
pub fn within_places(places: &[String], filters: Vec<String>) -> Result<Vec<String>> {
    let (excluded, included): (Vec<String>, Vec<String>) =
        filters.into_iter().partition(|filter| filter.starts_with(EXCLUDE));
    if places.is_empty() || included.is_empty() {
        return Ok([included, places.to_vec(), excluded].concat());
    }
    let below = |filter: &String, place: &String| {
        let name = filter.strip_prefix("**/").unwrap_or(filter);
        let is_anywhere = is_glob(filter) && (name.len() < filter.len() || !filter.contains('/'));
        if is_anywhere && (place.is_empty() || place.ends_with('/')) {
            Some(format!("{place}**/{name}"))
        } else {
            filter.starts_with(place.as_str()).then(|| filter.clone())
        }
    };
    let both = included.iter().flat_map(|filter| places.iter().filter_map(move |place| below(filter, place)));
    let both: Vec<String> = both.collect();
    if both.is_empty() {
        bail!("no file can be in {} and match {}", places.join(", "), included.join(", "));
    }
    Ok([both, excluded].concat())
}

/// Restricts the filters to files with one of the extensions.
pub fn with_extensions(filters: Vec<String>, extensions: &[String]) -> Result<Vec<String>> {
    if extensions.is_empty() {
        return Ok(filters);
    }
    let endings: Vec<String> =
        extensions.iter().map(|written| format!(".{}", written.trim_start_matches(['*', '.']))).collect();
    let globs = endings.iter().map(|ending| format!("*{ending}"));
    let (excluded, included): (Vec<String>, Vec<String>) =
        filters.into_iter().partition(|filter| filter.starts_with(EXCLUDE));
    // Files and globs that already end with one of the extensions.
    let (exact, places): (Vec<String>, Vec<String>) =
        included.into_iter().partition(|filter| endings.iter().any(|ending| filter.ends_with(ending)));
    if !exact.is_empty() && places.is_empty() {
        return Ok([exact, excluded].concat());
    }
    Ok([within_places(&places, globs.collect())?, exact, excluded].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn within(places: &[&str], filters: &[&str]) -> String {
        let owned = |list: &[&str]| list.iter().map(ToString::to_string).collect::<Vec<String>>();
        within_places(&owned(places), owned(filters))
            .map_or_else(|error| error.to_string(), |all| all.join(" "))
    }

    #[test]
    fn extensions_count_within_the_filters() {
        let with = |filters: &[&str], extensions: &[&str]| {
            let owned = |list: &[&str]| list.iter().map(ToString::to_string).collect::<Vec<String>>();
            with_extensions(owned(filters), &owned(extensions))
                .map_or_else(|error| error.to_string(), |all| all.join(" "))
        };
        assert_eq!(with(&["src/"], &[]), "src/");
        assert_eq!(with(&[], &[".go", "ts"]), "*.go *.ts");
        assert_eq!(with(&["src/", "!src/gen/"], &["go"]), "src/**/*.go !src/gen/");
        assert_eq!(with(&["src/a.go"], &["go"]), "src/a.go");
        assert_eq!(with(&["src/a.go", "lib/"], &["*.go"]), "lib/**/*.go src/a.go");
        assert_eq!(with(&["src/a.rs"], &["go"]), "no file can be in src/a.rs and match *.go");
    }

    #[test]
    fn filters_count_within_the_places() {
        assert_eq!(within(&["src/"], &[]), "src/");
        assert_eq!(within(&[], &["*.go", "!a/"]), "*.go !a/");
        assert_eq!(within(&["src/"], &["!**/*_gen.go"]), "src/ !**/*_gen.go");
        assert_eq!(within(&["src/", "lib/"], &["*.go"]), "src/**/*.go lib/**/*.go");
        assert_eq!(within(&["src/"], &["**/net/*.go", "src/a/", "docs/"]), "src/**/net/*.go src/a/");
        assert_eq!(within(&["src/"], &["docs/"]), "no file can be in src/ and match docs/");
    }
}
