"""Measures builds of vectorcode, and semble, on trees of several sizes. See sizes.sh.

A tree consists of the files of the given projects. If they are not enough, they are copied again with every long word changed, so
that neither the vocabulary nor the vectors repeat. Processor time includes child processes. Builds take turns, size by size.
Questions are never repeated, except in the mixed requests.
"""

import argparse
import itertools
import json
import multiprocessing
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
from pathlib import Path
from statistics import median

from server_process import ServerProcess

BYTES_A_CHUNK = 900
# A server returns free memory to the system every few seconds.
GIVES_BACK_S = 8
LONG_WORD = re.compile(rb"\b[a-zA-Z]{6,}\b")
TOPICS = "pod node request token cache file index error timeout lock queue volume user config stream batch".split()
ACTIONS = "evict retry parse verify schedule merge close compress watch encode cancel mount split resolve".split()
REASONS = ["when memory is low", "after a restart", "for each tenant", "in parallel", "before it expires", "with a limit"]


def question(number):
    """A question that is different for each number."""
    action, topic = ACTIONS[number % len(ACTIONS)], TOPICS[number // 7 % len(TOPICS)]
    return f"how to {action} a {topic} {REASONS[number % len(REASONS)]} {number}"


def source_files(projects):
    for project in projects:
        for path in sorted(Path(project).rglob("*")):
            hidden = any(part.startswith(".") for part in path.relative_to(project).parts)
            if path.is_file() and not path.is_symlink() and not hidden and path.stat().st_size < 1_000_000:
                yield Path(project).name / path.relative_to(project), path


def lay(projects, chunks, directory):
    """Fills `directory` with enough text for about `chunks` chunks."""
    files, left = list(source_files(projects)), chunks * BYTES_A_CHUNK
    for copy in itertools.count():
        mark = b"%c%c" % (97 + copy % 26, 97 + copy // 26)
        for name, path in files:
            text = path.read_bytes()
            if copy:
                text = LONG_WORD.sub(lambda word: word[0] + mark, text)
            target = directory / str(copy) / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(text)
            left -= len(text)
            if left <= 0:
                return


def run(command, environment, output=subprocess.DEVNULL):
    """Wall-clock seconds, processor seconds and peak megabytes of a command."""
    begin = time.monotonic()
    child = subprocess.Popen(command, env=environment, stdout=output, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    # 1: nothing was found; 3: the provider's vectors are missing.
    if os.waitstatus_to_exitcode(status) not in (0, 1, 3):
        sys.exit(f"{' '.join(command)} failed")
    return time.monotonic() - begin, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


class Server(ServerProcess):
    def __init__(self, binary, tree, environment):
        super().__init__(binary, tree, environment)
        while b'"activity":{"state":"idle"}' not in self.get(self.connection, "/api/v1/status"):
            time.sleep(0.5)

    def get(self, connection, path):
        connection.request("GET", path, headers={"Host": "localhost"})
        response = connection.getresponse()
        body = response.read()
        # Not found is a valid answer: there is no definition of that name.
        if response.status not in (200, 404):
            raise RuntimeError(f"{path}: {response.status} {body[:300]}")
        return body

    def ask(self, connection, mode, number):
        self.get(connection, f"/api/v1/search?mode={mode}&q={urllib.parse.quote(question(number))}")

    def hold_embedding(self):
        """Without this, a server with an index of stage one alone would embed during the measurement."""
        for _ in range(120):
            if b'"phase":"embedding"' in self.get(self.connection, "/api/v1/status"):
                self.connection.request("POST", "/api/v1/index/cancel", headers={"Host": "localhost"})
                self.connection.getresponse().read()
                return
            time.sleep(0.5)

    def memory_mb(self):
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status).group(1)) / 1024

    def one_by_one(self, mode, numbers):
        """Milliseconds of each question."""
        times = []
        for number in numbers:
            begin = time.monotonic()
            self.ask(self.connection, mode, number)
            times.append(1000 * (time.monotonic() - begin))
        return sorted(times)

    def eight_at_a_time(self, mode, first, count):
        """Questions per second."""
        def caller(place):
            connection = self.connect()
            for number in range(first + place, first + count, 8):
                self.ask(connection, mode, number)
        begin = time.monotonic()
        in_parallel(caller)
        return count / (time.monotonic() - begin)

    def mixed(self, first, count):
        """Mixed requests on eight connections: new and repeated questions, names, files and their structure."""
        # The server closes connections that were idle for long.
        self.connection = self.connect()
        paths = sorted({hit["file_path"] for number in range(8) for hit in self.hits(first + number)})[:40] or ["README.md"]
        def request(connection, number):
            path = urllib.parse.quote(paths[number % len(paths)])
            kinds = [f"/api/v1/search?mode=fast&q={urllib.parse.quote(question(number))}",
                     f"/api/v1/search?mode=fast&q={urllib.parse.quote(question(number % 50))}",
                     f"/api/v1/file?path={path}", f"/api/v1/symbols?name={TOPICS[number % len(TOPICS)]}",
                     f"/api/v1/graph/callers?target={TOPICS[number % len(TOPICS)]}", "/api/v1/status", "/api/v1/overview", "/api/v1/health"]
            self.get(connection, kinds[number % len(kinds)])
        def caller(place):
            connection = self.connect()
            for number in range(first + place, first + count, 8):
                request(connection, number // 8 + place)
        in_parallel(caller)

    def hits(self, number):
        answer = self.get(self.connection, f"/api/v1/search?mode=fast&q={urllib.parse.quote(question(number))}")
        return json.loads(answer).get("hits", [])


def in_parallel(caller):
    callers = [threading.Thread(target=caller, args=[place]) for place in range(8)]
    for one in callers:
        one.start()
    for one in callers:
        one.join()


def percentile(times, share):
    return times[min(len(times) - 1, int(len(times) * share))]


def measure_indexing(binary, tree, environment, both):
    shutil.rmtree(tree / ".vectorcode", ignore_errors=True)
    wall, cpu, peak = run([binary, "index", "--fast", "--project-path", str(tree)], environment)
    row = {"stage one, s": wall, "stage one, processor s": cpu, "stage one, MB at most": peak}
    # The structure that the first run left for later.
    wall, cpu, peak = run([binary, "graph", "stats", "--project-path", str(tree)], environment)
    row |= {"structure, s": wall, "structure, processor s": cpu, "structure, MB at most": peak}
    if both:
        wall, cpu, _ = run([binary, "index", "--project-path", str(tree)], environment)
        row |= {"stage two, s": wall, "stage two, processor s": cpu}
    wall, cpu, _ = run([binary, "index", "--fast", "--project-path", str(tree)], environment)
    return row | {"unchanged re-index, s": wall}


def measure_cold(binary, tree, environment, mode):
    command = [binary, "search", "--no-sync", "--mode", mode, "--project-path", str(tree)]
    # The first search reads the files from disk, so it is not counted.
    cold = [run([*command, question(number)], environment) for number in range(6)][1:]
    wall, cpu, peak = (median(figures) for figures in zip(*cold))
    return {"cold search, ms": 1000 * wall, "cold search, processor ms": 1000 * cpu, "cold search, MB": peak}


def measure_warm(binary, tree, environment, mode, questions):
    server = Server(binary, tree, environment)
    try:
        if mode == "fast":
            server.hold_embedding()
        row = {"server before questions, MB": server.memory_mb()}
        server.one_by_one(mode, range(100, 120))
        used = server.processor_s()
        times = server.one_by_one(mode, range(200, 200 + questions))
        row |= {"warm p50, ms": percentile(times, 0.5), "warm p95, ms": percentile(times, 0.95),
                "warm, processor ms": 1000 * (server.processor_s() - used) / questions}
        used, count = server.processor_s(), 5 * questions
        row["eight connections, a second"] = server.eight_at_a_time(mode, 1000, count)
        row["eight connections, processor ms"] = 1000 * (server.processor_s() - used) / count
        time.sleep(GIVES_BACK_S)
        row[f"server after {count} of eight, MB"] = server.memory_mb()
        for requests in (2000, 10_000):
            server.mixed(100_000, requests)
            time.sleep(GIVES_BACK_S)
            row[f"server after {requests} mixed requests more, MB"] = server.memory_mb()
    finally:
        server.stop()
    return row


def measure_build(binary, tree, environment, arguments):
    indexing = {} if arguments.indexed else measure_indexing(binary, tree, environment, arguments.both)
    mode = "auto" if arguments.both or is_embedded(binary, tree, environment) else "fast"
    cold = measure_cold(binary, tree, environment, mode)
    return indexing | cold | measure_warm(binary, tree, environment, mode, arguments.questions)


SEMBLE = """
import sys, time, numpy as np
from semble import SembleIndex
path, model = sys.argv[1], sys.argv[2]
wall, cpu = time.monotonic(), time.process_time()
index = SembleIndex.from_path(path, model_path=model)
wall, cpu = time.monotonic() - wall, time.process_time() - cpu
times = []
for number in range(40):
    begin = time.monotonic(); index.search(f"how to retry a request {number}"); times.append(1000 * (time.monotonic() - begin))
times.sort()
print(wall, cpu, times[20], times[38])
"""


def in_a_child(work, *arguments):
    """Runs in a child process, because the memory of this process would count as that of every program that it starts."""
    child = multiprocessing.get_context("fork").Process(target=work, args=arguments)
    child.start()
    child.join()


def is_utf8(path):
    try:
        return bool(path.read_bytes().decode())
    except UnicodeDecodeError:
        return False


def random_model(directory, tree):
    """A random static model of the usual shape, for machines that cannot download the real one; its speed is the same."""
    import numpy
    from model2vec import StaticModel
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    files = (path for path in tree.rglob("*.*") if path.is_file() and ".vectorcode" not in path.parts)
    texts = [str(path) for path in itertools.islice(filter(is_utf8, files), 400)]
    special = ["[UNK]", "[PAD]"]
    tokenizer.train(texts, trainers.WordPieceTrainer(vocab_size=30_000, special_tokens=special, show_progress=False))
    vectors = numpy.random.default_rng(1).standard_normal((tokenizer.get_vocab_size(), 256), dtype=numpy.float32)
    StaticModel(vectors, tokenizer).save_pretrained(str(directory))


def measure_semble(tree, model, environment):
    ended = subprocess.run([sys.executable, "-c", SEMBLE, str(tree), str(model)], env=environment, text=True,
                           capture_output=True)
    if ended.returncode:
        print(f"semble: {ended.stderr.strip().splitlines()[-1]}", file=sys.stderr)
        return {}
    names = ["stage one, s", "stage one, processor s", "warm p50, ms", "warm p95, ms"]
    return dict(zip(names, map(float, ended.stdout.split()[-4:])))


def index_status(binary, tree, environment):
    return subprocess.run([binary, "status", "--json", "--project-path", str(tree)], env=environment, text=True,
                          capture_output=True).stdout


def chunks_of(binary, tree, environment):
    return int(re.search(r'"chunks":\s*(\d+)', index_status(binary, tree, environment)).group(1))


def is_embedded(binary, tree, environment):
    """Whether most chunks have a stage-two vector."""
    covered = re.search(r'"embedded":\s*(\d+),\s*"total":\s*(\d+)', index_status(binary, tree, environment))
    return bool(covered) and 2 * int(covered.group(1)) > int(covered.group(2))


def number(value):
    return "" if value is None else f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def print_table(name, columns):
    """Prints one column per size, and the growth of each figure compared with the growth of the size."""
    sizes = list(columns)
    growth = f"growth, chunks {number(sizes[-1] / sizes[0])} times"
    print(f"\n{name}\n\n| | {' | '.join(f'{size:,} chunks' for size in sizes)} | {growth} |\n|{'---|' * (len(sizes) + 2)}")
    for figure in dict.fromkeys(figure for column in columns.values() for figure in column):
        values = [columns[size].get(figure) for size in sizes]
        grown = number(values[-1] / values[0]) if values[0] and values[-1] else ""
        print(f"| {figure} | {' | '.join(map(number, values))} | {grown} |", flush=True)


def builds_of(arguments):
    """The paths of the builds to compare, by name."""
    return {name: os.path.abspath(path) for name, path in (build.split("=", 1) for build in arguments.binary)}


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", nargs="+", required=True, metavar="NAME=PATH", help="builds to compare")
    parser.add_argument("--project", nargs="+", help="projects with the files for the trees")
    parser.add_argument("--indexed", nargs="+", help="directories with an index, measured without changes")
    parser.add_argument("--home", help="with --indexed: the home directory that they were indexed with")
    parser.add_argument("--sizes", default="8000,50000,250000,1000000", help="approximate numbers of chunks")
    parser.add_argument("--questions", type=int, default=200, help="number of single questions; five times as many on eight connections")
    parser.add_argument("--both", action="store_true", help="with the vectors of the bundled transformer")
    parser.add_argument("--semble", action="store_true", help="also time semble")
    arguments = parser.parse_args()
    if bool(arguments.project) == bool(arguments.indexed):
        parser.error("either --project or --indexed")
    return arguments


def trees(arguments, scratch):
    if arguments.indexed:
        yield from map(Path, arguments.indexed)
        return
    for size in map(int, arguments.sizes.split(",")):
        tree = scratch / "tree"
        lay(arguments.project, size, tree)
        yield tree
        shutil.rmtree(tree)


def main():
    arguments = parse_arguments()
    builds = builds_of(arguments)
    tables = {name: {} for name in [*builds, *(["semble"] if arguments.semble else [])]}
    with tempfile.TemporaryDirectory() as scratch:
        scratch = Path(scratch)
        home = arguments.home or str(scratch / "home")
        places = {"XDG_CACHE_HOME": ".cache", "XDG_CONFIG_HOME": ".config"}
        environment = {**os.environ, "HOME": home, **{name: f"{home}/{place}" for name, place in places.items()}}
        for tree in trees(arguments, scratch):
            rows = {name: measure_build(path, tree, environment, arguments) for name, path in builds.items()}
            size = chunks_of(list(builds.values())[-1], tree, environment)
            if arguments.semble:
                in_a_child(random_model, scratch / "model", tree)
                rows["semble"] = measure_semble(tree, scratch / "model", environment)
            for name, row in rows.items():
                tables[name][size] = row
                # A run takes hours, so results are printed as they come.
                print(f"{name}, {size:,} chunks: {row}", file=sys.stderr, flush=True)
    for name, columns in tables.items():
        print_table(name, columns)


if __name__ == "__main__":
    main()
