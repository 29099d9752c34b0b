"""Drives the built binary through the PyPI `mcp` client, in both protocol eras and over both transports.

Run it with scripts/mcp-check.sh, which makes a virtual environment for it. Exits with 1 at the first failure.
"""

import asyncio
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import anyio
from mcp import Client, MCPError, StdioServerParameters
from mcp.types import PromptReference

BINARY = sys.argv[1]
PATIENCE = 60

SOURCES = {
    "src/payment/retry.ts": """\
/** Charges again after a failure, waiting longer each time. */
export async function chargeWithBackoff(order: Order, attempts: number): Promise<Receipt> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const receipt = await gateway.charge(order);
    if (receipt.ok) return receipt;
    await sleep(Math.min(1000 * 2 ** attempt, 30000));
  }
  throw new PaymentError("the card was declined too often");
}
""",
    "src/auth/session.py": """\
def validate_token(token: str) -> User:
    \"\"\"Checks the signature and the expiry of a session token.\"\"\"
    claims = decode(token, key=SIGNING_KEY)
    if claims["expires"] < now():
        raise ExpiredSession(claims["user"])
    return load_user(claims["user"])
""",
    ".gitignore": "generated/\n",
    "generated/schema.sql": "CREATE TABLE invoices (id INTEGER PRIMARY KEY, customer TEXT NOT NULL);\n",
    ".socraticodecontextartifacts.json": """\
{"artifacts": [{"name": "schema", "path": "generated/schema.sql", "description": "All tables."}]}
""",
    "src/report.rs": """\
/// Writes one line per invoice as comma-separated values.
pub fn export_invoices(invoices: &[Invoice], out: &mut impl Write) -> io::Result<()> {
    for invoice in invoices {
        writeln!(out, "{},{}", invoice.number, invoice.total)?;
    }
    Ok(())
}
""",
}


def check(condition, message, detail=""):
    if not condition:
        sys.exit(f"FAILED: {message}\n{detail}")
    print(f"  ok  {message}")


def text_of(result):
    return result.content[0].text


async def until(call, wanted, message):
    """Repeats `call` until `wanted` is true for its answer."""
    deadline = time.monotonic() + PATIENCE
    while True:
        answer = await call()
        if wanted(answer):
            return answer
        if time.monotonic() > deadline:
            sys.exit(f"FAILED: {message}\n{text_of(answer)}")
        await anyio.sleep(0.05)


async def check_tools(client):
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    expected = {"vec_search", "vec_read", "vec_symbols", "vec_graph", "vec_context", "vec_status", "vec_reindex"}
    check(expected == set(tools), "the tools are listed")
    check(not any(tool.output_schema for tool in tools.values()), "answers are text, so no tool has an output schema")
    check(tools["vec_search"].annotations.read_only_hint is True, "vec_search is marked as read-only")
    check("vec_search" in client.instructions, "the instructions name the tools")


