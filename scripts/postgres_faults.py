"""Kills an indexer, a server and PostgreSQL itself, and promotes a standby, while two servers answer queries.

    scripts/postgres_faults.py BINARY PROJECT [DIRECTORY]

PROJECT is copied. Every answer over PostgreSQL is compared with that of an index in a file: a refusal counts as failed, a different
answer as wrong. Needs the programs of PostgreSQL, as scripts/postgres.sh finds them.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

from server_process import STRUCTURE_AT_ONCE

BINARY, PROJECT = Path(sys.argv[1]).resolve(), Path(sys.argv[2])
WORK = Path(tempfile.mkdtemp(dir=sys.argv[3] if len(sys.argv) > 3 else None))
WORK.chmod(0o755)
SCRIPT = Path(__file__).parent / "postgres.sh"
PORT = 54400
QUESTIONS = ["parse a request", "open a connection", "handle an error", "read the settings", "write a response", "time out"]


def postgres(command):
    environment = {**os.environ, "PGPORT": str(PORT)}
    done = subprocess.run([SCRIPT, command, WORK / "postgres"], env=environment, capture_output=True, text=True)
    if done.returncode:
        log = (WORK / "postgres/primary.log").read_text().splitlines()[-5:]
        raise SystemExit("\n".join([f"postgres.sh {command} failed", done.stderr, *log]))
    return done.stdout.strip()


def environment(home, url):
    home = WORK / home
    home.mkdir(exist_ok=True)
    names = {"HOME": "", "XDG_CONFIG_HOME": ".config", "XDG_CACHE_HOME": ".cache", "XDG_DATA_HOME": ".local/share"}
    result = {**os.environ, **{name: str(home / below) for name, below in names.items()}}
    result.pop("VECTORCODE_STORE_URL", None)
    # Otherwise the structure would be read while answers are compared.
    return {**result, **STRUCTURE_AT_ONCE, **({"VECTORCODE_STORE_URL": url} if url else {})}


def run(tree, url, *args):
    done = subprocess.run([BINARY, *args], cwd=tree, env=environment("cli", url), capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{args}: {done.stderr}")
    return done.stdout


class Server:
    started = []

    def __init__(self, name, tree, url):
        args = [BINARY, "serve", "--http", "127.0.0.1:0", "--debounce", "100"]
        self.log = open(WORK / f"{name}.log", "w+")
        self.process = subprocess.Popen(args, cwd=tree, env=environment(name, url), stdin=subprocess.DEVNULL, stderr=self.log)
        Server.started.append(self.process)
        while not (found := re.search(r"http://[^:]+:(\d+)", (WORK / f"{name}.log").read_text())):
            time.sleep(0.02)
        self.port = int(found.group(1))

    def ask(self, question):
        """The locations in the server's answer; None if it refuses."""
        query = urllib.parse.urlencode({"q": question, "mode": "fast", "limit": 5})
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/api/v1/search?{query}", timeout=60) as reply:
                return places(json.load(reply))
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            return None


def places(answer):
    return [(hit["file_path"], hit["start_line"], round(hit["score"], 4)) for hit in answer["hits"]]


class Asker(threading.Thread):
    """Queries a server continuously and compares its answers."""

    def __init__(self, server, expected):
        super().__init__(daemon=True)
        self.server, self.expected, self.stopped = server, expected, False
        self.right = self.failed = 0
        self.wrong, self.slowest, self.times = [], 0.0, []

    def run(self):
        while not self.stopped:
            for question in QUESTIONS:
                began = time.monotonic()
                answer = self.server.ask(question)
                self.slowest = max(self.slowest, time.monotonic() - began)
                if answer is None:
                    self.failed += 1
                    time.sleep(0.05)
                elif answer == self.expected[question]:
                    self.right += 1
                    self.times.append(time.monotonic())
                else:
                    self.wrong.append((question, answer))

    def stop(self):
        self.stopped = True
        self.join()

    def report(self, what):
        print(f"  {what}: {self.right} right answers, {len(self.wrong)} wrong, {self.failed} refused, slowest {self.slowest:.1f} s", flush=True)
        for question, answer in self.wrong[:2]:
            print(f"    {question}: {answer}\n    not {self.expected[question]}")


def await_found(server, path, word, seconds=60):
    began = time.monotonic()
    while time.monotonic() - began < seconds:
        if any(place[0] == path for place in server.ask(word) or []):
            return time.monotonic() - began
        time.sleep(0.02)
    raise SystemExit(f"{path} was not found")


