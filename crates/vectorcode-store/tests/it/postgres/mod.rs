//! Tests that only concern PostgreSQL: errors of the server, and what checkouts share.

mod lossy_proxy;

use std::sync::Arc;

use vectorcode_core::Diagnose;
use vectorcode_store::{PostgresStore, ProjectKey, Store, StoreError, StoreErrorCode};

use crate::fixture::{file, has_postgres, postgres_url, spaces, vector};
use lossy_proxy::LossyProxy;

fn store(url: &str, project: &str, checkout: &str) -> Arc<dyn Store> {
    Arc::new(PostgresStore::new(url, &ProjectKey { project: project.into(), checkout: checkout.into() }))
}

fn error_of(url: &str) -> StoreError {
    store(url, "none", "none").reader().err().unwrap()
}

/// The test URL with one part replaced, such as the user or the database.
fn url_with(from: &str, to: &str) -> String {
    postgres_url().unwrap().replace(from, to)
}

#[test]
fn a_server_that_is_not_there_is_named_at_once_without_the_password() {
    let error = error_of("postgres://ada:secret@127.0.0.1:1/code");
    assert_eq!(error.code(), StoreErrorCode::Unreachable);
    let shown = format!("{error} {error:?} {}", error.hint().unwrap());
    assert!(shown.contains("ada@127.0.0.1:1/code") && !shown.contains("secret"), "{shown}");
}

#[test]
fn a_url_that_is_none_is_refused() {
    assert_eq!(error_of("mysql://host/db").code(), StoreErrorCode::Refused);
}

#[test]
fn a_user_or_database_that_is_not_there_is_refused_with_a_fix() {
    if !has_postgres() {
        return;
    }
    for url in [url_with("vectorcode@", "nobody@"), url_with("/vectorcode", "/nowhere")] {
        let error = error_of(&url);
        assert_eq!(error.code(), StoreErrorCode::Refused, "{error:?}");
        assert!(error.hint().is_some());
    }
}

#[test]
fn a_text_that_another_checkout_has_embedded_does_not_wait() {
    if !has_postgres() {
        return;
    }
    let (url, directory) = (postgres_url().unwrap(), tempfile::tempdir().unwrap());
    let project = directory.path().display().to_string();
    let (one, other) = (store(&url, &project, "one"), store(&url, &project, "other"));
    let mut writer = one.create(&spaces()).unwrap();
    writer.write_files(&[file("a.rs", &["one 1", "two 2"])]).unwrap();
    let pending = writer.reader().pending(10).unwrap();
    writer.write_vectors(&[(pending[0].row, vector(5))]).unwrap();

    let mut second = other.create(&spaces()).unwrap();
    second.write_files(&[file("a.rs", &["one 1", "three 3"])]).unwrap();
    let waiting: Vec<String> =
        second.reader().pending(10).unwrap().into_iter().map(|chunk| chunk.text).collect();
    assert_eq!(waiting, ["rust | a.rs | three\nthree 3"]);
    one.remove().unwrap();
    assert_eq!(other.reader().unwrap().chunks_of("a.rs").unwrap().len(), 2, "what checkouts share is kept");
    assert_eq!(second.reader().stats().unwrap().embedded, 1);
    other.remove().unwrap();
}

fn paths(store: &dyn Store) -> Vec<String> {
    store.reader().unwrap().files().unwrap().into_keys().collect()
}

#[test]
fn a_rebuild_is_kept_whose_commit_was_not_confirmed() {
    if !has_postgres() {
        return;
    }
    let (proxy, directory) = (LossyProxy::start(&postgres_url().unwrap()), tempfile::tempdir().unwrap());
    let store = store(proxy.url(), &directory.path().display().to_string(), "one");
    store.create(&spaces()).unwrap().write_files(&[file("a.rs", &["one 1"])]).unwrap();
    let mut rebuild = store.rebuild(&spaces()).unwrap();
    rebuild.writer().write_files(&[file("b.rs", &["two 2"])]).unwrap();
    proxy.lose_next_commit();
    rebuild.commit().unwrap();
    assert!(proxy.has_lost_it());
    assert_eq!(paths(&*store), ["b.rs"]);
    store.remove().unwrap();
}

#[test]
fn an_index_is_set_aside_once_if_that_was_not_confirmed() {
    if !has_postgres() {
        return;
    }
    let (proxy, directory) = (LossyProxy::start(&postgres_url().unwrap()), tempfile::tempdir().unwrap());
    let store = store(proxy.url(), &directory.path().display().to_string(), "one");
    store.create(&spaces()).unwrap().write_files(&[file("a.rs", &["one 1"])]).unwrap();
    proxy.lose_next_commit();
    store.set_aside().unwrap();
    assert!(proxy.has_lost_it() && !store.exists());
    store.create(&spaces()).unwrap().write_files(&[file("b.rs", &["two 2"])]).unwrap();
    assert_eq!(paths(&*store), ["b.rs"]);
    store.remove().unwrap();
}
