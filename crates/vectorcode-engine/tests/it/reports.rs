//! Long queries: bug reports with titles, templates, code and stack traces, and words written as one or as two.

use vectorcode_core::api::{Hit, SearchMode, SearchRequest, SearchTarget};

use crate::project::Indexed;

const ROUTER: &str = "/// Matches a path against the routes.\npub fn match_route(path: &str) -> usize {\n    \
                      panic!(\"the route table is empty: {path}\")\n}\n";
const STORE: &str = "/// Keeps sessions.\npub fn keep_session(key: &str) -> usize {\n    key.len()\n}\n";

fn fast(query: &str) -> SearchRequest {
    SearchRequest {
        threshold: Some(0.0),
        mode: SearchMode::Fast,
        explain: true,
        ..SearchRequest::query(query)
    }
}

fn signal(hit: &Hit, name: &str) -> f32 {
    hit.signals.iter().find(|signal| signal.name == name).map_or(0.0, |signal| signal.value)
}

fn hit<'h>(hits: &'h [Hit], path: &str) -> &'h Hit {
    hits.iter().find(|hit| hit.path == path).unwrap()
}

#[test]
fn a_report_says_which_part_of_it_matched() {
    let project = Indexed::new(&[("src/router.rs", ROUTER), ("src/store.rs", STORE)]);
    project.index();
    let report = "Sessions are lost\n\n### Describe the bug\n\nA session is gone after a restart.\n\n```\n\
        thread 'main' panicked at /home/me/.cargo/registry/src/x/web-1.2.0/src/router.rs:3:5:\n\
        error: the route table is empty: /home\n```\n\n### Environment\n\nOS: router\n";
    let hits = project.engine.search(&fast(report)).unwrap().hits;
    let (router, store) = (hit(&hits, "src/router.rs"), hit(&hits, "src/store.rs"));
    assert!(signal(store, "title_coverage") > signal(router, "title_coverage"));
    assert!(signal(router, "trace_mentioned") > 0.9 && signal(router, "line_mentioned") > 0.9);
    assert!(signal(router, "message") > 0.5 && signal(store, "message") < 0.1);
    assert!(signal(store, "trace_mentioned") < 0.1);
}

/// The file alone is not enough: a user who pastes a trace wants to see the functions in it.
#[test]
fn the_function_that_a_frame_names_is_shown_of_its_file() {
    let other = |number: usize| {
        format!(
            "\n// Routes a request {number}: nil pointer, invalid memory address.\nfunc (c *Context) route{number}(a int) int {{\n{}\treturn a\n}}\n",
            "\tpanic(a)\n".repeat(30)
        )
    };
    let text = |first: usize, method: &str| {
        let others: String = (first..first + 4).map(other).collect();
        format!(
            "package web\n{others}\nfunc (c *Context) {method}() {{\n{}}}\n{}",
            "\tc.index++\n".repeat(60),
            other(first + 9)
        )
    };
    let (context, engine) = (text(0, "Next"), text(20, "Serve"));
    let project = Indexed::new(&[("context.go", context.as_str()), ("engine.go", engine.as_str())]);
    project.index();
    let shown = |report: &str| -> Vec<Option<String>> {
        let hits = project.engine.search(&fast(report)).unwrap().hits;
        ["context.go", "engine.go"].map(|path| hit(&hits, path).symbol.clone()).to_vec()
    };
    let named = [Some("Context.Next".to_owned()), Some("Context.Serve".to_owned())];
    let trace = "panic: invalid memory address or nil pointer dereference\n\ngoroutine 1 [running]:\n\
        example.com/web.(*Context).Next(...)\n\t/go/pkg/mod/example.com/web@v1.2.0/context.go:7\n\
        example.com/web.(*Context).Serve(0xc0001)\n\t/go/pkg/mod/example.com/web@v1.2.0/engine.go:9 +0x1d\n";
    assert_eq!(shown(trace), named, "lines of another version");
    let line = |text: &str, of: &str| 1 + text.lines().position(|line| line.contains(of)).unwrap();
    let lines = (line(&context, "Next()") + 1, line(&engine, "Serve()") + 1);
    let places =
        format!("Requests are routed twice\n\nSee context.go:{} and engine.go:{}.", lines.0, lines.1);
    assert_eq!(shown(&places), named, "lines alone");
}

