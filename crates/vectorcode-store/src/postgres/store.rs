//! [`PostgresStore`]: the index of one checkout in a shared database.

use std::sync::Arc;

use super::manifest::{self, BUILDING, IN_USE, ManifestFilter, ManifestKey, SET_ASIDE, TreeKind};
use super::pool::Pool;
use super::reader::PostgresReader;
use super::rows::key_of;
use super::session::Param;
use super::trees::{self, TREES};
use super::writer::PostgresWriter;
use super::{locks, segments};
use crate::contract::{
    IndexReader, IndexSpaces, IndexWriter, LockGuard, LockRole, Rebuild, Result, Store, TreeKey, WhenHeld,
};
use crate::{StoreError, StoreErrorCode};

const UNFINISHED_REBUILD: ManifestFilter<'_> =
    ManifestFilter { states: &[BUILDING], trees: &[TreeKind::Disk], except: None };

/// Identifies an index in the database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectKey {
    /// The project: the address of its repository, or a name. Its checkouts share texts and vectors.
    pub project: String,
    /// The checkout: clients that see the same files under one name share an index.
    pub checkout: String,
}

/// An index in a PostgreSQL database.
#[derive(Clone)]
pub struct PostgresStore {
    /// May contain a password.
    url: String,
    place: ManifestKey,
}

impl std::fmt::Debug for PostgresStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PostgresStore").field("place", &self.place).finish_non_exhaustive()
    }
}

impl PostgresStore {
    /// The store of a checkout. Does not connect yet.
    pub fn new(url: &str, key: &ProjectKey) -> Self {
        let (project, checkout) = (key_of(&key.project), key_of(&key.checkout));
        let place =
            ManifestKey { project, checkout, name: key.checkout.clone(), tree: Vec::new(), building: None };
        Self { url: url.to_owned(), place }
    }

    fn pool(&self) -> Result<Arc<Pool>> {
        Pool::of(&self.url)
    }

    fn count(&self) -> Result<i64> {
        let params: [Param<'_>; 2] = [&self.place.project, &self.place.checkout];
        let sql =
            "SELECT count(*) FROM manifests WHERE project = $1 AND checkout = $2 AND tree = '' AND state = 0";
        self.pool()?.run(|session| Ok(session.query_one(sql, &params)?.get(0)))
    }

    /// Deletes manifests of this checkout, and what no other manifest needs.
    fn delete(&self, filter: ManifestFilter<'_>) -> Result<()> {
        let pool = self.pool()?;
        pool.run(|session| {
            session.batch("BEGIN")?;
            if manifest::delete(session, &self.place, filter)? > 0 {
                segments::collect_garbage(session, self.place.project)?;
            }
            session.batch("COMMIT")
        })?;
        pool.count_write();
        Ok(())
    }
}

impl Store for PostgresStore {
    /// Returns true if the database cannot be queried: opening the index then reports why.
    fn exists(&self) -> bool {
        self.count().map_or(true, |count| count > 0)
    }

    fn database(&self) -> Option<String> {
        let shown = self.pool().map(|pool| pool.address().to_string());
        Some(shown.map_or_else(|_| "PostgreSQL".into(), |address| format!("PostgreSQL at {address}")))
    }

