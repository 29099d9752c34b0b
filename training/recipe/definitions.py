"""Finds functions and types in source text by line patterns and indentation.

A parser for each language would be exact. For training pairs this is good enough: code is mostly well formatted, and a few wrong boundaries
in a hundred do no harm. The product's chunks come from real grammars; nothing is judged with this module.
"""
import re
from dataclasses import dataclass

MAX_LINES = 60
MODIFIERS = (r"(?:(?:public|private|protected|internal|static|final|abstract|async|override|virtual|sealed|open|inline|export|default|"
             r"extern|unsafe|const|readonly|suspend|partial|synchronized|implicit|lazy|case|data|pub(?:\([^)]*\))?|fileprivate|mutating|"
             r"declare|local|operator|infix|tailrec|get|set|extern \"C\")\s+)*")
KEYWORDS = (r"(?:def|defp|defmacro|defmodule|func|fn|function\*?|fun|class|struct|interface|trait|enum|object|module|protocol|impl|type|"
            r"record|extension|namespace)")
BY_KEYWORD = re.compile(rf"^(\s*){MODIFIERS}{KEYWORDS}\s+(?:\([^)]*\)\s*|<[^>]*>\s*)?(?:self\.)?([A-Za-z_$][\w.:$?!]*)")
# `int foo(char *bar)`, `void Foo::bar() {`, `public List<T> get(int i)`: a type and a name before the first parenthesis. Matched
# against that head alone, because the same pattern over a whole line backtracks for seconds on long ones.
BY_TYPE = re.compile(r"^(\s*)[A-Za-z_][\w:<>,.\[\]?*&\s]*[\s*&]([A-Za-z_~][\w:~]*)\s*\($")
METHOD = re.compile(rf"^(\s+){MODIFIERS}[*#]?([A-Za-z_$][\w$]*)\s*(?:<[^>]*>)?\([^;]*\)\s*(?::\s*[^;]+)?\{{\s*$")
ASSIGNED = re.compile(rf"^(\s*){MODIFIERS}(?:const|let|var|local)?\s*([A-Za-z_$][\w.$]*)\s*[:=]\s*(?:async\s*)?"
                      r"(?:function\b|\([^)]*\)\s*(?::[^=]+)?=>)")
SHELL = re.compile(r"^(\s*)(?:function\s+)?([\w:-]+)\s*\(\)\s*\{?")
SIGNATURE = re.compile(r"^()([a-z_][\w']*)\s*::")
NOT_NAMES = {"if", "for", "while", "switch", "return", "catch", "else", "do", "new", "throw", "sizeof", "case", "in", "await", "match",
             "elif", "unless", "until", "when", "with", "foreach", "using", "lock", "assert", "delete", "defined", "typeof", "super", "this"}
PATTERNS = {
    "c": [BY_TYPE, BY_KEYWORD], "cpp": [BY_KEYWORD, BY_TYPE], "java": [BY_KEYWORD, BY_TYPE], "csharp": [BY_KEYWORD, BY_TYPE],
    "dart": [BY_KEYWORD, BY_TYPE], "javascript": [BY_KEYWORD, METHOD, ASSIGNED], "typescript": [BY_KEYWORD, METHOD, ASSIGNED],
    "tsx": [BY_KEYWORD, METHOD, ASSIGNED], "lua": [BY_KEYWORD, ASSIGNED], "bash": [SHELL], "haskell": [SIGNATURE],
}
TYPES = re.compile(r"\b(class|struct|interface|trait|enum|object|module|defmodule|protocol|impl|namespace|extension|record)\b")
CLOSING = re.compile(r"^\s*(\}|\)|\]|end\b|fi\b|done\b)")
WORD_START = re.compile(r"\S")


@dataclass
class Definition:
    symbol: str
    parent: str
    first: int
    """Index of its first line."""
    end: int
    """Index after its last line."""
    is_type: bool


def indentation(line):
    found = WORD_START.search(line)
    return found.start() if found else None


def match_definition(line, patterns):
    head, parenthesis, rest = line.partition("(")
    for pattern in patterns:
        if pattern is BY_TYPE and (not parenthesis or ";" in rest or "=" in rest):
            continue
        found = pattern.match(head + parenthesis if pattern is BY_TYPE else line)
        if found and found.group(2) not in NOT_NAMES and line.lstrip().split(" ", 1)[0] not in NOT_NAMES:
            return found.group(2)
    return None


def end_of(lines, first, symbol, language):
    """A definition ends at the first later line that is not indented deeper; a closing bracket on that line still belongs to it."""
    depth, signature_open = indentation(lines[first]), lines[first].count("(") > lines[first].count(")")
    for index in range(first + 1, min(len(lines), first + 8 * MAX_LINES)):
        found = indentation(lines[index])
        if found is None or found > depth:
            continue
        if signature_open or lines[index].lstrip().startswith("{"):
            signature_open = signature_open and ")" not in lines[index]
            continue
        if language == "haskell" and lines[index].startswith(symbol):
            continue
        return index + 1 if CLOSING.match(lines[index]) else index
    return min(len(lines), first + 8 * MAX_LINES)


def definitions(lines, language):
    """All definitions of a text in order, including nested ones."""
    patterns, enclosing, found = PATTERNS.get(language, [BY_KEYWORD]), [], []
    for index, line in enumerate(lines):
        if len(line) > 200 or not line or line.isspace():
            continue
        symbol = match_definition(line, patterns)
        if symbol is None:
            continue
        while enclosing and enclosing[-1].end <= index:
            enclosing.pop()
        parent = next((outer.symbol for outer in reversed(enclosing) if outer.is_type), "")
        is_type = bool(TYPES.search(line.split("(", 1)[0]))
        definition = Definition(symbol.rstrip(":.").split("::")[-1] or symbol, parent, index, end_of(lines, index, symbol, language), is_type)
        enclosing.append(definition)
        found.append(definition)
    return found


def excerpt(lines, definition, focus=None):
    """The text of the definition; for a long one, its first line and a window around the line `focus`."""
    body = lines[definition.first:definition.end]
    if len(body) > MAX_LINES:
        around = (focus if focus is not None else definition.first) - definition.first
        start = max(1, min(around - MAX_LINES // 2, len(body) - MAX_LINES))
        body = body[:1] + body[start:start + MAX_LINES - 1]
    depth = indentation(body[0]) or 0
    return "\n".join(line[depth:] if not line[:depth].strip() else line for line in body).strip("\n")
