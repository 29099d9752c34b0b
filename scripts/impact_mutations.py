"""How often the tests that a change breaks are among those that `vectorcode graph impact --diff` names.

Usage: impact_mutations.py VECTORCODE PROJECT COUNT SEED [--limit N] -- TEST_COMMAND

PROJECT is a clean git checkout whose tests pass. One line of a function after the other is changed; where tests fail, the
program is asked what the change affects. TEST_COMMAND prints failures as pytest does (`FAILED path::name`) or as mocha's
reporter `json` does. The import closure, with which the number of named tests is compared, is what the interpreter has
loaded after it has loaded one test file."""

import argparse
import json
import random
import re
import subprocess
import sys
from pathlib import Path

# What is changed in a line, by language; the first that fits.
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


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("vectorcode")
    parser.add_argument("project", type=lambda path: Path(path).resolve())
    parser.add_argument("count", type=int)
    parser.add_argument("seed", type=int)
    parser.add_argument("--limit", default="60")
    parser.add_argument("tests", nargs="+")
    return parser.parse_args()


def is_test(path):
    return re.search(r"(^|/)tests?/|test_|_test\.", path) is not None


def tracked(root):
    listed = subprocess.run(["git", "ls-files"], cwd=root, capture_output=True, text=True, check=True).stdout.split("\n")
    code = [path for path in listed if Path(path).suffix in LOADED]
    return [path for path in code if not is_test(path) and not re.search(r"examples?/|docs?/|setup\.py|benchmark", path)], [
        path for path in code if is_test(path)
    ]


def mutations(root, sources):
    """Every line that can be changed, as a path, a line from 0 and the new text."""
    for path in sources:
        rules = [table[Path(path).suffix] for table in (RETURN, CONDITION, COMPARED)]
        for number, line in enumerate((root / path).read_text().split("\n")):
            changed = next((re.sub(*rule, line) for rule in rules if re.search(rule[0], line)), None)
            if changed is not None and changed != line:
                yield path, number, changed


def failures(args):
    """The tests that fail, as (path, name); `None` where the run breaks off."""
    try:
        done = subprocess.run(args.tests, cwd=args.project, capture_output=True, text=True, timeout=120)
    except subprocess.TimeoutExpired:
        return None
    if found := re.findall(r"^FAILED ([^:\s]+)::(\S+)", done.stdout, re.M):
        return {(path, re.sub(r"\[.*", "", name).split("::")[-1]) for path, name in found}
    try:
        listed = json.loads(done.stdout[done.stdout.index("{\n"):])["failures"]
    except (ValueError, KeyError):
        return set() if done.returncode == 0 else None
    root = str(args.project) + "/"
    return {(test["file"].removeprefix(root), "") for test in listed if test.get("file")}


def closures(root, tests):
    """For each test file what it loads."""
    found = {}
    for path in tests:
        command = LOADED[Path(path).suffix]
        try:
            done = subprocess.run([*command, path], cwd=root, capture_output=True, text=True, timeout=60)
        except subprocess.TimeoutExpired:
            continue
        loaded = {Path(line).resolve() for line in done.stdout.split("\n") if line.startswith("/")}
        found[path] = {str(file.relative_to(root)) for file in loaded if root in file.parents}
    return found


def named(args):
    command = [args.vectorcode, "graph", "impact", "--diff", "--json", "--limit", args.limit]
    done = subprocess.run(command, cwd=args.project, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    answer = json.loads(done.stdout)
    return [(test["path"], test["name"].split(".")[-1]) for test in answer["tests"]], answer["test_files"]


def main():
    args = arguments()
    root = args.project
    sources, tests = tracked(root)
    loaded = closures(root, tests)
    all_mutations = list(mutations(root, sources))
    random.Random(args.seed).shuffle(all_mutations)
    judged, held, by_name, broken, hits, files_named, files_closure = 0, 0, 0, 0, 0, 0, 0
    for path, number, changed in all_mutations:
        if judged == args.count:
            break
        text = (root / path).read_text()
        lines = text.split("\n")
        lines[number] = changed
        (root / path).write_text("\n".join(lines))
        try:
            failed = failures(args)
            if not failed:
                continue
            ours, files = named(args)
        finally:
            (root / path).write_text(text)
        judged += 1
        right = [test for test in failed if test[0] in files or test in ours]
        by_name += any(test in ours for test in failed)
        held += bool(right)
        broken, hits = broken + len(failed), hits + len(right)
        closure = {test for test, uses in loaded.items() if path in uses}
        files_named, files_closure = files_named + len({*files, *(one for one, _ in ours)}), files_closure + len(closure)
        if len(right) < len(failed):
            print(f"missed {sorted(failed - set(right))[:3]} of {path}:{number + 1} {changed.strip()!r}", file=sys.stderr, flush=True)
        print(f"{judged}: {held} with a named test ({by_name} by its own name), {hits}/{broken} tests named, {files_named} test files named, {files_closure} in the import closure", flush=True)


main()
