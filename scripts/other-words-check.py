#!/usr/bin/env python3
"""Check the "other words" questions against the files that answer them.

A question of this set is asked by somebody who does not know the vocabulary
of the project.  So it may share only few words with the file that answers it,
and none with the path of that file.

For each question the script prints the share of its content words that occur
in the answer, and these words.  A question passes if

* it has 6 to 16 words,
* it names one to three files in ``relevant``,
* each file named in ``relevant`` or ``secondary`` exists inside the root of its
  repository,
* at most 30 % of its content words occur in the text of the answer,
* none of its content words occurs in the path of the answer (counted from the
  root of the repository, which is the folder that is indexed).

Content words are the words of the question that are not in the stop list,
compared by their stems.  The text of a file is split into words at everything
that is not a letter, and identifiers are split as well: ``maxRetry_count``
contains the words max, retry and count, and also maxretry.  If a question has
several answers, the one that shares most words counts.

Usage::

    other-words-check.py --trees FOLDER [--bench FOLDER] [--all] [NAME ...]

Without names all repositories are checked.  Only failing questions are
printed, or with ``--all`` every question.  The exit status is 1 if a question
fails.
"""

import argparse
import json
import re
import sys
from pathlib import Path

BENCH = Path(__file__).resolve().parent.parent / "crates/vectorcode-eval/cases/other-words"
MAX_SHARE = 0.30
MIN_WORDS = 6
MAX_WORDS = 16
MAX_ANSWERS = 3

# Words without meaning of their own, and words that only frame a question
# about code ("where is the code that ...").
STOP_WORDS = frozenset(
    """
    a about above after again against all also am an and another any anything
    are around as at away be because been before being below between both but
    by can cannot could did do does doing done down during each either else
    even ever every for from further get gets getting give given gives goes
    going had has have having he her here him his how i if in inside instead
    into is it its itself just let lets like made make makes making many may
    me might more most much must my neither no nor not of off on once one only
    onto or other others our out outside over own rather same several she
    should so some somebody someone something somewhere such than that the
    their them themselves then there these they thing things this those
    though through to too two under until up upon us very via was we were what
    whatever when whenever where wherever whether which while who whole whose
    why will with within without would yet you your
    code implementation implemented part piece place
    """.split()
)

# Endings that the stemmer removes, longest first.
ENDINGS = sorted(
    """
    izations ization ations ation ators ator ities ity ments ment nesses ness
    ances ance ences ence ables able ibles ible fully ful less
    ingly ings ing edly ed iers ier ies ied
    izers izer izes ized ize tions tion sions sion ions ion
    ers er ors or ally als al ly est es s e y
    """.split(),
    key=len,
    reverse=True,
)
MIN_STEM = 3

CAMEL_CASE = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+")
LETTERS = re.compile(r"[A-Za-z]+")


def stem(word):
    """Return a rough stem of a word in lower case.

    Endings are removed twice at most ("separators" -> "separ"), then a
    doubled consonant at the end is made single ("stopped" -> "stop").
    """
    for _ in range(2):
        for ending in ENDINGS:
            if ending == "s" and word.endswith("ss"):
                continue
            if word.endswith(ending) and len(word) - len(ending) >= MIN_STEM:
                word = word[: -len(ending)]
                break
        else:
            break
    if len(word) > MIN_STEM and word[-1] == word[-2] and word[-1] not in "aeiou":
        word = word[:-1]
    if len(word) > MIN_STEM and word[-1] in "iy":
        word = word[:-1]
    return word


def text_words(text):
    """Return the set of words of a text, with identifiers split into words."""
    words = set()
    for run in LETTERS.findall(text):
        words.add(run.lower())
        words.update(part.lower() for part in CAMEL_CASE.findall(run))
    return words


def text_stems(text):
    """Return the set of stems of a text, and of its unchanged words."""
    words = text_words(text)
    return words | {stem(word) for word in words}


def content_words(question):
    """Return the content words of a question, in order, each stem once."""
    seen = set()
    words = []
    for word in LETTERS.findall(question.replace("'s", "").lower()):
        if len(word) < 2 or word in STOP_WORDS or stem(word) in seen:
            continue
        seen.add(stem(word))
        words.append(word)
    return words


def words_in_text(words, stems):
    """Return the words that occur in a set of stems."""
    return [word for word in words if word in stems or stem(word) in stems]


