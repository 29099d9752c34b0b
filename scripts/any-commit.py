#!/usr/bin/env python3
"""Checks that `--ref` gives the same answers as a checkout of that commit.

    scripts/any-commit.py VECTORCODE CLONE REF [REF...] [--questions FILE] [--limit N] [--mode fast|auto]

Only the index of CLONE is changed. Each REF is also cloned into a temporary folder, checked out there and indexed separately. FILE has
one question per line; without it, the subjects of recent commits are the questions. Prints for each REF how many questions have the
same hits (path, lines, score), and how long the first question took.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import tempfile
import time


def run(*command, cwd):
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


def hits(program, folder, question, arguments, limit):
    started = time.monotonic()
    done = run(program, "search", "--json", "-n", str(limit), *arguments, question, cwd=folder)
    seconds = time.monotonic() - started
    if done.returncode not in (0, 1):
        raise SystemExit(f"{question!r} in {folder}: {done.stderr.strip()}")
    found = json.loads(done.stdout)["hits"]
    return [(hit["file_path"], hit["start_line"], hit["end_line"], round(hit["score"], 4)) for hit in found], seconds


def questions_of(clone, count):
    log = run("git", "log", "-400", "--no-merges", "--format=%s", cwd=clone).stdout.splitlines()
    subjects = [line for line in log if len(line.split()) > 3]
    return subjects[:: max(1, len(subjects) // count)][:count]


def checkout(clone, ref, folder):
    commit = run("git", "rev-parse", f"{ref}^{{commit}}", cwd=clone).stdout.strip()
    tree = pathlib.Path(folder) / "tree"
    for command in (["git", "clone", "--quiet", "--no-checkout", str(clone), str(tree)],
                    ["git", "-C", str(tree), "-c", "advice.detachedHead=false", "checkout", "--quiet", commit]):
        subprocess.run(command, check=True)
    return tree


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("clone", type=pathlib.Path)
    parser.add_argument("refs", nargs="+")
    parser.add_argument("--questions", type=pathlib.Path)
    parser.add_argument("--limit", type=int, default=10)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--mode", default="fast")
    arguments = parser.parse_args()
    program, clone = str(arguments.program.resolve()), arguments.clone.resolve()
    asked = (arguments.questions.read_text().splitlines() if arguments.questions
             else questions_of(clone, arguments.count))
    index = [program, "index"] + (["--fast"] if arguments.mode == "fast" else [])
    subprocess.run(index, cwd=clone, check=True, capture_output=True)
    size = (clone / ".vectorcode/index.db").stat().st_size
    total = same = 0
    for ref in arguments.refs:
        with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR")) as folder:
            tree = checkout(clone, ref, folder)
            subprocess.run(index, cwd=tree, check=True, capture_output=True)
            times, equal = [], 0
            mode = ["--mode", arguments.mode]
            for question in asked:
                of_ref, seconds = hits(program, clone, question, mode + ["--ref", ref], arguments.limit)
                of_tree, _ = hits(program, tree, question, mode, arguments.limit)
                times.append(seconds)
                equal += of_ref == of_tree
                if of_ref != of_tree and os.environ.get("VERBOSE"):
                    print(f"  {question}\n    ref  {of_ref[:3]}\n    tree {of_tree[:3]}")
        total, same = total + len(asked), same + equal
        print(f"{ref}: {equal} of {len(asked)} the same; first {times[0]:.2f} s, then {statistics.median(times[1:]):.3f} s")
    grown = (clone / ".vectorcode/index.db").stat().st_size / size
    print(f"{same} of {total} the same; the index has {grown:.2f} times its size")


if __name__ == "__main__":
    main()