/// Logs, terminals, mails and code hosts change what a program printed, and line numbers come from another version.
#[test]
fn the_innermost_frame_of_a_file_is_shown_however_it_was_pasted() {
    let function = |name: &str| {
        let body = "    request = dispatch_error(response, request)\n".repeat(40);
        format!("def {name}(request):\n{body}    return request\n\n\n")
    };
    let text: String =
        ["handle_request", "dispatch_error", "find_response", "call_wsgi"].map(function).concat();
    let project =
        Indexed::new(&[("src/web/app.py", text.as_str()), ("src/web/other.py", "def other():\n    pass\n")]);
    project.index();
    let trace = "RuntimeError: the request was dispatched twice\n  File \"/site-packages/web/app.py\", line 300, in call_wsgi\n    \
        response = dispatch_error(request)\n  File \"/site-packages/web/app.py\", line 20, in find_response\n    raise error\n";
    let pytest = "the request was dispatched twice\n\nsrc/web/app.py:300: in call_wsgi\n    response = dispatch_error(request)\n\
        src/web/app.py:20: in find_response\n    raise error\n";
    let prefixed = |prefix: &str| format!("{prefix}{}", trace.replace('\n', &format!("\n{prefix}")));
    let json = format!("{{\"level\":\"error\",\"stack\":{}}}", serde_json::to_string(trace).unwrap());
    let log =
        format!("the server ended\n{}{trace}", "2026-01-02 INFO dispatch_error is called\n".repeat(3000));
    let pasted = [
        trace.to_owned(),
        pytest.to_owned(),
        prefixed("web_1  | "),
        prefixed("> "),
        prefixed("2026-01-02T03:04:05.678Z stderr F "),
        prefixed("\u{1b}[31m"),
        json,
        log,
    ];
    for report in pasted {
        let hits = project.engine.search(&fast(&report)).unwrap().hits;
        let shown = &hit(&hits, "src/web/app.py").symbol;
        assert_eq!(shown.as_deref(), Some("find_response"), "{}", &report[..200.min(report.len())]);
    }
}

/// Data pasted by mistake takes no more memory and time than its size justifies.
#[test]
fn a_word_of_many_kilobytes_is_a_question_like_others() {
    let project = Indexed::new(&[("src/router.rs", ROUTER)]);
    project.index();
    for data in ["x".repeat(60_000), "é".repeat(30_000), "router.rs:1 ".repeat(5_000)] {
        let hits = project.engine.search(&fast(&format!("match a route {data}"))).unwrap().hits;
        assert_eq!(hits[0].path, "src/router.rs");
    }
}

#[test]
fn the_ranking_does_not_change_with_the_limit() {
    let names: Vec<String> = (0..350).map(|number| format!("src/handler{number}.py")).collect();
    let text = |number: usize| {
        let words = "retry the request when the network fails ".repeat(number % 7 + 1);
        format!(
            "def handle_{number}(request):\n    \"\"\"{words}\"\"\"\n    return send(request, {number})\n"
        )
    };
    let texts: Vec<String> = (0..350).map(text).collect();
    let files: Vec<(&str, &str)> =
        names.iter().zip(&texts).map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let project = Indexed::new(&files);
    project.index();
    let first = |limit: usize| {
        let request = SearchRequest { limit, ..fast("how are failed requests retried") };
        let mut hits = project.engine.search(&request).unwrap().hits;
        hits.truncate(5);
        hits
    };
    assert_eq!(first(5), first(340));
}

#[test]
fn words_that_the_code_writes_together_or_apart_meet() {
    let project = Indexed::new(&[
        (
            "src/t_zset.c",
            "/* Insert a new node in the skiplist. */\nint zslInsert(int score) {\n    return score;\n}\n",
        ),
        (
            "src/quicklist.c",
            "/* Skips the first entry of a list. */\nint quicklistSkip(int list) {\n    return list;\n}\n",
        ),
        ("src/paths.c", "/* Checks the name of a file. */\nint checkPath(int path) {\n    return path;\n}\n"),
    ]);
    project.index();
    for query in ["skip list insert", "skiplist insert", "skip_list insert"] {
        assert_eq!(project.engine.search(&fast(query)).unwrap().hits[0].path, "src/t_zset.c", "{query}");
    }
    assert_eq!(project.engine.search(&fast("filename")).unwrap().hits[0].path, "src/paths.c");
}

#[test]
fn the_other_half_of_a_function_is_not_similar_to_it() {
    let body = |name: &str| {
        let step = |step: u32| format!("    total = total + weigh({step}, rows[{step}])\n");
        let steps = (0..120).map(step).collect::<Vec<_>>().concat();
        format!("def {name}(rows):\n    total = 0\n{steps}    return total\n")
    };
    let project = Indexed::new(&[("a.py", &body("sum_rows")), ("b.py", &body("add_rows"))]);
    project.index();
    let target = SearchTarget::Location { path: "a.py".into(), line: 5 };
    let request =
        SearchRequest { threshold: Some(0.0), mode: SearchMode::Fast, ..SearchRequest::new(target) };
    let hits = project.engine.search(&request).unwrap().hits;
    assert!(
        hits.iter().all(|hit| hit.path == "b.py"),
        "{:?}",
        hits.iter().map(|hit| &hit.path).collect::<Vec<_>>()
    );
}

#[test]
fn doubles_and_suites_come_behind_the_code() {
    let timers = "export function fakeTimers(clock) {\n  return clock.install();\n}\n";
    let project = Indexed::new(&[
        ("test/timers.suite.ts", timers),
        ("src/stubs/timers.ts", timers),
        ("src/__fixtures__/timers.ts", timers),
        ("src/integrations/mock/timers.ts", timers),
    ]);
    project.index();
    let report = "fake timers are not installed\n\nThe clock installs fake timers twice.\n";
    for query in ["how are fake timers installed", report] {
        let hits = project.engine.search(&fast(query)).unwrap().hits;
        assert_eq!(hits[0].path, "src/integrations/mock/timers.ts");
    }
}
