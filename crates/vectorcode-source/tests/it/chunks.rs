//! Rules of chunking that affect what search results look like.

use vectorcode_core::{Chunk, ParsedFile};
use vectorcode_source::{SourceText, by_path, parse_source};

fn chunks(path: &str, text: &str) -> Vec<Chunk> {
    parse(path, text).chunks
}

fn parse(path: &str, text: &str) -> ParsedFile {
    let language = by_path(path).unwrap();
    parse_source(path, language, &SourceText::decode(language, text.as_bytes().to_vec()))
}

fn symbols(chunks: &[Chunk]) -> Vec<&str> {
    chunks.iter().map(|chunk| chunk.symbol.as_deref().unwrap_or("-")).collect()
}

/// A Python method slightly larger than `bytes` bytes.
fn method(name: &str, bytes: usize) -> String {
    let body = "        total = total + price * amount\n".repeat(bytes / 38 + 1);
    format!("    def {name}(self):\n{body}\n")
}

#[test]
fn a_large_class_gives_its_head_and_its_methods_with_the_class_as_context() {
    let fields: String = (0..6).map(|n| ["    field_", &n.to_string(), ": int = 0\n"].concat()).collect();
    let text = format!("class Cart(Base):\n{fields}\n{}{}", method("add", 1200), method("remove", 1200));
    let chunks = chunks("cart.py", &text);
    assert_eq!(symbols(&chunks), ["Cart", "Cart.add", "Cart.remove"]);
    assert_eq!(chunks[0].parent_context, None);
    assert_eq!(chunks[1].parent_context.as_deref(), Some("class Cart(Base)"));
}

#[test]
fn parts_of_a_large_function_overlap_and_carry_its_signature() {
    let text = format!("class Cart:\n{}", method("total", 4000));
    let chunks = chunks("cart.py", &text);
    assert!(chunks.len() >= 3);
    assert!(chunks.iter().all(|chunk| chunk.symbol.as_deref() == Some("Cart.total")));
    assert_eq!(chunks[0].parent_context.as_deref(), Some("class Cart"));
    assert_eq!(chunks[1].parent_context.as_deref(), Some("def total(self)"));
    assert!(chunks[1].span.start_line <= chunks[0].span.end_line);
}

#[test]
fn small_neighbours_share_a_chunk_named_after_the_largest() {
    let text = "const A = 1;\nconst B = 2;\nexport const LONGEST_OF_THEM = 'three';\n";
    assert_eq!(symbols(&chunks("limits.ts", text)), ["LONGEST_OF_THEM"]);
}

#[test]
fn comments_that_a_grammar_counts_to_the_item_above_go_to_the_item_below() {
    let filler = "    // a line that makes the class too large for a single chunk\n".repeat(30);
    let text = format!(
        "class A {{\n  /** One. */\n  def map(f: Int): Int =\n    g(a => f)\n\n{filler}  /** Two. */\n  def next: Int =\n    {}\n}}\n",
        "value + ".repeat(40) + "1"
    );
    let file = parse("a.scala", &text);
    let map = file.definitions.iter().find(|definition| definition.name == "map").unwrap();
    assert_eq!((map.span.start_line, map.span.end_line), (2, 4));
}

#[test]
fn an_include_guard_is_no_parent() {
    let function =
        format!("int total(int price)\n{{\n{}    return price;\n}}\n", "    price = price + 1;\n".repeat(40));
    let text =
        format!("#ifndef CART_H\n#define CART_H\n{function}{}#endif\n", function.replace("total", "count"));
    let chunks = chunks("cart.h", &text);
    assert!(chunks.iter().all(|chunk| chunk.parent_context.is_none()));
    assert_eq!(symbols(&chunks), ["total", "count"]);
}

#[test]
fn a_broken_region_does_not_spoil_the_rest() {
    let whole = "def first(price):\n    total = compute(price, taxes, discounts)\n    return round(total, 2) if total else None\n\n";
    let text = format!("{whole}def broken(:::\n    ][\n\n{}", whole.replace("first", "last"));
    let chunks = chunks("cart.py", &text);
    assert_eq!(symbols(&chunks).first(), Some(&"first"));
    assert_eq!(symbols(&chunks).last(), Some(&"last"));
}

#[test]
fn tests_are_marked_by_place_name_and_attribute() {
    let is_test = |path: &str, text: &str| chunks(path, text)[0].is_test;
    assert!(is_test("src/cart_test.go", "package cart\n"));
    assert!(is_test("tests/cart.py", "x = 1\n"));
    assert!(is_test("web/cart.spec.ts", "x = 1;\n"));
    assert!(is_test("src/cart.rs", "#[test]\nfn adds() { assert_eq!(1 + 1, 2); }\n"));
    assert!(!is_test("src/cart.rs", "/// Not `#[test]`.\nfn adds() {}\n"));
    assert!(!is_test("src/contest.py", "x = 1\n"));
}
