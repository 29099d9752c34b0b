//! Tests databases with wrong values, caused by damage or on purpose.
//!
//! Whatever a cell contains, nothing panics, every failure is reported as damage, and the store works again once the index is set
//! aside.

use std::path::Path;

use rusqlite::Connection;
use rusqlite::types::Value;
use vectorcode_testkit::SplitMix64;
use vectorcode_testkit::small_index::{exercise_index, valid_index};

use crate::fixture::{spaces, sqlite};

fn hostile_value(random: &mut SplitMix64) -> Value {
    random.pick(&[
        Value::Null,
        Value::Integer(0),
        Value::Integer(-1),
        Value::Integer(i64::MAX),
        Value::Integer(i64::MIN),
        Value::Integer(1 << 40),
        Value::Real(0.5),
        Value::Text(String::new()),
        Value::Text("9999999999999999999".into()),
        Value::Blob(Vec::new()),
        Value::Blob(vec![0xFF; 7]),
        Value::Blob(vec![0xFF; 4096]),
    ])
}

/// Changes one column of one row, or of all rows, of a random table. If a constraint rejects the change, nothing is damaged.
fn damage_cell(path: &Path, random: &mut SplitMix64) -> String {
    let conn = Connection::open(path).unwrap();
    conn.pragma_update(None, "foreign_keys", false).unwrap();
    conn.pragma_update(None, "ignore_check_constraints", true).unwrap();
    let tables = names(&conn, "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name");
    let table = random.pick(&tables);
    let columns = names(&conn, &format!("SELECT name FROM pragma_table_info('{table}')"));
    let (column, value) = (random.pick(&columns), hostile_value(random));
    let row = random.below(4);
    let sql = if random.below(3) == 0 {
        format!("UPDATE OR IGNORE {table} SET {column} = ?")
    } else {
        format!(
            "UPDATE OR IGNORE {table} SET {column} = ? WHERE {column} IN (SELECT {column} FROM {table} LIMIT 1 OFFSET {row})"
        )
    };
    let done = conn.execute(&sql, [&value]);
    format!("{sql} with {value:?}: {done:?}")
}

fn names(conn: &Connection, sql: &str) -> Vec<String> {
    let mut select = conn.prepare(sql).unwrap();
    select.query_map([], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap()
}

fn damage_bytes(bytes: &mut Vec<u8>, random: &mut SplitMix64) -> String {
    match random.below(4) {
        0 => {
            let length = random.below(bytes.len());
            bytes.truncate(length);
            format!("truncated to {length}")
        }
        1 => {
            let page = random.below(bytes.len() / 8192) * 8192;
            bytes[page..page + 8192].fill(random.next_u64() as u8);
            format!("page at {page} overwritten")
        }
        _ => {
            let places: Vec<usize> = (0..=random.below(30)).map(|_| random.below(bytes.len())).collect();
            for place in &places {
                bytes[*place] = random.next_u64() as u8;
            }
            format!("bytes at {places:?} changed")
        }
    }
}

/// The bytes of a small index.
fn sound_bytes() -> Vec<u8> {
    let directory = tempfile::tempdir().unwrap();
    valid_index(&*sqlite(directory.path())).unwrap();
    std::fs::read(directory.path().join("index.db")).unwrap()
}

fn assert_survives(seed: u64, what: &str, directory: &Path) {
    let store = sqlite(directory);
    if let Err(error) = exercise_index(&*store) {
        assert!(error.is_damaged(), "seed {seed}, {what}: {error:?}");
        store.set_aside().unwrap();
        store.create(&spaces()).unwrap();
        exercise_index(&*store).unwrap();
    }
}

#[test]
fn no_cell_of_any_table_can_do_harm() {
    let sound = sound_bytes();
    for seed in 0..300 {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("index.db");
        std::fs::write(&path, &sound).unwrap();
        let mut random = SplitMix64(seed);
        let what: Vec<String> = (0..=random.below(2)).map(|_| damage_cell(&path, &mut random)).collect();
        assert_survives(seed, &what.join("; "), directory.path());
    }
}

#[test]
fn no_byte_of_the_file_can_do_harm() {
    let sound = sound_bytes();
    for seed in 0..200 {
        let directory = tempfile::tempdir().unwrap();
        let mut bytes = sound.clone();
        let what = damage_bytes(&mut bytes, &mut SplitMix64(1000 + seed));
        std::fs::write(directory.path().join("index.db"), &bytes).unwrap();
        assert_survives(seed, &what, directory.path());
    }
}