async def check_search(client):
    question = {"query": "retry a failed payment with backoff", "threshold": 0.0}
    ask = lambda: client.call_tool("vec_search", question | {"format": "json"})
    found = await until(ask, lambda answer: not answer.is_error and answer.structured_content["results"], "a search finds something")
    check(found.structured_content["results"][0]["path"] == "src/payment/retry.ts", "the right file comes first", text_of(found))
    text = await client.call_tool("vec_search", question)
    check(text.structured_content is None, "an answer is text alone unless asked otherwise")
    check("\n## src/payment/retry.ts:" in text_of(text), "the text has the agreed form", text_of(text))
    lines = await client.call_tool("vec_search", {"query": "gateway.charge(", "mode": "exact"})
    check("src/payment/retry.ts\n" in text_of(lines), "lines are found exactly", text_of(lines))
    read = await client.call_tool("vec_read", {"target": "chargeWithBackoff"})
    check(text_of(read).startswith("src/payment/retry.ts:"), "a definition is read", text_of(read))
    filtered = await client.call_tool("vec_search", {"query": "check a token", "language": "python", "threshold": 0.0, "format": "json"})
    languages = {result["language"] for result in filtered.structured_content["results"]}
    check(languages == {"python"}, "the language filter holds", text_of(filtered))
    page = await client.call_tool("vec_search", {"query": "function", "limit": 1, "threshold": 0.0, "format": "json"})
    cursor = page.structured_content.get("next_cursor")
    check(cursor == "1", "a page names the next one", text_of(page))
    second = await client.call_tool("vec_search", {"query": "function", "limit": 1, "threshold": 0.0, "cursor": cursor, "format": "json"})
    check(second.structured_content["results"] != page.structured_content["results"], "the next page is another one")
    small = await client.call_tool("vec_search", {"query": "function", "threshold": 0.0, "max_tokens": 200})
    check(len(text_of(small)) / 4 <= 200, "max_tokens is kept", text_of(small))
    similar = await client.call_tool("vec_search", {"query": "src/payment/retry.ts:3", "mode": "similar", "threshold": 0.0})
    check(not similar.is_error, "similar code is found by a place", text_of(similar))


async def check_structure(client):
    found = await client.call_tool("vec_symbols", {"name": "chargeWithBackoff", "format": "json"})
    check(found.structured_content["symbols"][0]["path"] == "src/payment/retry.ts", "a symbol is found by name", text_of(found))
    callees = await client.call_tool("vec_graph", {"action": "callees", "target": "chargeWithBackoff"})
    check(not callees.is_error, "the graph answers about a symbol", text_of(callees))
    for action in ["stats", "cycles", "show"]:
        answer = await client.call_tool("vec_graph", {"action": action})
        check(not answer.is_error, f"the graph answers {action}", text_of(answer))
    drawn = await client.call_tool("vec_graph", {"action": "deps", "target": "src/report.rs", "format": "mermaid"})
    check(text_of(drawn).startswith("flowchart"), "the graph draws", text_of(drawn))
    near = await client.call_tool("vec_graph", {"action": "callers", "target": "chargeWithBackof"})
    check(near.is_error and "chargeWithBackoff" in text_of(near), "an unknown symbol is answered with near ones", text_of(near))


async def check_context(client):
    listed = await client.call_tool("vec_context", {"action": "list", "format": "json"})
    check(listed.structured_content["artifacts"][0]["name"] == "schema", "the documents are listed", text_of(listed))
    ask = {"action": "search", "query": "customer of an invoice", "threshold": 0.0, "format": "json"}
    found = await client.call_tool("vec_context", ask)
    paths = {result["path"] for result in found.structured_content["results"]}
    check(paths == {"generated/schema.sql"}, "an ignored document is found by vec_context", text_of(found))
    everywhere = await client.call_tool("vec_search", {"query": "retry a payment", "threshold": 0.0, "projects": "all", "format": "json"})
    projects = {result["project"] for result in everywhere.structured_content["results"]}
    check(len(projects) == 1, "a search over all projects names them", text_of(everywhere))
    unknown = await client.call_tool("vec_search", {"query": "x", "projects": "nowhere"})
    check(unknown.is_error, "an unknown project is refused", text_of(unknown))


async def check_errors(client):
    for arguments, word in [({}, "query"), ({"query": "x", "limit": 0}, "limit"), ({"query": "x", "mode": "no"}, "mode")]:
        answer = await client.call_tool("vec_search", arguments)
        check(answer.is_error and word in text_of(answer), f"a bad {word} is a mendable error", text_of(answer))
    unknown = await client.call_tool("vec_nothing", {})
    check(unknown.is_error and "vec_search" in text_of(unknown), "an unknown tool is answered with the known ones")
    outside = await client.call_tool("vec_reindex", {"path": "../../etc"})
    check(outside.is_error, "a path outside the project is refused", text_of(outside))
    other = await client.call_tool("vec_status", {"projectPath": "/"})
    check(other.is_error, "another project is refused", text_of(other))
    try:
        await client.complete(PromptReference(name="none"), {"name": "x", "value": "y"})
        check(False, "a method that is not served is refused")
    except MCPError as error:
        check(error.code == -32601, "a method that is not served is -32601", str(error))


