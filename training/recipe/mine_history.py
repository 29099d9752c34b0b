"""Pairs from the history: the message of a commit is the question, the functions that it changes, as they were before, are the answers.

The title becomes a question of kind `commit`, and a message with a body another one of kind `message`. A fix also becomes one of kind
`issue`, in the form of a bug report: what was observed, from the body or from the entry in the change log, and a test that shows it.
"""
import re
import time

from recipe.definitions import BY_KEYWORD, MAX_LINES, PATTERNS, Definition, definitions, excerpt, match_definition
from recipe.languages import document, is_source, is_test, language_of
from recipe.questions import DEFECT, MAX_QUESTION_CHARACTERS, clean_message, is_question, whole_message

CHANGE_LOG = re.compile(
    r"(^|/)(change|changes|changelog|history|news|releases?|unreleased|whats_?new)[^/]*(/[^/]+)?\.(md|rst|txt|adoc)$"
    r"|(^|/)changelog/|(^|/)\.changeset/|\.bugfix\.", re.I)
MAX_FILES = 12
MAX_SOURCES = 3
MAX_ANSWERS = 4
MIN_BODY_CHARACTERS = 120
# The same length as the questions that `bug-bench.py` makes from fixes.
MIN_MESSAGE_CHARACTERS, MAX_MESSAGE_CHARACTERS = 90, 1500
# Parts of issue templates. They say nothing about the code, and a model must learn to ignore them.
HEADINGS = [("### Describe the bug", "### To Reproduce"), ("**What happened?**", "**Minimal example**"), ("## Current behavior", "## Steps to reproduce"),
            ("### What did you do?", "### Code"), ("### Problem description", "#### Expected Output"), ("Bug report", "Reproduction:")]
SURROUNDINGS = ["", "I have searched the existing issues.", "Version: 2.3.1\nOS: Ubuntu 22.04", "### Environment\n\n- macOS 13.4\n- latest release",
                "Happens on the main branch too.", "### Expected behavior\n\nNo error.", "Any help would be appreciated, thanks!",
                "- [x] I checked that this issue has not been reported before", "Node v18.16.0, Windows 11", "Python 3.11.2, Linux"]


def around(hunk, language):
    """For a change whose function starts outside the hunk: the name from git's hunk heading, and a window of lines."""
    line = min(hunk.touched, default=0)
    start = max(0, line - MAX_LINES // 3)
    symbol = match_definition(hunk.heading, PATTERNS.get(language, [BY_KEYWORD])) or ""
    return Definition(symbol, "", start, min(len(hunk.old), start + MAX_LINES), False), line


def changed_definitions(path, hunks):
    """The documents of the innermost definitions that a change touches."""
    for hunk in hunks:
        lines = hunk.old
        if not any(line.strip() for line in lines):
            continue
        found = definitions(lines, language_of(path))
        chosen = {}
        for line in sorted(hunk.touched):
            inside = [d for d in found if d.first <= line < d.end and not d.is_type]
            if inside:
                chosen.setdefault((inside[-1].first, inside[-1].symbol), (inside[-1], line))
        if not chosen and len(lines) >= 4:
            chosen[0] = around(hunk, language_of(path))
        for definition, line in list(chosen.values())[:2]:
            content = excerpt(lines, definition, line)
            if len(content) >= 60:
                yield document(path, definition.parent, definition.symbol, content)


def change_log_entry(files):
    """The longest line that the commit adds to a change log, without marks and references."""
    added = [line for path, hunks in files.items() if CHANGE_LOG.search(path) for hunk in hunks for line in hunk.added]
    entries = [clean_message(re.sub(r"^[\s*#>-]+", "", line))[0] for line in added]
    return max((entry for entry in entries if is_question(entry)), key=len, default="")


def test_excerpt(files):
    """A few lines that the commit adds to a test, like those that a reporter would paste."""
    for path, hunks in files.items():
        if is_test(path) and language_of(path):
            for hunk in hunks:
                lines = [line for line in hunk.added if line.strip()]
                if 3 <= len(lines) <= 40:
                    return "\n".join(lines[:16])
    return ""


def report(title, body, entry, test, rng):
    """A question in the form of a bug report; empty if the commit says too little."""
    observed = body if len(body) >= MIN_BODY_CHARACTERS else entry if entry and entry.lower() != title.lower() else ""
    if not observed and not test:
        return ""
    first, second = rng.choice(HEADINGS) if rng.random() < 0.4 else ("", "")
    parts = [title if rng.random() < 0.7 else "", first and observed and first, observed[:700], first and test and second,
             f"```\n{test}\n```" if test else "", rng.choice(SURROUNDINGS) if first else ""]
    return "\n\n".join(part for part in parts if part)[:MAX_QUESTION_CHARACTERS]


def sources_of(commit):
    return {path: hunks for path, hunks in commit.files.items() if is_source(path)}


def is_wanted(commit):
    """Whether a commit by a person changes one to three code files and has a meaningful message."""
    return (len(commit.files) <= MAX_FILES and 1 <= len(sources_of(commit)) <= MAX_SOURCES
            and "bot" not in commit.author.lower() and is_question(clean_message(commit.message)[0]))


def rows_of(commit, rng):
    title, body = clean_message(commit.message)
    answers = [(path, answer) for path, hunks in sources_of(commit).items() for answer in changed_definitions(path, hunks)]
    if not answers:
        return
    rng.shuffle(answers)
    row = {"file": answers[0][0], "answers": [answer for _, answer in answers[:MAX_ANSWERS]]}
    yield {**row, "kind": "commit", "question": title}
    whole = whole_message(commit.message)
    if body and len(whole) >= MIN_MESSAGE_CHARACTERS:
        yield {**row, "kind": "message", "question": whole[:MAX_MESSAGE_CHARACTERS]}
    if DEFECT.search(title + " " + body):
        question = report(title, body, change_log_entry(commit.files), test_excerpt(commit.files), rng)
        if question:
            yield {**row, "kind": "issue", "question": question}


def mine_history(repository, revision, limit, seconds, rng):
    """Rows from the newest `limit` commits, or from as many as can be read in `seconds`."""
    end = time.monotonic() + seconds
    for commit in repository.commits(revision, limit, is_wanted):
        yield from rows_of(commit, rng)
        if time.monotonic() > end:
            return
