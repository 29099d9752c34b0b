//! Callers and callees in one small project per language, with the expected results.

use super::{callees, callers, indexed};

/// Asserts the callers and callees of each symbol.
fn check(files: &[(&str, &str)], used_by: &[(&str, &[&str])], using: &[(&str, &[&str])]) {
    let project = indexed(files);
    for (symbol, expected) in used_by {
        assert_eq!(callers(&project.engine, symbol), *expected, "callers of {symbol}");
    }
    for (symbol, expected) in using {
        assert_eq!(callees(&project.engine, symbol), *expected, "callees of {symbol}");
    }
}

#[test]
fn typescript() {
    check(
        &[
            (
                "src/retry.ts",
                "import { Gateway } from './gateway';\nimport { pause as wait } from './clock';\n\n\
                 export class Retrier {\n  constructor(private readonly gateway: Gateway) {}\n\n\
                 \x20 async run(id: string): Promise<void> {\n    await this.attempt(id);\n    wait(1);\n  }\n\n\
                 \x20 private async attempt(id: string): Promise<void> {\n    await this.gateway.charge(id);\n  }\n}\n\n\
                 export function createRetrier(gateway: Gateway): Retrier {\n  return new Retrier(gateway);\n}\n",
            ),
            (
                "src/gateway.ts",
                "export class Gateway {\n  charge(id: string): void {\n    log(id);\n  }\n}\n\n\
                 function log(text: string): void {\n  console.log(text);\n}\n",
            ),
            ("src/other.ts", "export class Battery {\n  charge(id: string): void {}\n}\n"),
            ("src/clock.ts", "export function pause(n: number): void {}\n"),
            ("src/index.ts", "export * from './retry';\nexport { Gateway } from './gateway';\n"),
            (
                "src/main.ts",
                "import { createRetrier, Gateway } from './index';\nimport * as clock from './clock';\n\n\
                 export async function main(): Promise<void> {\n  const retrier = createRetrier(new Gateway());\n\
                 \x20 await retrier.run('1');\n  clock.pause(2);\n}\n",
            ),
        ],
        &[
            ("src/gateway.ts#Gateway.charge", &["src/retry.ts#Retrier.attempt likely"]),
            ("src/other.ts#Battery.charge", &[]),
            ("pause", &["src/main.ts#main certain", "src/retry.ts#Retrier.run certain"]),
            ("createRetrier", &["src/main.ts#main certain"]),
            ("Retrier.run", &["src/main.ts#main likely"]),
            ("log", &["src/gateway.ts#Gateway.charge certain"]),
        ],
        &[
            ("Retrier.run", &["src/clock.ts#pause certain", "src/retry.ts#Retrier.attempt certain"]),
            (
                "main",
                &[
                    "src/clock.ts#pause certain",
                    "src/gateway.ts#Gateway certain",
                    "src/retry.ts#Retrier.run likely",
                    "src/retry.ts#createRetrier certain",
                ],
            ),
        ],
    );
}

#[test]
fn python() {
    check(
        &[
            ("shop/__init__.py", "from .retry import Retrier\n"),
            (
                "shop/retry.py",
                "import time\n\nfrom shop.base import BaseRetrier\nfrom . import money\n\n\n\
                 class Retrier(BaseRetrier):\n    def __init__(self, gateway: 'Gateway'):\n        self.gateway = gateway\n\n\
                 \x20   def run(self, payment):\n        self.prepare()\n        self.gateway.charge(payment)\n\
                 \x20       time.sleep(money.cents(3))\n        return helper(payment)\n\n\n\
                 def helper(payment):\n    def inner():\n        return 1\n\n    return inner()\n",
            ),
            ("shop/base.py", "class BaseRetrier:\n    def prepare(self):\n        pass\n"),
            ("shop/gateway.py", "class Gateway:\n    def charge(self, payment):\n        pass\n"),
            ("shop/money.py", "def cents(n):\n    return n\n\n\ndef sleep(n):\n    pass\n"),
            (
                "main.py",
                "from shop import Retrier\n\n\ndef main(retrier: Retrier):\n    retrier.run(1)\n\n\nmain(Retrier(None))\n",
            ),
        ],
        &[
            ("BaseRetrier.prepare", &["shop/retry.py#Retrier.run likely"]),
            ("Gateway.charge", &["shop/retry.py#Retrier.run likely"]),
            ("cents", &["shop/retry.py#Retrier.run certain"]),
            ("sleep", &[]),
            ("Retrier.run", &["main.py#main likely"]),
            ("Retrier", &["main.py certain", "main.py#main certain"]),
            ("helper.inner", &["shop/retry.py#helper certain"]),
        ],
        &[("helper", &["shop/retry.py#helper.inner certain"])],
    );
}

