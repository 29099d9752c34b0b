//! Tests of the index after files change.

use std::collections::BTreeSet;

use vectorcode_core::{FileFlags, VectorSpace};
use vectorcode_store::{ChunkFilter, IndexSize, IndexStats, NameMatch, StoreErrorCode};

use crate::fixture::{Index, OpenStore, Vectors, code, file, nearest, state, vector};

pub fn what_is_written_is_read_back(open: OpenStore) {
    let mut index = Index::new(open);
    let update = file("src/a.rs", &["createUser makes a user", "drop_user removes it"]);
    let outcome = index.writer.write_files(std::slice::from_ref(&update)).unwrap();
    assert_eq!((outcome.chunks_new, outcome.chunks_unchanged), (2, 0));

    let stored = index.read().chunks_of("src/a.rs").unwrap();
    let chunks: Vec<_> = stored.iter().map(|stored| stored.chunk.clone()).collect();
    assert_eq!(chunks, update.parsed.chunks);
    let definitions: Vec<_> = index
        .read()
        .definitions_of("src/a.rs")
        .unwrap()
        .into_iter()
        .map(|stored| stored.definition)
        .collect();
    assert_eq!(definitions, update.parsed.definitions);
    assert_eq!(index.read().file("src/a.rs").unwrap(), Some(update.state));
}

pub fn an_edit_keeps_the_rows_and_vectors_of_unchanged_chunks(open: OpenStore) {
    let mut index = Index::new(open);
    index.writer.write_files(&[file("a.rs", &["one 1", "two 2", "three 3"])]).unwrap();
    let pending = index.read().pending(10).unwrap();
    let vectors: Vec<_> = pending.iter().map(|chunk| (chunk.row, vector(7))).collect();
    index.writer.write_vectors(&vectors).unwrap();

    let outcome =
        index.writer.write_files(&[file("a.rs", &["zero 0", "one 1", "two two", "three 3"])]).unwrap();
    assert_eq!((outcome.chunks_new, outcome.chunks_unchanged), (2, 2));
    assert_eq!(index.contents_of("a.rs"), ["zero 0", "one 1", "two two", "three 3"]);
    let waiting: Vec<_> = index.read().pending(10).unwrap().into_iter().map(|chunk| chunk.text).collect();
    assert_eq!(waiting, ["rust | a.rs | zero\nzero 0", "rust | a.rs | two\ntwo two"]);
    assert_eq!(index.read().stats().unwrap().embedded, 2);
}

pub fn vectors_are_read_back_by_row(open: OpenStore) {
    let mut index = Index::new(open);
    index.writer.write_files(&[file("a.rs", &["one 1", "two 2"])]).unwrap();
    let rows: Vec<_> = index.read().chunks_of("a.rs").unwrap().iter().map(|stored| stored.row).collect();
    index.writer.write_vectors(&[(rows[1], vector(3))]).unwrap();
    let read = index.read().provider_vectors(&[rows[1], rows[0]]).unwrap();
    let [Some(found), None] = read.as_slice() else { panic!("{read:?}") };
    let length = |vector: &[f32]| vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    let cosine: f32 = found.iter().zip(vector(3)).map(|(a, b)| a * b).sum::<f32>() / length(&vector(3));
    assert!(cosine > 0.999 && (length(found) - 1.0).abs() < 1e-3, "{found:?}");
}

pub fn known_vectors_are_written_with_their_file(open: OpenStore) {
    let mut index = Index::new(open);
    let mut update = file("a.rs", &["one 1", "two 2", "three 3"]);
    update.known_vectors = vec![Some(vector(1)), None, Some(vector(3))];
    let outcome = index.writer.write_files(std::slice::from_ref(&update)).unwrap();
    assert_eq!((outcome.chunks_new, outcome.vectors_known), (3, 2));
    let waiting = || index.read().pending(10).unwrap().into_iter().map(|chunk| chunk.text);
    assert_eq!(waiting().collect::<Vec<_>>(), ["rust | a.rs | two\ntwo 2"]);
    let rows: Vec<_> = index.read().chunks_of("a.rs").unwrap().iter().map(|stored| stored.row).collect();
    let found = nearest(index.read(), Vectors::Provider, &vector(3), &ChunkFilter::default(), 1).unwrap();
    assert_eq!(found[0].0, rows[2]);
    index.writer.write_vectors(&[(rows[1], vector(2))]).unwrap();

    // Written again for another provider, they would be in the wrong space.
    index.writer.change_provider(&VectorSpace::new("other", "other", vector(1).len() + 1)).unwrap();
    let again = index.writer.write_files(std::slice::from_ref(&update));
    assert_eq!(code(again), Some(StoreErrorCode::WrongDimensions));
}

