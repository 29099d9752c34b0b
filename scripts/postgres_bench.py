"""Many projects in one PostgreSQL database, beside the same projects in SQLite files and beside a pgvector table without an index.

    scripts/postgres_bench.py BINARY TREES DIRECTORY [CHUNKS]

TREES holds one project a folder; they are copied into DIRECTORY until there are CHUNKS chunks (100,000), again under other names where
they do not suffice. Indexes stage one only. PGBIN names the programs of a PostgreSQL that has pgvector; the last part is left out
where it has not. Prints the indexing rate, bytes a chunk, and times of questions within one project and across all, asked one after
the other over HTTP.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import time
import urllib.parse
import urllib.request
from pathlib import Path

BINARY, TREES, WORK = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), Path(sys.argv[3]).resolve()
WANTED = int(sys.argv[4]) if len(sys.argv) > 4 else 100_000
SCRIPT = Path(__file__).resolve().parent / "postgres.sh"
PORT = int(os.environ.get("PGPORT", 54450))
VERBS = "parse read write open close find sort merge split count check load store send retry cancel".split()
NOUNS = ["a file", "the path", "an index", "a token", "the settings", "an error", "a line", "the cache", "a request", "a model"]
QUESTIONS = [f"{verb} {noun}" for verb in VERBS for noun in NOUNS][::3]
ACROSS = QUESTIONS[:25]


def postgres(command):
    environment = {**os.environ, "PGPORT": str(PORT), "PGNOSTANDBY": "1", "PGSHARED_BUFFERS": "2GB"}
    done = subprocess.run([SCRIPT, command, WORK / "postgres"], env=environment, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def sql(statement):
    command = [Path(os.environ["PGBIN"]) / "psql", "-h", "127.0.0.1", "-p", str(PORT), "-U", "vectorcode", "-qAt", "-v", "ON_ERROR_STOP=1"]
    return subprocess.run([*command, "-c", statement, "vectorcode"], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def environment(home, url):
    (WORK / home).mkdir(exist_ok=True)
    names = {"HOME": "", "XDG_CONFIG_HOME": ".config", "XDG_CACHE_HOME": ".cache", "XDG_DATA_HOME": ".local/share"}
    result = {**os.environ, **{name: str(WORK / home / below) for name, below in names.items()}}
    result.pop("VECTORCODE_STORE_URL", None)
    return {**result, **({"VECTORCODE_STORE_URL": url} if url else {})}


def index(tree, home, url):
    began = time.monotonic()
    done = subprocess.run([BINARY, "index", "--fast", "--json", "--quiet"], cwd=tree, env=environment(home, url), capture_output=True)
    if done.returncode not in (0, 3):
        raise SystemExit(done.stderr.decode())
    return json.loads(done.stdout)["chunks"], time.monotonic() - began


class Server:
    def __init__(self, tree, home, url):
        log = WORK / f"{home}.log"
        arguments = [BINARY, "serve", "--http", "127.0.0.1:0", "--no-watch"]
        self.process = subprocess.Popen(arguments, cwd=tree, env=environment(home, url), stdin=subprocess.DEVNULL, stderr=log.open("w"))
        while not (found := re.search(r"http://[^:]+:(\d+)", log.read_text())):
            time.sleep(0.02)
        self.address = f"http://127.0.0.1:{found.group(1)}/api/v1/search"

    def ask(self, question, **others):
        query = urllib.parse.urlencode({"q": question, "mode": "fast", "limit": 10, **others})
        began = time.monotonic()
        with urllib.request.urlopen(f"{self.address}?{query}", timeout=300) as reply:
            answer = json.load(reply)
        return 1000 * (time.monotonic() - began), answer

    def times(self, questions, **others):
        # Once before: what a server keeps in memory is read by the first question.
        first = self.ask("warm up", **others)[0]
        return first, sorted(self.ask(question, **others)[0] for question in questions)


def shown(first, times):
    at = lambda share: times[min(len(times) - 1, int(share * len(times)))]
    return f"first {first:8.1f} ms   p50 {at(0.5):7.1f} ms   p95 {at(0.95):7.1f} ms"


def copies():
    """Copies of the trees, again and again, each under a name of its own."""
    sources = sorted(tree for tree in TREES.iterdir() if tree.is_dir())
    round = 0
    while True:
        for source in sources:
            target = WORK / "trees" / f"{source.name}-{round}"
            if not target.exists():
                shutil.copytree(source, target, symlinks=True, ignore=shutil.ignore_patterns(".vectorcode", ".git"))
            yield target
        round += 1


def index_all(url):
    trees, total, seconds = [], 0, {"sqlite": 0.0, "postgres": 0.0}
    for tree in copies():
        for home, place in (("sqlite", None), ("postgres", url)):
            chunks, took = index(tree, home, place)
            seconds[home] += took
        total += chunks
        trees.append((chunks, tree))
        if total >= WANTED:
            return trees, total, seconds


def of_grepai(project, total):
    """A table as grepai makes it: one row a chunk with its text and vector, no vector index, ordered by distance."""
    try:
        sql("CREATE EXTENSION IF NOT EXISTS vector")
    except (subprocess.CalledProcessError, KeyError):
        return print("no pgvector: its part is left out")
    dimensions = sql("SELECT min(length(vector)) FROM vectorcode.vectors")
    sql(f"""CREATE TABLE IF NOT EXISTS plain (project bigint, file text, start_line int, content text, vector vector({dimensions}));
        TRUNCATE plain;
        INSERT INTO plain SELECT c.project, f.path, c.start_line, encode(t.content, 'escape'),
            (SELECT array_agg(CASE WHEN b > 127 THEN b - 256 ELSE b END ORDER BY i)::real[]::vector({dimensions})
             FROM (SELECT i, get_byte(v.vector, i) AS b FROM generate_series(0, length(v.vector) - 1) AS i) AS bytes)
        FROM vectorcode.chunks AS c JOIN vectorcode.files AS f USING (project, manifest, file)
        JOIN vectorcode.texts AS t ON t.project = c.project AND t.hash = c.content_hash
        JOIN vectorcode.vectors AS v ON v.project = c.project AND v.hash = c.text_hash AND length(v.vector) = {dimensions};
        CREATE INDEX IF NOT EXISTS plain_project ON plain (project)""")
    sql("VACUUM ANALYZE plain")
    size = int(sql("SELECT pg_total_relation_size('plain')"))
    print(f"{'grepai way':<12} {size / total:7.0f} bytes a chunk, {dimensions} dimensions, no words, no ranking", flush=True)
    for name, where in (("one project", f"WHERE project = {project}"), ("all", "")):
        times = []
        for offset in range(0, 25):
            vector = f"(SELECT vector FROM plain OFFSET {offset * 31} LIMIT 1)"
            plan = json.loads(sql(f"""EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON)
                SELECT file, start_line, content, vector <=> {vector} AS distance FROM plain {where} ORDER BY distance LIMIT 10"""))
            times.append(plan[0]["Execution Time"])
        print(f"{'grepai way':<12} {name:<12} {shown(times[0], sorted(times[1:]))}", flush=True)


def main():
    (WORK / "trees").mkdir(parents=True, exist_ok=True)
    (WORK / "postgres").mkdir(exist_ok=True)
    url = postgres("start")
    trees, total, seconds = index_all(url)
    print(f"{len(trees)} projects, {total} chunks", flush=True)
    sql("VACUUM ANALYZE")
    bytes_of = {
        "sqlite": sum((tree / ".vectorcode/index.db").stat().st_size for _, tree in trees),
        "postgres": int(sql("SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE relnamespace = 'vectorcode'::regnamespace AND relkind = 'r'")),
    }
    for home in seconds:
        print(f"{home:<12} {total / seconds[home]:7.0f} chunks a second, {bytes_of[home] / total:7.0f} bytes a chunk", flush=True)
    largest = max(trees)
    for home, place in (("sqlite", None), ("postgres", url)):
        server = Server(largest[1], home, place)
        print(f"{home:<12} {'one project':<12} {shown(*server.times(QUESTIONS))}   ({largest[0]} chunks)", flush=True)
        print(f"{home:<12} {'all':<12} {shown(*server.times(ACROSS, projects='all'))}", flush=True)
        server.process.kill()
        server.process.wait()
    key = sql("SELECT project FROM vectorcode.chunks GROUP BY project ORDER BY count(*) DESC LIMIT 1")
    of_grepai(key, total)


try:
    main()
finally:
    if not os.environ.get("KEEP"):
        postgres("stop")
