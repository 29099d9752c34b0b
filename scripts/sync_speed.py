#!/usr/bin/env python3
"""Times how fast a server follows file changes: single edits while it embeds, a checkout of many files, a burst of edits. Also measures
an idle server. Works on a copy of PROJECT. docs/notes/speed.md has the figures.

Usage: scripts/sync_speed.py BINARY PROJECT [--edits 40] [--switch 2000] [--burst 1000]

An edit adds a unique word to a file and is searchable when a search over HTTP for that word finds the file. Searches run every
10 ms, after many changes every 100 ms, in mode `fast`, so that the query is not embedded. A switch is a `git checkout` of a branch
on which so many files have such a word.
"""

import argparse
import os
import random
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from server_process import STRUCTURE_AT_ONCE, ServerProcess, scratch_environment

CODE = {".c", ".cc", ".cpp", ".go", ".h", ".java", ".js", ".php", ".py", ".rb", ".rs", ".ts"}
POLL_S = 0.01
POLL_OF_MANY_S = 0.1
SAMPLES_OF_MANY = 12
LIMIT_S = 120


class Server(ServerProcess):
    def get(self, path):
        self.connection.request("GET", path, headers={"Host": "localhost"})
        return self.connection.getresponse().read().decode()

    def finds(self, word, path):
        return f'"{path}"' in self.get(f"/api/v1/search?mode=fast&limit=3&q={word}")

    def seconds_until_found(self, word, path, poll_s=POLL_S):
        begin = time.monotonic()
        while not self.finds(word, path):
            if time.monotonic() - begin > LIMIT_S:
                raise SystemExit(f"{word} was not found in {path} within {LIMIT_S} s")
            time.sleep(poll_s)
        return time.monotonic() - begin


def word(number):
    """A unique word for a number, two letters per digit."""
    return "zqx" + "".join(chr(97 + int(digit)) * 2 for digit in f"{number:05d}")


def add_word(tree, path, number):
    with (tree / path).open("a") as file:
        file.write(f"\n// {word(number)}\n")


def edits(server, tree, paths, count):
    times = []
    for number, path in enumerate(paths[:count]):
        add_word(tree, path, number)
        times.append(1000 * server.seconds_until_found(word(number), path))
        time.sleep(random.uniform(0.2, 1.0))
    times.sort()
    return f"p50 {times[len(times) // 2]:.0f} ms, p95 {times[int(len(times) * 0.95)]:.0f} ms, worst {times[-1]:.0f} ms"


def change_many(server, paths, first, change):
    """Wall-clock and processor seconds from the first write until all files are found."""
    # The server closes connections that were idle for long.
    server.connection = server.connect()
    used, begin = server.processor_s(), time.monotonic()
    change()
    written = time.monotonic() - begin
    for number in random.sample(range(len(paths)), min(SAMPLES_OF_MANY, len(paths))):
        server.seconds_until_found(word(first + number), paths[number], POLL_OF_MANY_S)
    return f"{time.monotonic() - begin:.1f} s (writing took {written:.1f}), {server.processor_s() - used:.1f} processor seconds"


def add_words(tree, paths, first):
    for number, path in enumerate(paths):
        add_word(tree, path, first + number)


def git(tree, *arguments):
    identity = ["-c", "user.name=nobody", "-c", "user.email=nobody@example.org", "-c", "gc.auto=0"]
    subprocess.run(["git", *identity, "-C", str(tree), *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)


def make_branch(tree, paths, first):
    """Makes a repository with a branch `other` that differs in these files and is not checked out."""
    git(tree, "init", "-b", "main")
    git(tree, "add", "-A")
    git(tree, "commit", "-m", "all")
    git(tree, "checkout", "-b", "other")
    add_words(tree, paths, first)
    git(tree, "commit", "-a", "-m", "words")
    git(tree, "checkout", "main")


def idle(binary, tree, paths, environment):
    """Processor time of a server over some files that are completely embedded, so that there is nothing to do."""
    for path in paths:
        (tree / path.name).write_bytes(path.read_bytes())
    command = [binary, "index", "--project-path", str(tree)]
    subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    server = Server(binary, tree, environment)
    time.sleep(5)
    used = server.processor_s()
    time.sleep(20)
    used = server.processor_s() - used
    server.stop()
    return f"{1000 * used / 20:.1f} ms of processor time a second"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("binary", type=os.path.abspath)
    parser.add_argument("project", type=Path)
    parser.add_argument("--edits", type=int, default=40)
    parser.add_argument("--switch", type=int, default=2000, help="number of files that differ on the other branch")
    parser.add_argument("--burst", type=int, default=1000, help="number of files to edit at once")
    arguments = parser.parse_args()
    random.seed(7)
    with tempfile.TemporaryDirectory() as scratch:
        tree, home = Path(scratch) / "tree", str(Path(scratch) / "home")
        shutil.copytree(arguments.project, tree, symlinks=True, ignore=shutil.ignore_patterns(".git", ".vectorcode"))
        environment = scratch_environment(home)
        files = sum(len(files) for _, _, files in os.walk(tree))
        listed = sorted(path for path in tree.rglob("*") if path.suffix in CODE and path.stat().st_size < 100_000)
        # Generated code ranks so low that a search for one word may not list it.
        paths = [path.relative_to(tree).as_posix() for path in listed if "vendor" not in path.parts and "generated" not in path.name]
        random.shuffle(paths)
        edited, paths = paths[:arguments.edits], paths[arguments.edits:]
        burst, paths = paths[:arguments.burst], paths[arguments.burst:]
        switched = paths[:arguments.switch]
        make_branch(tree, switched, 40_000)
        command = [arguments.binary, "index", "--fast", "--project-path", str(tree)]
        # Otherwise the structure would be read while edits are timed.
        settings = {**environment, **STRUCTURE_AT_ONCE}
        subprocess.run(command, env=settings, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        print(f"{files:,} files", flush=True)
        server = Server(arguments.binary, tree, environment)
        try:
            time.sleep(5)
            print("edit to searchable, while embedding:", edits(server, tree, edited, arguments.edits), flush=True)
            print(f"burst of {len(burst)}:", change_many(server, burst, 20_000, lambda: add_words(tree, burst, 20_000)), flush=True)
            time.sleep(5)
            print(f"switch of {len(switched)}:", change_many(server, switched, 40_000, lambda: git(tree, "checkout", "other")), flush=True)
        finally:
            server.stop()
        small = Path(scratch) / "small"
        small.mkdir()
        print("idle:", idle(arguments.binary, small, listed[:50], environment), flush=True)


if __name__ == "__main__":
    main()
