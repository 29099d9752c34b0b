//! The files of the index: which there are, and the present text of one.

use vectorcode_core::api::{FileRequest, FileResponse};
use vectorcode_store::SourceFile;

use super::Engine;
use crate::{EngineError, file};

impl Engine {
    /// Every file of the index, in the order of their paths.
    pub fn files(&self) -> Result<Vec<SourceFile>, EngineError> {
        Ok(self.reader()?.source_files()?)
    }

    /// The text of a file of the index, as it is on disk now.
    pub fn file(&self, request: &FileRequest) -> Result<FileResponse, EngineError> {
        let scope = self.scope()?;
        Ok(self.repairing(|| file::read(&scope, &*self.reader()?, request))?.0)
    }
}
