#!/usr/bin/env python3
"""Unpacks a bundle, starts its server as Claude Desktop would, and searches with it:

    packaging/mcpb/ask.py BUNDLE PROJECT QUESTION
"""

import json
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path


def unpack(bundle, folder):
    with zipfile.ZipFile(bundle) as archive:
        for entry in archive.infolist():
            path = Path(archive.extract(entry, folder))
            # Claude Desktop keeps the permissions, Python's zipfile does not.
            path.chmod(entry.external_attr >> 16 & 0o777)
    return json.loads((folder / "manifest.json").read_text())


def command(manifest, folder, project):
    config = manifest["server"]["mcp_config"]
    values = {"${__dirname}": str(folder), "${user_config.project}": project}
    words = [config["command"], *config["args"]]
    for name, value in values.items():
        words = [word.replace(name, value) for word in words]
    return words


def request(server, identifier, method, parameters):
    server.stdin.write(json.dumps({"jsonrpc": "2.0", "id": identifier, "method": method, "params": parameters}) + "\n")
    server.stdin.flush()
    for line in server.stdout:
        message = json.loads(line)
        if message.get("id") == identifier and "method" not in message:
            return message
    sys.exit(f"error: the server exited before it answered {method}")


def main(bundle, project, question):
    with tempfile.TemporaryDirectory() as folder:
        words = command(unpack(bundle, Path(folder)), folder, project)
        with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
            client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "rehearsal", "version": "0"}}
            request(server, 1, "initialize", client)
            server.stdin.write('{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')
            answer = request(server, 2, "tools/call", {"name": "vec_search", "arguments": {"query": question}})
            print(json.dumps(answer))
            server.stdin.close()


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit("usage: packaging/mcpb/ask.py BUNDLE PROJECT QUESTION")
    main(sys.argv[1], sys.argv[2], sys.argv[3])