def counts(tree, url):
    status = json.loads(run(tree, url, "status", "--json"))
    return status["files"], status["chunks"]


def write(tree, name):
    (tree / f"zebra_{name}.py").write_text(f'def zebra_{name}(herd):\n    """Counts the zebras of the {name}."""\n    return len(herd)\n')


def during(fault, askers, what):
    before = [asker.right for asker in askers]
    began = time.monotonic()
    fault()
    over = time.monotonic()
    while any(asker.right == count or not asker.times or asker.times[-1] < over for asker, count in zip(askers, before)):
        time.sleep(0.01)
    back = max(min(moment for moment in asker.times if moment >= over) for asker in askers)
    print(f"  {what}: took {over - began:.1f} s, all servers answer {back - over:.2f} s after it", flush=True)


def killed_indexer(tree, url):
    print("indexer killed with SIGKILL, then run again", flush=True)
    for pause in (0.3, 0.8, 1.5, 2.5):
        command = [BINARY, "index", "--fast", "--quiet"]
        indexer = subprocess.Popen(command, cwd=tree, env=environment("cli", url), stderr=subprocess.DEVNULL)
        time.sleep(pause)
        indexer.kill()
        indexer.wait()
    began = time.monotonic()
    run(tree, url, "index", "--fast", "--quiet")
    print(f"  the last run took {time.monotonic() - began:.1f} s", flush=True)


def crash_and_restart():
    postgres("crash")
    time.sleep(1)
    postgres("restart")


def crash_and_promote():
    postgres("crash")
    time.sleep(1)
    postgres("promote")


def main():
    tree, reference = WORK / "tree", WORK / "reference"
    for target in (tree, reference):
        shutil.copytree(PROJECT, target, symlinks=True, ignore=shutil.ignore_patterns(".vectorcode"))
    run(reference, None, "index", "--fast", "--quiet")
    postgres("start")
    url = postgres("urls")
    killed_indexer(tree, url)
    assert counts(tree, url) == counts(reference, None), (counts(tree, url), counts(reference, None))
    expected_server = Server("reference-server", reference, None)
    expected = {question: expected_server.ask(question) for question in QUESTIONS}
    servers = [Server(name, tree, url) for name in ("one", "two")]
    for server in servers:
        server.ask(QUESTIONS[0])
    askers = [Asker(server, expected) for server in servers]
    [asker.start() for asker in askers]

    print("PostgreSQL killed with SIGKILL and started again, twice", flush=True)
    for _ in range(2):
        during(crash_and_restart, askers, "crash, a second's pause and recovery")

    print("PostgreSQL killed while an indexer writes", flush=True)
    other = WORK / "other"
    shutil.copytree(PROJECT, other, symlinks=True, ignore=shutil.ignore_patterns(".vectorcode"))
    command = [BINARY, "index", "--fast", "--quiet"]
    indexer = subprocess.Popen(command, cwd=other, env=environment("cli", url), stderr=subprocess.PIPE, text=True)
    time.sleep(1)
    during(crash_and_restart, askers, "crash, a second's pause and recovery")
    _, told = indexer.communicate()
    print(f"  the indexer ended with {indexer.returncode} {told.strip()}; files and chunks {counts(other, url)} of {counts(reference, None)}", flush=True)

    print("primary killed, standby promoted", flush=True)
    during(crash_and_promote, askers, "crash, a second's pause and promotion")
    for asker, name in zip(askers, ("server one", "server two")):
        asker.stop()
        asker.report(name)
    assert counts(tree, url) == counts(reference, None)

    print("the server that watches killed", flush=True)
    write(tree, "first")
    print(f"  an edit is found by the other server after {await_found(servers[1], 'zebra_first.py', 'zebra_first'):.2f} s", flush=True)
    servers[0].process.send_signal(signal.SIGKILL)
    write(tree, "second")
    print(f"  an edit after the kill is found after {await_found(servers[1], 'zebra_second.py', 'zebra_second'):.2f} s", flush=True)
    [write(reference, name) for name in ("first", "second")]
    run(reference, None, "index", "--fast", "--quiet")
    assert counts(tree, url) == counts(reference, None)
    print("nothing is lost: files and chunks are those of an index in a file", flush=True)


try:
    main()
finally:
    for server in Server.started:
        server.kill()
        server.wait()
    postgres("stop")
    shutil.rmtree(WORK, ignore_errors=True)
