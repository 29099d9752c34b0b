//! [`KnownLists`]: a cache of lists read from one version of the index.

use std::borrow::Borrow;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard};

use rustc_hash::FxHashMap;
use vectorcode_core::lock;

#[derive(Debug)]
pub(super) struct KnownLists<K, T> {
    /// The maximum number of entries in all lists together.
    max_entries: usize,
    known: Mutex<Known<K, T>>,
}

#[derive(Debug)]
struct Known<K, T> {
    /// The transaction as of which the lists were read.
    seq: i64,
    lists: FxHashMap<K, Arc<[T]>>,
    /// The number of entries in all lists.
    entries: usize,
}

impl<K, T> Known<K, T> {
    fn at(seq: i64) -> Self {
        Self { seq, lists: FxHashMap::default(), entries: 0 }
    }
}

impl<K: Eq + Hash, T> KnownLists<K, T> {
    pub fn new(max_entries: usize) -> Self {
        Self { max_entries, known: Mutex::new(Known::at(0)) }
    }

    /// Clears the cache, because the file was replaced.
    pub fn forget(&self) {
        *self.lock() = Known::at(0);
    }

    /// The list of `key` as of transaction `seq`, obtained from `read` if it is not cached.
    pub fn of<Q>(
        &self,
        seq: i64,
        key: &Q,
        read: impl FnOnce() -> rusqlite::Result<Vec<T>>,
    ) -> rusqlite::Result<Arc<[T]>>
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ToOwned<Owned = K> + ?Sized,
    {
        let known = self.lock();
        if let Some(list) = known.lists.get(key).filter(|_| known.seq == seq) {
            return Ok(list.clone());
        }
        drop(known);
        let list: Arc<[T]> = read()?.into();
        self.keep(seq, key.to_owned(), &list);
        Ok(list)
    }

    fn keep(&self, seq: i64, key: K, list: &Arc<[T]>) {
        let mut known = self.lock();
        // A reader that still sees an older version must not fill the cache.
        if seq < known.seq || list.len() > self.max_entries {
            return;
        }
        if seq > known.seq || known.entries + list.len() > self.max_entries {
            *known = Known::at(seq);
        }
        known.entries += list.len();
        known.lists.insert(key, list.clone());
    }

    fn lock(&self) -> MutexGuard<'_, Known<K, T>> {
        lock(&self.known)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOST: usize = 100;

    fn list(count: usize) -> Arc<[u32]> {
        vec![1; count].into()
    }

    fn kept(lists: &KnownLists<String, u32>) -> (usize, usize) {
        let known = lists.lock();
        (known.lists.len(), known.entries)
    }

    #[test]
    fn lists_of_an_older_index_and_too_many_are_dropped() {
        let lists = KnownLists::new(MOST);
        lists.keep(3, "get".into(), &list(10));
        lists.keep(2, "old".into(), &list(10));
        lists.keep(3, "set".into(), &list(MOST - 10));
        assert_eq!(kept(&lists), (2, MOST));
        lists.keep(3, "run".into(), &list(1));
        assert_eq!(kept(&lists), (1, 1));
        lists.keep(4, "get".into(), &list(2));
        assert!(lists.lock().lists.keys().eq(["get"]) && lists.lock().seq == 4);
    }

    #[test]
    fn a_list_is_read_once_for_each_version() {
        let lists = KnownLists::<i64, u32>::new(MOST);
        let read_as = |seq, value| lists.of(seq, &7, || Ok(vec![value])).unwrap()[0];
        assert_eq!([read_as(1, 10), read_as(1, 20), read_as(2, 30), read_as(2, 40)], [10, 10, 30, 30]);
        assert_eq!(read_as(1, 50), 50, "a reader that still sees the older version reads for itself");
    }
}
