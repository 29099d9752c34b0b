//! Remembers that the system had no descriptors or memory left while a project was read. What could not be opened then must not
//! count as gone, nor its rules as empty: the walk fails as a whole.

use std::io;
use std::sync::OnceLock;

use vectorcode_core::is_shortage;

use crate::SourceError;

#[derive(Debug, Default)]
pub struct Shortage(OnceLock<i32>);

impl Shortage {
    pub fn note(&self, error: &io::Error) {
        if is_shortage(error) {
            self.0.get_or_init(|| error.raw_os_error().unwrap_or_default());
        }
    }

    /// Fails if there was a shortage at any time.
    pub fn check(&self) -> Result<(), SourceError> {
        let cause = self.0.get().map(|code| io::Error::from_raw_os_error(*code));
        cause.map_or(Ok(()), |cause| Err(SourceError::Shortage { cause }))
    }
}
