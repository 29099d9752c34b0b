//! Finds import cycles between the modules of one crate.
//!
//! A file depends on another if it names an item that the other defines, in a `use` or in a path (`crate::x::Item`,
//! `super::Item`, `module::item`). An item that a parent only re-exports counts for the file that defines it, so `lib.rs` and
//! `mod.rs` do not connect everything. Sibling modules, each together with everything below it, must not depend on each other
//! in a cycle: neither `engine` and `projects`, nor `search::rank` and `search::page`. A child may use its parents, which
//! call it with types that both share.
//!
//! Code under `#[cfg(test)]` is ignored: tests may use anything. Method calls are not seen, because without a compiler the
//! receiver's type is not known.

use std::collections::{BTreeMap, BTreeSet};

use super::SourceFile;
use super::tokens::{Token, tokens_without_tests};

/// Module path inside the crate, such as `["search", "rank"]`; empty for the crate's root.
type ModulePath = Vec<String>;

/// Dependencies between the children of one module: from, to, and a file of each that proves it.
type Edges<'c> = BTreeMap<&'c str, BTreeMap<&'c str, (&'c str, &'c str)>>;

/// Each cycle of modules as a chain of uses, `a.rs uses b/c.rs`. The last one leads back to the first module.
pub fn import_cycles(files: &[SourceFile]) -> Vec<Vec<String>> {
    let mut crates: BTreeMap<&str, Vec<&SourceFile>> = BTreeMap::new();
    for file in files {
        if let Some((name, inside)) = file.path.strip_prefix("crates/").and_then(|path| path.split_once('/'))
            && inside.starts_with("src/")
        {
            crates.entry(name).or_default().push(file);
        }
    }
    crates.into_values().flat_map(|files| Crate::read(&files).cycles()).collect()
}

struct Module {
    file: String,
    /// Local name to the path that a `use` gives it, as written.
    imports: BTreeMap<String, Vec<String>>,
    /// Modules whose public names are all imported, by `use x::*`.
    globs: Vec<Vec<String>>,
    /// Every path in the code, as written.
    paths: BTreeSet<Vec<String>>,
    /// Every name that is defined at some level of the file.
    defined: BTreeSet<String>,
}

struct Crate {
    modules: BTreeMap<ModulePath, Module>,
}

impl Crate {
    fn read(files: &[&SourceFile]) -> Self {
        let has_lib = files.iter().any(|file| file.path.ends_with("/src/lib.rs"));
        let modules = files
            .iter()
            .filter_map(|file| Some((module_path(&file.path, has_lib)?, Module::parse(file))))
            .collect();
        Self { modules }
    }

    /// Dependencies between sibling modules, by their parent: from, to, and two files that prove it.
    fn edges(&self) -> BTreeMap<&[String], Edges<'_>> {
        let mut edges: BTreeMap<&[String], Edges<'_>> = BTreeMap::new();
        for (from, module) in &self.modules {
            let uses = module.imports.values().chain(&module.paths).chain(&module.globs);
            for (to, target) in
                uses.filter_map(|written| self.modules.get_key_value(&self.resolve(from, written, 0)?))
            {
                let shared = from.iter().zip(to).take_while(|(from, to)| from == to).count();
                if let (Some(below), Some(beside)) = (from.get(shared), to.get(shared)) {
                    let siblings = edges.entry(&from[..shared]).or_default();
                    let shown = siblings.entry(below).or_default();
                    shown.entry(beside).or_insert((&module.file, &target.file));
                }
            }
        }
        edges
    }

    /// The module that defines the item of a path written in `from`. `None` for other crates, and for a path that names a
    /// module itself: importing a module does not count until one of its items is used.
    fn resolve(&self, from: &[String], written: &[String], depth: usize) -> Option<ModulePath> {
        // A limit on chains of re-exports: deeper than in any crate here, and it stops at `use self::a as a`.
        if depth > 8 {
            return None;
        }
        let (first, rest) = written.split_first()?;
        match first.as_str() {
            "crate" => self.descend(&[], rest, depth),
            "self" => self.descend(from, rest, depth),
            "super" => {
                let parent = from.split_last()?.1;
                match rest.first().map(String::as_str) {
                    Some("super") => self.resolve(parent, rest, depth),
                    _ => self.descend(parent, rest, depth),
                }
            }
            _ if self.is_module(from, first) => self.descend(from, written, depth),
            _ if rest.is_empty() => None,
            // `graph::answer` after `use crate::graph`, or `Type::new` after `use crate::x::Type`.
            _ => {
                let imported = self.modules[from].imports.get(first)?;
                if imported.first() == Some(first) {
                    return None;
                }
                self.resolve(from, &[imported.as_slice(), rest].concat(), depth + 1)
            }
        }
    }

    fn descend(&self, module: &[String], names: &[String], depth: usize) -> Option<ModulePath> {
        let (first, rest) = names.split_first()?;
        if self.is_module(module, first) {
            return self.descend(&[module, std::slice::from_ref(first)].concat(), rest, depth);
        }
        let known = self.modules.get(module)?;
        if known.defined.contains(first) {
            return Some(module.to_vec());
        }
        if let Some(imported) = known.imports.get(first) {
            let found = self.resolve(module, &[imported.as_slice(), rest].concat(), depth + 1);
            return found.or_else(|| self.resolve(module, imported, depth + 1));
        }
        known.globs.iter().find_map(|glob| {
            let through = [glob.as_slice(), names].concat();
            self.resolve(module, &through, depth + 1)
        })
    }

    fn is_module(&self, parent: &[String], name: &str) -> bool {
        self.modules.contains_key(&[parent, &[name.to_owned()]].concat())
    }

    fn cycles(&self) -> Vec<Vec<String>> {
        let mut cycles = Vec::new();
        for edges in self.edges().values() {
            let mut covered: BTreeSet<&str> = BTreeSet::new();
            for module in edges.keys() {
                if !covered.contains(module)
                    && let Some(cycle) = shortest_cycle(edges, module)
                {
                    covered.extend(&cycle);
                    let uses = cycle.windows(2).map(|step| edges[step[0]][step[1]]);
                    cycles.push(uses.map(|(from, to)| format!("{from} uses {to}")).collect());
                }
            }
        }
        cycles
    }
}

