//! Paths relative to the shell's directory, and the filters made from them.

use super::run::{Cli, stderr};

const TOTAL: &str =
    "def total(prices):\n    \"\"\"Adds the prices of an invoice.\"\"\"\n    return sum(prices)\n";

/// Files with the same code in several folders.
fn shop() -> Cli {
    let paths =
        ["src/cart/total.py", "src/cart/deep/total.py", "src/cartridge.py", "legacy/total.py", "total.py"];
    let mut files: Vec<(&str, &str)> = paths.iter().map(|path| (*path, TOTAL)).collect();
    files.push((".git/HEAD", "ref: x\n"));
    let cli = Cli::new(&files);
    cli.stdout(&["index", "--fast", "--quiet"]);
    cli
}

/// The output of `search --files` in a folder of the project, in order.
fn found(cli: &Cli, folder: &str, args: &[&str]) -> Vec<String> {
    let mut all = vec!["search", "-f", "-t", "0", "-n", "20"];
    all.extend_from_slice(args);
    let output = cli.command(&all).current_dir(cli.project.path(folder)).output().unwrap();
    let mut paths: Vec<String> = String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect();
    assert!(output.status.success() || paths.is_empty(), "{}", stderr(&output));
    paths.sort();
    paths
}

fn stdout_in(cli: &Cli, folder: &str, args: &[&str]) -> String {
    both_in(cli, folder, args).0
}

/// The output on stdout and on stderr.
fn both_in(cli: &Cli, folder: &str, args: &[&str]) -> (String, String) {
    let output = cli.command(args).current_dir(cli.project.path(folder)).output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", stderr(&output));
    (String::from_utf8_lossy(&output.stdout).into_owned(), stderr(&output))
}

#[test]
fn printed_paths_can_be_opened_from_where_the_user_is() {
    let cli = shop();
    for folder in ["", "src", "src/cart/deep"] {
        let paths = found(&cli, folder, &["sum of prices"]);
        assert_eq!(paths.len(), 5);
        for path in &paths {
            assert!(cli.project.path(folder).join(path).is_file(), "{path} from {folder:?}");
        }
    }
    let text = stdout_in(&cli, "src/cart", &["search", "-t", "0", "-p", "total.py", "sum of prices"]);
    assert!(text.starts_with("total.py:1-3  "), "{text}");
    let symbols = stdout_in(&cli, "src/cart", &["symbols", "total"]);
    assert!(
        symbols.contains("  deep/total.py:1") && symbols.contains("  ../../legacy/total.py:1"),
        "{symbols}"
    );
    let json = stdout_in(&cli, "src/cart", &["search", "--json", "-p", ".", "sum of prices"]);
    assert!(json.contains("\"file_path\": \"src/cart/total.py\""), "JSON stays relative to the root: {json}");
}

#[test]
fn filters_are_read_from_the_current_directory() {
    let cli = shop();
    let root = vectorcode_core::canonical(cli.project.root()).unwrap();
    let absolute = root.join("src/cart").to_str().unwrap().to_owned();
    let cart = ["deep/total.py", "total.py"];
    for filter in [".", "./", "total.py,deep", "../cart", &absolute, "src/cart"] {
        assert_eq!(found(&cli, "src/cart", &["-p", filter, "sum of prices"]), cart, "{filter}");
    }
    assert_eq!(found(&cli, "src/cart", &["-p", "total.py", "sum of prices"]), ["total.py"]);
    let in_cart = ["src/cart/deep/total.py", "src/cart/total.py"];
    assert_eq!(found(&cli, "", &["-p", "src/cart", "sum of prices"]), in_cart, "a folder is no prefix");
    let outside = cli.fails(&["search", "-p", "/etc", "sum of prices"], 2);
    assert!(outside.contains("not inside the project"), "{outside}");
}