pub fn a_removed_file_leaves_nothing_behind(open: OpenStore) {
    let mut index = Index::new(open);
    index.writer.write_files(&[file("a.rs", &["one 1"]), file("b.rs", &["two 2"])]).unwrap();
    let pending = index.read().pending(10).unwrap();
    index.writer.write_vectors(&[(pending[0].row, vector(1))]).unwrap();
    index.writer.remove_files(&["a.rs".into(), "b.rs".into(), "never.rs".into()]).unwrap();

    let stats = index.read().stats().unwrap();
    assert_eq!((stats.files, stats.chunks, stats.symbols, stats.embedded), (0, 0, 0, 0));
    let all = ChunkFilter::default();
    assert!(nearest(index.read(), Vectors::Static, &vector(1), &all, 5).unwrap().is_empty());
    assert!(nearest(index.read(), Vectors::Provider, &vector(1), &all, 5).unwrap().is_empty());
    assert!(index.read().definitions(&NameMatch::Fuzzy("one".into()), &all, 5).unwrap().is_empty());
}

pub fn a_touched_file_keeps_everything_but_its_time(open: OpenStore) {
    let mut index = Index::new(open);
    index.writer.write_files(&[file("a.rs", &["one 1"]), file("b.rs", &["two 2"])]).unwrap();
    let mut later = state("one 1");
    later.mtime_ns = 99;
    index.writer.touch_files(&[("a.rs".into(), later.clone())]).unwrap();
    assert_eq!(index.read().file("a.rs").unwrap(), Some(later));
    let order: Vec<_> = index.read().pending(10).unwrap().into_iter().map(|chunk| chunk.path).collect();
    assert_eq!(order, ["a.rs", "b.rs"], "the most recently modified file comes first");
}

/// Compares the figures that a reader caches, in another process than the writer, with a count of all rows.
pub fn figures_that_are_kept_are_those_of_a_count(open: OpenStore) {
    let mut index = Index::new(open);
    let reader = index.reader();
    let check = |step: &str| {
        let IndexStats { files, chunks, embedded, refused, .. } = reader.stats().unwrap();
        assert_eq!(reader.size().unwrap(), IndexSize { files, chunks }, "{step}");
        assert_eq!(reader.pending_count().unwrap(), chunks - embedded - refused, "{step}");
        assert_eq!(reader.coverage().unwrap().embedded, embedded, "{step}");
        (files, chunks, embedded, refused)
    };
    assert_eq!(check("empty"), (0, 0, 0, 0));
    let files = [file("a.rs", &["one 1", "two 2", "three 3"]), file("b.rs", &["four 4"])];
    index.writer.write_files(&files).unwrap();
    assert_eq!(check("written"), (2, 4, 0, 0));
    let rows: Vec<_> = index.read().chunks_of("a.rs").unwrap().iter().map(|stored| stored.row).collect();
    index.writer.write_vectors(&[(rows[0], vector(1)), (rows[1], vector(2))]).unwrap();
    assert_eq!(check("embedded"), (2, 4, 2, 0));
    index.writer.refuse(rows[2], "too long").unwrap();
    assert_eq!(check("refused"), (2, 4, 2, 1));
    index.writer.write_files(&[file("a.rs", &["one 1", "two two", "four 4"])]).unwrap();
    assert_eq!(check("edited"), (2, 4, 1, 0));
    for number in 0..20 {
        index.writer.write_files(&[file("b.rs", &["four 4", &format!("five {number}")])]).unwrap();
        check("edited often");
    }
    index.writer.remove_files(&["a.rs".into()]).unwrap();
    assert_eq!(check("removed"), (1, 2, 0, 0));
}

pub fn files_are_read_by_place(open: OpenStore) {
    let mut index = Index::new(open);
    let paths = ["src/a.rs", "src/b/c.rs", "src.rs", "src-old/a.rs", "src0/a.rs", "z.rs"];
    index.writer.write_files(&paths.map(|path| file(path, &["one 1"]))).unwrap();
    let within = |places: &[&str]| {
        let places: Vec<String> = places.iter().map(ToString::to_string).collect();
        let files = index.read().files_within(&places).unwrap();
        files.into_keys().collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>()
    };
    assert_eq!(within(&["src"]), ["src/a.rs", "src/b/c.rs"]);
    assert_eq!(within(&["src/a.rs", "src/b", "gone", "src.rs"]), ["src.rs", "src/a.rs", "src/b/c.rs"]);
    assert_eq!(within(&[""]).len(), paths.len());
    assert!(within(&[]).is_empty());
}