impl Module {
    fn parse(file: &SourceFile) -> Self {
        let tokens = tokens_without_tests(&file.text);
        let mut module = Self {
            file: file.path.clone(),
            imports: BTreeMap::new(),
            globs: Vec::new(),
            paths: BTreeSet::new(),
            defined: BTreeSet::new(),
        };
        let mut at = 0;
        while at < tokens.len() {
            at = module.take(&tokens, at);
        }
        module
    }

    /// Parses what begins at a token, and returns where the next item begins.
    fn take(&mut self, tokens: &[Token<'_>], at: usize) -> usize {
        match &tokens[at] {
            // `impl Trait + use<>` captures lifetimes; it imports nothing.
            Token::Word("use") if tokens.get(at + 1) != Some(&Token::Mark('<')) => {
                let end = tokens[at..].iter().position(|token| *token == Token::Mark(';'));
                let end = end.map_or(tokens.len(), |length| at + length);
                self.take_use_tree(&tokens[at + 1..end], &[]);
                end
            }
            Token::Word(
                "fn" | "struct" | "enum" | "trait" | "type" | "const" | "static" | "macro_rules" | "union",
            ) => {
                let name = tokens[at + 1..].iter().take(2).find_map(Token::word);
                self.defined.extend(name.map(str::to_owned));
                at + 1
            }
            Token::Word(first) => {
                let mut path = vec![(*first).to_owned()];
                let mut at = at + 1;
                while let (Some(Token::PathSeparator), Some(Token::Word(word))) =
                    (tokens.get(at), tokens.get(at + 1))
                {
                    path.push((*word).to_owned());
                    at += 2;
                }
                if path.len() > 1 {
                    self.paths.insert(path);
                }
                at
            }
            Token::PathSeparator | Token::Mark(_) => at + 1,
        }
    }

    /// One tree of a `use`: `a::b`, `a as b`, `a::{b, c::d}`, `a::*`.
    fn take_use_tree(&mut self, tokens: &[Token<'_>], before: &[String]) {
        let mut path = before.to_vec();
        let mut at = 0;
        while at < tokens.len() {
            match &tokens[at] {
                Token::Word("as") => {
                    let alias = tokens.get(at + 1).and_then(Token::word).unwrap_or("_").to_owned();
                    self.imports.insert(alias, path);
                    return;
                }
                Token::Word("self") if !path.is_empty() => {}
                Token::Word(word) => path.push((*word).to_owned()),
                Token::Mark('*') => return self.globs.push(path),
                Token::Mark('{') => {
                    let inner = &tokens[at + 1..tokens.len() - 1];
                    split_at_commas(inner).for_each(|tree| self.take_use_tree(tree, &path));
                    return;
                }
                Token::PathSeparator | Token::Mark(_) => {}
            }
            at += 1;
        }
        if let Some(name) = path.last().cloned() {
            self.imports.insert(name, path);
        }
    }
}

/// Splits one level of a tree at its commas.
fn split_at_commas<'t, 's>(tokens: &'t [Token<'s>]) -> impl Iterator<Item = &'t [Token<'s>]> {
    let mut depth = 0_i32;
    let trees = tokens.split(move |token| {
        depth += match token {
            Token::Mark('{') => 1,
            Token::Mark('}') => -1,
            _ => 0,
        };
        depth == 0 && *token == Token::Mark(',')
    });
    trees.filter(|tree| !tree.is_empty())
}