def words_in_path(words, path):
    """Return the words that occur in a path.

    Names in paths are often run together (``hostip.c``), so a stem of four
    letters or more also counts anywhere within the path.
    """
    stems = text_stems(path)
    lower = path.lower()
    found = []
    for word in words:
        root = stem(word)
        if word in stems or root in stems or (len(root) >= 4 and root in lower):
            found.append(word)
    return found


def paths_of(entry, key):
    """Return the paths that an annotation names under a key."""
    return [
        item if isinstance(item, str) else item["path"]
        for item in entry.get(key, [])
    ]


def path_inside_root(path, root):
    """Return a path relative to the root, or None if it is outside."""
    if not root:
        return path
    prefix = root.rstrip("/") + "/"
    return path[len(prefix):] if path.startswith(prefix) else None


def check_question(entry, tree, root):
    """Check one annotation.

    Returns the share of shared content words, the shared words, the words
    found in a path, and a list of what is wrong with the question.
    """
    question = entry["query"]
    problems = []
    count = len(question.split())
    if not MIN_WORDS <= count <= MAX_WORDS:
        problems.append(f"{count} words")
    answers = paths_of(entry, "relevant")
    if not 1 <= len(answers) <= MAX_ANSWERS:
        problems.append(f"{len(answers)} answers")
    for path in answers + paths_of(entry, "secondary"):
        if path_inside_root(path, root) is None:
            problems.append(f"outside the root: {path}")
        elif not (tree / path).is_file():
            problems.append(f"no such file: {path}")
    words = content_words(question)
    if not words:
        return 1.0, [], [], problems + ["no content words"]

    share, shared, in_path = 0.0, [], []
    for path in answers:
        inside = path_inside_root(path, root)
        if inside is None or not (tree / path).is_file():
            continue
        text = (tree / path).read_text(encoding="utf-8", errors="replace")
        found = words_in_text(words, text_stems(text))
        if len(found) / len(words) > share:
            share, shared = len(found) / len(words), found
        in_path += [w for w in words_in_path(words, inside) if w not in in_path]
    if share > MAX_SHARE:
        problems.append(f"share {share:.2f}")
    if in_path:
        problems.append("words of the path")
    return share, shared, in_path, problems


def check_repository(repo, here, trees, show_all):
    """Check the questions of one repository and print what was found.

    Returns the shares of all its questions and the number that fail.
    """
    name = repo["name"]
    entries = json.loads((here / "annotations" / f"{name}.json").read_text())
    shares, failures, seen = [], 0, set()
    for entry in entries:
        share, shared, in_path, problems = check_question(
            entry, trees / name, repo.get("root")
        )
        if entry["query"] in seen:
            problems.append("asked twice")
        seen.add(entry["query"])
        shares.append(share)
        failures += bool(problems)
        if problems or show_all:
            mark = "FAIL" if problems else "ok"
            print(f"{mark:4} {share:.2f} {name}: {entry['query']}")
            print("          answer:", ", ".join(paths_of(entry, "relevant")))
            if shared:
                print(f"          in the text: {' '.join(shared)}")
            if in_path:
                print(f"          in the path: {' '.join(in_path)}")
            if problems:
                print(f"          wrong: {'; '.join(problems)}")
    return shares, failures


def main():
    """Check the repositories named on the command line, or all of them."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--bench", type=Path, default=BENCH, help="folder with repos.json and annotations/")
    parser.add_argument("--trees", type=Path, required=True, help="folder with the repositories")
    parser.add_argument("--all", action="store_true", help="print every question")
    options = parser.parse_args()

    repos = json.loads((options.bench / "repos.json").read_text())
    unknown = set(options.names) - {repo["name"] for repo in repos}
    if unknown:
        parser.error(f"not in repos.json: {', '.join(sorted(unknown))}")

    all_shares, all_failures = [], 0
    for repo in repos:
        name = repo["name"]
        if options.names and name not in options.names:
            continue
        if not (options.bench / "annotations" / f"{name}.json").is_file():
            print(f"{name}: no annotations")
            continue
        shares, failures = check_repository(
            repo, options.bench, options.trees, options.all
        )
        all_shares += shares
        all_failures += failures
        mean = sum(shares) / len(shares) if shares else 0.0
        print(f"{name}: {len(shares)} questions, {failures} fail, mean share {mean:.3f}")
    if all_shares:
        mean = sum(all_shares) / len(all_shares)
        print(f"all: {len(all_shares)} questions, {all_failures} fail, "
              f"mean share over questions {mean:.3f}, largest {max(all_shares):.2f}")
    return 1 if all_failures else 0


if __name__ == "__main__":
    sys.exit(main())
