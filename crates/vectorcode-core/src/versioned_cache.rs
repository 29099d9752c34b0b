//! [`VersionedCache`]: caches a value until the version of its source changes.

use std::sync::{Arc, Mutex, MutexGuard, TryLockError};

use crate::lock;

/// Caches the value of one version. While one thread reads the value, others that need it wait instead of reading it too.
#[derive(Debug)]
pub struct VersionedCache<V, T>(Mutex<Option<(V, Arc<T>)>>);

impl<V, T> Default for VersionedCache<V, T> {
    fn default() -> Self {
        Self(Mutex::new(None))
    }
}

impl<V: PartialEq, T> VersionedCache<V, T> {
    /// The value for this version; calls `read` unless it is cached.
    pub fn get_or_read<E>(&self, version: V, read: impl FnOnce() -> Result<T, E>) -> Result<Arc<T>, E> {
        let mut known = self.lock();
        if let Some((_, value)) = known.as_ref().filter(|(known, _)| *known == version) {
            return Ok(value.clone());
        }
        // Dropped before reading, because both together could need much memory.
        *known = None;
        let value = Arc::new(read()?);
        *known = Some((version, value.clone()));
        Ok(value)
    }

    pub fn forget(&self) {
        *self.lock() = None;
    }

    /// Drops the cached value, unless it is being read right now, which may take long.
    pub fn forget_unless_busy(&self) {
        match self.0.try_lock() {
            Ok(mut known) => *known = None,
            Err(TryLockError::Poisoned(known)) => *known.into_inner() = None,
            Err(TryLockError::WouldBlock) => {}
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<(V, Arc<T>)>> {
        lock(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    #[test]
    fn a_value_is_read_once_for_each_version_and_an_error_leaves_none() {
        let cell: VersionedCache<u32, &str> = VersionedCache::default();
        let ok = |text| move || Ok::<_, Infallible>(text);
        assert_eq!(*cell.get_or_read(1, ok("one")).unwrap(), "one");
        assert_eq!(*cell.get_or_read(1, ok("again")).unwrap(), "one");
        assert_eq!(*cell.get_or_read(2, ok("two")).unwrap(), "two");
        assert!(cell.get_or_read(3, || Err(())).is_err());
        assert_eq!(*cell.get_or_read(2, ok("anew")).unwrap(), "anew");
        cell.forget();
        assert_eq!(*cell.get_or_read(2, ok("later")).unwrap(), "later");
    }
}
