#!/usr/bin/env python3
"""Prints uses from `vectorcode graph callers` in the format of the example `edges` with `--uses`, for uses_judge.py.

Usage: VECTORCODE=path/to/vectorcode uses_of_program.py DIRECTORY --uses < PLACES, where PLACES has one `path:line` per line and
DIRECTORY is indexed (`vectorcode index --fast`). Lines of the answer that are only listed have the confidence `text`. `elsewhere` is
the number of lines that mean another definition; the answer does not say which lines."""

import json
import os
import re
import subprocess
import sys


def answer(place):
    command = [os.environ["VECTORCODE"], "graph", "callers", place, "--json", "--no-sync", "--limit", "100000"]
    done = subprocess.run(command, cwd=sys.argv[1], capture_output=True, text=True)
    return json.loads(done.stdout) if done.returncode == 0 else None


def lines(place, response):
    """`use, kind, confidence` of every line that the answer names."""
    nodes = response["nodes"]
    for edge in response["edges"]:
        source, target = nodes[edge["from"]], nodes[edge["to"]]
        path = source.get("path") or source["name"]
        is_own = f"{target.get('path')}:{target.get('line')}" == place
        for used in edge.get("uses", []):
            confidence = used["confidence"] if is_own or used["confidence"] == "guess" else "family"
            yield f"{path}:{used['line']}", used["kind"], confidence
    for note in response["notes"]:
        if note.startswith("It uses itself: "):
            yield from ((own, "call", "family") for own in re.findall(r"[^ ,]+:\d+", note))
    others = response.get("other_lines") or {}
    for part in ("unresolved", "text", "imports"):
        for file in others.get(part, []):
            kind = "import" if part == "imports" else "-"
            yield from ((f"{file['path']}:{line}", kind, "text") for line in file["lines"])


def main():
    for place in sys.stdin.read().split():
        response = answer(place)
        named = response and any(f"{node.get('path')}:{node.get('line')}" == place for node in response["nodes"] if node["distance"] == 0)
        if not named:
            print(f"{place}\t-\t-\tunknown")
            continue
        for used in lines(place, response):
            print("\t".join((place, *used)))


main()
