#!/usr/bin/env python3
"""How many questions that no code answers (cooking, travel, sports) get an answer at or above the default threshold.

  unrelated.py BINARY fast|auto TREE...

Each TREE has an index. Texts of more than 100 characters are ranked as reports, and counted apart, as are
those in other languages.
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
    # Not checked: a search whose hits are all weak exits with 1, and one that failed prints no JSON.
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