#[test]
fn rust() {
    check(
        &[
            ("Cargo.toml", "[package]\nname = \"shop\"\nversion = \"0.1.0\"\nedition = \"2024\"\n"),
            ("src/lib.rs", "pub mod gateway;\npub mod retry;\nmod clock;\n\npub use retry::Retrier;\n"),
            (
                "src/retry.rs",
                "use crate::gateway::Gateway;\nuse crate::clock;\n\npub struct Retrier {\n    gateway: Box<dyn Gateway>,\n    log: Vec<u8>,\n}\n\n\
                 impl Retrier {\n    pub fn new(gateway: Box<dyn Gateway>) -> Self {\n        Self { gateway, log: Vec::new() }\n    }\n\n\
                 \x20   pub fn run(&mut self, id: u64) {\n        self.gateway.charge(id);\n        self.log.push(1);\n        self.note(clock::now());\n    }\n\n\
                 \x20   fn note(&self, at: u64) {}\n}\n\n\
                 #[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn runs() {\n        let mut retrier = Retrier::new(todo());\n        retrier.run(1);\n    }\n\n    fn todo() -> Box<dyn Gateway> { loop {} }\n}\n",
            ),
            ("src/gateway.rs", "pub trait Gateway {\n    fn charge(&self, id: u64);\n}\n"),
            (
                "src/clock.rs",
                "pub fn now() -> u64 {\n    0\n}\n\npub struct Stack;\n\nimpl Stack {\n    pub fn push(&mut self, n: u8) {}\n    pub fn new() -> Self { Stack }\n}\n",
            ),
        ],
        &[
            ("Gateway.charge", &["src/retry.rs#Retrier.run likely"]),
            ("now", &["src/retry.rs#Retrier.run certain"]),
            ("Stack.push", &[]),
            ("Stack.new", &[]),
            ("Retrier.new", &["src/retry.rs#tests.runs certain"]),
            ("Retrier.run", &["src/retry.rs#tests.runs likely"]),
            ("Retrier.note", &["src/retry.rs#Retrier.run certain"]),
        ],
        &[(
            "tests.runs",
            &[
                "src/retry.rs#Retrier.new certain",
                "src/retry.rs#Retrier.run likely",
                "src/retry.rs#tests.todo certain",
            ],
        )],
    );
}

#[test]
fn go() {
    check(
        &[
            ("go.mod", "module example.com/shop\n\ngo 1.22\n"),
            (
                "retry/retry.go",
                "package retry\n\nimport (\n\t\"fmt\"\n\n\t\"example.com/shop/gateway\"\n)\n\n\
                 type Retrier struct {\n\tclient *gateway.Client\n}\n\n\
                 func New(client *gateway.Client) *Retrier {\n\treturn &Retrier{client: client}\n}\n\n\
                 func (r *Retrier) Run(id string) error {\n\tr.client.Charge(id)\n\tpause(2)\n\tfmt.Println(id)\n\treturn r.finish()\n}\n\n\
                 func (r *Retrier) finish() error { return nil }\n",
            ),
            ("retry/pause.go", "package retry\n\nfunc pause(n int) {}\n\nfunc Println(s string) {}\n"),
            (
                "gateway/client.go",
                "package gateway\n\ntype Client struct{}\n\nfunc (c *Client) Charge(id string) {}\n\nfunc Dial() *Client { return nil }\n",
            ),
            (
                "main.go",
                "package main\n\nimport (\n\t\"example.com/shop/gateway\"\n\t\"example.com/shop/retry\"\n)\n\n\
                 func main() {\n\tr := retry.New(gateway.Dial())\n\tr.Run(\"1\")\n}\n",
            ),
        ],
        &[
            ("Client.Charge", &["retry/retry.go#Retrier.Run likely"]),
            ("pause", &["retry/retry.go#Retrier.Run likely"]),
            ("Println", &[]),
            ("Retrier.finish", &["retry/retry.go#Retrier.Run likely"]),
            ("New", &["main.go#main certain"]),
            ("Retrier.Run", &["main.go#main likely"]),
        ],
        &[(
            "main.go#main",
            &[
                "gateway/client.go#Dial certain",
                "retry/retry.go#New certain",
                "retry/retry.go#Retrier.Run likely",
            ],
        )],
    );
}

