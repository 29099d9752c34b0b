//! Exact search: which files a request is about.

use vectorcode_core::api::{ExactRequest, ExactResponse};
use vectorcode_core::{CancelToken, PathFilter};
use vectorcode_store::{PathMatcher, SourceFile};

use super::Engine;
use crate::EngineError;
use crate::exact::{ExactSearch, admits};

impl Engine {
    /// Every line of the indexed files that holds a text or matches a regular expression.
    pub fn exact(&self, request: &ExactRequest, cancel: &CancelToken) -> Result<ExactResponse, EngineError> {
        let mut languages = Vec::new();
        for name in &request.languages {
            let Some(language) = vectorcode_source::by_any_name(name) else {
                let indexed = self.reader()?.stats()?.languages.into_iter().map(|(name, _)| name).collect();
                return Err(EngineError::UnknownLanguage { name: name.clone(), indexed });
            };
            languages.push(language.name);
        }
        let patterns = self.path_patterns(&request.paths)?;
        let paths = PathMatcher::new(&PathFilter::parse(&patterns))?;
        let wanted = |file: &SourceFile| paths.admits(&file.path) && admits(request, &languages, file);
        let files = self.files()?.into_iter().filter(wanted).collect();
        let scope = self.scope()?;
        let search = ExactSearch { project: self.project(), scope: &scope, request, cancel };
        let mut response = search.run(files)?;
        if response.total_lines == 0 {
            response.notes.extend(self.note_on_paths(&patterns)?);
        }
        response.notes.extend(self.notes());
        Ok(response)
    }
}
