"""Times builds of vectorcode, and semble, on trees of several sizes. See speed.sh.

A tree is made of the files of the given projects. Where they do not suffice they are taken again, with every long word of
the text changed, so that neither the vocabulary nor the vectors repeat. Processor time is that of the process and what it
started; builds take turns, size by size.
"""

import argparse
import http.client
import itertools
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
from pathlib import Path
from statistics import median

BYTES_A_CHUNK = 900
LONG_WORD = re.compile(rb"\b[a-zA-Z]{6,}\b")
TOPICS = "pod node request token cache file index error timeout lock queue volume user config stream batch".split()
ACTIONS = "evict retry parse verify schedule merge close compress watch encode cancel mount split resolve".split()
REASONS = ["when memory is low", "after a restart", "for each tenant", "in parallel", "before it expires", "with a limit"]


def question(number):
    """Never the same twice."""
    action, topic = ACTIONS[number % len(ACTIONS)], TOPICS[number // 7 % len(TOPICS)]
    return f"how to {action} a {topic} {REASONS[number % len(REASONS)]} {number}"


def source_files(projects):
    for project in projects:
        for path in sorted(Path(project).rglob("*")):
            hidden = any(part.startswith(".") for part in path.relative_to(project).parts)
            if path.is_file() and not path.is_symlink() and not hidden and path.stat().st_size < 1_000_000:
                yield Path(project).name / path.relative_to(project), path


def lay(projects, chunks, directory):
    """Fills `directory` with about as much text as makes `chunks` chunks."""
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
    """Seconds, processor seconds and megabytes at most of a command."""
    begin = time.monotonic()
    child = subprocess.Popen(command, env=environment, stdout=output, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    # 1: nothing was found; 3: vectors of the provider are missing.
    if os.waitstatus_to_exitcode(status) not in (0, 1, 3):
        sys.exit(f"{' '.join(command)} failed")
    return time.monotonic() - begin, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


class Server:
    def __init__(self, binary, tree, environment):
        command = [binary, "serve", "--http", "127.0.0.1:0", "--project-path", str(tree)]
        self.process = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)
        self.port = int(re.search(r"http://[^/]*:(\d+)", self.process.stderr.readline()).group(1))
        threading.Thread(target=self.process.stderr.read, daemon=True).start()
        self.connection = self.connect()
        while b'"activity":{"state":"idle"}' not in self.get(self.connection, "/api/v1/status"):
            time.sleep(0.5)

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port)

    def get(self, connection, path):
        connection.request("GET", path, headers={"Host": "localhost"})
        return connection.getresponse().read()

    def ask(self, connection, mode, number):
        self.get(connection, f"/api/v1/search?mode={mode}&q={urllib.parse.quote(question(number))}")

    def memory_mb(self):
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status).group(1)) / 1024

    def processor_s(self):
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def one_by_one(self, mode, numbers):
        """Milliseconds of each question."""
        times = []
        for number in numbers:
            begin = time.monotonic()
            self.ask(self.connection, mode, number)
            times.append(1000 * (time.monotonic() - begin))
        return sorted(times)

    def eight_at_a_time(self, mode, first, count):
        """Questions a second."""
        def caller(place):
            connection = self.connect()
            for number in range(first + place, first + count, 8):
                self.ask(connection, mode, number)
        callers = [threading.Thread(target=caller, args=[place]) for place in range(8)]
        begin = time.monotonic()
        for one in callers:
            one.start()
        for one in callers:
            one.join()
        return count / (time.monotonic() - begin)

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(timeout=30)


