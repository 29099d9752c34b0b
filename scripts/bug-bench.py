#!/usr/bin/env python3
"""Make questions out of fixes: the message of a commit asks, the files that it touched answer.

  bug-bench.py --bench BENCH --trees TREES --mirrors MIRRORS --out DIR

BENCH has the `repos.json` of the benchmark, TREES a tree a repository at its pinned revision, and MIRRORS a bare
clone of each, called `owner+name/repo`. DIR gets the shape of a benchmark: `vectorcode-eval quality --bench DIR`.

Taken are commits that speak of a defect in 90 to 1500 characters and change one to three files of code that the tree
has; those made after the pinned revision first, because there the tree is still without the fix. Numbers of issues,
hashes, addresses and trailers are removed from the message.
"""
import argparse
import json
import pathlib
import random
import re
import subprocess

PER_REPOSITORY = 20
DEFECT = re.compile(r"\b(fix|bug|crash|incorrect|wrong|leak|fails?|error|regression|broken)\b", re.I)
TRAILER = re.compile(r"\s*(Signed-off-by|Co-authored-by|Reviewed|PiperOrigin|Change-Id|Closes|Fixes|Fix(es)?:? #|Ref|Bug:"
                     r"|Reported|cc|Follow-up|Assisted|\[|Tested)", re.I)
REFERENCE = re.compile(r"https?://\S+|\(?#\d+\)?|GH-\d+|[0-9a-f]{8,40}")
NOT_CODE = re.compile(r"(^|/)(tests?|specs?|__tests__|testing|docs?|examples?|benchmarks?|fixtures)(/|$)"
                      r"|[._-](test|spec)\.|_test\.|test_|Tests?\."
                      r"|\.(md|rst|txt|ya?ml|json|toml|lock|cfg|csproj|cabal|gemspec)$|CHANGE")


def git(mirror, *arguments):
    command = ["git", "--git-dir", str(mirror), *arguments]
    return subprocess.run(command, capture_output=True, text=True, errors="replace", check=True).stdout


def commits(mirror, revisions):
    """Message and files of each commit, the newest first."""
    log = git(mirror, "log", "--no-merges", "--name-only", "--format=%x01%B%x02", "-n1500", revisions)
    for commit in log.split("\x01")[1:]:
        message, files = commit.split("\x02", 1)
        yield message, [line for line in files.split("\n") if line.strip()]


def question(message):
    lines = [line for line in message.strip().split("\n") if not TRAILER.match(line)]
    return REFERENCE.sub("", " ".join(" ".join(lines).split())).strip()


def questions(repository, tree, mirror):
    # With its slash: of two neighbours "src/Pack" and "src/Pack.Tools" only the first is searched.
    root = repository["root"].rstrip("/") + "/" if repository["root"] else ""
    found = []
    for revisions in (f"{repository['revision']}..HEAD", repository["revision"]):
        for message, files in commits(mirror, revisions):
            text = question(message)
            code = [file for file in files if not NOT_CODE.search(file)]
            fits = DEFECT.search(message) and 90 <= len(text) <= 1500 and 1 <= len(code) <= 3
            if fits and all(file.startswith(root) and (tree / file).is_file() for file in code):
                category = "long" if len(text) > 400 else "short"
                found.append({"query": text, "relevant": code, "secondary": [], "category": category})
        if len(found) >= PER_REPOSITORY:
            break
    random.shuffle(found)
    return found[:PER_REPOSITORY]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("bench", "trees", "mirrors", "out"):
        parser.add_argument(f"--{name}", type=pathlib.Path, required=True)
    args = parser.parse_args()
    random.seed(7)
    (args.out / "annotations").mkdir(parents=True, exist_ok=True)
    kept = []
    for repository in json.loads((args.bench / "repos.json").read_text()):
        mirror = args.mirrors / repository["github"].replace("/", "+") / "repo"
        found = questions(repository, args.trees / repository["name"], mirror)
        print(f"{repository['name']:<24} {len(found)}")
        if found:
            kept.append(repository)
            (args.out / "annotations" / f"{repository['name']}.json").write_text(json.dumps(found, indent=1))
    (args.out / "repos.json").write_text(json.dumps(kept, indent=1))


if __name__ == "__main__":
    main()