#[test]
fn java() {
    check(
        &[
            (
                "src/main/java/shop/Retrier.java",
                "package shop;\n\nimport shop.gateway.Gateway;\n\npublic class Retrier extends Base {\n    private final Gateway gateway;\n\n\
                 \x20   public Retrier(Gateway gateway) {\n        this.gateway = gateway;\n    }\n\n\
                 \x20   public void run(String id) {\n        prepare();\n        gateway.charge(id);\n        Clock.pause(2);\n        finish(id);\n    }\n\n\
                 \x20   private void finish(String id) {}\n}\n",
            ),
            (
                "src/main/java/shop/Base.java",
                "package shop;\n\npublic class Base {\n    protected void prepare() {}\n}\n",
            ),
            (
                "src/main/java/shop/Clock.java",
                "package shop;\n\npublic class Clock {\n    public static void pause(int n) {}\n}\n",
            ),
            (
                "src/main/java/shop/gateway/Gateway.java",
                "package shop.gateway;\n\npublic interface Gateway {\n    void charge(String id);\n}\n",
            ),
            (
                "src/main/java/shop/Main.java",
                "package shop;\n\npublic class Main {\n    public static void main(String[] args) {\n        Retrier retrier = new Retrier(null);\n        retrier.run(\"1\");\n    }\n}\n",
            ),
        ],
        &[
            ("Base.prepare", &["src/main/java/shop/Retrier.java#Retrier.run likely"]),
            ("Gateway.charge", &["src/main/java/shop/Retrier.java#Retrier.run likely"]),
            ("Clock.pause", &["src/main/java/shop/Retrier.java#Retrier.run likely"]),
            ("Retrier.finish", &["src/main/java/shop/Retrier.java#Retrier.run certain"]),
            ("Retrier.run", &["src/main/java/shop/Main.java#Main.main likely"]),
        ],
        &[(
            "Main.main",
            &[
                "src/main/java/shop/Retrier.java#Retrier likely",
                "src/main/java/shop/Retrier.java#Retrier.run likely",
            ],
        )],
    );
}

#[test]
fn cpp() {
    check(
        &[
            (
                "include/retrier.h",
                "#pragma once\n#include \"gateway.h\"\n\nclass Retrier {\n public:\n  explicit Retrier(Gateway *gateway);\n  void run(int id);\n\n private:\n  void finish(int id);\n  Gateway *gateway_;\n};\n\nint pause_for(int n);\n",
            ),
            ("include/gateway.h", "#pragma once\n\nclass Gateway {\n public:\n  void charge(int id);\n};\n"),
            (
                "src/retrier.cpp",
                "#include \"../include/retrier.h\"\n\nRetrier::Retrier(Gateway *gateway) : gateway_(gateway) {}\n\n\
                 void Retrier::run(int id) {\n  gateway_->charge(id);\n  pause_for(2);\n  this->finish(id);\n}\n\n\
                 void Retrier::finish(int id) {}\n\nint pause_for(int n) { return n; }\n",
            ),
            (
                "src/main.cpp",
                "#include \"../include/retrier.h\"\n\nint main() {\n  Retrier retrier(nullptr);\n  retrier.run(1);\n  return pause_for(3);\n}\n",
            ),
        ],
        &[
            ("Gateway.charge", &["src/retrier.cpp#Retrier.run likely"]),
            ("pause_for", &["src/main.cpp#main likely", "src/retrier.cpp#Retrier.run certain"]),
            ("Retrier.finish", &["src/retrier.cpp#Retrier.run certain"]),
            ("Retrier.run", &["src/main.cpp#main likely"]),
        ],
        &[],
    );
}