def measure_build(name, binary, tree, environment, both):
    shutil.rmtree(tree / ".vectorcode", ignore_errors=True)
    wall, cpu, peak = run([binary, "index", "--fast", "--project-path", str(tree)], environment)
    row = {"build": name, "stage one": f"{wall:.1f} s, {cpu:.1f} cpu, {peak:.0f} MB"}
    if both:
        wall, cpu, _ = run([binary, "index", "--project-path", str(tree)], environment)
        row["stage two"] = f"{wall:.0f} s, {cpu:.0f} cpu"
    mode = "auto" if both else "fast"
    wall, cpu, _ = run([binary, "index", "--fast", "--project-path", str(tree)], environment)
    row["unchanged"] = f"{wall:.2f} s"
    cold = [run([binary, "search", "--no-sync", "--mode", mode, "--project-path", str(tree), question(number)],
                environment) for number in range(6)][1:]
    wall, cpu, peak = (median(figures) for figures in zip(*cold))
    row["cold search"] = f"{1000 * wall:.0f} ms, {1000 * cpu:.0f} cpu, {peak:.0f} MB"
    server = Server(binary, tree, environment)
    try:
        server.one_by_one(mode, range(100, 110))
        times = server.one_by_one(mode, range(200, 400))
        row["warm p50, p95"] = f"{times[100]:.1f}, {times[190]:.1f} ms"
        used = server.processor_s()
        rate = server.eight_at_a_time(mode, 1000, 1000)
        row["eight at a time"] = f"{rate:.0f}/s, {server.processor_s() - used:.1f} cpu ms"
        row["memory then"] = f"{server.memory_mb():.0f} MB"
    finally:
        server.stop()
    return row


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
print(f"{wall:.1f} s, {cpu:.1f} cpu|{times[20]:.1f}, {times[38]:.1f} ms")
"""


def random_model(directory, tree):
    """A static model of the usual shape, for where the real one cannot be downloaded: its speed is the same."""
    import numpy
    from model2vec import StaticModel
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    texts = [str(path) for path in itertools.islice(tree.rglob("*.*"), 400) if path.is_file()]
    tokenizer.train(texts, trainers.WordPieceTrainer(vocab_size=30_000, special_tokens=["[UNK]", "[PAD]"]))
    vectors = numpy.random.default_rng(1).standard_normal((tokenizer.get_vocab_size(), 256), dtype=numpy.float32)
    StaticModel(vectors, tokenizer).save_pretrained(str(directory))
    return directory


def measure_semble(tree, model, environment):
    begin = subprocess.run([sys.executable, "-c", SEMBLE, str(tree), str(model)], env=environment, text=True,
                           capture_output=True)
    if begin.returncode:
        return {"build": "semble", "stage one": begin.stderr.strip().splitlines()[-1]}
    index, warm = begin.stdout.strip().splitlines()[-1].split("|")
    return {"build": "semble", "stage one": index, "warm p50, p95": warm}


def chunks_of(binary, tree, environment):
    status = subprocess.run([binary, "status", "--json", "--project-path", str(tree)], env=environment, text=True,
                            capture_output=True).stdout
    return int(re.search(r'"chunks":\s*(\d+)', status).group(1))


def print_table(size, rows):
    columns = list(dict.fromkeys(column for row in rows for column in row))
    print(f"\n{size:,} chunks\n\n| {' | '.join(columns)} |\n|{'---|' * len(columns)}", flush=True)
    for row in rows:
        print(f"| {' | '.join(row.get(column, '') for column in columns)} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--project", nargs="+", required=True, help="projects whose files the trees are made of")
    parser.add_argument("--binary", nargs="+", required=True, metavar="NAME=PATH", help="builds to compare")
    parser.add_argument("--sizes", default="8000,50000,250000,1000000", help="chunks, about")
    parser.add_argument("--both", action="store_true", help="with the vectors of the bundled transformer")
    parser.add_argument("--semble", action="store_true", help="also time semble")
    arguments = parser.parse_args()
    builds = [binary.split("=", 1) for binary in arguments.binary]
    with tempfile.TemporaryDirectory() as scratch:
        scratch = Path(scratch)
        home = str(scratch / "home")
        environment = {**os.environ, "HOME": home, "XDG_CACHE_HOME": home, "XDG_CONFIG_HOME": home}
        for size in map(int, arguments.sizes.split(",")):
            tree = scratch / "tree"
            lay(arguments.project, size, tree)
            rows = [measure_build(name, os.path.abspath(path), tree, environment, arguments.both)
                    for name, path in builds]
            chunks = chunks_of(os.path.abspath(builds[-1][1]), tree, environment)
            if arguments.semble:
                shutil.rmtree(tree / ".vectorcode")
                model = random_model(scratch / "model", tree)
                rows.append(measure_semble(tree, model, environment))
            print_table(chunks, rows)
            shutil.rmtree(tree)


main()
