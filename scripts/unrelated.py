#!/usr/bin/env python3
"""Counts questions that no code answers (cooking, travel, sports) but that get a result with a score of 0.3 or more.

  unrelated.py BINARY fast|auto TREE...

Each TREE has an index. Texts of more than 100 characters, which are ranked as reports, and questions in other
languages are counted separately.
"""
import json
import pathlib
import subprocess
import sys

THRESHOLD = 0.3
LONGEST_QUESTION = 100
CASES = pathlib.Path(__file__).parent.parent / "crates/vectorcode-eval/cases"


def best_score(binary, mode, tree, question):
    command = [binary, "search", question, "--json", "--no-sync", "--mode", mode]
    # The exit code is not checked: a search with only weak hits exits with 1, and one that failed prints no JSON.
    answer = subprocess.run(command, cwd=tree, capture_output=True, text=True, check=False).stdout
    return max((hit["score"] for hit in json.loads(answer)["hits"]), default=0.0)


def main():
    binary, mode, *trees = sys.argv[1:]
    binary = str(pathlib.Path(binary).resolve())
    questions = (CASES / "unrelated.txt").read_text().splitlines()
    kinds = {"questions": [q for q in questions if len(q) <= LONGEST_QUESTION],
             "long texts": [q for q in questions if len(q) > LONGEST_QUESTION],
             "in other languages": (CASES / "languages/unrelated.txt").read_text().splitlines()}
    for name, asked in kinds.items():
        scores = sorted((best_score(binary, mode, tree, question) for tree in trees for question in asked), reverse=True)
        above = sum(score >= THRESHOLD for score in scores)
        print(f"{name}: {above} of {len(scores)} have an answer of {THRESHOLD} or more ({above / len(scores):.1%}); "
              f"the highest: {scores[0]:.2f}")


if __name__ == "__main__":
    main()
