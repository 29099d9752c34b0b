#!/usr/bin/env python3
"""Tests of report.py and comment.py, with canned output of vectorcode and a fake GitHub on loopback. Run: action/check.py"""

import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from unittest import mock

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import report  # noqa: E402

HOSTILE = [
    "@everyone",
    "a`b`` [x](javascript:alert(1)) <img src=x onerror=alert(1)>",
    "``` \n# heading\n```",
    "$(touch pwned);`touch pwned`",
    "-rf --help",
    "x\u202egnp.exe\x1b[2J\r\n::set-output name=a::b",
    "<!-- --> </details> | table |",
    "`",
    "long" * 500,
]


def facts(names):
    user = [{"name": name, "path": name, "line": 3, "distance": 1} for name in names]
    symbols = [
        {"name": name, "kind": "function", "change": "added", "path": name, "start_line": 1, "end_line": 9, "is_test": False}
        for name in names
    ]
    hit = {"file_path": "old.py", "start_line": 4, "end_line": 9, "symbol": names[0]}
    return {
        "changes": {
            "files": [{"path": name, "change": "added", "lines_added": 9, "lines_removed": 0} for name in names],
            "symbols": symbols,
            "affected": user,
            "tests": user,
            "impact": {"files": 2, "symbols": 3, "tests": 1},
        },
        "people": [(name, 2, "2026-01-01") for name in names],
        "similar": [(symbol, hit) for symbol in symbols],
        "head": "0" * 40,
    }


def outside_of_code(markdown):
    """The part that a renderer would interpret: each code span is replaced by X, by the rules of CommonMark."""
    return re.sub(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", "X", markdown)


class Report(unittest.TestCase):
    def test_names_of_the_change_have_no_effect_in_markdown(self):
        with mock.patch.dict(os.environ, {"GITHUB_REPOSITORY": "o/r"}):
            text = report.markdown(facts(HOSTILE))
        body = outside_of_code(text.removeprefix(report.MARKER))
        for forbidden in ["@", "<img", "javascript", "<!--", "touch", "\x1b", "\u202e", "::", "heading"]:
            self.assertNotIn(forbidden, re.sub(r"\]\(https://github.com/[\w./%~#-]*\)", "]", body), body)
        self.assertEqual(text.count("\n# "), 0)

    def test_a_large_change_stays_below_the_limit_of_a_comment(self):
        text = report.markdown(facts([f"{'deep/' * 100}{number}" for number in range(1000)]))
        self.assertLess(len(text), 65_536)
        self.assertIn("and 985 more", text)

    def test_sarif_has_encoded_paths_and_no_links(self):
        log = report.sarif(facts(HOSTILE))
        for result in log["runs"][0]["results"]:
            self.assertNotRegex(result["message"]["text"], r"[\[\]\n\x1b]")
            uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
            self.assertRegex(uri, r"\A[\w./%~-]+\Z")

    def test_a_path_that_looks_like_an_option_stays_a_path(self):
        symbol = {"name": "f", "change": "added", "path": "--help", "start_line": 1, "end_line": 9, "is_test": False}
        with mock.patch.object(report, "ask", return_value=None) as ask:
            report.similar_to([symbol])
        self.assertEqual(ask.call_args.args[-2:], ("--", "--help:1"))

    def test_an_index_that_comes_with_the_change_is_refused(self):
        with mock.patch.object(report, "git", return_value=[".vectorcode/config.toml", ".vectorcode/index.db"]):
            self.assertRaisesRegex(SystemExit, "remove the index", report.facts_of, "main")

    def test_the_author_of_the_change_and_bots_are_not_proposed(self):
        def commit(identifier, author, time):
            return {"id": identifier, "author": author, "time": f"{time}-01-01T00:00:00Z"}

        history = {
            "commits": [commit("own", "Ann", 2026), commit("a", "Ann", 2025), commit("b", "dependabot[bot]", 2026)]
            + [commit(f"old{number}", "Left", 2016) for number in range(9)]
            + [commit("c", "Bo", 2025)]
        }
        files = [{"path": "a.py", "change": "modified", "lines_added": 1, "lines_removed": 0}]
        with mock.patch.object(report, "ask", return_value=history), mock.patch.object(report, "git", return_value=["own"]):
            self.assertEqual([name for name, _, _ in report.people_of(files, "base")], ["Bo", "Left"])


class FakeGitHub(BaseHTTPRequestHandler):
    def answer(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def read_body(self):
        return json.loads(self.rfile.read(int(self.headers["Content-Length"])))["body"]

    def do_GET(self):
        page = int(re.search(r"[?&]page=(\d+)", self.path)[1])
        self.answer(200, self.server.comments[(page - 1) * 100 : page * 100])

    def do_POST(self):
        if self.server.status != 201:
            self.send_response(self.server.status)
            self.send_header("Location", f"http://127.0.0.1:{self.server.server_port}/elsewhere")
            self.end_headers()
            return
        number = len(self.server.comments) + 1
        self.server.comments.append({"id": number, "user": {"login": "github-actions[bot]"}, "body": self.read_body()})
        self.answer(201, {})

    def do_PATCH(self):
        number = int(self.path.rsplit("/", 1)[1])
        self.server.comments[number - 1]["body"] = self.read_body()
        self.answer(200, {})

    def log_message(self, *_arguments):
        pass


class Comment(unittest.TestCase):
    def setUp(self):
        self.github = ThreadingHTTPServer(("127.0.0.1", 0), FakeGitHub)
        self.github.comments, self.github.status = [], 201
        threading.Thread(target=self.github.serve_forever, daemon=True).start()
        self.addCleanup(self.github.server_close)
        self.addCleanup(self.github.shutdown)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.report = Path(folder.name) / "report.md"

    def comment(self, text, number="7"):
        self.report.write_text(f"{report.MARKER}\n{text}")
        environment = {
            **os.environ,
            "GITHUB_API_URL": f"http://127.0.0.1:{self.github.server_port}",
            "GITHUB_TOKEN": "secret",
            "GITHUB_REPOSITORY": "o/r",
            "no_proxy": "*",
        }
        words = [sys.executable, HERE / "comment.py", number, self.report]
        return subprocess.run(words, env=environment, capture_output=True, text=True)

    def test_one_comment_is_updated_in_place(self):
        other = {"user": {"login": "mallory"}, "body": f"{report.MARKER} mine"}
        self.github.comments = [{"id": number, **other} for number in range(1, 131)]
        self.assertEqual(self.comment("first").returncode, 0)
        self.assertEqual(self.comment("second").returncode, 0)
        self.assertEqual(len(self.github.comments), 131)
        self.assertIn("second", self.github.comments[-1]["body"])
        self.assertTrue(all(comment["body"] == other["body"] for comment in self.github.comments[:130]))

    def test_the_token_follows_no_redirect(self):
        self.github.status = 307
        run = self.comment("x")
        self.assertIn("GitHub answered 307", run.stderr)
        self.assertNotIn("secret", run.stderr)

    def test_a_refusal_names_the_reason(self):
        self.github.status = 403
        run = self.comment("x")
        self.assertEqual(run.returncode, 1)
        self.assertIn("read-only", run.stderr)

    def test_a_number_that_is_none_is_refused(self):
        self.assertIn("not a pull request", self.comment("x", "7/../../user").stderr)


if __name__ == "__main__":
    unittest.main()