pub fn a_vector_that_comes_too_late_is_dropped(open: OpenStore) {
    let mut index = Index::new(open);
    index.writer.write_files(&[file("a.rs", &["one 1"])]).unwrap();
    let late = index.read().pending(1).unwrap()[0].row;
    index.writer.write_files(&[file("a.rs", &["two 2"])]).unwrap();
    index.writer.write_vectors(&[(late, vector(1))]).unwrap();
    let stats = index.read().stats().unwrap();
    assert_eq!((stats.chunks, stats.embedded), (1, 0));
}

pub fn a_refused_text_is_not_offered_again(open: OpenStore) {
    let mut index = Index::new(open);
    index.writer.write_files(&[file("a.rs", &["one 1", "two 2"])]).unwrap();
    let row = index.read().pending(1).unwrap()[0].row;
    index.writer.refuse(row, "too long").unwrap();
    index.writer.write_files(&[file("a.rs", &["zero 0", "one 1", "two 2"])]).unwrap();
    let stats = index.read().stats().unwrap();
    assert_eq!((stats.refused, stats.embedded, index.read().pending(10).unwrap().len()), (1, 0, 2));
}

pub fn another_provider_begins_without_vectors_and_keeps_everything_else(open: OpenStore) {
    let mut index = Index::new(open);
    index.writer.write_files(&[file("a.rs", &["one 1", "two 2", "three 3"])]).unwrap();
    let pending = index.read().pending(10).unwrap();
    index.writer.write_vectors(&[(pending[0].row, vector(1)), (pending[1].row, vector(2))]).unwrap();
    index.writer.refuse(pending[2].row, "too long").unwrap();
    let reader = index.reader();
    let mut other = index.store.writer().unwrap();
    assert_eq!(
        nearest(&*reader, Vectors::Provider, &vector(1), &ChunkFilter::default(), 5).unwrap().len(),
        2
    );

    let space = VectorSpace::new("ollama", "test", 3);
    index.writer.change_provider(&space).unwrap();
    assert_eq!(
        (index.read().spaces().unwrap().provider, reader.spaces().unwrap().provider),
        (space.clone(), space)
    );
    let stats = reader.stats().unwrap();
    assert_eq!((stats.chunks, stats.embedded, stats.refused), (3, 0, 0));
    assert_eq!(nearest(&*reader, Vectors::Static, &vector(1), &ChunkFilter::default(), 5).unwrap().len(), 3);
    let late = other.write_vectors(&[(pending[0].row, vector(1))]);
    assert_eq!(code(late), Some(StoreErrorCode::ProviderMismatch));

    let pending = reader.pending(10).unwrap();
    assert_eq!(pending.len(), 3);
    index.writer.write_vectors(&[(pending[0].row, vec![1.0, 0.0, 0.0])]).unwrap();
    let found = nearest(&*reader, Vectors::Provider, &[1.0, 0.0, 0.0], &ChunkFilter::default(), 5).unwrap();
    assert_eq!(found.iter().map(|(row, _)| *row).collect::<Vec<_>>(), [pending[0].row]);
}

pub fn generated_code_waits_until_all_other_has_vectors(open: OpenStore) {
    let waiting = |index: &Index| -> Vec<String> {
        index.read().pending(10).unwrap().into_iter().map(|chunk| chunk.path).collect()
    };
    let mut index = Index::new(open);
    let mut generated = file("generated.rs", &["one 1"]);
    generated.state.mtime_ns = 1_800_000_000_000_000_000;
    generated.parsed.flags = FileFlags { generated: true, ..FileFlags::default() };
    index.writer.write_files(&[generated.clone(), file("written.rs", &["two 2"])]).unwrap();
    assert_eq!(waiting(&index), ["written.rs", "generated.rs"]);

    generated.state.mtime_ns += 1;
    index.writer.write_files(std::slice::from_ref(&generated)).unwrap();
    assert_eq!(waiting(&index), ["written.rs", "generated.rs"], "after it was written again");

    generated.state.mtime_ns += 1;
    index.writer.touch_files(&[("generated.rs".into(), generated.state)]).unwrap();
    assert_eq!(waiting(&index), ["written.rs", "generated.rs"], "after a touch");

    index.writer.change_provider(&VectorSpace::new("onnx", "other", 8)).unwrap();
    assert_eq!(waiting(&index), ["written.rs", "generated.rs"], "after a change of the provider");
}
