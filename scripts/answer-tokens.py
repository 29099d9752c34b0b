#!/usr/bin/env python3
"""Measures the tokens of single tool answers: `edit` of a symbol, the outline of a file with a query, `impact` of a symbol.

Usage: answer-tokens.py VECTORCODE COUNT SEED PROJECT... with indexed clones (`vectorcode index --fast`). SEED selects the symbols
and files; the query of an outline is the name of one of the file's functions, in words. Tokens are the server's estimate
(crates/vectorcode-server/src/budget.rs)."""

import json
import random
import re
import sqlite3
import subprocess
import sys
from pathlib import Path

# Kinds of definitions that have code (crates/vectorcode-store/src/index/enum_codes.rs).
CALLABLE = "(0, 1)"
BARS = {"edit": 900, "outline": 350}


def tokens(text):
    runs = re.finditer(r"(?a:(?P<letters>[A-Za-z]+)|(?P<digits>[0-9]+)|(?P<space>\s+)|(?P<marks>[^\sA-Za-z0-9\x80-\U0010ffff]+))|(?P<other>.+?)", text)
    counted = 0
    for run in runs:
        length, kind = len(run.group()), run.lastgroup
        counted += {
            "letters": 1 if length <= 10 else -(-length // 6), "digits": -(-length // 3), "space": int(run.group() != " "),
            "marks": -(-length // 2), "other": length,
        }[kind]
    return -(-counted * 92 // 100)


class Tools:
    """Calls the tools of a server over stdio."""

    def __init__(self, vectorcode, project):
        self.process = subprocess.Popen([vectorcode, "serve", "--mcp"], cwd=project, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True)
        self.number = 0
        client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "answer-tokens", "version": "1"}}
        self.ask("initialize", client)
        self.send({"method": "notifications/initialized"})

    def send(self, message):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self.process.stdin.flush()

    def ask(self, method, params):
        self.number += 1
        self.send({"id": self.number, "method": method, "params": params})
        while True:
            message = json.loads(self.process.stdout.readline())
            if message.get("id") == self.number:
                return message.get("result") or message

    def text(self, tool, **arguments):
        return self.ask("tools/call", {"name": tool, "arguments": arguments})["content"][0]["text"]

    def stop(self):
        self.process.stdin.close()
        self.process.wait()


def sample(project, count, seed):
    """Functions and methods as `path:line` and name."""
    index = sqlite3.connect(f"file:{project}/.vectorcode/index.db?mode=ro", uri=True)
    rows = index.execute(
        "SELECT source_files.path, symbols.name_line, names.name FROM symbols JOIN source_files ON source_files.id = symbols.file_id "
        f"JOIN names ON names.id = symbols.name_id WHERE symbols.kind IN {CALLABLE} AND source_files.path NOT LIKE '%test%' ORDER BY 1, 2"
    ).fetchall()
    return random.Random(seed).sample(rows, min(count, len(rows)))


def in_words(name):
    return " ".join(re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+", name)).lower()


def main():
    vectorcode, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    costs = {"edit": [], "outline": [], "impact": []}
    for project in map(Path, sys.argv[4:]):
        tools = Tools(vectorcode, project)
        for path, line, name in sample(project, count, seed):
            answers = {
                "edit": tools.text("vec_graph", action="edit", target=f"{path}:{line}"),
                "outline": tools.text("vec_read", target=path, query=in_words(name)),
                "impact": tools.text("vec_graph", action="impact", target=f"{path}:{line}"),
            }
            for kind, answer in answers.items():
                costs[kind].append((tokens(answer), f"{project.name}/{path}:{line} {name}"))
        tools.stop()
    for kind, paid in costs.items():
        paid.sort()
        bar = BARS.get(kind)
        held = f", {sum(cost <= bar for cost, _ in paid)} within {bar}" if bar else ""
        print(f"{kind}: {len(paid)} answers, mean {sum(cost for cost, _ in paid) / len(paid):.0f}, median {paid[len(paid) // 2][0]}{held}")
        for cost, what in paid[-3:]:
            print(f"  {cost} {what}")


main()
