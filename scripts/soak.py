#!/usr/bin/env python3
"""Runs mixed MCP calls over stdio for a long time while files change.

Usage: scripts/soak.py [BINARY, default target/release/vectorcode] [CALLS, default 10000]

Prints latencies and resident memory. Exits with 1 on any error, or if memory keeps growing.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

BINARY = os.path.abspath((sys.argv[1:] or ["target/release/vectorcode"])[0])
CALLS = int((sys.argv[2:] or ["10000"])[0])
FILES = 200
QUERIES = ["multiply two values", "parse a header line", "retry after an error", "write rows to a file", "open a session"]
# Memory may settle during the first part; after that, more growth than this is a leak.
ALLOWED_GROWTH_KB = 20_000


class Server:
    def __init__(self, root):
        command = [BINARY, "serve", "--mcp", "--debounce", "200"]
        self.process = subprocess.Popen(command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.id = 0
        self.request("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "soak", "version": "1"}})

    def request(self, method, params):
        self.id += 1
        frame = {"jsonrpc": "2.0", "id": self.id, "method": method, "params": params}
        self.process.stdin.write(json.dumps(frame).encode() + b"\n")
        self.process.stdin.flush()
        while True:
            answer = json.loads(self.process.stdout.readline())
            if answer.get("id") == self.id:
                return answer

    def call(self, tool, arguments):
        answer = self.request("tools/call", {"name": tool, "arguments": arguments})
        if "error" in answer or answer["result"].get("isError"):
            sys.exit(f"FAILED: {tool} {arguments}: {json.dumps(answer)[:500]}")
        return answer["result"]

    def resident_kb(self):
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS"))


def source(number, version):
    functions = [f"def work_{number}_{place}(value):\n    return value * {place + version}\n" for place in range(10)]
    return "\n".join(functions)


def some_call(server, root):
    kind = random.random()
    if kind < 0.70:
        query = random.choice(QUERIES)
        server.call("vec_search", {"query": query, "limit": random.randint(1, 20), "threshold": 0.0})
    elif kind < 0.80:
        server.call("vec_search", {"query": source(random.randrange(FILES), 1)[:200], "mode": "similar", "threshold": 0.0})
    elif kind < 0.95:
        server.call("vec_status", {})
    elif kind < 0.99:
        server.request("tools/list", {})
    else:
        server.call("vec_reindex", {"path": f"src/file_{random.randrange(FILES)}.py", "wait": 0})


def edit(root, version):
    number = random.randrange(FILES)
    (root / f"src/file_{number}.py").write_text(source(number, version))


def percentile(times, part):
    return 1000 * sorted(times)[min(len(times) - 1, int(part * len(times)))]


def run(root):
    (root / "src").mkdir()
    for number in range(FILES):
        (root / f"src/file_{number}.py").write_text(source(number, 0))
    server = Server(root)
    while json.loads(json.dumps(server.call("vec_status", {"format": "json"})))["structuredContent"].get("files") != FILES:
        time.sleep(0.1)
    times, memory = [], []
    for call in range(CALLS):
        if call % 10 == 0:
            edit(root, call)
        begin = time.monotonic()
        some_call(server, root)
        times.append(time.monotonic() - begin)
        if call % max(1, CALLS // 20) == 0:
            memory.append(server.resident_kb())
            print(f"{call:6} calls, {memory[-1] // 1024} MB resident", flush=True)
    server.process.stdin.close()
    if server.process.wait(timeout=30) != 0:
        sys.exit("FAILED: the server did not exit cleanly")
    report(times, memory)


def report(times, memory):
    print(f"{len(times)} calls without an error")
    print("p50 {:.1f} ms, p95 {:.1f} ms, p99 {:.1f} ms, longest {:.0f} ms".format(
        *(percentile(times, part) for part in (0.50, 0.95, 0.99)), 1000 * max(times)))
    settled, last = max(memory[: len(memory) // 2]), max(memory[len(memory) // 2 :])
    print(f"resident: at most {settled // 1024} MB in the first half, {last // 1024} MB in the second")
    if last > settled + ALLOWED_GROWTH_KB:
        sys.exit("FAILED: memory keeps growing")


with tempfile.TemporaryDirectory() as directory:
    run(Path(directory))
