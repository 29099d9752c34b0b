//! A size-bounded cache of two generations, which approximates LRU: an entry that is not used while half of the cache fills up is
//! evicted. A hit in the young generation changes nothing, so concurrent readers need no write lock for it.

use std::hash::Hash;
use std::mem;

use rustc_hash::FxHashMap;

#[derive(Debug)]
pub(crate) struct Generations<K, V> {
    /// Approximate limit of both generations together.
    max_bytes: usize,
    young: FxHashMap<K, Sized<V>>,
    young_bytes: usize,
    old: FxHashMap<K, Sized<V>>,
    /// The size that it had as the young generation.
    old_bytes: usize,
}

#[derive(Debug)]
struct Sized<V> {
    value: V,
    bytes: usize,
}

impl<K: Copy + Eq + Hash, V> Generations<K, V> {
    pub fn new(max_bytes: usize) -> Self {
        let (young, old) = (FxHashMap::default(), FxHashMap::default());
        Self { max_bytes, young, young_bytes: 0, old, old_bytes: 0 }
    }

    pub fn clear(&mut self) {
        *self = Self::new(self.max_bytes);
    }

    /// Approximate memory use of all values.
    pub fn bytes(&self) -> usize {
        self.young_bytes + self.old_bytes
    }

    pub fn get(&mut self, key: K) -> Option<&V> {
        self.renew(key);
        self.young.get(&key).map(|known| &known.value)
    }

    /// Like [`Self::get`], for concurrent readers: an old entry stays old until it is renewed.
    pub fn peek(&self, key: K) -> Option<&V> {
        self.young.get(&key).or_else(|| self.old.get(&key)).map(|known| &known.value)
    }

    /// The keys that will be evicted unless they are renewed.
    pub fn old_among(&self, keys: impl Iterator<Item = K>) -> Vec<K> {
        if self.old.is_empty() { Vec::new() } else { keys.filter(|key| self.old.contains_key(key)).collect() }
    }

    pub fn renew(&mut self, key: K) {
        if let Some(known) = self.old.remove(&key) {
            self.insert(key, known.value, known.bytes);
        }
    }

    /// `bytes` is the approximate memory use of the value.
    pub fn insert(&mut self, key: K, value: V, bytes: usize) {
        if self.young_bytes + bytes > self.max_bytes / 2 {
            self.old = mem::take(&mut self.young);
            self.old_bytes = mem::take(&mut self.young_bytes);
        }
        self.young_bytes += bytes;
        self.young.insert(key, Sized { value, bytes });
    }

    pub fn remove(&mut self, key: K) {
        self.young.remove(&key);
        self.old.remove(&key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_stays_and_the_rest_goes() {
        let mut cache = Generations::new(1000);
        cache.insert(1, 'a', 10);
        cache.insert(2, 'b', 10);
        for key in 10..40 {
            cache.insert(key, 'x', 100);
            assert_eq!(cache.get(1), Some(&'a'));
        }
        assert_eq!(cache.get(2), None);
        let old = cache.old_among([1, 39].into_iter());
        assert!(old.iter().all(|key| cache.peek(*key).is_some()));
        for key in &old {
            cache.renew(*key);
        }
        assert!(cache.old_among(old.into_iter()).is_empty());
        cache.remove(1);
        assert_eq!(cache.get(1), None);
        assert!((500..=1000).contains(&cache.bytes()), "{}", cache.bytes());
        cache.clear();
        assert_eq!(cache.get(39), None);
        assert_eq!(cache.bytes(), 0);
    }
}
