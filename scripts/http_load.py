#!/usr/bin/env python3
"""Load on GET /api/v1/search at a fixed rate, over kept-alive connections, using only the standard library.

Usage: scripts/http_load.py [BINARY, default target/release/vectorcode] [PROJECT, default this one]
                            [REQUESTS A SECOND, default 500] [SECONDS, default 60]

Two runs: a hundred repeated queries, as from many callers of one index, and new queries. Requests are due at a fixed rate, even if
earlier ones are not answered yet: if the server falls behind, its rate drops and its latencies, which count from the due time,
rise. Prints rate, errors, latencies, processor time and memory.
"""

import asyncio
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from server_process import scratch_environment

DEFAULTS = ["target/release/vectorcode", ".", "500", "60"]
BINARY, PROJECT, RATE, SECONDS = sys.argv[1:] + DEFAULTS[len(sys.argv) - 1:]
BINARY, PROJECT, RATE, SECONDS = os.path.abspath(BINARY), os.path.abspath(PROJECT), int(RATE), int(SECONDS)
CONNECTIONS = 64
VERBS = "parse read write open close find sort merge split count check load store send retry cancel lock hash".split()
NOUNS = "file path index chunk vector query token config error line symbol cache test server request model".split()
PLACES = "from disk;in memory;by name;with a timeout;in parallel;before the end;of a project;for each language".split(";")


def repeated(number):
    number %= 100
    return f"{VERBS[number % 10]} a {NOUNS[number // 10]} {PLACES[number % 8]}"


def distinct(number):
    random.seed(number)
    return f"{random.choice(VERBS)} the {random.choice(NOUNS)} {random.choice(PLACES)} {number}"


async def ask(reader, writer, query):
    path = f"/api/v1/search?q={query.replace(' ', '+')}"
    writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    head = (await reader.readuntil(b"\r\n\r\n")).decode()
    await reader.readexactly(int(re.search(r"content-length: (\d+)", head).group(1)))
    return int(head.split(" ")[1])


async def caller(port, work, results):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    while (job := await work.get()) is not None:
        due, query = job
        status = await ask(reader, writer, query)
        results.append((status, time.monotonic() - due))
    writer.close()


async def run(port, queries, rate, seconds):
    work, results = asyncio.Queue(), []
    callers = [asyncio.create_task(caller(port, work, results)) for _ in range(CONNECTIONS)]
    begin = time.monotonic()
    for number in range(rate * seconds):
        due = begin + number / rate
        while (wait := due - time.monotonic()) > 0:
            await asyncio.sleep(wait)
        work.put_nowait((due, queries(number)))
    for _ in callers:
        work.put_nowait(None)
    await asyncio.gather(*callers)
    return results, time.monotonic() - begin


def memory_mb(pid):
    return int(re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text()).group(1)) / 1024


def processor_s(pid):
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def measure(name, server, port, queries, seconds):
    before, used = memory_mb(server.pid), processor_s(server.pid)
    results, took = await run(port, queries, RATE, seconds)
    times = sorted(time for _, time in results)
    errors = sum(status != 200 for status, _ in results)
    quantile = lambda part: 1000 * times[min(len(times) - 1, int(part * len(times)))]
    cpu = (processor_s(server.pid) - used) / len(results) * 1000
    print(f"{name}: {len(results) / took:.0f} requests/s for {took:.0f} s, {errors} errors, "
          f"p50 {quantile(.5):.1f} ms, p99 {quantile(.99):.1f} ms, longest {quantile(1):.0f} ms, "
          f"{cpu:.2f} ms of processor a request, memory {before:.0f} -> {memory_mb(server.pid):.0f} MB", flush=True)
    return errors


async def settled(port):
    """Waits until the index is complete and idle."""
    while True:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET /api/v1/status HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        body = (await reader.read()).decode()
        writer.close()
        if '"indexed":true' in body and '"activity":{"state":"idle"}' in body and '"pending":[]' in body:
            chunks = re.search(r'"chunks":(\d+)', body).group(1)
            print(f"{PROJECT}: {chunks} chunks", flush=True)
            return
        await asyncio.sleep(1)


async def main():
    with tempfile.TemporaryDirectory() as home:
        environment = scratch_environment(home)
        command = [BINARY, "serve", "--http", "127.0.0.1:0", "--project-path", PROJECT]
        server = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)
        try:
            port = int(re.search(r"http://[^/]*:(\d+)", server.stderr.readline()).group(1))
            await settled(port)
            await run(port, repeated, 50, 4)
            errors = await measure("repeated queries", server, port, repeated, SECONDS)
            errors += await measure("distinct queries", server, port, distinct, SECONDS // 4)
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait(timeout=30)
    sys.exit(1 if errors or server.returncode else 0)


asyncio.run(main())
