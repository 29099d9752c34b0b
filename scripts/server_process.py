"""A vectorcode server that a script starts, queries and measures."""

import http.client
import os
import re
import signal
import subprocess
import threading
from pathlib import Path


# Settings for a first index of any size: words first and structure later, or everything at once.
WORDS_FIRST = {"VECTORCODE_INDEXING_WORDS_FIRST_FROM": "0"}
STRUCTURE_AT_ONCE = {"VECTORCODE_INDEXING_WORDS_FIRST_FROM": str(1 << 40)}


def scratch_environment(home):
    """Environment for a program that must not see the user's settings and caches."""
    return {**os.environ, "HOME": home, "XDG_CACHE_HOME": home, "XDG_CONFIG_HOME": home}


class ServerProcess:
    def __init__(self, binary, tree, environment):
        command = [binary, "serve", "--http", "127.0.0.1:0", "--project-path", str(tree)]
        self.process = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)
        self.port = int(re.search(r"http://[^/]*:(\d+)", self.process.stderr.readline()).group(1))
        threading.Thread(target=self.process.stderr.read, daemon=True).start()
        self.connection = self.connect()

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port)

    def processor_s(self):
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(timeout=60)
