#!/usr/bin/env python3
"""Reports what a change may affect, which tests to run, who knows the code, and existing code that resembles the new code:

    action/report.py BASE [--markdown FILE] [--sarif FILE]

Run it in a checkout of the change, with its history; BASE is the branch or commit that it will be merged into. Without options
it prints Markdown. It runs the `vectorcode` on the PATH, or the one that VECTORCODE names. Needs Python 3.9 and nothing else.

File names, symbols and authors come from the change, so anybody may have chosen them. They appear only as `code()` and inside
percent-encoded URLs, and are passed to programs as arguments, never through a shell.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import unicodedata
from collections import Counter, defaultdict
from pathlib import Path
from urllib.parse import quote

MARKER = "<!-- vectorcode: what this change reaches -->"
# GitHub refuses comments of more than 65,536 characters.
MAX_COMMENT_CHARS = 60_000
MAX_NAME_CHARS = 120
MAX_LISTED = 15
MAX_NAMES_PER_FILE = 5
MAX_PEOPLE = 3
MAX_FILES_IN_HISTORY = 20
MAX_COMPARED_SYMBOLS = 12
MIN_COMPARED_LINES = 5
# In three pull requests, new definitions that scored above 0.65 had a near copy (`SecureJSON.Render` and `IndentedJSON.Render`, 0.79). At
# 0.54 and less, the other code was only about the same subject, or called the new code.
SIMILAR_SCORE = 0.65
RULES = {
    "reached": "Code that uses what the change touches.",
    "similar": "New code that resembles existing code.",
}


def ask(*arguments):
    """The JSON output of a vectorcode command, or None if it finds nothing or fails; the reason goes to the log."""
    program = os.environ.get("VECTORCODE", "vectorcode")
    run = subprocess.run([program, *arguments], capture_output=True, text=True, errors="replace")
    if run.returncode not in (0, 1, 3):
        print(f"note: vectorcode {arguments[0]} failed: {log_line(run.stderr)}", file=sys.stderr)
        return None
    return json.loads(run.stdout) if run.stdout.strip() else None


def git(*arguments):
    return subprocess.run(["git", *arguments], capture_output=True, text=True, check=True, errors="replace").stdout.split()


def refuse_foreign_index():
    """Refuses a repository that tracks an index: whoever made the change could have put anything into it."""
    files = git("ls-files", ".vectorcode")
    if any(not file.endswith((".vectorcode/config.toml", ".vectorcode/.gitignore")) for file in files):
        sys.exit("error: the repository tracks more than settings in .vectorcode: remove the index from it")


def facts_of(base):
    refuse_foreign_index()
    # The merge base, not the tip of the branch: commits merged there meanwhile are not part of the change.
    start = git("merge-base", "--end-of-options", base, "HEAD")[0]
    changes = ask("graph", "impact", "--json", f"--diff={start}", "--limit", "200")
    if changes is None:
        sys.exit("error: vectorcode could not compare the change with its base")
    return {
        "changes": changes,
        "people": people_of(changes["files"], start),
        "similar": similar_to(changes["symbols"]),
        "head": git("rev-parse", "HEAD")[0],
    }


def people_of(files, start):
    """The authors who changed these files most, recent commits counting more: (name, number of commits, date of the last one)."""
    own = set(git("rev-list", f"{start}..HEAD"))
    commits = commits_of(files)
    authors = {commit["author"] for identifier, commit in commits.items() if identifier in own}
    weights, counts, last = Counter(), Counter(), {}
    newest = max((year_of(commit) for commit in commits.values()), default=0)
    for identifier, commit in sorted(commits.items(), key=lambda item: item[1]["time"]):
        name = commit["author"]
        if identifier not in own and name not in authors and not name.endswith("[bot]"):
            # The weight halves each year: somebody who left years ago cannot review.
            weights[name] += 0.5 ** (newest - year_of(commit))
            counts[name] += 1
            last[name] = commit["time"][:10]
    return [(name, counts[name], last[name]) for name, _ in weights.most_common(MAX_PEOPLE)]


def commits_of(files):
    """The newest commits that changed these files, by id. Only the files with the most changed lines are looked up."""
    known = [file for file in files if file["change"] != "added"]
    known.sort(key=lambda file: -(file["lines_added"] + file["lines_removed"]))
    commits = {}
    for file in known[:MAX_FILES_IN_HISTORY]:
        path = file.get("old_path") or file["path"]
        answer = ask("history", "--json", "--limit=50", "--no-sync", f"--path={path}") or {}
        commits.update({commit["id"]: commit for commit in answer.get("commits", [])})
    return commits


def year_of(commit):
    return int(commit["time"][:4]) + int(commit["time"][5:7]) / 12


def similar_to(symbols):
    """Pairs of a new symbol and the code that resembles it most, except code that the change touches."""
    new = [symbol for symbol in symbols if symbol["change"] == "added" and not symbol["is_test"]]
    pairs = []
    for symbol in [symbol for symbol in new if lines_of(symbol) >= MIN_COMPARED_LINES][:MAX_COMPARED_SYMBOLS]:
        place = f"{symbol['path']}:{symbol['start_line']}"
        answer = ask("similar", "--json", "--limit=5", f"--threshold={SIMILAR_SCORE}", "--class=code", "--tests=exclude", "--no-sync", "--", place)
        hits = [hit for hit in (answer or {}).get("hits", []) if not any(overlap(hit, other) for other in symbols)]
        if hits:
            pairs.append((symbol, hits[0]))
    return pairs


def lines_of(symbol):
    return symbol["end_line"] - symbol["start_line"] + 1


def overlap(hit, symbol):
    same = hit["file_path"] == symbol["path"]
    return same and hit["start_line"] <= symbol["end_line"] and symbol["start_line"] <= hit["end_line"]


def visible(text):
    """The text on one line, without control characters and characters that change the writing direction."""
    kept = "".join(" " if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp") else char for char in text)
    kept = " ".join(kept.split())
    return kept if len(kept) <= MAX_NAME_CHARS else kept[: MAX_NAME_CHARS - 1] + "…"


def log_line(text):
    """The first line of a message. GitHub runs commands such as `::set-env` that appear in the log of a step, so colons are separated."""
    lines = text.strip().splitlines()
    return visible(lines[0]).replace("::", ": :") if lines else "no message"


def code(text):
    """A code span, in which Markdown, HTML, mentions and links have no effect."""
    text = visible(text) or "?"
    fence = "`" * (max((len(run) for run in re.findall("`+", text)), default=0) + 1)
    pad = " " if len(fence) > 1 else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def place(path, line, head):
    """A file and line, as a link if GitHub's environment names the repository."""
    label = code(f"{path}:{line}" if line else path)
    repository = os.environ.get("GITHUB_REPOSITORY")
    if not repository:
        return label
    server = os.environ.get("GITHUB_SERVER_URL", "https://github.com")
    anchor = f"#L{line}" if line else ""
    return f"[{label}]({server}/{quote(repository)}/blob/{head}/{quote(path, safe='/')}{anchor})"