async def check_reindex(client, root):
    seen = []

    async def on_progress(progress, total, message):
        seen.append(progress)

    done = await client.call_tool("vec_reindex", {"format": "json", "full": True, "wait": 60}, progress_callback=on_progress)
    check(not done.is_error and done.structured_content["state"] == "done", "a full reindex ends", text_of(done))
    check(seen and seen == sorted(seen), f"progress was reported and grew ({len(seen)} times)", str(seen))
    idle = await client.call_tool("vec_reindex", {"format": "json", "cancel": True})
    check(not idle.is_error, "cancel without a run is answered", text_of(idle))
    grow(root)
    started = await client.call_tool("vec_reindex", {"format": "json", "full": True, "wait": 0})
    check(started.structured_content["state"] == "running", "a long reindex goes on in the background", text_of(started))
    status = await client.call_tool("vec_status", {})
    check("Activity:" in text_of(status), "the status says what is being done", text_of(status))
    stopped = await client.call_tool("vec_reindex", {"format": "json", "cancel": True})
    check(stopped.structured_content["state"] == "cancelled", "the background run can be stopped", text_of(stopped))
    with anyio.move_on_after(1):
        await client.call_tool("vec_reindex", {"format": "json", "full": True, "wait": 600})
    check(not (await client.call_tool("vec_status", {})).is_error, "the server answers after a call was taken back")


def grow(root):
    """Writes enough files that an index run takes a while."""
    for number in range(300):
        body = "".join(f"def step_{number}_{line}(value):\n    return value * {line}\n\n" for line in range(30))
        (root / f"src/generated_{number}.py").write_text(body)


async def check_status(client):
    status = await client.call_tool("vec_status", {})
    check(text_of(status).startswith("VectorCode Index Status\n═"), "the status has the agreed form", text_of(status))


async def check_all(client, root):
    print(f"  protocol {client.protocol_version}, server {client.server_info.name} {client.server_info.version}")
    await check_tools(client)
    await check_search(client)
    await check_structure(client)
    await check_status(client)
    await check_context(client)
    await check_errors(client)
    await check_reindex(client, root)


def write_project(root):
    for path, source in SOURCES.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(source)


async def over_stdio(mode):
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory)
        write_project(root)
        print(f"stdio, mode {mode}")
        server = StdioServerParameters(command=BINARY, args=["serve", "--mcp"], cwd=root, env=environment(root))
        begin = time.monotonic()
        async with Client(server, mode=mode, read_timeout_seconds=PATIENCE) as client:
            print(f"  handshake after {1000 * (time.monotonic() - begin):.0f} ms, on a project without an index")
            await check_all(client, root)


async def over_http(mode):
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory)
        write_project(root)
        print(f"HTTP, mode {mode}")
        command = [BINARY, "serve", "--mcp", "--http", "127.0.0.1:0"]
        server = subprocess.Popen(command, cwd=root, env=environment(root), stderr=subprocess.PIPE, text=True)
        try:
            url = re.search(r"http://\S+", server.stderr.readline()).group() + "mcp"
            async with Client(url, mode=mode, read_timeout_seconds=PATIENCE) as client:
                await check_all(client, root)
        finally:
            server.terminate()
            check(server.wait(timeout=PATIENCE) == 0, "the server ends when told to")


def environment(root):
    home = str(root / ".home")
    return {**os.environ, "HOME": home, "XDG_CACHE_HOME": home, "XDG_CONFIG_HOME": home, "XDG_DATA_HOME": home}


async def main():
    for mode in ["auto", "legacy"]:
        await over_stdio(mode)
        await over_http(mode)
    print("all checks passed")


asyncio.run(main())
