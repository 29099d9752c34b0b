"""Compares many projects in one PostgreSQL database with SQLite files and with a pgvector table without an index.

    scripts/postgres_bench.py index BINARY TREES DIRECTORY CHUNKS    index up to so many chunks; continues an earlier run
    scripts/postgres_bench.py ask BINARY TREES DIRECTORY [STORE]     time questions: sqlite, postgres, or both
    scripts/postgres_bench.py peer BINARY TREES DIRECTORY            the same chunks in a table like grepai's
    scripts/postgres_bench.py stop BINARY TREES DIRECTORY            stop PostgreSQL and delete its data

TREES has one project per folder. They are copied into DIRECTORY in the order of their names, and again under other names if that
is not enough. Indexes stage one only. PGBIN is the folder of the programs of a PostgreSQL with pgvector. Questions are sent over
HTTP, one at a time, each once.
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

from server_process import STRUCTURE_AT_ONCE

STEP = sys.argv[1]
BINARY, TREES, WORK = (Path(argument).resolve() for argument in sys.argv[2:5])
REST = sys.argv[5:]
INDEXED = WORK / "indexed.json"
SCRIPT = Path(__file__).resolve().parent / "postgres.sh"
PORT = int(os.environ.get("PGPORT", 54450))
# The project that is measured at every size of the database: the largest within the first so many chunks.
SMALL = 100_000
VERBS = "parse read write open close find sort merge split count check load store send retry cancel".split()
NOUNS = ["a file", "the path", "an index", "a token", "the settings", "an error", "a line", "the cache", "a request", "a model"]
# A server caches its last answers, so each kind of measurement has its own questions.
ALL_QUESTIONS = [f"{verb} {noun}" for verb in VERBS for noun in NOUNS]
QUESTIONS = {"same": ALL_QUESTIONS[::3], "largest": ALL_QUESTIONS[1::3], "all": ALL_QUESTIONS[2::3]}


def postgres(command):
    (WORK / "postgres").mkdir(parents=True, exist_ok=True)
    environment = {**os.environ, "PGPORT": str(PORT), "PGNOSTANDBY": "1", "PGSHARED_BUFFERS": "2GB"}
    if command == "start" and (WORK / "postgres/primary/postmaster.pid").exists():
        command = "url"
    done = subprocess.run([SCRIPT, command, WORK / "postgres"], env=environment, check=True, stdout=subprocess.PIPE, text=True)
    return done.stdout.strip()


def sql(statement):
    command = [Path(os.environ["PGBIN"]) / "psql", "-h", "127.0.0.1", "-p", str(PORT), "-U", "vectorcode", "-qAt", "-v", "ON_ERROR_STOP=1"]
    return subprocess.run([*command, "-c", statement, "vectorcode"], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def environment(home, url):
    (WORK / home).mkdir(exist_ok=True)
    names = {"HOME": "", "XDG_CONFIG_HOME": ".config", "XDG_CACHE_HOME": ".cache", "XDG_DATA_HOME": ".local/share"}
    result = {**os.environ, **{name: str(WORK / home / below) for name, below in names.items()}}
    result.pop("VECTORCODE_STORE_URL", None)
    # Otherwise the structure would be read while questions are timed.
    return {**result, **STRUCTURE_AT_ONCE, **({"VECTORCODE_STORE_URL": url} if url else {})}


def stores(url):
    return {"sqlite": None, "postgres": url}


def indexed():
    return json.loads(INDEXED.read_text()) if INDEXED.exists() else []


def index_one(tree, home, url):
    began = time.monotonic()
    done = subprocess.run([BINARY, "index", "--fast", "--json", "--quiet"], cwd=tree, env=environment(home, url), capture_output=True)
    if done.returncode not in (0, 3):
        raise SystemExit(done.stderr.decode())
    return json.loads(done.stdout)["chunks"], time.monotonic() - began


def copies():
    """Endless copies of the trees, each under a new name."""
    sources = sorted(tree for tree in TREES.iterdir() if tree.is_dir())
    round = 0
    while True:
        for source in sources:
            target = WORK / "trees" / (f"{source.name}-{round}" if round else source.name)
            if not target.exists():
                shutil.copytree(source, target, symlinks=True, ignore=shutil.ignore_patterns(".vectorcode", ".git"))
            yield target
        round += 1


def index():
    wanted, url, projects = int(REST[0]), postgres("start"), indexed()
    known, earlier = {project["tree"] for project in projects}, len(projects)
    for tree in copies():
        if sum(project["chunks"] for project in projects) >= wanted:
            break
        if str(tree) in known:
            continue
        project = {"tree": str(tree)}
        for home, place in stores(url).items():
            project["chunks"], project[home] = index_one(tree, home, place)
        projects.append(project)
        INDEXED.write_text(json.dumps(projects, indent=1))
    report(projects, projects[earlier:])


def report(projects, added):
    total = sum(project["chunks"] for project in projects)
    of_added = sum(project["chunks"] for project in added)
    print(f"{len(projects)} projects, {total} chunks; {len(added)} projects, {of_added} chunks of them now", flush=True)
    sql("VACUUM ANALYZE")
    tables = "SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE relnamespace = 'vectorcode'::regnamespace AND relkind = 'r'"
    bytes_of = {
        "sqlite": sum((Path(project["tree"]) / ".vectorcode/index.db").stat().st_size for project in projects),
        "postgres": int(sql(tables)),
    }
    for home, size in bytes_of.items():
        rate = of_added / max(sum(project[home] for project in added), 0.001)
        print(f"{home:<12} {rate:7.0f} chunks a second, {size / total:7.0f} bytes a chunk", flush=True)


class Server:
    """A server started for a tiny project. If it were started for the measured projects, it would embed them during the measurement."""

    def __init__(self, home, url):
        tree, log = WORK / "desk", WORK / f"{home}.log"
        tree.mkdir(exist_ok=True)
        (tree / "README.md").write_text("The desk of a benchmark.\n")
        subprocess.run([BINARY, "index", "--quiet"], cwd=tree, env=environment(home, url), check=True, stdout=subprocess.DEVNULL)
        arguments = [BINARY, "serve", "--http", "127.0.0.1:0", "--no-watch"]
        self.process = subprocess.Popen(arguments, cwd=tree, env=environment(home, url), stdin=subprocess.DEVNULL, stderr=log.open("w"))
        while not (found := re.search(r"http://[^:]+:(\d+)", log.read_text())):
            time.sleep(0.02)
        self.address = f"http://127.0.0.1:{found.group(1)}/api/v1/search"

    def ask(self, question, **others):
        query = urllib.parse.urlencode({"q": question, "mode": "fast", "limit": 10, **others})
        began = time.monotonic()
        with urllib.request.urlopen(f"{self.address}?{query}", timeout=300) as reply:
            json.load(reply)
        return 1000 * (time.monotonic() - began)

    def times(self, questions, projects):
        # The first question loads what the server keeps in memory, so it is timed separately.
        first = self.ask("warm up", projects=projects)
        return first, sorted(self.ask(question, projects=projects) for question in questions)

    def used(self):
        """Memory of the server, and processor time of the server and of PostgreSQL so far."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status).group(1)) // 1024, seconds_of(self.process.pid), seconds_of_postgres()


