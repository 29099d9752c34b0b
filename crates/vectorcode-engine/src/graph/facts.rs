//! Index facts for one request: each is read at most once, and many names are read in one call if they are known in
//! advance.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::hash::Hash;
use std::rc::Rc;

use vectorcode_core::{CancelToken, Reference};
use vectorcode_graph::{Facts, FileId, SymbolDefinition, SymbolId, SymbolUse, Tree};
use vectorcode_store::{IndexReader, StoredDefinition};

use crate::error::EngineError;

type Known<K, T> = RefCell<HashMap<K, Rc<[T]>>>;

pub(crate) struct IndexFacts<'a> {
    reader: &'a dyn IndexReader,
    tree: &'a Tree,
    cancel: &'a CancelToken,
    definitions_named: Known<String, SymbolDefinition>,
    definitions_of: Known<FileId, SymbolDefinition>,
    references_named: Known<String, SymbolUse>,
    references_of: Known<FileId, Reference>,
}

impl<'a> IndexFacts<'a> {
    /// Every read fails with [`EngineError::Cancelled`] once `cancel` is set. A walk over the graph reads facts at
    /// every step, so it ends soon.
    pub fn new(reader: &'a dyn IndexReader, tree: &'a Tree, cancel: &'a CancelToken) -> Self {
        Self {
            reader,
            tree,
            cancel,
            definitions_named: RefCell::default(),
            definitions_of: RefCell::default(),
            references_named: RefCell::default(),
            references_of: RefCell::default(),
        }
    }

    /// Replaces the indexed uses of a name by those found in the current files.
    pub fn set_references(&self, name: &str, uses: Vec<SymbolUse>) {
        self.references_named.borrow_mut().insert(name.to_owned(), uses.into());
    }

    fn check_cancelled(&self) -> Result<(), EngineError> {
        if self.cancel.is_cancelled() { Err(EngineError::Cancelled) } else { Ok(()) }
    }

    fn read_definitions(&self, names: &[&str]) -> Result<(), EngineError> {
        self.check_cancelled()?;
        let names = unknown(&self.definitions_named, names);
        if names.is_empty() {
            return Ok(());
        }
        let lists = self.reader.definitions_named(&names)?;
        let mut known = self.definitions_named.borrow_mut();
        for (name, found) in names.iter().zip(lists) {
            let defined = found.into_iter().filter_map(|stored| self.defined(stored)).collect();
            known.insert((*name).to_owned(), defined);
        }
        Ok(())
    }

    fn read_references(&self, names: &[&str]) -> Result<(), EngineError> {
        self.check_cancelled()?;
        let names = unknown(&self.references_named, names);
        if names.is_empty() {
            return Ok(());
        }
        let lists = self.reader.references_named(&names)?;
        let mut known = self.references_named.borrow_mut();
        for (name, found) in names.iter().zip(lists) {
            let used = found.into_iter().filter_map(|stored| {
                Some(SymbolUse { file: self.tree.get(&stored.path)?, reference: stored.reference })
            });
            known.insert((*name).to_owned(), used.collect());
        }
        Ok(())
    }

    /// Files added after the snapshot are not in the tree; the next request sees them.
    fn defined(&self, stored: StoredDefinition) -> Option<SymbolDefinition> {
        let id = SymbolId { file: self.tree.get(&stored.path)?, ordinal: stored.ordinal };
        Some(SymbolDefinition { id, definition: stored.definition, is_test: stored.is_test })
    }
}

/// The `names` that have not been read yet, without duplicates.
fn unknown<'n, T>(known: &Known<String, T>, names: &[&'n str]) -> Vec<&'n str> {
    let known = known.borrow();
    let unknown: BTreeSet<&str> = names.iter().copied().filter(|name| !known.contains_key(*name)).collect();
    unknown.into_iter().collect()
}

/// The cached value for a key, or the result of `read`.
fn remembered<K: Eq + Hash, T>(
    known: &Known<K, T>,
    key: K,
    read: impl FnOnce(&K) -> Result<Vec<T>, EngineError>,
) -> Result<Rc<[T]>, EngineError> {
    if let Some(found) = known.borrow().get(&key) {
        return Ok(found.clone());
    }
    let found: Rc<[T]> = read(&key)?.into();
    known.borrow_mut().insert(key, found.clone());
    Ok(found)
}

impl Facts for IndexFacts<'_> {
    type Error = EngineError;

    fn prefetch_definitions(&self, names: &[&str]) -> Result<(), EngineError> {
        self.read_definitions(names)
    }

    fn prefetch_references(&self, names: &[&str]) -> Result<(), EngineError> {
        self.read_references(names)
    }

    fn definitions_named(&self, name: &str) -> Result<Rc<[SymbolDefinition]>, EngineError> {
        if let Some(found) = self.definitions_named.borrow().get(name) {
            return Ok(found.clone());
        }
        self.read_definitions(&[name])?;
        Ok(self.definitions_named.borrow().get(name).cloned().unwrap_or_else(|| Rc::from([])))
    }

    fn definitions_of(&self, file: FileId) -> Result<Rc<[SymbolDefinition]>, EngineError> {
        remembered(&self.definitions_of, file, |file| {
            let found = self.reader.definitions_of(self.tree.path(*file))?;
            Ok(found.into_iter().filter_map(|stored| self.defined(stored)).collect())
        })
    }

    fn references_named(&self, name: &str) -> Result<Rc<[SymbolUse]>, EngineError> {
        if let Some(found) = self.references_named.borrow().get(name) {
            return Ok(found.clone());
        }
        self.read_references(&[name])?;
        Ok(self.references_named.borrow().get(name).cloned().unwrap_or_else(|| Rc::from([])))
    }

    fn references_of(&self, file: FileId) -> Result<Rc<[Reference]>, EngineError> {
        remembered(&self.references_of, file, |file| Ok(self.reader.references_of(self.tree.path(*file))?))
    }
}
