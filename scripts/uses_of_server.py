"""Prints the uses of sampled definitions according to a language server: JSON lines `{symbol, kind, uses: [{at, kind}]}`, and one
with the lines that the server does not analyse.

Usage: uses_of_server.py LANGUAGE DIRECTORY COUNT SEED -- SERVER [ARGUMENTS], where LANGUAGE is python, rust, c or cpp. Started by
graph_check.py. clangd reads the options of the compiler from `compile_commands.json` or `compile_flags.txt` in the directory."""

import ast
import json
import random
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from urllib.parse import quote, unquote

ENDINGS = {"python": [".py"], "rust": [".rs"], "c": [".c", ".h"], "cpp": [".c", ".cc", ".cpp", ".h", ".hpp"]}
# Symbol kinds of LSP: classes, methods, fields, constructors, enums, interfaces, functions, variables, constants, structs.
KINDS = {5: "class", 6: "method", 10: "enum", 11: "interface", 12: "function", 14: "constant", 23: "struct"}


SEMANTIC_TOKENS = {"requests": {"full": True}, "tokenTypes": ["comment"], "tokenModifiers": [], "formats": ["relative"]}


class Server:
    def __init__(self, command, root):
        self.process = subprocess.Popen(command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.number = 0
        # Errors after which clangd does not see all of a file, such as a missing include or a header that needs another one first.
        self.broken = set()

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def receive(self):
        length = 0
        while line := self.process.stdout.readline().strip():
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        message = json.loads(self.process.stdout.read(length))
        if message.get("method") == "textDocument/publishDiagnostics":
            found = message["params"]
            if any(one.get("severity") == 1 for one in found["diagnostics"]):
                self.broken.add(Path(unquote(found["uri"].removeprefix("file://"))))
        return message

    def ask(self, method, parameters):
        self.number += 1
        self.send({"id": self.number, "method": method, "params": parameters})
        while True:
            message = self.receive()
            if message.get("id") == self.number and "method" not in message:
                return message.get("result")
            if "method" in message and "id" in message:
                items = len(message.get("params", {}).get("items", [])) if message["method"] == "workspace/configuration" else 0
                self.send({"id": message["id"], "result": [None] * items if items else None})

    def tell(self, method, parameters):
        self.send({"method": method, "params": parameters})

    def wait_until_loaded(self):
        """Waits for rust-analyzer to finish reading the project; it answers before that, but reports when it is done."""
        while True:
            message = self.receive()
            if message.get("method") == "experimental/serverStatus" and message["params"]["quiescent"]:
                return
            if "method" in message and "id" in message:
                self.send({"id": message["id"], "result": None})


def uri(path):
    return "file://" + quote(str(path))


def definitions(symbols, around=()):
    """Every definition that other code can use, with its line and column. `around` is None inside functions."""
    for symbol in symbols or []:
        kind = KINDS.get(symbol["kind"])
        name = symbol["name"]
        at = (symbol.get("selectionRange") or symbol["location"]["range"])["start"]
        if kind and re.fullmatch(r"[A-Za-z]\w{2,}", name) and around is not None:
            yield {"kind": kind, "name": name, "line": at["line"], "column": at["character"], "around": around}
        # Methods of an object literal would have the uses of every interface that the literal implements.
        is_type = kind in ("class", "enum", "interface", "struct") or symbol["kind"] in (2, 3, 19)
        # `impl Shop` and `impl Till for Shop` belong to the same type.
        type_name = re.sub(r"^impl\b(?:.* for )?\W*", "", name)
        yield from definitions(symbol.get("children"), (*around, type_name) if is_type and around is not None else None)


def import_lines(language, text):
    """The lines of import statements, from 0."""
    lines = set()
    if language == "python":
        for node in ast.walk(ast.parse(text)):
            # The strings in `__all__` export names, like imports.
            is_export = isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__"
            if is_export or isinstance(node, (ast.Import, ast.ImportFrom)):
                lines.update(range(node.lineno - 1, node.end_lineno))
        return lines
    pattern = {
        "rust": r"^[ \t]*(?:pub(?:\([^)]*\))?\s+)?use\s[^;]*;",
        "c": r"^[ \t]*#\s*include",
        "cpp": r"^[ \t]*(?:using\s[^;=]*;|#\s*include)",
    }[language]
    for found in re.finditer(pattern, text, re.M):
        first = text.count("\n", 0, found.start())
        lines.update(range(first, first + found.group().strip("\n").count("\n") + 1))
    return lines


def unread_lines(language, text):
    """The lines (from 1) that a server does not analyse: bodies of macros, code for other systems, forward declarations, and instances of
    templates."""
    lines = set()
    if language == "rust":
        for found in re.finditer(r"macro_rules!|^\s*[a-z_]+! *\{|#\[cfg\((?!test)", text, re.M):
            opened = text.find("{", found.start())
            depth, end = 0, opened
            while opened >= 0 and end < len(text):
                depth += (text[end] == "{") - (text[end] == "}")
                end += 1
                if depth == 0:
                    break
            first = text.count("\n", 0, found.start()) + 1
            lines.update(range(first, text.count("\n", 0, end) + 2))
    if language in ("c", "cpp"):
        for found in re.finditer(r"^[ \t]*(?:#[ \t]*define\b(?:.*\\\n)*.*|template\s+[^<\n]*<[^;]*;|(?:friend\s+)?(?:class|struct|union|enum)\s[\w\s]*;)", text, re.M):
            first = text.count("\n", 0, found.start()) + 1
            lines.update(range(first, first + found.group().count("\n") + 1))
    return lines


def inactive_lines(server, path, legend):
    """The lines (from 1) that the preprocessor leaves out, which clangd reports as comments, and those with a name that depends on
    template parameters, which it does not resolve."""
    tokens = (server.ask("textDocument/semanticTokens/full", {"textDocument": {"uri": uri(path)}}) or {}).get("data", [])
    dependent = 1 << legend["tokenModifiers"].index("dependentName")
    line, lines = 1, set()
    for at in range(0, len(tokens), 5):
        line += tokens[at]
        if legend["tokenTypes"][tokens[at + 3]] == "comment" or tokens[at + 4] & dependent:
            lines.add(line)
    return lines


def use_kind(line, column, name):
    """A use with parentheses after the name is a call."""
    after = line[column + len(name):]
    return "call" if re.match(r"\s*(?:::)?(?:<[^()]*>)?\s*!?\(", after) else "other"


def place_of(one, root):
    return f"{one['path'].relative_to(root)}:{one['line'] + 1}"


def are_one(one, other):
    """Whether two definitions count as one symbol: overloads, a C struct and its typedef of the same name, a method and that of its trait."""
    types = ("class", "struct", "enum")
    return all(one[part] == other[part] for part in ("path", "name", "around")) and (one["kind"] in types) == (other["kind"] in types)


def references(server, one):
    place = {"textDocument": {"uri": uri(one["path"])}, "position": {"line": one["line"], "character": one["column"]}}
    return server.ask("textDocument/references", {**place, "context": {"includeDeclaration": False}}) or []


def constructors(symbols):
    """Lines and columns of declarations of C++ constructors, destructors and out-of-class methods, which are not uses of the class or
    of the overridden method."""
    for symbol in symbols or []:
        name = symbol["name"].rsplit("::", 1)[-1]
        at = (symbol.get("selectionRange") or symbol["location"]["range"])["start"]
        if symbol["kind"] == 9 or name.startswith("~") or name != symbol["name"]:
            yield at["line"], at["character"] + name.startswith("~")
        yield from constructors(symbol.get("children"))


def main():
    language, root, count, seed = sys.argv[1], Path(sys.argv[2]).resolve(), int(sys.argv[3]), int(sys.argv[4])
    server = Server(sys.argv[sys.argv.index("--") + 1:], root)
    started = server.ask("initialize", {
        "processId": None, "rootUri": uri(root), "workspaceFolders": [{"uri": uri(root), "name": "sample"}],
        "capabilities": {"textDocument": {"documentSymbol": {"hierarchicalDocumentSymbolSupport": True}, "semanticTokens": SEMANTIC_TOKENS},
                         "workspace": {"configuration": language != "rust", "workspaceFolders": True},
                         "experimental": {"serverStatusNotification": True}},
        # Disables everything that would run code of the project.
        "initializationOptions": {"cargo": {"buildScripts": {"enable": False}}, "procMacro": {"enable": False},
                                  "checkOnSave": False, "cachePriming": {"enable": False}} if language == "rust" else {},
    })
    server.tell("initialized", {})
    if language == "rust":
        server.wait_until_loaded()
    files = sorted(path for path in root.rglob("*") if path.suffix in ENDINGS[language] and not {"node_modules", "vendor", "target"} & set(path.parts))
    texts = {path: path.read_text(errors="replace") for path in files}
    candidates, declared = [], set()
    for path in files:
        written_in = "c" if path.suffix == ".c" else language
        server.tell("textDocument/didOpen", {"textDocument": {"uri": uri(path), "languageId": written_in, "version": 1, "text": texts[path]}})
    for path in files:
        found = server.ask("textDocument/documentSymbol", {"textDocument": {"uri": uri(path)}})
        is_asked = "test" not in path.name and not re.search(r"A Bison parser|generated by", texts[path][:2000])
        candidates += [{**one, "path": path} for one in definitions(found) if is_asked]
        declared |= {(path, *at) for at in constructors(found if language == "cpp" else [])}
    random.Random(seed).shuffle(candidates)
    # An overriding method is not a use of the overridden one.
    defined = declared | {(one["path"], one["line"], one["column"]) for one in candidates}
    skipped = {path: import_lines(language, text) for path, text in texts.items()}
    unread = {f"{path.relative_to(root)}:{line}" for path, text in texts.items() for line in unread_lines(language, text)}
    if language in ("c", "cpp"):
        legend = started["capabilities"]["semanticTokensProvider"]["legend"]
        unread |= {f"{path.relative_to(root)}:{line}" for path in files for line in inactive_lines(server, path, legend)}
        unread |= {f"{path.relative_to(root)}:{line}" for path in server.broken & texts.keys() for line in range(1, texts[path].count("\n") + 2)}
    print(json.dumps({"unread": sorted(unread)}), flush=True)
    # Skip variants for other systems, whose uses the server does not see, and two definitions in one line, which `path:line` cannot distinguish.
    on_line = Counter(place_of(one, root) for one in candidates)
    sample = [one for one in candidates if place_of(one, root) not in unread and on_line[place_of(one, root)] == 1][:count]
    for one in sample:
        found = [use for variant in candidates if are_one(one, variant) for use in references(server, variant)]
        uses = []
        for use in found:
            path = Path(unquote(use["uri"].removeprefix("file://")))
            at = use["range"]["start"]
            is_definition = (path, at["line"], at["character"]) in defined or (path, at["line"]) == (one["path"], one["line"])
            if path not in texts or at["line"] in skipped[path] or is_definition:
                continue
            line = texts[path].splitlines()[at["line"]]
            # `Self` and code from macros do not contain the name, and are not edited with it.
            if one["name"] not in line:
                continue
            # Overloads, and the setter of a property, are declarations of the same symbol.
            if re.match(rf"\s*(?:async\s+)?def {one['name']}\b", line):
                continue
            kind = use_kind(line, at["character"], one["name"])
            uses.append({"at": f"{path.relative_to(root)}:{at['line'] + 1}", "kind": kind})
        print(json.dumps({"symbol": place_of(one, root), "name": one["name"], "kind": one["kind"], "uses": uses}), flush=True)
    server.process.kill()


main()
