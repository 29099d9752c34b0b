//! All kinds of uses of a symbol, and what a response says about the lines it cannot resolve.

use std::collections::BTreeSet;

use vectorcode_core::CancelToken;
use vectorcode_core::api::{Confidence, GraphQuery, GraphResponse, OtherLines, ReadRequest};

use super::{ask, indexed};
use crate::project::Indexed;

fn callers_of(project: &Indexed, symbol: &str) -> GraphResponse {
    ask(&project.engine, GraphQuery::Callers { symbol: symbol.into(), depth: 1 })
}

/// `kind path:line` of every use of the requested symbol that is more than a guess.
fn uses(response: &GraphResponse) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for edge in &response.edges {
        let node = &response.nodes[edge.from];
        let path = node.path.as_deref().unwrap_or(&node.name);
        for site in edge.uses.iter().filter(|site| site.confidence < Confidence::Guess) {
            found.insert(format!("{} {path}:{}", site.kind.as_str(), site.line));
        }
    }
    found
}

fn set(uses: &[&str]) -> BTreeSet<String> {
    uses.iter().map(|used| (*used).to_owned()).collect()
}

fn others(response: &GraphResponse) -> OtherLines {
    response.other_lines.clone().expect("callers come with the other lines of the name")
}

#[test]
fn every_kind_of_use_of_a_python_class_is_found() {
    let project = indexed(&[
        ("shop/errors.py", "class Failure(Exception):\n    pass\n"),
        (
            "shop/use.py",
            "from shop.errors import Failure\n\n\nclass Timeout(Failure):\n    pass\n\n\ndef run(kind: Failure) -> \"Failure\":\n    \
             if isinstance(kind, Failure):\n        raise Failure(1)\n    return Failure\n\n\ndef other(Failure):\n    return Failure\n",
        ),
    ]);
    let response = callers_of(&project, "Failure");
    assert_eq!(
        uses(&response),
        set(&[
            "base shop/use.py:4",
            "call shop/use.py:10",
            "type shop/use.py:8",
            "value shop/use.py:11",
            "value shop/use.py:9",
        ])
    );
    let others = others(&response);
    assert_eq!(others.imports[0].lines, [1]);
    assert!(others.unresolved.is_empty() && others.complete, "{others:?}");
}

#[test]
fn functions_that_are_passed_on_and_struct_literals_are_uses() {
    let project = indexed(&[
        ("go.mod", "module example.com/log\n"),
        (
            "log.go",
            "package log\n\ntype Logger struct{ Name string }\n\nfunc Yellow(s string) string { return s }\n\nfunc New() *Logger {\n\treturn &Logger{Name: paint(Yellow)}\n}\n\nfunc paint(f func(string) string) string { return f(\"a\") }\n",
        ),
        ("src/a.ts", "export function retry() {}\nexport interface Task {}\n"),
        (
            "src/b.ts",
            "import { retry, Task } from \"./a\";\nconst table = { retry, again: retry };\nexport class Job implements Task {\n  run(list: Array<Task>) { list.forEach(retry); }\n}\n",
        ),
    ]);
    assert_eq!(uses(&callers_of(&project, "Yellow")), set(&["value log.go:8"]));
    assert_eq!(uses(&callers_of(&project, "Logger")), set(&["construction log.go:8", "type log.go:7"]));
    assert_eq!(uses(&callers_of(&project, "retry")), set(&["value src/b.ts:2", "value src/b.ts:4"]));
    assert_eq!(uses(&callers_of(&project, "Task")), set(&["base src/b.ts:3", "type src/b.ts:4"]));
}

#[test]
fn the_package_of_a_versioned_module_is_its_clause() {
    let project = indexed(&[
        ("go.mod", "module example.com/task/v3\n"),
        ("executor.go", "package task\n\nfunc NewExecutor() int { return 1 }\n"),
        (
            "cmd/main.go",
            "package main\n\nimport \"example.com/task/v3\"\n\nfunc main() { task.NewExecutor() }\n",
        ),
    ]);
    assert_eq!(uses(&callers_of(&project, "NewExecutor")), set(&["call cmd/main.go:5"]));
}

