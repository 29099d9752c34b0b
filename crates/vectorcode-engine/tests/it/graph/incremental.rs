//! After any sequence of edits, the graph equals that of a new index.

use proptest::prelude::*;
use vectorcode_core::api::{GraphQuery, GraphRequest, IndexRequest};
use vectorcode_engine::Engine;

use super::read;
use crate::project::{Indexed, index_with};

const PATHS: [&str; 6] =
    ["src/a.ts", "src/b.ts", "src/deep/index.ts", "src/deep/c.ts", "pkg/m.py", "pkg/__init__.py"];
const CONTENTS: [&str; 8] = [
    "import { run } from './b';\nexport function start(): void { run(); }\n",
    "import { start } from './a';\nexport class Job { run(): void { start(); } }\nexport function run(): void {}\n",
    "export { run } from './c';\nexport * from '../a';\n",
    "import { Job } from '../b';\nexport function run(job: Job): void { job.run(); start(); }\n",
    "from . import m\nfrom .m import run\n\ndef start():\n    run()\n    m.stop()\n",
    "def run():\n    stop()\n\ndef stop():\n    pass\n",
    "import { run as go } from './deep';\nexport function stop(): void { go(); }\n",
    "",
];

#[derive(Clone, Debug)]
enum Edit {
    Write(&'static str, &'static str),
    Remove(&'static str),
    Rename(&'static str, &'static str),
}

fn edits() -> impl Strategy<Value = Vec<Vec<Edit>>> {
    let path = || prop::sample::select(PATHS.to_vec());
    let edit = prop_oneof![
        4 => (path(), prop::sample::select(CONTENTS.to_vec())).prop_map(|(path, text)| Edit::Write(path, text)),
        1 => path().prop_map(Edit::Remove),
        1 => (path(), path()).prop_map(|(from, to)| Edit::Rename(from, to)),
    ];
    prop::collection::vec(prop::collection::vec(edit, 1..4), 1..5)
}

fn apply(project: &Indexed, edit: &Edit) {
    let exists = |path: &str| project.files.path(path).exists();
    match edit {
        Edit::Write(path, text) => project.files.write(path, text),
        Edit::Remove(path) if exists(path) => project.files.remove(path),
        Edit::Rename(from, to) if exists(from) && from != to => project.files.rename(from, to),
        Edit::Remove(_) | Edit::Rename(..) => {}
    }
}

/// The responses to every kind of query, including errors.
fn answers(engine: &Engine) -> Vec<String> {
    let mut queries =
        vec![GraphQuery::Cycles, GraphQuery::Stats, GraphQuery::Show { target: None, depth: 1 }];
    for path in PATHS {
        queries.push(GraphQuery::Deps { path: path.into(), depth: 2 });
        queries.push(GraphQuery::Dependents { path: path.into(), depth: 2 });
        queries.push(GraphQuery::Impact { target: path.into(), depth: 3 });
        queries.push(GraphQuery::Path { from: PATHS[0].into(), to: path.into() });
    }
    for symbol in ["run", "start", "stop", "Job", "Job.run"] {
        queries.push(GraphQuery::Callers { symbol: symbol.into(), depth: 2 });
        queries.push(GraphQuery::Callees { symbol: symbol.into(), depth: 2 });
        queries.push(GraphQuery::Impact { target: symbol.into(), depth: 3 });
    }
    queries
        .into_iter()
        .map(|query| format!("{:?}", engine.graph(&GraphRequest { query, limit: 100 })))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, ..ProptestConfig::default() })]

    #[test]
    fn edits_lead_where_a_new_index_leads(rounds in edits()) {
        let project = Indexed::new(&[("src/a.ts", CONTENTS[0]), ("src/b.ts", CONTENTS[1]), ("pkg/m.py", CONTENTS[5])]);
        read(&project.engine);
        for round in &rounds {
            for edit in round {
                apply(&project, edit);
            }
            read(&project.engine);
            answers(&project.engine);
        }
        let kept_up = answers(&project.engine);
        index_with(&project.engine, &IndexRequest { full: true, stage_one_only: true, ..IndexRequest::default() }).unwrap();
        prop_assert_eq!(kept_up, answers(&project.engine));
    }
}