    fn tree_reader(&self, key: &TreeKey) -> Result<Option<Arc<dyn IndexReader>>> {
        match PostgresReader::open(self.pool()?, self.place.at_tree(key)) {
            Ok(reader) => Ok(Some(Arc::new(reader))),
            Err(error) if error.code() == StoreErrorCode::TreeGone => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn tree_writer(&self, key: &TreeKey) -> Result<Box<dyn IndexWriter>> {
        let (pool, place) = (self.pool()?, self.place.at_tree(key));
        let building = pool.run(|session| {
            session.batch("BEGIN")?;
            // The caller holds the write lock, so these are leftovers of a killed process.
            manifest::delete(session, &place, ManifestFilter { states: &[BUILDING], ..TREES })?;
            let building = trees::insert_copy(session, &place)?;
            session.batch("COMMIT")?;
            Ok(building)
        })?;
        pool.count_write();
        Ok(Box::new(PostgresWriter::open(pool, ManifestKey { building: Some(building), ..place })?))
    }

    fn reader(&self) -> Result<Arc<dyn IndexReader>> {
        let reader = PostgresReader::open(self.pool()?, self.place.clone())?;
        Ok(Arc::new(reader))
    }

    fn writer(&self) -> Result<Box<dyn IndexWriter>> {
        Ok(Box::new(PostgresWriter::open(self.pool()?, self.place.clone())?))
    }

    fn create(&self, spaces: &IndexSpaces) -> Result<Box<dyn IndexWriter>> {
        let pool = self.pool()?;
        pool.run(|session| {
            session.batch("BEGIN")?;
            // If two processes create it at once, the unique index on manifests in use lets only one succeed.
            manifest::insert(session, &self.place, spaces, IN_USE)?;
            session.batch("COMMIT")
        })?;
        pool.count_write();
        self.writer()
    }

    fn rebuild(&self, spaces: &IndexSpaces) -> Result<Box<dyn Rebuild>> {
        let pool = self.pool()?;
        let building = pool.run(|session| {
            session.batch("BEGIN")?;
            let building = manifest::insert(session, &self.place, spaces, BUILDING)?;
            session.batch("COMMIT")?;
            Ok(building)
        })?;
        let place = ManifestKey { building: Some(building), ..self.place.clone() };
        let writer = PostgresWriter::open(pool, place)?;
        Ok(Box::new(PostgresRebuild { store: self.clone(), building, writer, is_committed: false }))
    }

    fn set_aside(&self) -> Result<String> {
        let pool = self.pool()?;
        let mut moved_before = None;
        let kept = pool.run(|session| {
            session.batch("BEGIN")?;
            let params: [Param<'_>; 3] = [&self.place.project, &self.place.checkout, &SET_ASIDE];
            let moved = session.query(
                "UPDATE manifests SET state = $3 WHERE project = $1 AND checkout = $2 AND tree = '' AND state = 0
                 RETURNING manifest",
                &params,
            )?;
            // If only the reply to a commit was lost, the committed transaction is run again.
            let moved = moved.first().map(|row| row.get::<_, i32>(0)).or(moved_before);
            let moved = moved.ok_or_else(StoreError::not_initialized)?;
            moved_before = Some(moved);
            let before = ManifestFilter { states: &[SET_ASIDE], trees: &[TreeKind::Disk], except: moved_before };
            manifest::delete(session, &self.place, before)?;
            manifest::delete(session, &self.place, TREES)?;
            session.batch("COMMIT")?;
            Ok(format!("manifest {moved} of project {} in {}", self.place.project, session.place()))
        })?;
        pool.count_write();
        Ok(kept)
    }

    fn remove(&self) -> Result<()> {
        self.delete(ManifestFilter {
            states: &[IN_USE, BUILDING, SET_ASIDE],
            trees: &[TreeKind::Disk, TreeKind::Commits],
            except: None,
        })
    }

    fn lock(&self, role: LockRole, when_held: WhenHeld<'_>) -> Result<Box<dyn LockGuard>> {
        let pool = self.pool()?;
        let guard =
            locks::acquire(&pool, locks::key(self.place.project, self.place.checkout, role), when_held)?;
        // A rebuild runs under this lock, so whatever is being built now was left by a killed process.
        if role == LockRole::Embed {
            self.delete(UNFINISHED_REBUILD)?;
        }
        Ok(guard)
    }

    fn is_locked(&self, role: LockRole) -> bool {
        self.holder(role).is_some()
    }

    fn holder(&self, role: LockRole) -> Option<String> {
        let pool = self.pool().ok()?;
        locks::holder(&pool, locks::key(self.place.project, self.place.checkout, role))
    }
}

/// A manifest that is being built while another one is in use.
struct PostgresRebuild {
    store: PostgresStore,
    building: i32,
    writer: PostgresWriter,
    is_committed: bool,
}

impl Rebuild for PostgresRebuild {
    fn writer(&mut self) -> &mut dyn IndexWriter {
        &mut self.writer
    }

    fn commit(mut self: Box<Self>) -> Result<()> {
        let (pool, place) = (self.store.pool()?, &self.store.place);
        pool.run(|session| {
            session.batch("BEGIN")?;
            // It is already in use if the transaction was committed before and only the reply was lost.
            let before = ManifestFilter {
                states: &[IN_USE],
                trees: &[TreeKind::Disk, TreeKind::Commits],
                except: Some(self.building),
            };
            manifest::delete(session, place, before)?;
            let params: [Param<'_>; 2] = [&place.project, &self.building];
            session.query("UPDATE manifests SET state = 0 WHERE project = $1 AND manifest = $2", &params)?;
            segments::collect_garbage(session, place.project)?;
            session.batch("COMMIT")
        })?;
        pool.count_write();
        self.is_committed = true;
        Ok(())
    }
}

impl Drop for PostgresRebuild {
    fn drop(&mut self) {
        if self.is_committed {
            return;
        }
        if let Err(error) = self.store.delete(UNFINISHED_REBUILD) {
            tracing::warn!(%error, "cannot delete an unfinished index");
        }
    }
}
