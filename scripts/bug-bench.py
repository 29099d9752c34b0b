#!/usr/bin/env python3
"""Makes three more sets of questions from the benchmark and the histories of its repositories.

  bug-bench.py --bench BENCH --trees TREES --mirrors MIRRORS --out DIR

BENCH has the `repos.json` of the benchmark, TREES a clone of each repository at its pinned revision, and MIRRORS a bare
clone of each, called `owner+name/repo`. Writes three folders in the same format to DIR, for `vectorcode-eval quality --bench`:

  reports    The question is the message of a commit that fixes a defect, the answers are the files that it changed. Messages
             have 90 to 1500 characters and one to three code files that exist in the tree. Commits after the pinned revision
             come first, because the tree does not have their fix yet. The others name their commit, and the history is cut
             before it. Issue numbers, hashes, addresses and trailers are removed from the message.
  foreign    questions and reports about other repositories, which have no answer here
  unrelated  questions that no code answers (crates/vectorcode-eval/cases/unrelated.txt)
"""
import argparse
import json
import pathlib
import random
import re
import subprocess

PER_REPOSITORY = 20
FOREIGN_QUESTIONS, FOREIGN_REPORTS = 20, 8
UNRELATED = pathlib.Path(__file__).parent.parent / "crates/vectorcode-eval/cases/unrelated.txt"
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
    """Id, message and files of each commit, newest first."""
    log = git(mirror, "log", "--no-merges", "--name-only", "--format=%x01%H%x02%B%x02", "-n1500", revisions)
    for commit in log.split("\x01")[1:]:
        name, message, files = commit.split("\x02", 2)
        yield name, message, [line for line in files.split("\n") if line.strip()]


def question(message):
    lines = [line for line in message.strip().split("\n") if not TRAILER.match(line)]
    return REFERENCE.sub("", " ".join(" ".join(lines).split())).strip()


def questions(repository, tree, mirror):
    # With the slash, so that "src/Pack" does not match "src/Pack.Tools".
    root = repository["root"].rstrip("/") + "/" if repository["root"] else ""
    found = []
    for revisions in (f"{repository['revision']}..HEAD", repository["revision"]):
        for name, message, files in commits(mirror, revisions):
            text = question(message)
            code = [file for file in files if not NOT_CODE.search(file)]
            fits = DEFECT.search(message) and 90 <= len(text) <= 1500 and 1 <= len(code) <= 3
            if fits and all(file.startswith(root) and (tree / file).is_file() for file in code):
                category = "long" if len(text) > 400 else "short"
                in_history = revisions == repository["revision"]
                found.append({"query": text, "relevant": code, "category": category, "commit": name if in_history else None})
        if len(found) >= PER_REPOSITORY:
            break
    random.shuffle(found)
    return found[:PER_REPOSITORY]


def without_answer(texts, category):
    return [{"query": text, "relevant": [], "category": category} for text in texts]


def foreign(own, questions, reports):
    """Questions and reports about all other repositories."""
    others = lambda asked: [q["query"] for name, of in asked.items() if name != own for q in of]
    return without_answer(random.sample(others(questions), FOREIGN_QUESTIONS) + random.sample(others(reports), FOREIGN_REPORTS), "foreign")


def write(folder, repositories, asked):
    (folder / "annotations").mkdir(parents=True, exist_ok=True)
    for name, of in asked.items():
        (folder / "annotations" / f"{name}.json").write_text(json.dumps(of, indent=1))
    (folder / "repos.json").write_text(json.dumps([r for r in repositories if asked.get(r["name"])], indent=1))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("bench", "trees", "mirrors", "out"):
        parser.add_argument(f"--{name}", type=pathlib.Path, required=True)
    args = parser.parse_args()
    random.seed(7)
    repositories = json.loads((args.bench / "repos.json").read_text())
    names = [repository["name"] for repository in repositories]
    mirrors = {r["name"]: args.mirrors / r["github"].replace("/", "+") / "repo" for r in repositories}
    reports = {r["name"]: questions(r, args.trees / r["name"], mirrors[r["name"]]) for r in repositories}
    asked = {name: json.loads((args.bench / "annotations" / f"{name}.json").read_text()) for name in names}
    unrelated = without_answer(UNRELATED.read_text().splitlines(), "unrelated")
    write(args.out / "reports", repositories, {name: of for name, of in reports.items() if of})
    write(args.out / "foreign", repositories, {name: foreign(name, asked, reports) for name in names})
    write(args.out / "unrelated", repositories, dict.fromkeys(names, unrelated))
    for name, of in reports.items():
        print(f"{name:<24} {len(of)} reports")


if __name__ == "__main__":
    main()
