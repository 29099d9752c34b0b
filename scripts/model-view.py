#!/usr/bin/env python3
"""Shows what the model sees when Claude Code calls one of our tools, and what our hook adds after Claude's own search.

A local fake of the model's API answers with a call of `vec_search`, then with one of the agent's grep; the next requests contain
the results.

Usage: scripts/model-view.py CLAUDE VECTORCODE     (the two programs; needs no network)

Exits with 1 unless the result is the text of our answer, the listed tools are ours, and the model sees the hint.
"""

import http.server
import json
import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

TOOL = "mcp__vectorcode__vec_search"
QUESTION = {"query": "retry a failed payment with backoff", "threshold": 0}
SOURCE = """/** Charges again after a failure, waiting longer each time. */
export async function chargeWithBackoff(order: Order, attempts: number): Promise<Receipt> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const receipt = await gateway.charge(order);
    if (receipt.ok) return receipt;
    await sleep(1000 * 2 ** attempt);
  }
}
"""
# Claude Code's own search, in versions with and without a tool for it.
GREP = ("Grep", {"pattern": "chargeWithBackoff|gateway", "path": "docs"})
SHELL = ("Bash", {"command": "grep -rn 'chargeWithBackoff' docs", "description": "search"})
HINT = "vectorcode: src/retry.ts:1-8 chargeWithBackoff"
requests = []


def results(body):
    """The tool results in a request."""
    parts = [message["content"] for message in body.get("messages", []) if isinstance(message.get("content"), list)]
    return [part for content in parts for part in content if part.get("type") == "tool_result"]


def next_call(body):
    """Our tool first, then the agent's own search; nothing if they are not offered."""
    offered = {tool.get("name") for tool in body.get("tools", [])}
    if TOOL not in offered:
        return None
    calls = [(TOOL, QUESTION), GREP if "Grep" in offered else SHELL]
    done = len(results(body))
    return calls[done] if done < len(calls) else None


def events(body):
    """The next tool call, or the end of the turn."""
    calls = next_call(body)
    if calls:
        number = len(results(body)) + 1
        block = {"type": "tool_use", "id": f"toolu_{number}", "name": calls[0], "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(calls[1])}
    else:
        block, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": "done"}
    usage = {"input_tokens": 1, "output_tokens": 1}
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": body.get("model"), "content": [],
               "stop_reason": None, "stop_sequence": None, "usage": usage}
    stop = {"stop_reason": "tool_use" if calls else "end_turn", "stop_sequence": None}
    yield {"type": "message_start", "message": message}
    yield {"type": "content_block_start", "index": 0, "content_block": block}
    yield {"type": "content_block_delta", "index": 0, "delta": delta}
    yield {"type": "content_block_stop", "index": 0}
    yield {"type": "message_delta", "delta": stop, "usage": usage}
    yield {"type": "message_stop"}


class FakeModel(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_HEAD(self):
        self.send_response(200)
        self.end_headers()

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or b"{}")
        requests.append(body)
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        for event in events(body):
            self.wfile.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())


def ask(claude, vectorcode, scratch):
    project = scratch / "project"
    (project / "src").mkdir(parents=True)
    (project / "src/retry.ts").write_text(SOURCE)
    (project / "docs").mkdir()
    (project / "docs/payments.md").write_text("# Payments\n\nA charge is repeated by chargeWithBackoff.\n")
    ours = {"cwd": project, "env": {"HOME": str(scratch), "PATH": os.environ["PATH"]}, "check": True, "stdout": sys.stderr}
    subprocess.run([vectorcode, "--here", "index", "--fast", "--quiet"], **ours)
    subprocess.run([vectorcode, "install", "--hooks", "--target", "claude-code", "--quiet"], **ours)
    server = {"type": "stdio", "command": vectorcode, "args": ["--here", "serve", "--mcp"]}
    (scratch / "mcp.json").write_text(json.dumps({"mcpServers": {"vectorcode": server}}))
    model = http.server.ThreadingHTTPServer(("127.0.0.1", 0), FakeModel)
    threading.Thread(target=model.serve_forever, daemon=True).start()
    environment = {
        "HOME": str(scratch), "PATH": os.environ["PATH"], "TERM": "dumb", "ANTHROPIC_API_KEY": "none",
        "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{model.server_port}", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    }
    options = ["--mcp-config", str(scratch / "mcp.json"), "--strict-mcp-config", "--allowedTools", f"{TOOL},Grep,Bash"]
    command = [claude, "-p", "where are payments retried", *options]
    subprocess.run(command, cwd=project, env=environment, stdin=subprocess.DEVNULL, timeout=120, check=False)


def main():
    claude, vectorcode = (str(Path(path).resolve()) for path in sys.argv[1:3])
    with tempfile.TemporaryDirectory() as scratch:
        ask(claude, vectorcode, Path(scratch))
    listed = {tool["name"] for body in requests for tool in body.get("tools", []) if "vectorcode" in tool.get("name", "")}
    seen = [json.dumps(result["content"]) for body in requests for result in results(body)]
    print("tools the model sees:", ", ".join(sorted(listed)))
    print("what the model reads:", seen[0] if seen else "nothing")
    is_text = bool(seen) and "## src/retry.ts:1-8 chargeWithBackoff" in seen[0]
    last = json.dumps(requests[-1]["messages"]) if requests else ""
    at = last.find(HINT)
    print("what the hook adds:", last[max(at - 120, 0) : at + len(HINT) + 40] if at >= 0 else "nothing")
    sys.exit(0 if is_text and TOOL in listed and at >= 0 else 1)


if __name__ == "__main__":
    main()