#[test]
fn a_type_that_is_not_imported_is_not_the_projects_type_of_that_name() {
    check(
        &[
            (
                "src/types.ts",
                "import fs from 'fs';\nexport interface Response {\n  clone(): Response;\n}\nexport function own(response: Response) {\n  response.clone();\n}\n",
            ),
            ("src/cache.ts", "export function store(response: Response) {\n  return response.clone();\n}\n"),
            (
                "src/fetch.ts",
                "import type { Response } from './types';\nexport function copy(response: Response) {\n  response.clone();\n}\n",
            ),
        ],
        &[("Response.clone", &["src/fetch.ts#copy likely", "src/types.ts#own likely"])],
        &[("store", &[])],
    );
}

#[test]
fn a_name_is_found_behind_re_exports_of_both_kinds() {
    check(
        &[
            ("src/core/make.ts", "export class Shop {\n  open() {}\n}\nexport const shop = new Shop();\n"),
            ("src/core/index.ts", "export * from './make';\n"),
            ("src/public.ts", "export { shop } from './core';\n"),
            ("src/index.ts", "export * from './public';\n"),
            ("src/main.ts", "import { shop } from '.';\nexport function main() {\n  shop.open();\n}\n"),
        ],
        &[("Shop.open", &["src/main.ts#main likely"])],
        &[],
    );
}

#[test]
fn a_header_declares_what_the_file_of_its_name_defines() {
    check(
        &[
            ("src/linker.h", "int load_program(int mode);\n"),
            ("src/linker.c", "int load_program(int mode) {\n  return mode;\n}\n"),
            ("src/main.c", "#include \"linker.h\"\n\nint run(void) {\n  return load_program(1);\n}\n"),
        ],
        &[("src/linker.c#load_program", &["src/main.c#run likely"])],
        &[],
    );
}

#[test]
fn a_type_that_the_tests_of_its_file_import_is_not_from_outside() {
    check(
        &[
            ("src/lib.rs", "mod made;\nuse made::Made;\npub fn run() {\n    Made::new().open();\n}\n"),
            (
                "src/made.rs",
                "pub struct Made;\nimpl Made {\n    pub fn new() -> Made {\n        Made\n    }\n    pub fn open(&self) {}\n}\n\
                 #[cfg(test)]\nmod tests {\n    use super::Made;\n    fn works() {\n        Made::new();\n    }\n}\n",
            ),
        ],
        &[("Made.open", &["src/lib.rs#run likely"])],
        &[],
    );
}

#[test]
fn a_type_that_is_returned_as_self_is_the_class() {
    check(
        &[
            (
                "shop/frame.py",
                "import typing as t\n\n\nclass Frame:\n    @classmethod\n    def parse(cls, text) -> t.Self:\n        return cls()\n\n\
                 \x20   def render(self) -> str:\n        return ''\n",
            ),
            (
                "shop/page.py",
                "from shop.frame import Frame\n\n\ndef page():\n    frame = Frame.parse('')\n    return frame.render()\n",
            ),
        ],
        &[("Frame.render", &["shop/page.py#page likely"])],
        &[],
    );
}

#[test]
fn bodies_in_several_files_are_one_with_the_declaration_in_a_header() {
    check(
        &[
            ("src/env.h", "class Env {\n public:\n  void lock();\n  void lock(int n);\n  void open();\n};\n"),
            (
                "src/env_posix.cc",
                "#include \"env.h\"\nvoid Env::open() {}\nvoid Env::lock() {}\nvoid Env::lock(int n) {}\n",
            ),
            ("src/env_windows.cc", "#include \"env.h\"\nvoid Env::open() {}\n"),
            ("src/main.cc", "#include \"env.h\"\nvoid run(Env *env) {\n  env->open();\n  env->lock();\n}\n"),
        ],
        &[
            ("src/env.h#Env.open", &["src/main.cc#run likely"]),
            ("src/env_windows.cc#Env.open", &["src/main.cc#run likely"]),
            ("src/env_posix.cc#Env.lock", &["src/main.cc#run likely"]),
        ],
        &[],
    );
}

#[test]
fn a_test_of_a_fixture_is_a_method_of_it() {
    check(
        &[(
            "shop_test.cc",
            "class ShopTest : public testing::Test {\n public:\n  void Open() {}\n};\n\nTEST_F(ShopTest, Opens) {\n  Open();\n}\n",
        )],
        &[("Open", &["shop_test.cc#ShopTest.Opens certain"])],
        &[],
    );
}
