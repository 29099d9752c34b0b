//! `graph` and `symbols` as a user runs them.

use super::run::{Cli, stderr};

fn shop() -> Cli {
    Cli::new(&[
        (
            "src/order.ts",
            "import { charge } from './payment';\n\nexport function placeOrder(id: string): void {\n  charge(id);\n}\n",
        ),
        (
            "src/payment.ts",
            "import { placeOrder } from './order';\nimport Stripe from 'stripe';\n\nexport function charge(id: string): void {}\n\nexport function again(id: string): void {\n  placeOrder(id);\n}\n",
        ),
        ("src/refund.ts", "export class Refund {\n  charge(id: string): void {}\n}\n"),
        ("src/desk.ts", "export function atDesk(thing: any): void {\n  thing.charge('1');\n}\n"),
    ])
}

#[test]
fn trees_name_places_and_doubts() {
    let shop = shop();
    insta::assert_snapshot!(shop.stdout(&["graph", "callers", "src/payment.ts#charge", "--depth", "2"]), @r"
    charge  src/payment.ts:4  function
    └─ placeOrder  src/order.ts:4
       └─ again  src/payment.ts:7
    ");
    insta::assert_snapshot!(shop.stdout(&["graph", "callers", "Refund.charge"]), @r"
    Refund.charge  src/refund.ts:2  method
    └─ atDesk  src/desk.ts:2  guess
    ");
    insta::assert_snapshot!(shop.stdout(&["graph", "deps", "payment.ts"]), @r"
    src/payment.ts
    ├─ src/order.ts
    └─ stripe  external
    ");
    insta::assert_snapshot!(shop.stdout(&["graph", "path", "again", "src/payment.ts#charge"]), @r"
    again  src/payment.ts:6  function
      → placeOrder  src/order.ts:3 by line 7
        → charge  src/payment.ts:4 by line 4
    ");
    insta::assert_snapshot!(shop.stdout(&["graph", "impact", "src/payment.ts"]), @r"
    src/payment.ts
    A change may reach 1 symbol in 1 file
    1 step
      src/order.ts:1
      placeOrder  src/order.ts:4
    ");
    insta::assert_snapshot!(shop.stdout(&["graph", "cycles"]), @r"
    Cycle 1 of 1
      src/order.ts:1 imports src/payment.ts
      src/payment.ts:1 imports src/order.ts
    ");
    insta::assert_snapshot!(shop.stdout(&["graph", "stats"]), @r"
    Files      4
    Edges      2  (typescript 2)
    Average    0.5 imports a file
    External   1
    Cycles     1

    Most connected
      src/order.ts  imported by 1, imports 1
      src/payment.ts  imported by 1, imports 1

    Most imported external packages
      stripe  1 file

    Not connected to other files
      src/desk.ts
      src/refund.ts
    ");
    insta::assert_snapshot!(shop.stdout(&["graph", "show"]), @r"
    src/order.ts
      → src/payment.ts
    src/payment.ts
      → src/order.ts
    ");
    insta::assert_snapshot!(shop.stdout(&["symbols", "charge"]), @r"
    function  charge  src/payment.ts:4
              export function charge(id: string): void
    method    Refund.charge  src/refund.ts:2
              charge(id: string): void
    ");
}

#[test]
fn diagrams_and_json() {
    let shop = shop();
    insta::assert_snapshot!(shop.stdout(&["graph", "deps", "src/payment.ts", "--format", "mermaid"]), @r##"
    flowchart LR
      n2(["stripe"])
      subgraph f1["src"]
        n0["payment.ts"]
        n1["order.ts"]
      end
      n0 --> n1
      n0 --> n2
      n1 --> n0
      %% typescript
      classDef language0 fill:#cfe2ff,color:#000
      class n0,n1 language0
      classDef asked stroke-width:3px
      class n0 asked
      classDef external fill:none
      class n2 external
    "##);
    insta::assert_snapshot!(shop.stdout(&["graph", "deps", "src/payment.ts", "--format", "dot"]), @r##"
    digraph vectorcode {
      rankdir=LR;
      node [shape=box, style=rounded, fontname="sans-serif", fontsize=11];
      edge [fontname="sans-serif", fontsize=9];
      n2 [label="stripe", style=dashed];
      subgraph cluster_1 {
        label="src";
        color=gray;
        n0 [label="payment.ts", style="rounded,filled", fillcolor="#cfe2ff"];
        n1 [label="order.ts", style="rounded,filled", fillcolor="#cfe2ff"];
      }
      n0 -> n1;
      n0 -> n2;
      n1 -> n0;
    }
    "##);
    let answer = shop.json(&["graph", "callers", "src/payment.ts#charge", "--json"]);
    assert_eq!(answer["nodes"][1]["name"], "placeOrder", "{answer}");
    assert_eq!(answer["edges"][0]["confidence"], "certain");
}

#[test]
fn nothing_found_is_one_and_an_unknown_name_is_two_with_a_hint() {
    let shop = shop();
    assert!(shop.fails(&["graph", "callers", "again"], 1).contains("No callers found"));
    let said = shop.fails(&["graph", "callers", "placeOrdr"], 2);
    assert!(said.contains("hint: Did you mean placeOrder?"), "{said}");
    let said = shop.fails(&["graph", "deps", "src/paymnt.ts"], 2);
    assert!(said.contains("There is no file src/paymnt.ts"), "{said}");
    assert_eq!(shop.run(&["symbols", "zebra"]).status.code(), Some(1));
    assert!(
        shop.fails(&["symbols", "x", "--kind", "animal"], 2).contains("possible values: function, method")
    );
    let several = stderr(&shop.run(&["graph", "callers", "charge"]));
    assert!(several.contains("2 symbols are named `charge`"), "{several}");
}

#[test]
fn a_project_without_cycles_is_a_success() {
    let cli = Cli::new(&[("a.ts", "import './b';\n"), ("b.ts", "export const x = 1;\n")]);
    let output = cli.run(&["graph", "cycles"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stderr(&output).contains("No cycles found"), "{}", stderr(&output));
}