def by_file(symbols):
    files = defaultdict(list)
    for symbol in symbols:
        files[symbol["path"]].append(symbol)
    return files


def section(title, lines, total=None):
    if not lines:
        return []
    rest = (total or len(lines)) - min(len(lines), MAX_LISTED)
    more = [f"- and {rest} more"] if rest > 0 else []
    return [f"### {title}", "", *lines[:MAX_LISTED], *more, ""]


def file_lines(symbols, head):
    lines = []
    for path, found in by_file(symbols).items():
        names = [code(symbol["name"]) for symbol in found if symbol["name"] != path]
        more = f" and {len(names) - MAX_NAMES_PER_FILE} more" if len(names) > MAX_NAMES_PER_FILE else ""
        listed = ", ".join(names[:MAX_NAMES_PER_FILE]) + more
        lines.append(f"- {place(path, found[0].get('line'), head)}" + (f": {listed}" if listed else ""))
    return lines


def markdown(facts):
    changes, head = facts["changes"], facts["head"]
    impact = changes["impact"]
    changed = [symbol for symbol in changes["symbols"] if not symbol["is_test"]]
    people = [f"- {code(name)}: {count} commit{'s' if count > 1 else ''} to these files, the last on {code(day)}" for name, count, day in facts["people"]]
    pairs = [
        f"- {code(new['name'])} in {place(new['path'], new['start_line'], head)} resembles "
        f"{code(hit.get('symbol') or 'code')} in {place(hit['file_path'], hit['start_line'], head)}"
        for new, hit in facts["similar"]
    ]
    lines = [
        MARKER,
        "## What this change reaches",
        "",
        f"{len(changes['files'])} files and {len(changed)} definitions changed. They are used by {impact['symbols']} definitions in "
        f"{impact['files']} files; {impact['tests']} of these have tests.",
        "",
        *section("May be affected", file_lines(changes["affected"], head)),
        *section("Tests to run", file_lines(changes["tests"], head)),
        *section("Already there?", pairs),
        *section("Who knows this code", people),
        "<sub>Calls are resolved by name: some users may be missing, some may be others of the same name.</sub>",
    ]
    return within_limit(lines)


def within_limit(lines):
    kept, length = [], 0
    for line in lines:
        length += len(line) + 1
        if length > MAX_COMMENT_CHARS:
            kept.append("\n(truncated: too long for a comment)")
            break
        kept.append(line)
    return "\n".join(kept) + "\n"


def sarif_location(path, line):
    region = {"region": {"startLine": line}} if line else {}
    return {"physicalLocation": {"artifactLocation": {"uri": quote(path, safe="/")}, **region}}


def sarif_result(rule, text, location, related=()):
    result = {"ruleId": rule, "level": "note", "message": {"text": text}, "locations": [location]}
    if related:
        result["relatedLocations"] = [{"id": number, **other} for number, other in enumerate(related, 1)]
    return result


def sarif(facts):
    # Square brackets in a SARIF message are a link.
    plain = lambda name: visible(name).translate({ord("["): "(", ord("]"): ")"})  # noqa: E731
    results = [
        sarif_result("reached", f"{plain(user['name'])} uses what this change touches.", sarif_location(user["path"], user.get("line")))
        for user in facts["changes"]["affected"]
    ]
    for new, hit in facts["similar"]:
        text = f"{plain(new['name'])} resembles {plain(hit.get('symbol') or hit['file_path'])}."
        related = [{**sarif_location(hit["file_path"], hit["start_line"]), "message": {"text": "the existing code"}}]
        results.append(sarif_result("similar", text, sarif_location(new["path"], new["start_line"]), related))
    rules = [{"id": name, "shortDescription": {"text": text}} for name, text in RULES.items()]
    driver = {"name": "vectorcode", "informationUri": "https://github.com/alejandro-technology/vectorcode", "rules": rules}
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": results}],
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("base")
    parser.add_argument("--markdown", type=Path)
    parser.add_argument("--sarif", type=Path)
    arguments = parser.parse_args()
    facts = facts_of(arguments.base)
    if arguments.markdown:
        arguments.markdown.write_text(markdown(facts), encoding="utf-8")
    if arguments.sarif:
        arguments.sarif.write_text(json.dumps(sarif(facts), indent=2), encoding="utf-8")
    if not arguments.markdown and not arguments.sarif:
        print(markdown(facts), end="")


if __name__ == "__main__":
    main()
