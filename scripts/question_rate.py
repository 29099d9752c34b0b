#!/usr/bin/env python3
"""Measures how many new questions per second a server answers over eight connections.

Usage: scripts/question_rate.py BINARY PROJECT [SECONDS, default 10]

The client is wrk (a Debian package), because a client in Python takes a seventh of the server's time on two cores. Index PROJECT
first; questions use both stages if it is embedded.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from server_process import ServerProcess, scratch_environment

QUESTIONS = Path(__file__).with_name("questions.lua")
ROUNDS = 3


def main():
    binary, project, seconds = os.path.abspath(sys.argv[1]), sys.argv[2], int((sys.argv[3:] or ["10"])[0])
    with tempfile.TemporaryDirectory() as home:
        environment = scratch_environment(home)
        server = ServerProcess(binary, project, environment)
        try:
            # The first round warms the server up.
            for first in range(ROUNDS):
                used = server.processor_s()
                command = ["wrk", "-t1", "-c8", f"-d{seconds}", "-H", "Host: localhost", "-s", str(QUESTIONS),
                           f"http://127.0.0.1:{server.port}", "--", str(1_000_000 * first)]
                lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
                told = [line.strip() for line in lines if "Requests/sec" in line or "Latency" in line or "Non-2xx" in line]
                print(f"{'; '.join(told)}; {(server.processor_s() - used) / seconds:.2f} cores", flush=True)
        finally:
            server.stop()


main()