#[test]
fn several_filters_add_up_and_exclusions_take_away() {
    let cli = shop();
    let asked = |filters: &[&str]| {
        let mut args: Vec<&str> = filters.iter().flat_map(|filter| ["-p", *filter]).collect();
        args.push("sum of prices");
        found(&cli, "", &args)
    };
    assert_eq!(asked(&["legacy", "src/cart/deep"]), ["legacy/total.py", "src/cart/deep/total.py"]);
    assert_eq!(asked(&["legacy,src/cart/deep"]), asked(&["legacy", "src/cart/deep"]));
    assert_eq!(asked(&["!legacy/**", "!src/**"]), ["total.py"]);
    assert_eq!(asked(&["src", "!**/deep/**"]), ["src/cart/total.py", "src/cartridge.py"]);
    assert_eq!(
        asked(&["src", "!**/de*"]),
        asked(&["src", "!**/deep/**"]),
        "files are excluded with their folder"
    );
    assert_eq!(asked(&["*ridge.py"]), ["src/cartridge.py"]);
    let nothing = cli.fails(&["search", "-p", "lib/", "sum of prices"], 1);
    assert!(nothing.contains("No indexed file matches the path `lib/`"), "{nothing}");
    assert!(nothing.contains("legacy/, src/, total.py"), "{nothing}");
}

#[test]
fn files_and_directories_after_the_query_restrict_it() {
    let cli = shop();
    assert_eq!(found(&cli, "", &["sum of prices", "legacy"]), ["legacy/total.py"]);
    assert_eq!(
        found(&cli, "src", &["sum of prices", "cart/deep", "cartridge.py"]),
        ["cart/deep/total.py", "cartridge.py"]
    );
    assert_eq!(found(&cli, "", &["prices", "./legacy"]), ["legacy/total.py"]);
    assert_eq!(found(&cli, "", &["total", "legacy"]).len(), 5, "two bare words are a query");
}

#[test]
fn every_command_reads_paths_from_the_current_directory() {
    let cli = Cli::new(&[
        (".git/HEAD", "ref: x\n"),
        (
            "lib/cart/total.ts",
            "import { tax } from '../tax/rate';\nexport function total(n: number) { return tax(n); }\n",
        ),
        ("lib/tax/rate.ts", "export function tax(n: number) { return n * 0.19; }\n"),
        ("lib/tax/other.ts", "export function taxes(n: number) { return n * 0.21; }\n"),
    ]);
    let absolute = cli.project.root().canonicalize().unwrap().join("lib/tax/rate.ts");
    let absolute = absolute.to_str().unwrap();
    for path in ["rate.ts", "./rate.ts", "../tax/rate.ts", "lib/tax/rate.ts", absolute] {
        let importers = stdout_in(&cli, "lib/tax", &["graph", "dependents", path]);
        assert!(importers.contains("../cart/total.ts"), "{path}: {importers}");
        let callers = stdout_in(&cli, "lib/tax", &["graph", "callers", &format!("{path}#tax")]);
        assert!(callers.contains("total") && callers.contains("../cart/total.ts:2"), "{path}: {callers}");
        let (_, others) = both_in(&cli, "lib/tax", &["graph", "callers", &format!("{path}#tax")]);
        assert!(others.contains("1 line imports `tax`: ../cart/total.ts:1"), "{path}: {others}");
        let alike = stdout_in(&cli, "lib/tax", &["similar", "-f", "-t", "0", &format!("{path}:1")]);
        assert!(alike.contains("other.ts\n"), "{path}: {alike}");
    }
    let shown = stdout_in(&cli, "lib/tax", &["graph", "show", "."]);
    assert!(shown.contains("rate.ts"), "{shown}");
}

#[test]
fn a_filter_for_methods_returns_no_types() {
    let cart = "class Cart:\n    \"\"\"A cart of goods.\"\"\"\n\n    def total(self):\n        return sum(self.prices)\n\n    \
                def empty(self):\n        self.prices = []\n";
    let cli = Cli::new(&[("cart.py", cart), ("free.py", "def total_of(prices):\n    return sum(prices)\n")]);
    let symbols = |kinds: &str, query: &str| -> Vec<String> {
        let answer = cli.json(&["search", "--json", "-t", "0", "-k", kinds, query]);
        let hits = answer["hits"].as_array().unwrap();
        hits.iter().map(|hit| hit["symbol"].as_str().unwrap_or_default().to_owned()).collect()
    };
    assert_eq!(symbols("method", "total of the cart"), ["Cart.total"]);
    assert_eq!(symbols("method", "empty the cart"), ["Cart.empty"]);
    assert_eq!(symbols("class", "total of the cart"), ["Cart"]);
    let mut both = symbols("fn,method", "total of the cart");
    both.sort();
    assert_eq!(both, ["Cart.total", "total_of"]);
    let said = cli.fails(&["search", "-k", "method,animal", "cart"], 2);
    assert!(said.contains("animal") && said.contains("The kinds are: function, method"), "{said}");
}
