//! Names, modules and messages in a query lead to the file that they refer to, whatever other files are called.

use vectorcode_core::api::{SearchMode, SearchRequest};

use crate::project::Indexed;

fn first(project: &Indexed, query: &str) -> (String, Option<String>) {
    let request =
        SearchRequest { threshold: Some(0.0), mode: SearchMode::Fast, ..SearchRequest::query(query) };
    let best = project.engine.search(&request).unwrap().hits.into_iter().next().unwrap();
    (best.path, best.symbol)
}

fn first_file(project: &Indexed, query: &str) -> String {
    first(project, query).0
}

/// Enough other code to make words rare.
fn others() -> Vec<(String, String)> {
    let file = |number: usize| {
        let function = |part: usize| {
            format!(
                "def load_{number}_{part}(value):\n    \"\"\"Loads a value.\"\"\"\n    return value + {part}\n\n\n"
            )
        };
        (format!("web/part{number}.py"), (0..4).map(function).collect::<String>())
    };
    (0..30).map(file).collect()
}

fn project(files: &[(&str, &str)]) -> Indexed {
    let others = others();
    let mut all: Vec<(&str, &str)> = files.to_vec();
    all.extend(others.iter().map(|(path, text)| (path.as_str(), text.as_str())));
    let project = Indexed::new(&all);
    project.index();
    project
}

#[test]
fn a_class_comes_before_a_function_of_the_same_letters() {
    let method =
        |number: usize| format!("    def verb_{number}(self, url):\n        return self.send(url)\n\n");
    let methods = (0..12).map(method).collect::<Vec<_>>().concat();
    let class = format!(
        "class Session:\n    \"\"\"Keeps cookies.\"\"\"\n\n{methods}\n\ndef session():\n    \"\"\"Returns a Session. Deprecated.\"\"\"\n    return Session()\n"
    );
    let project = project(&[("web/sessions.py", &class)]);
    assert_eq!(first(&project, "Session").1.as_deref(), Some("Session"));
}

#[test]
fn a_variable_that_nothing_defines_is_found_where_it_stands() {
    let settings = "import os\n\n\ndef read_settings():\n    return os.environ['WEB_SESSION_KEY']\n";
    let similar =
        "def session_key(web):\n    \"\"\"The key of a web session.\"\"\"\n    return web.session.key\n";
    let project =
        project(&[("web/settings.py", settings), ("web/session_key.py", similar), ("web/key.py", similar)]);
    assert_eq!(first_file(&project, "WEB_SESSION_KEY"), "web/settings.py");
}

#[test]
fn a_written_name_wins_over_similar_file_names() {
    let defines = "class BoundWidget:\n    def id_for_label(self):\n        return self.attrs['id']\n";
    let similar =
        "def label(widget):\n    \"\"\"The label of a widget, by its id.\"\"\"\n    return widget\n";
    let project = project(&[
        ("web/forms/bound.py", defines),
        ("web/label.py", similar),
        ("web/forms/widget_label.py", similar),
    ]);
    for query in ["`BoundWidget.id_for_label` ignores the id of a label", "id_for_label of a widget label"] {
        assert_eq!(first_file(&project, query), "web/forms/bound.py", "{query}");
    }
}

#[test]
fn modules_are_found_with_lines_in_any_case_and_in_packages_of_their_name() {
    let code = "def collect(objects):\n    return list(objects)\n";
    let project = project(&[
        ("web/db/deletion.py", code),
        ("web/printing/pretty/pretty.py", code),
        ("web/printing/plain.py", code),
    ]);
    assert_eq!(first_file(&project, "Web.db.deletion:276-281 is slow"), "web/db/deletion.py");
    assert_eq!(first_file(&project, "printing.pretty is wrong"), "web/printing/pretty/pretty.py");
}

#[test]
fn a_message_is_found_that_the_source_breaks_over_lines() {
    let raises = "def check(option):\n    raise ValueError('Option %s needs to be declared '\n        'before the first run of the pool' % option)\n";
    let similar = "def declare_option(option):\n    \"\"\"Declares an option of the pool before it runs.\"\"\"\n    return option\n";
    let project = project(&[("web/check.py", raises), ("web/option.py", similar), ("web/pool.py", similar)]);
    let message = "ValueError: Option retries needs to be declared before the first run of the pool";
    assert_eq!(first_file(&project, message), "web/check.py");
}

#[test]
fn a_message_leads_to_the_file_that_says_it_and_not_to_its_tests_and_documents() {
    let says = "ERRORS = {\n    'HOOK_NAME': 'The hook name has to be a string without blanks',\n}\n";
    let hooks = "def add_hook(hook, name):\n    \"\"\"Adds a hook by its name.\"\"\"\n    return hook\n";
    let tests =
        "def test_hook_name():\n    assert message == 'The hook name has to be a string without blanks'\n";
    let document =
        "# Hooks\n\nIf it says \"The hook name has to be a string without blanks\", rename the hook.\n";
    let project = project(&[
        ("web/errors.py", says),
        ("web/registry.py", hooks),
        ("tests/test_registry.py", tests),
        ("docs/hooks.md", document),
    ]);
    assert_eq!(first_file(&project, "The hook name has to be a string without blanks"), "web/errors.py");
}

#[test]
fn a_path_with_a_line_comes_before_a_neighbour_of_the_same_name() {
    let header = "/* Memory of system calls grows over time. */\nint system_calls(void);\n";
    let source = "int system_calls(void) {\n  return 0;\n}\n";
    let project = project(&[("src/unix/calls.h", header), ("src/unix/calls.c", source)]);
    assert_eq!(first_file(&project, "memory grows in src/unix/calls.c:2 over time"), "src/unix/calls.c");
}

#[test]
fn a_bare_trace_leads_to_its_innermost_frame_of_ours() {
    let manager = "class SocketManager:\n    def get_count(self):\n        return len(self.sockets)\n";
    let process = "def unexpected_value(process):\n    raise TypeError('unexpected value of a process')\n";
    let project = project(&[("web/socket_manager.py", manager), ("web/process.py", process)]);
    let trace = "Traceback (most recent call last):\n  File \"/usr/lib/python3/dist-packages/web/socket_manager.py\", line 3, in get_count\nTypeError: unexpected value";
    assert_eq!(first_file(&project, trace), "web/socket_manager.py");
}

#[test]
fn a_message_outweighs_a_file_that_is_called_like_its_subject() {
    let errors = "ERRORS = {\n    'hook': 'The hook %s must be a function, instead got %s',\n    'route': 'No route.',\n}\n";
    let hooks = "def run_hooks(hooks):\n    \"\"\"Runs the function of each hook.\"\"\"\n    for hook in hooks:\n        hook.function()\n";
    let project = project(&[("web/errors.py", errors), ("web/hook.py", hooks), ("web/function.py", hooks)]);
    let asked = "I get the message \"The hook /srv/a must be a function, instead got none\" when I start it";
    assert_eq!(first_file(&project, asked), "web/errors.py");
}

#[test]
fn a_name_that_nothing_has_is_said_to_be_unknown() {
    let project = project(&[("web/fetch.py", "def fetch_all(url):\n    return open(url)\n")]);
    let notes = |query: &str| {
        let request = SearchRequest { mode: SearchMode::Fast, ..SearchRequest::query(query) };
        project.engine.search(&request).unwrap().notes.join(" ")
    };
    assert!(notes("where does fetch_everything open its url").contains("called fetch_everything"));
    assert!(!notes("where does fetch_all open its url").contains("is called"));
    assert!(!notes("where are all of them fetched").contains("is called"));
}
