"""Counts answers that change when a question is asked twice in the same state of an index. See same-answers.sh."""

import argparse
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from server_process import STRUCTURE_AT_ONCE, WORDS_FIRST, scratch_environment
from sync_speed import CODE, git

QUESTIONS = [
    "where are errors turned into responses", "how is a request routed to its handler", "parse the command line",
    "read the configuration file", "write to the log", "open a connection and retry", "validate the input of a user",
    "compare two versions", "escape text for html", "split a path into segments", "cache of recent results",
    "close the file when done", "convert a number to a string", "tests of the parser", "what happens at start up",
    "timeout of a request", "encode and decode json", "headers of a response", "lock while writing", "default settings",
    "find an element in a list",
]


class Project:
    def __init__(self, binary, tree, environment):
        self.binary, self.tree, self.environment = binary, tree, environment

    def run(self, *arguments, settings=None):
        command = [self.binary, *arguments, "--project-path", str(self.tree)]
        environment = {**self.environment, **(settings or {})}
        return subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def answer(self, question, settings=None):
        answer = json.loads(self.run("search", "--json", "--threshold", "0", question, settings=settings).stdout)
        answer.pop("took_ms", None)
        return json.dumps(answer, sort_keys=True)

    def coverage(self):
        coverage = json.loads(self.run("status", "--json").stdout)["coverage"]
        return 100 * coverage["embedded"] / max(coverage["total"], 1)

    def forget(self):
        shutil.rmtree(self.tree / ".vectorcode", ignore_errors=True)

    def embed_a_part(self):
        """Interrupts stage two when some of the chunks have vectors."""
        command = [self.binary, "index", "--project-path", str(self.tree)]
        index = subprocess.Popen(command, env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while index.poll() is None and self.coverage() < 25:
            time.sleep(0.05)
        if index.poll() is None:
            index.send_signal(signal.SIGINT)
        index.wait()


def changed(project, settings=None):
    answers = [[project.answer(question, settings) for _ in range(2)] for question in QUESTIONS]
    return sum(first != second for first, second in answers)


def states(project):
    yield "first search, words first", WORDS_FIRST
    project.forget()
    project.run("index", "--fast", settings=STRUCTURE_AT_ONCE)
    yield "structure read", None
    project.embed_a_part()
    yield f"{project.coverage():.0f} % embedded", None
    project.run("index")
    yield "complete", None


def switch(project, count):
    """Coverage before, after checking out a branch with so many other files, and after switching back, with the time until the next answer."""
    listed = sorted(path for path in project.tree.rglob("*") if path.suffix in CODE and ".git" not in path.parts)
    git(project.tree, "checkout", "-b", "same-answers")
    for path in listed[:count]:
        lines = path.read_text(errors="replace").splitlines()
        path.write_text("\n".join(line + " other" if line.strip() else line for line in lines) + "\n")
    git(project.tree, "commit", "-a", "-m", "other words")
    git(project.tree, "checkout", "-")
    project.run("index")
    before = project.coverage()
    git(project.tree, "checkout", "same-answers")
    project.answer(QUESTIONS[0])
    there = project.coverage()
    git(project.tree, "checkout", "-")
    begin = time.monotonic()
    project.answer(QUESTIONS[0])
    took = time.monotonic() - begin
    return f"{len(listed[:count])} files: {before:.1f} % before, {there:.1f} % there, {project.coverage():.1f} % back, answer after {took:.1f} s"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("binary", type=os.path.abspath)
    parser.add_argument("project", type=Path)
    parser.add_argument("--busy", type=int, default=13, help="processes that keep the machine busy")
    parser.add_argument("--switch", type=int, default=2000, help="files that a checkout changes")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        tree = Path(scratch) / "tree"
        shutil.copytree(arguments.project, tree, symlinks=True, ignore=shutil.ignore_patterns(".vectorcode"))
        project = Project(arguments.binary, tree, scratch_environment(str(Path(scratch) / "home")))
        busy = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(arguments.busy)]
        try:
            for state, settings in states(project):
                print(f"{arguments.project.name}, {state}: {changed(project, settings)} of {len(QUESTIONS)} changed", flush=True)
        finally:
            for process in busy:
                process.kill()
        print(f"{arguments.project.name}, checkout of {switch(project, arguments.switch)}", flush=True)


if __name__ == "__main__":
    main()
