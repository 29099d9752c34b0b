"""Measures how often the tests that a change breaks are among those that `vectorcode graph impact --diff` names.

Usage: impact_mutations.py find PROJECT COUNT SEED [--jobs N] -- TEST_COMMAND > CHANGES
       impact_mutations.py judge VECTORCODE PROJECT CHANGES

PROJECT is a clean git checkout whose tests pass. `find` changes single lines of functions, each in a copy of the project, and
prints the changes that break tests as JSON lines. TEST_COMMAND prints failures like pytest (`FAILED path::name`) or mocha's
reporter `json`. The first line of the output is the import closure (what the interpreter has loaded after loading one test
file), with which the number of named tests is compared. `judge` makes each change again and runs the program."""

import argparse
import json
import random
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Queue

# The mutations of a line, by language; the first that matches is used.
RETURN = {".py": (r"^(\s+)return (?!None).+", r"\1return None"), ".js": (r"^(\s+)return [^;{(]+;", r"\1return undefined;")}
CONDITION = {".py": (r"^(\s+)(el)?if (.+):$", r"\1\2if not (\3):"), ".js": (r"^(\s+)if \((.+)\) \{$", r"\1if (!(\2)) {")}
COMPARED = {".py": (r"(.* )==( .*)", r"\1!=\2"), ".js": (r"(.* )===( .*)", r"\1!==\2")}
LOADED = {
    ".py": [sys.executable, "-c", "import sys, runpy; sys.path[:0] = ['.', sys.argv[1].rsplit('/', 1)[0]]; runpy.run_path(sys.argv[1])\n"
            "print(*(m.__file__ for m in list(sys.modules.values()) if getattr(m, '__file__', None)), sep='\\n')"],
    ".js": ["node", "-e", "for (const name of ['describe', 'it', 'before', 'after', 'beforeEach', 'afterEach']) global[name] = (_, run) => "
            "{ if (name === 'describe') try { run() } catch {} }\nrequire(require('path').resolve(process.argv[1]));"
            "console.log(Object.keys(require.cache).join('\\n')); process.exit()"],
}
# A change may make the program hang.
SECONDS = 120


def is_test(path):
    return re.search(r"(^|/)tests?/|test_|_test\.", path) is not None


def tracked(root):
    listed = subprocess.run(["git", "ls-files"], cwd=root, capture_output=True, text=True, check=True).stdout.split("\n")
    code = [path for path in listed if Path(path).suffix in LOADED]
    return [path for path in code if not is_test(path) and not re.search(r"examples?/|docs?/|setup\.py|benchmark", path)], [
        path for path in code if is_test(path)
    ]


def mutations(root, sources):
    """Every line that can be changed, as (path, line from 0, new text)."""
    for path in sources:
        rules = [table[Path(path).suffix] for table in (RETURN, CONDITION, COMPARED)]
        for number, line in enumerate((root / path).read_text().split("\n")):
            changed = next((re.sub(*rule, line) for rule in rules if re.search(rule[0], line)), None)
            if changed is not None and changed != line:
                yield path, number, changed


