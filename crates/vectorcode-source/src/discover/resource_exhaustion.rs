//! Remembers whether the system ran out of file descriptors or memory while a project was read. Files that could not be
//! opened then must not count as deleted, nor their rules as empty, so the whole walk fails.

use std::io;
use std::sync::OnceLock;

use vectorcode_core::is_resource_exhausted;

use crate::SourceError;

#[derive(Debug, Default)]
pub struct ResourceExhaustion(OnceLock<i32>);

impl ResourceExhaustion {
    pub fn note(&self, error: &io::Error) {
        if is_resource_exhausted(error) {
            self.0.get_or_init(|| error.raw_os_error().unwrap_or_default());
        }
    }

    /// Fails if a resource was exhausted at any time.
    pub fn check(&self) -> Result<(), SourceError> {
        let cause = self.0.get().map(|code| io::Error::from_raw_os_error(*code));
        cause.map_or(Ok(()), |cause| Err(SourceError::ResourceExhaustion { cause }))
    }
}