#[test]
fn what_another_package_defines_is_no_use_of_a_namesake() {
    let project = indexed(&[
        ("app/utils.py", "from kombu.utils import maybe_list\n"),
        ("app/lists.py", "def maybe_list(x):\n    return [x]\n"),
        ("app/main.py", "from app.utils import maybe_list\n\n\ndef run():\n    maybe_list(1)\n"),
    ]);
    let response = callers_of(&project, "maybe_list");
    assert_eq!(uses(&response), BTreeSet::new());
    assert!(response.nodes.iter().all(|node| node.distance == 0), "{:?}", response.nodes);
    // It lists the unresolved line instead of claiming that there are no uses.
    assert_eq!(others(&response).unresolved[0].lines, [5]);
}

#[test]
fn none_is_said_only_where_no_other_line_has_the_name() {
    let project = indexed(&[
        (
            "a.py",
            "def lonely():\n    pass\n\n\ndef named(x):\n    # `named` is called by name\n    return x\n",
        ),
        ("b.py", "def run(thing):\n    getattr(thing, \"named\")(1)\n    thing.unheard_of()\n"),
        ("README.md", "Use `named`.\n"),
    ]);
    assert!(others(&callers_of(&project, "lonely")).is_none());
    let named = others(&callers_of(&project, "named"));
    let places: Vec<String> =
        named.text.iter().map(|file| format!("{}:{:?}", file.path, file.lines)).collect();
    assert_eq!(places, ["README.md:[1]", "a.py:[6]", "b.py:[2]"]);
    let read = project.engine.read(&ReadRequest { target: "named".into() }, &CancelToken::default()).unwrap();
    assert!(read.other_lines.is_some_and(|others| !others.is_none()));
}

#[test]
fn overridden_methods_are_one_family() {
    let project = indexed(&[
        (
            "fields.py",
            "class Field:\n    def validate(self):\n        pass\n\n    def run(self):\n        self.validate()\n\n\nclass Serializer(Field):\n    def validate(self):\n        super().validate()\n",
        ),
        ("use.py", "from fields import Serializer\n\n\ndef check(s: Serializer):\n    s.validate()\n"),
    ]);
    let response = callers_of(&project, "Field.validate");
    assert_eq!(uses(&response), set(&["call fields.py:11", "call fields.py:6", "call use.py:5"]));
    let to_sub = response.edges.iter().find(|edge| response.nodes[edge.from].name == "check").unwrap();
    assert_eq!(response.nodes[to_sub.to].name, "Serializer.validate");
    assert!(response.notes.iter().any(|note| note.contains("override")), "{:?}", response.notes);
}

