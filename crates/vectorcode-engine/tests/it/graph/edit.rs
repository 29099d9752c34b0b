//! The edit response, and the outline of what matches a query.

use vectorcode_core::api::{GraphQuery, OutlineRequest, OutlineResponse};

use super::{ask, indexed};

const FIELDS: (&str, &str) = (
    "src/fields.py",
    "class Field:\n    def clean(self, value):\n        \"\"\"Checks a value.\"\"\"\n        return value\n\n\nclass Number(Field):\n    def \
     clean(self, value):\n        return int(value)\n",
);
const FORM: (&str, &str) = (
    "src/form.py",
    "from src.fields import Field\n\n\ndef submit(field: Field):\n    return field.clean(1)\n",
);

#[test]
fn an_edit_has_code_uses_overrides_and_tests() {
    let project = indexed(&[
        FIELDS,
        FORM,
        ("tests/test_form.py", "from src.form import submit\n\n\ndef test_submit():\n    submit(None)\n"),
        (
            "tests/test_run.py",
            "import src.form\n\n\ndef test_run():\n    getattr(src.form, 'submit')(None)\n",
        ),
        ("tests/test_z.py", "from tests.test_run import Suite\n\n\nclass TestZ(Suite):\n    pass\n"),
        ("tests/tools.py", "import src.form\n\n\ndef helper():\n    pass\n"),
    ]);
    let response = ask(&project.engine, GraphQuery::Edit { symbol: "Field.clean".into() });
    let edit = response.edit.as_ref().expect("an edit has the code");
    assert_eq!((edit.path.as_str(), edit.start_line, edit.end_line), ("src/fields.py", 2, 4));
    assert!(edit.content.contains("Checks a value"), "{}", edit.content);
    let names: Vec<(&str, u32)> =
        response.nodes.iter().map(|node| (node.name.as_str(), node.distance)).collect();
    assert_eq!(names, [("Field.clean", 0), ("Number.clean", 0), ("submit", 1)]);
    assert_eq!(response.edges[0].uses[0].line, 5);
    let tests: Vec<&str> = edit.tests.iter().map(|test| test.name.as_str()).collect();
    assert_eq!(tests, ["test_submit"]);
    // A file that loads the code may run it in a way that no chain of calls shows, or inherit tests that do. A helper
    // is not a test.
    assert_eq!(edit.test_files, ["tests/test_form.py", "tests/test_run.py", "tests/test_z.py"]);
}

#[test]
fn an_edit_of_a_name_with_several_definitions_is_of_one() {
    let project = indexed(&[FIELDS, FORM]);
    let response = ask(&project.engine, GraphQuery::Edit { symbol: "clean".into() });
    assert_eq!(response.nodes[0].name, "Field.clean");
    let note = &response.notes[0];
    assert!(note.contains("2 symbols") && note.contains("src/fields.py#Number.clean"), "{note}");
}

#[test]
fn tests_in_the_folder_of_a_package_of_go_load_it() {
    let project = indexed(&[
        ("go.mod", "module example.com/shop\n"),
        ("pay/pay.go", "package pay\n\nfunc charge() int { return 1 }\n"),
        ("pay/pay_test.go", "package pay\n\nimport \"testing\"\n\nfunc TestAll(t *testing.T) { run(t) }\n"),
    ]);
    let response = ask(&project.engine, GraphQuery::Edit { symbol: "charge".into() });
    assert_eq!(response.edit.unwrap().test_files, ["pay/pay_test.go"]);
}

#[test]
fn an_outline_with_a_query_shows_what_matches_and_counts_the_rest() {
    let body = "    x = x * 2 + 1\n".repeat(40);
    let many = (0..20)
        .map(|n| format!("def spare_part_{n}(x):\n{body}    return x\n\n\n"))
        .collect::<Vec<_>>()
        .concat();
    let text = format!("{many}class Retrier:\n    def backoff(self):\n        sleep(self.delay)\n");
    let project = indexed(&[("src/many.py", &text)]);
    let request = OutlineRequest { path: "src/many.py".into(), query: Some("Retrier.backoff".into()) };
    let OutlineResponse::File { definitions, others, .. } = project.engine.outline(&request).unwrap() else {
        panic!("not a file")
    };
    let shown: Vec<&str> = definitions.iter().map(|one| one.qualified.as_str()).collect();
    assert!(shown.contains(&"Retrier") && shown.contains(&"Retrier.backoff"), "{shown:?}");
    assert!(
        shown.len() < 22 && others.values().sum::<u64>() + shown.len() as u64 == 22,
        "{shown:?} {others:?}"
    );
}