def seconds_of(process, children=False):
    ticks = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[11:15 if children else 13]
    return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")


def seconds_of_postgres():
    parent = (WORK / "postgres/primary/postmaster.pid").read_text().split()[0]
    backends = subprocess.run(["pgrep", "-P", parent], capture_output=True, text=True).stdout.split()
    return seconds_of(parent, children=True) + sum(seconds_of(backend) for backend in backends)


def shown(first, times):
    at = lambda share: times[min(len(times) - 1, int(share * len(times)))]
    return f"first {first:8.1f} ms   p50 {at(0.5):7.1f} ms   p95 {at(0.95):7.1f} ms"


def ask():
    projects, places = indexed(), stores(postgres("start"))
    total, of_small = 0, []
    for project in projects:
        total += project["chunks"]
        if total <= SMALL or not of_small:
            of_small.append(project)
    one = {"same": max(of_small, key=lambda project: project["chunks"]), "largest": max(projects, key=lambda project: project["chunks"])}
    print(f"{len(projects)} projects, {total} chunks", flush=True)
    for home in REST or places:
        server = Server(home, places[home])
        for name, project in one.items():
            times = shown(*server.times(QUESTIONS[name], Path(project["tree"]).name))
            print(f"{home:<12} {name:<12} {times}   ({project['chunks']} chunks)", flush=True)
        before = server.used()
        times = shown(*server.times(QUESTIONS["all"], "all"))
        after = server.used()
        own, of_postgres = (1000 * (after[place] - before[place]) / (len(QUESTIONS["all"]) + 1) for place in (1, 2))
        print(f"{home:<12} {'all':<12} {times}   {own:.0f} + {of_postgres:.0f} ms of processor time, {after[0]} MB of memory", flush=True)
        server.process.kill()
        server.process.wait()