#[test]
fn every_candidate_has_a_handle_that_picks_it() {
    let project = indexed(&[(
        "fields.py",
        "def get(x):\n    return x\n\n\nclass Field:\n    def get(self):\n        return get(1)\n\n\nclass Other:\n    def get(self):\n        return self.get()\n",
    )]);
    let asked = |handle: &str| {
        let response = callers_of(&project, handle);
        let nodes = response.nodes.iter().filter(|node| node.distance == 0);
        nodes.map(|node| node.name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(asked("fields.py#get"), ["get"]);
    assert_eq!(asked("fields.py#Field.get"), ["Field.get"]);
    assert_eq!(asked("fields.py:11"), ["Other.get"]);
    let note = callers_of(&project, "get").notes.join(" ");
    for handle in ["fields.py#get", "fields.py#Field.get", "fields.py#Other.get"] {
        assert!(note.contains(handle), "{note}");
    }
    // A note says where a function calls itself.
    assert!(callers_of(&project, "fields.py:11").notes.iter().any(|note| note.contains("fields.py:12")));
}

#[test]
fn a_path_that_is_not_found_is_no_proof() {
    let project = indexed(&[(
        "a.py",
        "class Throttle:\n    def wait(self):\n        pass\n\n\ndef dispatch(items):\n    for item in items:\n        item.waiting()\n",
    )]);
    let response =
        ask(&project.engine, GraphQuery::Path { from: "dispatch".into(), to: "Throttle.wait".into() });
    assert!(response.notes[0].contains("There may be one"), "{:?}", response.notes);
}

#[test]
fn a_line_beyond_the_end_of_a_file_is_noted() {
    let project = indexed(&[("a.py", "X = 1\n")]);
    let read =
        project.engine.read(&ReadRequest { target: "a.py:99999".into() }, &CancelToken::default()).unwrap();
    assert!(read.notes.iter().any(|note| note.contains("no line 99999")), "{:?}", read.notes);
}

#[test]
fn a_module_is_not_the_field_of_its_name() {
    let project = indexed(&[
        ("app/__init__.py", ""),
        ("app/nodes.py", "class Node:\n    nodes: list\n\n\nclass Leaf(Node):\n    pass\n"),
        ("app/main.py", "from . import nodes\n\n\ndef run() -> nodes.Leaf:\n    return nodes.Leaf()\n"),
    ]);
    assert_eq!(uses(&callers_of(&project, "Leaf")), set(&["call app/main.py:5", "type app/main.py:4"]));
}

#[test]
fn a_global_variable_that_a_function_sets_is_no_local_one() {
    let project = indexed(&[(
        "app.py",
        "SESSION = None\n\n\ndef session():\n    global SESSION\n    if SESSION is None:\n        SESSION = object()\n    return SESSION\n",
    )]);
    let found = uses(&callers_of(&project, "SESSION"));
    let places = ["read app.py:5", "read app.py:6", "read app.py:8", "write app.py:7"];
    assert_eq!(found, set(&places));
}

#[test]
fn a_type_alias_is_no_subtype() {
    let project = indexed(&[(
        "src/a.ts",
        "export interface Task {}\nexport type Tasks = Array<Task>;\nexport type Same = Task;\nexport class Job implements Task {}\n",
    )]);
    let response = ask(&project.engine, GraphQuery::Implementations { symbol: "Task".into() });
    let below: Vec<&str> =
        response.nodes.iter().filter(|node| node.distance > 0).map(|node| node.name.as_str()).collect();
    assert_eq!(below, ["Job"]);
}

#[test]
fn methods_that_override_each_other_are_users_too() {
    let project = indexed(&[
        (
            "rest/fields.py",
            "def get_attribute(instance):\n    return instance\n\n\nclass Field:\n    def get_attribute(self, instance):\n        \
             return get_attribute(instance)\n\n    def run(self, data):\n        return data\n",
        ),
        (
            "rest/relations.py",
            "from rest.fields import Field, get_attribute\n\n\nclass Related(Field):\n    def get_attribute(self, instance):\n        \
             get_attribute(instance)\n        return super().get_attribute(instance)\n\n    def run(self, data):\n        \
             return super().run(data)\n",
        ),
    ]);
    for (symbol, users, expected) in [
        (
            "get_attribute",
            2,
            set(&["call rest/fields.py:7", "call rest/relations.py:6", "call rest/relations.py:7"]),
        ),
        ("rest/fields.py#get_attribute", 2, set(&["call rest/fields.py:7", "call rest/relations.py:6"])),
        ("Field.run", 1, set(&["call rest/relations.py:10"])),
    ] {
        let response = callers_of(&project, symbol);
        assert_eq!(uses(&response), expected, "{symbol}");
        let listed = response.nodes.iter().filter(|node| node.distance == 1).count();
        assert_eq!(listed, users, "{symbol}: {:?}", response.nodes);
    }
}

#[test]
fn a_call_in_a_chain_is_on_the_line_of_its_name() {
    let project = indexed(&[
        (
            "src/app.ts",
            "export class App {\n  mount(root: string) {\n    return root;\n  }\n}\nexport function createApp(options: object): \
             App {\n  return new App();\n}\n",
        ),
        (
            "src/main.ts",
            "import { createApp } from './app';\n\ncreateApp({\n  name: 'shop',\n}).mount('#shop');\n\nexport function start() {\n  \
             const app = createApp({});\n  app.mount('#other');\n}\n",
        ),
    ]);
    assert_eq!(uses(&callers_of(&project, "mount")), set(&["call src/main.ts:5", "call src/main.ts:9"]));
}

#[test]
fn fields_that_a_pattern_takes_out_and_computed_keys_are_uses() {
    let project = indexed(&[
        (
            "src/context.ts",
            "export const KEY = 'key';\nexport interface Context {\n  helper(name: string): string;\n  [KEY]: string;\n}\n\
             export function print(context: Context) {\n  const { helper } = context;\n  return helper('a');\n}\n\
             export function table() {\n  return { [KEY]: 1 };\n}\n",
        ),
        (
            "src/walk.ts",
            "export const walk = (depth: number): number =>\n  depth > 0\n    ? walk(depth - 1)\n    : 0;\n",
        ),
        (
            "src/page.tsx",
            "export function html() {\n  return 1;\n}\nexport const page = () => <html><b /></html>;\n",
        ),
    ]);
    assert_eq!(uses(&callers_of(&project, "helper")), set(&["read src/context.ts:7"]));
    assert_eq!(uses(&callers_of(&project, "KEY")), set(&["read src/context.ts:11", "read src/context.ts:4"]));
    let notes = callers_of(&project, "walk").notes.join(" ");
    assert!(notes.contains("src/walk.ts:3"), "{notes}");
    assert!(uses(&callers_of(&project, "html")).is_empty());
}

#[test]
fn receivers_are_followed_through_properties_and_calls() {
    let project = indexed(&[
        (
            "shop/http.py",
            "class Args:\n    def get(self, name):\n        return name\n\n\nclass Base:\n    @property\n    def args(self) -> Args:\n        \
             return Args()\n\n    @args.setter\n    def args(self, value):\n        pass\n\n\nclass Request(Base):\n    pass\n",
        ),
        (
            "shop/view.py",
            "from shop.http import Request\n\n\ndef view(environ):\n    request = Request(environ)\n    return \
             request.args.get('page')\n\n\ndef other(it):\n    return it.args.get('page')\n",
        ),
    ]);
    let response = callers_of(&project, "Args.get");
    assert_eq!(uses(&response), set(&["call shop/view.py:10", "call shop/view.py:6"]));
    let at = |line: u32| {
        let sites = response.edges.iter().flat_map(|edge| &edge.uses);
        sites.filter(|site| site.line == line).map(|site| site.confidence).next()
    };
    assert_eq!((at(6), at(10)), (Some(Confidence::Likely), Some(Confidence::Possible)));
}

#[test]
fn a_class_that_is_reopened_is_one_subtype() {
    let project = indexed(&[
        (
            "lib/base.rb",
            "class Base\n  include Walking\n  def run\n  end\nend\n\nmodule Walking\n  def walk\n  end\nend\n",
        ),
        ("lib/one.rb", "class Shop < Base\n  def one\n  end\nend\n"),
        ("lib/two.rb", "class Shop < Base\n  def two\n  end\nend\n"),
    ]);
    let names = |symbol: &str| {
        let response = ask(&project.engine, GraphQuery::Implementations { symbol: symbol.into() });
        response.nodes.into_iter().skip(1).map(|node| node.name).collect::<Vec<_>>()
    };
    assert_eq!(names("Base"), ["Shop"]);
    assert!(names("Walking").contains(&"Base".to_owned()), "{:?}", names("Walking"));
}

#[test]
fn a_base_is_found_behind_a_long_head_and_in_another_file() {
    let parameters =
        (0..12).map(|at| format!("Parameter{at} extends Record<string, unknown>")).collect::<Vec<_>>();
    let class = format!(
        "import {{ Base }} from './base';\nexport class Shop<{}> extends Base<string> {{}}\n",
        parameters.join(", ")
    );
    let project = indexed(&[
        ("src/base.ts", "export class Base<T> {}\n"),
        ("src/shop.ts", &class),
        ("rust/src/lib.rs", "pub mod square;\npub mod shape;\n"),
        ("rust/src/square.rs", "pub struct Square;\n"),
        (
            "rust/src/shape.rs",
            "use crate::square::Square;\npub trait Shape {\n    fn area(&self) -> u32;\n}\nimpl\n    Shape\n    for Square\n{\n    \
             fn area(&self) -> u32 {\n        1\n    }\n}\n",
        ),
    ]);
    for (symbol, expected) in [("Base", "Shop"), ("Shape", "Square")] {
        let response = ask(&project.engine, GraphQuery::Implementations { symbol: symbol.into() });
        let names: Vec<&str> = response.nodes.iter().skip(1).map(|node| node.name.as_str()).collect();
        assert_eq!(names, [expected]);
    }
}
