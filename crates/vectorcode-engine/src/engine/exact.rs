//! Exact search: selects the files that a request covers and runs the search on them.

use vectorcode_core::api::{ExactRequest, ExactResponse};
use vectorcode_core::{CancelToken, PathFilter};
use vectorcode_store::{PathMatcher, SourceFile};

use super::Engine;
use crate::error::EngineError;
use crate::search::{ExactSearch, admits};

impl Engine {
    /// Every line of the indexed files that contains a text or matches a regular expression.
    pub fn exact(&self, request: &ExactRequest, cancel: &CancelToken) -> Result<ExactResponse, EngineError> {
        let patterns = self.path_patterns(&request.paths)?;
        let (scope, files) = (self.scope()?, self.searched_files(request)?);
        let search = ExactSearch { source: self.file_source(), scope: &scope, request, cancel };
        let mut response = search.run(files)?;
        if response.total_lines == 0 {
            response.notes.extend(self.note_on_paths(&patterns)?);
        }
        response.notes.extend(self.notes());
        Ok(response)
    }

    /// The files with a matching line, in the order of an exact search.
    pub(crate) fn matching_files(
        &self,
        request: &ExactRequest,
        cancel: &CancelToken,
    ) -> Result<Vec<String>, EngineError> {
        let (scope, files) = (self.scope()?, self.searched_files(request)?);
        ExactSearch { source: self.file_source(), scope: &scope, request, cancel }.matching_files(files)
    }

    /// The files of the index that a request covers.
    fn searched_files(&self, request: &ExactRequest) -> Result<Vec<SourceFile>, EngineError> {
        let languages = self.languages_named(&request.languages)?;
        let patterns = self.path_patterns(&request.paths)?;
        let paths = PathMatcher::new(&PathFilter::parse(&patterns))?;
        let wanted = |file: &SourceFile| paths.admits(&file.path) && admits(request, &languages, file);
        Ok(self.files()?.into_iter().filter(wanted).collect())
    }
}
