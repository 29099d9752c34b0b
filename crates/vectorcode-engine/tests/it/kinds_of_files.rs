//! Files other than plain UTF-8 source: notebooks, old encodings, scripts without an extension, components.

use vectorcode_core::api::{ExactRequest, FileRequest, Freshness, Hit, PatternSyntax};
use vectorcode_core::{CancelToken, SkipReason};

use crate::project::{Indexed, about};

fn hit(project: &Indexed, words: &str, path: &str) -> Hit {
    let found = project.search(words).into_iter().find(|hit| hit.path == path);
    found.unwrap_or_else(|| panic!("{words} does not find {path}"))
}

const NOTEBOOK: &str = r##"{
 "cells": [
  {"cell_type": "markdown", "source": [
    "# Quarterly turnips\n",
    "How the harvest is counted, by whom and when, and why nobody weighs the potatoes before they are dry."
  ]},
  {"cell_type": "code",
   "outputs": [{"data": {"image/png": "aGlkZGVuIG91dHB1dA=="}, "text": ["unseen parsnips\n"]}],
   "source": [
    "def count_turnips(field):\n",
    "    \"\"\"Counts the turnips of a field by weight and not by number.\"\"\"\n",
    "    return sum(turnip.weight for turnip in field)\n"
   ]}
 ],
 "metadata": {"kernelspec": {"language": "python"}}, "nbformat": 4, "nbformat_minor": 5
}
"##;

#[test]
fn a_notebook_is_found_by_its_cells_at_the_lines_of_its_file() {
    let project = Indexed::new(&[("harvest.ipynb", NOTEBOOK), ("a.rs", &about("apples"))]);
    project.index();
    let found = hit(&project, "count turnips of a field", "harvest.ipynb");
    assert_eq!((found.start_line, found.end_line), (10, 12), "{found:?}");
    assert_eq!(found.freshness, Freshness::Fresh);
    assert!(found.content.starts_with("def count_turnips(field):\n    \"\"\"Counts"), "{}", found.content);
    assert_eq!(found.symbol.as_deref(), Some("count_turnips"));
    let hits = project.search("unseen parsnips");
    assert!(hits.iter().all(|hit| !hit.content.contains("parsnips")), "outputs are not indexed");

    project.files.write("harvest.ipynb", NOTEBOOK.replace(" \"cells\": [", " \"cells\":\n  ["));
    let moved = hit(&project, "count turnips of a field", "harvest.ipynb");
    assert_eq!((moved.start_line, moved.freshness), (11, Freshness::Moved));
    project.files.write("harvest.ipynb", NOTEBOOK.replace("turnip.weight", "turnip.size"));
    let changed = hit(&project, "count turnips of a field", "harvest.ipynb");
    assert!(matches!(changed.freshness, Freshness::Stale { .. }));
}

#[test]
fn a_broken_notebook_is_indexed_by_its_lines_and_counted() {
    let project = Indexed::new(&[("broken.ipynb", &NOTEBOOK[..NOTEBOOK.len() / 2])]);
    let report = project.index();
    assert_eq!(report.files, 1);
    assert_eq!(project.engine.status().unwrap().special.unparsed, 1);
}

#[test]
fn files_in_other_encodings_are_found_as_they_are_written_and_stay_fresh() {
    // The code differs in each file, because copies would be one hit.
    let text = |name: &str| {
        format!("// Zählt die Äpfel im Körbchen\nfn {name}_baskets() -> usize {{\n    1 // größe\n}}\n")
    };
    let project = Indexed::new(&[]);
    let utf_16: Vec<u8> =
        format!("\u{feff}{}", text("wide")).encode_utf16().flat_map(u16::to_le_bytes).collect();
    let latin_1: Vec<u8> = text("latin").chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect();
    project.files.write("wide.rs", &utf_16);
    project.files.write("latin.rs", &latin_1);
    project.files.write("marked.rs", format!("\u{feff}{}", text("marked")));
    project.index();
    for path in ["wide.rs", "latin.rs", "marked.rs"] {
        let found = hit(&project, "baskets Körbchen", path);
        assert_eq!(found.freshness, Freshness::Fresh, "{path}");
        assert!(found.content.starts_with("// Zählt die Äpfel"), "{path}: {}", found.content);
        assert_eq!(found.start_line, 1);
        let request = FileRequest { path: path.into(), start_line: Some(1), end_line: Some(1) };
        let file = project.engine.file(&request).unwrap();
        assert_eq!(
            (file.content.as_str(), file.freshness),
            ("// Zählt die Äpfel im Körbchen\n", Freshness::Fresh)
        );
    }
    assert_eq!(project.engine.status().unwrap().special.other_encoding, 1);
    assert_eq!(project.index().files_changed, 0);
}

