"""Times stage one of vectorcode builds and of semble on the same projects. See stage-one.sh."""

import argparse
import shutil
import tempfile
from pathlib import Path

from server_process import STRUCTURE_AT_ONCE, WORDS_FIRST, scratch_environment
from sizes import builds_of, in_a_child, measure_semble, random_model, run

# Suffix of a column's name -> settings for that column.
DETAILS = {"": WORDS_FIRST, ", with structure": STRUCTURE_AT_ONCE}


def measure_build(binary, tree, environment):
    """Processor seconds and wall-clock seconds."""
    shutil.rmtree(tree / ".vectorcode", ignore_errors=True)
    wall, processor, _ = run([binary, "index", "--fast", "--project-path", str(tree)], environment)
    return processor, wall


def columns(builds):
    return ["semble", *(name + detail for name in builds for detail in DETAILS)]


def measure_all(tree, model, builds, runs, environment):
    """The least of several runs in turns, by name."""
    found = {name: [] for name in columns(builds)}
    for _ in range(runs):
        semble = measure_semble(tree, model, environment)
        found["semble"].append((semble["stage one, processor s"], semble["stage one, s"]))
        for name, binary in builds.items():
            for detail, settings in DETAILS.items():
                found[name + detail].append(measure_build(binary, tree, {**environment, **settings}))
    return {name: tuple(map(min, zip(*times))) for name, times in found.items()}


def print_row(project, least):
    semble = least.pop("semble")
    cells = [f"{semble[0]:.2f}, {semble[1]:.2f}"]
    for processor, wall in least.values():
        cells.append(f"{processor:.2f}, {wall:.2f} ({semble[0] / processor:.1f}, {semble[1] / wall:.1f})")
    print(" | ".join([project, *cells]), flush=True)


def parse_arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", action="append", required=True, metavar="NAME=PATH")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("project", nargs="+", type=Path)
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    builds = builds_of(arguments)
    print(" | ".join(["project", *columns(builds)]), flush=True)
    for project in arguments.project:
        with tempfile.TemporaryDirectory() as scratch:
            tree, model = Path(scratch, "project"), Path(scratch, "model")
            environment = scratch_environment(scratch)
            shutil.copytree(project, tree, symlinks=True, ignore=shutil.ignore_patterns(".git", ".vectorcode"))
            in_a_child(random_model, model, tree)
            print_row(project.name, measure_all(tree, model, builds, arguments.runs, environment))


main()
