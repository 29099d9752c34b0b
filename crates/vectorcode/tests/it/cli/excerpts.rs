//! The lines of code that `search` shows for each result.

use super::run::Cli;

/// A function whose matching line is far below its signature.
fn long_function() -> String {
    let filler = "    step(cart)\n".repeat(30);
    format!(
        "def checkout(cart):\n    \"\"\"Turns a cart into an order.\"\"\"\n{filler}    reserve_the_stock_of_the_warehouse(cart)\n{}    return cart\n",
        filler.replace("step", "stage")
    )
}

fn search(cli: &Cli, args: &[&str]) -> String {
    let mut all = vec!["search", "-t", "0", "-n", "1"];
    all.extend_from_slice(args);
    cli.stdout(&all)
}

#[test]
fn the_signature_and_the_matching_lines_are_shown_and_the_rest_is_counted() {
    let cli = Cli::new(&[("shop.py", &long_function())]);
    let text = search(&cli, &["--lines", "3", "reserve the stock of the warehouse"]);
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[1].ends_with("1 │ def checkout(cart):"), "{text}");
    assert!(text.contains("33 │     reserve_the_stock_of_the_warehouse(cart)"), "{text}");
    let count = |word: &str| -> usize {
        let line = lines.iter().find(|line| line.ends_with(word));
        line.map_or(0, |line| line.split_whitespace().nth(1).unwrap().parse().unwrap())
    };
    let shown = lines.iter().filter(|line| line.contains(" │ ")).count();
    let total = long_function().lines().count();
    assert_eq!(shown + count("lines between") + count("more lines"), total, "{text}");
    assert!(!text.contains("above"), "nothing lies above the signature: {text}");
    let none = search(&cli, &["--lines", "0", "checkout"]);
    assert_eq!(none.lines().count(), 1, "{none}");
    assert_eq!(search(&cli, &["--show", "checkout"]).lines().count(), 1 + total);
}

#[test]
fn long_lines_are_cut_and_minified_code_is_not_shown() {
    let wide = format!("def wide_table():\n    return [{}]\n", "'cell', ".repeat(200));
    let minified = format!("function bundledCart(){{{}}}\n", "var total=price+tax;".repeat(120));
    let cli = Cli::new(&[("wide.py", &wide), ("cart.js", &minified)]);
    let text = search(&cli, &["-p", "wide.py", "wide table of cells"]);
    assert!(text.lines().all(|line| line.chars().count() <= 400), "{text}");
    assert!(text.contains('…'), "{text}");
    assert!(search(&cli, &["--show", "-p", "wide.py", "wide table"]).contains(&"'cell', ".repeat(200)));
    let text = search(&cli, &["-p", "*.js", "bundled cart total"]);
    assert!(text.contains("⋮ minified, ") && !text.contains("price+tax"), "{text}");
}

#[test]
fn paths_are_links_where_the_terminal_has_them_and_links_in_code_are_not() {
    let hostile = "# \u{1b}]8;;https://evil.example\u{1b}\\click\u{1b}]8;;\u{1b}\\\ndef pay(card):\n    return card.charge()\n";
    let cli = Cli::new(&[("pay.py", hostile)]);
    let plain = search(&cli, &["charge the card"]);
    assert!(!plain.contains('\u{1b}'), "no links into a pipe: {plain:?}");
    let args = ["search", "--color", "always", "-t", "0", "--show", "charge the card"];
    let output = cli.command(&args).env("FORCE_HYPERLINK", "1").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("pay.py\u{1b}\\") && text.contains(";file:///"), "{text:?}");
    assert!(!text.contains("\u{1b}]8;;https"), "{text:?}");
    let args = ["search", "--color", "never", "-t", "0", "charge the card"];
    let output = cli.command(&args).env("FORCE_HYPERLINK", "1").output().unwrap();
    assert!(!String::from_utf8(output.stdout).unwrap().contains('\u{1b}'));
}