def peer():
    """A table like grepai's: one row per chunk with its text and vector, no vector index, ordered by distance."""
    postgres("start")
    sql("CREATE EXTENSION IF NOT EXISTS vector")
    dimensions = sql("SELECT min(length(vector)) FROM vectorcode.vectors")
    project = sql("SELECT project FROM vectorcode.chunks GROUP BY project ORDER BY count(*) DESC LIMIT 1")
    sql(f"CREATE TABLE IF NOT EXISTS plain (project bigint, file text, start_line int, content text, vector vector({dimensions}))")
    if int(sql("SELECT count(*) FROM plain")) < int(sql("SELECT count(*) FROM vectorcode.chunks")):
        sql(f"""TRUNCATE plain;
            INSERT INTO plain SELECT c.project, f.path, c.start_line, encode(t.content, 'escape'),
                (SELECT array_agg(CASE WHEN b > 127 THEN b - 256 ELSE b END ORDER BY i)::real[]::vector({dimensions})
                 FROM (SELECT i, get_byte(v.vector, i) AS b FROM generate_series(0, length(v.vector) - 1) AS i) AS bytes)
            FROM vectorcode.chunks AS c JOIN vectorcode.files AS f USING (project, manifest, file)
            JOIN vectorcode.texts AS t ON t.project = c.project AND t.hash = c.content_hash
            LEFT JOIN vectorcode.vectors AS v ON v.project = c.project AND v.hash = c.text_hash AND length(v.vector) = {dimensions};
            CREATE INDEX IF NOT EXISTS plain_project ON plain (project)""")
        sql("VACUUM ANALYZE plain")
    size, rows = (int(sql(f"SELECT {what}")) for what in ("pg_total_relation_size('plain')", "count(*) FROM plain"))
    print(f"{'grepai way':<12} {size / rows:7.0f} bytes a chunk, {dimensions} dimensions, no words, no ranking", flush=True)
    for name, where in (("largest", f"WHERE project = {project}"), ("all", "")):
        times = []
        for offset in range(0, 25):
            vector = f"(SELECT vector FROM plain OFFSET {offset * 31} LIMIT 1)"
            plan = json.loads(sql(f"""EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON)
                SELECT file, start_line, content, vector <=> {vector} AS distance FROM plain {where} ORDER BY distance LIMIT 10"""))
            times.append(plan[0]["Execution Time"])
        print(f"{'grepai way':<12} {name:<12} {shown(times[0], sorted(times[1:]))}", flush=True)


{"index": index, "ask": ask, "peer": peer, "stop": lambda: postgres("stop")}[STEP]()
