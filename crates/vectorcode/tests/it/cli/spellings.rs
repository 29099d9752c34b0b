//! Names and spellings of the specification and of codevec, on the command line.

use std::path::Path;

use super::run::{Cli, stderr};

fn files(cli: &Cli, args: &[&str]) -> Vec<String> {
    let found = cli.run(&[&["search", "--files", "-t", "0"], args].concat());
    let mut found: Vec<String> =
        String::from_utf8_lossy(&found.stdout).lines().map(|line| line.replace('\\', "/")).collect();
    found.sort();
    found
}

fn shop() -> Cli {
    Cli::new(&[
        ("src/price.py", "def price_of(item):\n    return item.price\n"),
        ("src/price.go", "package shop\n\nfunc PriceOf(item Item) int {\n\treturn item.Price\n}\n"),
        ("lib/price.go", "package lib\n\nfunc Price(item Item) int {\n\treturn item.Price\n}\n"),
    ])
}

#[test]
fn codevec_spells_filters_by_extension_and_file() {
    let cli = shop();
    assert_eq!(files(&cli, &["--ext", ".go", "price of an item"]), ["lib/price.go", "src/price.go"]);
    assert_eq!(files(&cli, &["--ext", ".go", "--file", "src/", "price of an item"]), ["src/price.go"]);
    assert_eq!(files(&cli, &["--ext", "py,go", "price of an item", "src"]), ["src/price.go", "src/price.py"]);
    let said = cli.fails(&["search", "price of an item", "scr/"], 2);
    assert!(said.contains("scr/ does not exist"), "{said}");
    let query = cli.run(&["query", "price of an item", "--ext", ".py", "--limit", "5", "--files"]);
    assert_eq!(String::from_utf8_lossy(&query.stdout).trim(), "src/price.py");
}

#[test]
fn index_takes_a_directory_as_codevec_does() {
    let cli = shop();
    cli.stdout(&["index", ".", "--fast", "--quiet"]);
    assert_eq!(cli.json(&["status", "--json"])["files"], 3);
    cli.project.write("src/more.py", "def more():\n    return 2\n");
    cli.project.write("lib/more.go", "package lib\n");
    let report = cli.json(&["index", "src", "--update", "--fast", "--json", "--quiet"]);
    assert_eq!(report["files_changed"], 1, "only what is below src: {report}");
    let report = cli.json(&["index", ".", "--force", "--fast", "--json", "--quiet"]);
    assert_eq!(report["files_changed"], 5, "{report}");
    let said = cli.fails(&["index", "src", "--full"], 2);
    assert!(said.contains("--full rebuilds the whole project"), "{said}");
    let said = cli.fails(&["index", "nowhere", "--quiet", "--fast"], 2);
    assert!(said.contains("nowhere does not exist"), "{said}");
}

#[test]
fn index_of_a_directory_elsewhere_indexes_that_project() {
    let cli = shop();
    let other = Cli::new(&[("notes/a.py", "def a():\n    return 1\n"), (".git/HEAD", "ref: x\n")]);
    let place = other.project.path("notes").display().to_string();
    cli.stdout(&["index", &place, "--fast", "--quiet"]);
    assert!(other.project.path(".vectorcode/index.db").exists());
    assert!(!cli.project.path(".vectorcode").exists());
}

#[test]
fn further_extensions_hold_for_one_run() {
    let cli = Cli::new(&[("page.tpl", "<p>the basket is empty</p>\n"), ("a.py", "def a():\n    return 1\n")]);
    cli.stdout(&["index", "--fast", "--quiet", "--extra-extensions", ".tpl=html"]);
    let found = cli.json(&["search", "--no-sync", "--json", "-t", "0", "the basket is empty"]);
    assert_eq!(found["hits"][0]["language"], "html", "{found}");
    assert_eq!(found["hits"][0]["file_path"], "page.tpl");
}

#[test]
fn what_index_is_told_to_ignore_stays_ignored() {
    let cli = shop();
    cli.stdout(&["index", "--fast", "--quiet", "--ignore", "lib/,*.py"]);
    cli.stdout(&["index", "--fast", "--quiet", "--ignore", "*.py,docs/"]);
    assert_eq!(files(&cli, &["price of an item"]), ["src/price.go"]);
    let kept = cli.stdout(&["config", "get", "indexing.ignore"]);
    assert_eq!(kept, "[\"lib/\", \"*.py\", \"docs/\"]\n");
}

#[test]
fn the_keys_of_codevec_are_explained() {
    let cli = shop();
    cli.project.write(".vectorcode/config.toml", "chunk_max_tokens = 512\n[indexing]\nchunk_overlap = 50\n");
    let said = stderr(&cli.run(&["index", "--fast"]));
    assert!(said.contains("`chunk_max_tokens` in "), "{said}");
    assert!(said.contains("`indexing.chunk_overlap` in ") && said.contains("has no effect"), "{said}");
}

#[test]
fn every_kind_of_node_in_a_chunk_finds_it() {
    let cli = Cli::new(&[
        (
            "src/cart.py",
            "import functools\n\n\n@functools.cache\ndef total_of_cart(items):\n    \"\"\"Adds the prices of all items in \
             the cart.\"\"\"\n    return sum(item.price for item in items if item.is_available)\n",
        ),
        (
            "src/cart.ts",
            "export function emptyCart(cart: Cart): void {\n  // Takes all items out of the cart, and forgets vouchers.\n\
             \x20 cart.items.length = 0;\n  cart.vouchers.length = 0;\n}\n\nexport const addToCart = (cart: Cart, item: \
             Item): void => {\n  // Adds one item to the cart, unless it is sold out.\n  cart.items.push(item);\n};\n",
        ),
        // Three items of less than a hundred bytes become one chunk.
        (
            "src/small.rs",
            "pub struct Cart {\n    pub items: Vec<u32>,\n}\n\npub fn cart_len(cart: &Cart) -> usize {\n    \
             cart.items.len()\n}\n\npub enum CartState {\n    Open,\n    Paid,\n}\n",
        ),
    ]);
    let kind = |kind: &str| files(&cli, &["-k", kind, "items of a cart"]);
    assert_eq!(kind("decorated_definition"), ["src/cart.py"]);
    assert_eq!(kind("function_definition"), ["src/cart.py"]);
    assert_eq!(kind("export_statement"), ["src/cart.ts"]);
    assert_eq!(kind("function_declaration"), ["src/cart.ts"]);
    assert_eq!(kind("arrow_function"), ["src/cart.ts"]);
    for small in ["struct_item", "function_item", "enum_item"] {
        assert_eq!(kind(small), ["src/small.rs"], "{small}");
    }
    let found = cli.json(&["search", "--json", "-t", "0", "-k", "enum_item", "state of a cart"]);
    let hit = &found["hits"][0];
    assert_eq!(
        (&hit["symbol"], &hit["kind"]),
        (&"CartState".into(), &"enum_item".into()),
        "the item alone: {found}"
    );
    assert_eq!((&hit["start_line"], &hit["end_line"]), (&9.into(), &12.into()));
}

#[test]
fn a_hit_has_the_names_of_the_specification() {
    let cli = shop();
    let found = cli.json(&["search", "--json", "-t", "0", "-n", "1", "price of an item"]);
    let hit = found["hits"][0].as_object().unwrap();
    for name in [
        "file_path",
        "start_line",
        "end_line",
        "symbol",
        "kind",
        "language",
        "parent_context",
        "content",
        "score",
    ] {
        assert!(hit.contains_key(name), "{name}: {found}");
    }
    assert!(Path::new(hit["file_path"].as_str().unwrap()).is_relative());
}