def failures(root, tests):
    """The tests that fail, as (path, name); `None` if the run aborts."""
    try:
        done = subprocess.run(tests, cwd=root, capture_output=True, text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return None
    if found := re.findall(r"^FAILED ([^:\s]+)::(\S+)", done.stdout, re.M):
        return {(path, re.sub(r"\[.*", "", name).split("::")[-1]) for path, name in found}
    try:
        listed = json.loads(done.stdout[done.stdout.index("{\n"):])["failures"]
    except (ValueError, KeyError):
        return set() if done.returncode == 0 else None
    return {(test["file"].removeprefix(f"{root}/"), "") for test in listed if test.get("file")}


def closures(root, tests):
    """The files that each test file loads."""
    found = {}
    for path in tests:
        command = LOADED[Path(path).suffix]
        try:
            done = subprocess.run([*command, path], cwd=root, capture_output=True, text=True, timeout=60)
        except subprocess.TimeoutExpired:
            continue
        loaded = {Path(line).resolve() for line in done.stdout.split("\n") if line.startswith("/")}
        found[path] = sorted(str(file.relative_to(root)) for file in loaded if root in file.parents)
    return found


class Changed:
    """Replaces a line of a project until the end of the block."""

    def __init__(self, root, path, number, changed):
        self.file, self.number, self.changed = root / path, number, changed

    def __enter__(self):
        self.text = self.file.read_text()
        lines = self.text.split("\n")
        lines[self.number] = self.changed
        self.file.write_text("\n".join(lines))

    def __exit__(self, *_):
        self.file.write_text(self.text)


def find(args):
    root = args.project
    sources, tests = tracked(root)
    print(json.dumps(closures(root, tests)), flush=True)
    chosen = list(mutations(root, sources))
    random.Random(args.seed).shuffle(chosen)
    with tempfile.TemporaryDirectory() as scratch:
        copies = Queue()
        for job in range(args.jobs):
            copies.put(Path(shutil.copytree(root, Path(scratch).resolve() / str(job), symlinks=True)))

        def tried(change):
            copy = copies.get()
            try:
                with Changed(copy, *change):
                    return change, failures(copy, args.tests)
            finally:
                copies.put(copy)

        found, workers = 0, ThreadPoolExecutor(args.jobs)
        # In the order of the sample, not in the order of completion.
        for (path, number, changed), failed in workers.map(tried, chosen):
            if failed and found < args.count:
                found += 1
                row = {"path": path, "line": number, "changed": changed, "failed": sorted(failed)}
                print(json.dumps(row), flush=True)
            if found == args.count:
                workers.shutdown(cancel_futures=True)
                break


def named(vectorcode, root):
    command = [vectorcode, "graph", "impact", "--diff", "--json", "--limit", "60"]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    answer = json.loads(done.stdout)
    return [(test["path"], test["name"].split(".")[-1]) for test in answer["tests"]], answer["test_files"]


def judge(args):
    root, lines = args.project, args.changes.read_text().splitlines()
    loaded, rows = json.loads(lines[0]), [json.loads(line) for line in lines[1:]]
    held, every, by_name, broken, hits, files_named, files_closure = 0, 0, 0, 0, 0, 0, 0
    for judged, row in enumerate(rows, 1):
        path, failed = row["path"], {tuple(test) for test in row["failed"]}
        with Changed(root, path, row["line"], row["changed"]):
            ours, files = named(args.vectorcode, root)
        right = {test for test in failed if test[0] in files or test in ours}
        by_name += any(test in ours for test in failed)
        held, every = held + bool(right), every + (right == failed)
        broken, hits = broken + len(failed), hits + len(right)
        closure = {test for test, uses in loaded.items() if path in uses}
        files_named, files_closure = files_named + len({*files, *(one for one, _ in ours)}), files_closure + len(closure)
        if right != failed:
            print(f"missed {sorted(failed - right)[:3]} of {path}:{row['line'] + 1} {row['changed'].strip()!r}", file=sys.stderr, flush=True)
        print(f"{judged}: {held} with a named test, {every} with all of them, {by_name} with one by its own name; {hits}/{broken} tests named; "
              f"{files_named} test files named, {files_closure} in the import closure", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(required=True)
    project = {"type": lambda path: Path(path).resolve()}
    finding = verbs.add_parser("find")
    finding.add_argument("project", **project)
    finding.add_argument("count", type=int)
    finding.add_argument("seed", type=int)
    finding.add_argument("--jobs", type=int, default=1)
    finding.add_argument("tests", nargs="+")
    finding.set_defaults(run=find)
    judging = verbs.add_parser("judge")
    judging.add_argument("vectorcode")
    judging.add_argument("project", **project)
    judging.add_argument("changes", type=Path)
    judging.set_defaults(run=judge)
    args = parser.parse_args()
    args.run(args)


main()