/// The module path of a file. If a crate has a library, its `main.rs` is a separate crate and is ignored.
fn module_path(file: &str, has_lib: bool) -> Option<ModulePath> {
    let inside = file.split_once("/src/")?.1.strip_suffix(".rs")?;
    let mut path: ModulePath = inside.split('/').map(str::to_owned).collect();
    match path.last().map(String::as_str) {
        Some("main") if path.len() == 1 && has_lib => return None,
        Some("lib" | "main") if path.len() == 1 => path.clear(),
        Some("mod") => {
            path.pop();
        }
        _ => {}
    }
    Some(path)
}

/// The shortest path from a module back to itself, found breadth first.
fn shortest_cycle<'e>(edges: &Edges<'e>, start: &'e str) -> Option<Vec<&'e str>> {
    let mut came_from: BTreeMap<&str, &str> = BTreeMap::new();
    let mut queue = std::collections::VecDeque::from([start]);
    while let Some(module) = queue.pop_front() {
        for next in edges.get(module).into_iter().flat_map(BTreeMap::keys).copied() {
            if next == start {
                let mut cycle = vec![start];
                let mut at = module;
                while at != start {
                    cycle.push(at);
                    at = came_from[at];
                }
                cycle.push(start);
                cycle.reverse();
                return Some(cycle);
            }
            if !came_from.contains_key(next) {
                came_from.insert(next, module);
                queue.push_back(next);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cycles(files: &[(&str, &str)]) -> Vec<String> {
        let file = |(path, text): &(&str, &str)| SourceFile {
            path: format!("crates/demo/src/{path}"),
            text: (*text).to_owned(),
        };
        let found = import_cycles(&files.iter().map(file).collect::<Vec<_>>());
        found.into_iter().map(|cycle| cycle.join(", ").replace("crates/demo/src/", "")).collect()
    }

    #[test]
    fn two_files_that_use_each_other_are_named() {
        let found = cycles(&[
            ("lib.rs", "mod a; mod b; pub use a::A;"),
            ("a.rs", "use crate::b::B; pub struct A(B);"),
            ("b.rs", "pub struct B; fn f() { super::a::A::new() }"),
        ]);
        assert_eq!(found, ["a.rs uses b.rs, b.rs uses a.rs"]);
    }

    #[test]
    fn a_re_export_counts_for_the_file_that_defines_the_item() {
        let files = [
            ("lib.rs", "mod a; mod b; pub use a::Error; pub use b::run;"),
            ("a.rs", "pub enum Error {}"),
            ("b.rs", "use crate::Error; pub fn run() -> Result<(), Error> { Ok(()) }"),
        ];
        assert!(cycles(&files).is_empty());
    }

    #[test]
    fn a_child_may_use_its_parent() {
        let files = [
            ("lib.rs", "mod search;"),
            ("search/mod.rs", "mod rank; pub struct Context; pub fn search() { rank::rank() }"),
            ("search/rank.rs", "use super::Context; pub fn rank() {}"),
        ];
        assert!(cycles(&files).is_empty());
    }

    #[test]
    fn folders_that_use_each_other_through_different_files_are_a_cycle() {
        let found = cycles(&[
            ("lib.rs", "mod engine; mod projects;"),
            ("engine.rs", "use crate::projects::Registry; pub struct Engine(Registry);"),
            (
                "projects/mod.rs",
                "mod registry; pub use registry::Registry; pub struct Projects(crate::engine::Engine);",
            ),
            ("projects/registry.rs", "pub struct Registry;"),
        ]);
        assert_eq!(found, ["engine.rs uses projects/registry.rs, projects/mod.rs uses engine.rs"]);
    }

    #[test]
    fn tests_comments_and_strings_do_not_count() {
        let files = [
            ("lib.rs", "mod a; mod b;"),
            ("a.rs", "pub fn a() {} #[cfg(test)] mod tests { use crate::b::b; }"),
            (
                "b.rs",
                "use crate::{a::{self}}; /// crate::a::x\n pub fn b() { a::a(); let s = \"crate::b::c\"; }",
            ),
        ];
        assert!(cycles(&files).is_empty());
    }
}