#[test]
fn scripts_and_texts_without_a_known_name_are_indexed_and_data_is_not() {
    let numbers = "1.5, 2.25, 3.125\n".repeat(40);
    let project = Indexed::new(&[
        ("bin/deploy", "#!/usr/bin/env -S python3 -u\ndef ship_everything():\n    return 1\n"),
        ("units/mailer.service", "[Unit]\nDescription=Delivers queued letters to everybody\n"),
        ("data/series.xyz", &numbers),
        ("image.unknown", "GIF89a\0\0"),
    ]);
    let report = project.index();
    assert_eq!(report.files, 2, "{report:?}");
    assert_eq!(hit(&project, "ship everything", "bin/deploy").language, "python");
    assert_eq!(hit(&project, "delivers queued letters", "units/mailer.service").language, "other");
    let unknown = report.skipped.iter().find(|skip| skip.reason == SkipReason::UnknownType).unwrap();
    assert_eq!(unknown.count, 2);
}

#[test]
fn a_folder_full_of_unknown_files_is_a_data_set() {
    let project = Indexed::new(&[("a.rs", &about("apples"))]);
    for number in 0..120 {
        project.files.write(&format!("records/{number}.rec"), "A record that reads like ordinary text.\n");
    }
    project.files.write("notes/one.rec", "A note that reads like ordinary text.\n");
    assert_eq!(project.index().files, 2);
}

#[test]
fn a_component_has_the_symbols_of_its_script() {
    let component = "<template>\n  <p>{{ total }}</p>\n</template>\n\n<script setup lang=\"ts\">\n\
                     import { price } from './price'\n\nfunction totalOfBasket(items: number[]): number {\n  \
                     return items.reduce((sum, item) => sum + price(item), 0)\n}\n</script>\n";
    let project = Indexed::new(&[
        ("Basket.vue", component),
        ("price.ts", "export function price(n: number) { return n }\n"),
    ]);
    project.index();
    let found = hit(&project, "totalOfBasket", "Basket.vue");
    assert_eq!(found.symbol.as_deref(), Some("totalOfBasket"));
    assert!((6..=8).contains(&found.start_line) && found.end_line >= 10, "{found:?}");
}

#[test]
fn a_bundle_below_a_licence_is_counted_as_minified() {
    let bundle = format!("{}{}\n", "// licence\n".repeat(50), "var a=1;".repeat(2000));
    let secret = format!("const KEY: &str = \"ghp_{}\";\nfn key() {{}}\n{}", "Q7b".repeat(12), about("keys"));
    let project = Indexed::new(&[("bundle.js", &bundle), ("key.rs", &secret)]);
    project.index();
    let special = project.engine.status().unwrap().special;
    assert_eq!((special.minified, special.masked, special.unparsed), (1, 1, 0));
}

#[test]
fn a_masked_key_cannot_be_guessed_by_exact_search() {
    let line = format!("const KEY: &str = \"ghp_{}\";\n", "Q7b".repeat(12));
    let project = Indexed::new(&[("key.rs", &(line + &about("keys")))]);
    project.index();
    let lines = |request| project.engine.exact(&request, &CancelToken::default()).unwrap().total_lines;
    let text = |pattern: &str| lines(ExactRequest::literal(pattern));
    let regex = |pattern: String| {
        lines(ExactRequest { syntax: PatternSyntax::Regex, ..ExactRequest::literal(pattern) })
    };
    assert_eq!((text("ghp_Q7b"), text("ghp_q7b")), (0, 0));
    assert_eq!((text("ghp_"), text("ghp_*")), (1, 1), "as the line is indexed");
    for guess in ["Q7b", "X7b"] {
        assert_eq!(regex(format!("ghp_{guess}")), 0);
        assert_eq!(
            regex(format!(r"ghp_({guess}|\*)")),
            1,
            "a match of the mask reveals nothing about {guess}"
        );
        assert_eq!(regex(format!(r"ghp_\b|{guess}")), 1, "nor does a match next to it");
    }
}

#[cfg(unix)]
#[test]
fn an_edit_that_keeps_size_and_time_is_found_by_the_next_run() {
    use std::time::{Duration, SystemTime};

    let project = Indexed::new(&[("a.rs", &about("apples"))]);
    let path = project.files.path("a.rs");
    let long_ago = SystemTime::now() - Duration::from_hours(1);
    let set_back =
        || std::fs::File::options().write(true).open(&path).unwrap().set_modified(long_ago).unwrap();
    set_back();
    project.index();
    project.index();
    project.files.write("a.rs", about("cherry"));
    set_back();
    assert_eq!(project.index().files_changed, 1);
    assert!(project.finds("cherry", "a.rs"));
    assert_eq!(project.index().files_changed, 0);
}
