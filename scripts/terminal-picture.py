#!/usr/bin/env python3
"""Draws a real terminal session as an SVG that reads well on light and dark pages.

    scripts/terminal-picture.py BINARY PROJECT OUT.svg COMMAND...

Each COMMAND is a command line of vectorcode without the program's name. It runs in PROJECT on a pseudo-terminal of
COLUMNS columns, and the picture shows its output. The project is indexed first, in a scratch home directory.
A single COMMAND `type TEXT` records the interactive search: TEXT is typed word by word, then the second result is selected and its
code scrolled. A single COMMAND `edit COMMAND` shows Neovim with the plugin of `editors/neovim` after that command, with its list of
locations open. Both need tmux.
docs/terminal.svg is made from a checkout of Flask by

    scripts/terminal-picture.py target/release/vectorcode flask docs/terminal.svg \\
        'search "where are sessions signed" -n 2 --lines 4' \\
        'graph callers SecureCookieSessionInterface.get_signing_serializer'

and docs/images/interactive.svg by `'type where are sessions signed'`, docs/images/neovim.svg by `'edit VecSearch where are sessions signed'`.
"""

import fcntl
import html
import os
import pty
import re
import shlex
import struct
import subprocess
import sys
import tempfile
import termios
import time

COLUMNS = 96
# Size of the recording of an interactive search.
LINES = 22
# How long each screen of a recording is shown.
SECONDS = 1.6
# Width of a character in most monospaced fonts at 14 pixels.
CELL_WIDTH, LINE_HEIGHT, PADDING = 8.43, 19, 18
CLASSES = {1: "b", 2: "d", 31: "r", 32: "g", 33: "y", 34: "u", 35: "m", 36: "c"}
STYLE = """
svg{--bg:#fbfbfa;--fg:#24292f;--b:#111;--d:#6e7781;--r:#b3261e;--g:#1a7f37;--y:#8a5a00;--u:#0550ae;--m:#8250df;--c:#0b6e75;--line:#d8dee4}
@media(prefers-color-scheme:dark){svg{--bg:#15181d;--fg:#d5dae1;--b:#fff;--d:#848d97;--r:#ff7b72;--g:#7ee787;--y:#e3b341;--u:#79c0ff;--m:#d2a8ff;--c:#76e3ea;--line:#30363d}}
rect{fill:var(--bg);stroke:var(--line)}text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:var(--fg);white-space:pre}
.b{font-weight:700;fill:var(--b)}.d{fill:var(--d)}.r{fill:var(--r)}.g{fill:var(--g)}.y{fill:var(--y)}.u{fill:var(--u)}.m{fill:var(--m)}.c{fill:var(--c)}.r.b{fill:var(--r)}
"""


def run(arguments, project, environment):
    """The output of a command on a terminal."""
    main, child = pty.openpty()
    fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", 50, COLUMNS, 0, 0))
    process = subprocess.Popen(arguments, cwd=project, env=environment, stdin=subprocess.DEVNULL, stdout=child, stderr=child)
    os.close(child)
    output = b""
    while True:
        try:
            read = os.read(main, 65536)
        except OSError:  # The other end is closed.
            break
        if not read:
            break
        output += read
    if process.wait() not in (0, 1):
        sys.exit(f"{shlex.join(arguments)} failed:\n{output.decode()}")
    return output.decode().replace("\r\n", "\n").rstrip("\n").split("\n")


class Screen:
    """A program on a terminal of its own, kept by tmux."""

    def __init__(self, program, project, environment):
        self.settings = {"cwd": project, "env": environment}
        self.tmux("new-session", "-d", "-s", "search", "-x", str(COLUMNS), "-y", str(LINES), *program)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.tmux("kill-server")

    def tmux(self, *arguments):
        command = ["tmux", "-L", f"picture-{os.getpid()}", "-f", "/dev/null", *arguments]
        return subprocess.run(command, **self.settings, check=True, stdout=subprocess.PIPE, text=True).stdout

    def text(self):
        return self.tmux("capture-pane", "-p", "-t", "search")

    def shown(self, is_there):
        deadline = time.monotonic() + 60
        while not is_there(text := self.text()):
            if time.monotonic() > deadline:
                sys.exit(f"not on the screen:\n{text}")
            time.sleep(0.1)
        # tmux omits blank lines at the end.
        lines = self.tmux("capture-pane", "-e", "-p", "-t", "search").rstrip("\n").split("\n")
        return lines + [""] * (LINES - len(lines))

    def press(self, *keys):
        before = self.text()
        self.tmux("send-keys", "-t", "search", *keys)
        return self.shown(lambda text: text != before)


def typing(binary, question, project, environment):
    """The screens of an interactive search: after each word, with the second result selected, and scrolled."""
    with Screen([binary], project, environment) as screen:
        yield screen.shown(lambda text: "Type a few words" in text)
        typed = ""
        for word in question.split():
            typed = f"{typed} {word}".lstrip()
            screen.tmux("send-keys", "-t", "search", "-l", word if typed == word else f" {word}")
            yield screen.shown(lambda text: typed in text and " results" in text)
        yield screen.press("Down")
        yield screen.press("PageDown")


def editing(binary, command, project, environment):
    """Neovim with the first location open and the list of all locations below."""
    plugin = os.path.abspath(os.path.join(os.path.dirname(__file__), "../editors/neovim"))
    settings = f'lua require("vectorcode_search").setup({{ program = "{binary}", picker = "quickfix" }})'
    program = ["nvim", "-u", "NONE", "--cmd", f"set runtimepath+={plugin} noshowcmd", "-c", "runtime plugin/vectorcode_search.lua"]
    with Screen([*program, "-c", "filetype on | syntax on", "-c", settings, "-c", command], project, environment) as screen:
        screen.shown(lambda text: "|" in text)
        yield screen.press("Enter")


RECORDED = {"type": typing, "edit": editing}


def simple(codes):
    """Style codes, with 38;5;N replaced by the equivalent 30 + N."""
    return re.sub(r"38;5;([0-7])(?!\d)", lambda found: str(30 + int(found[1])), codes)


def spans(lines):
    """The pieces of each line: text, style classes and column. A style continues on the next line."""
    classes = set()
    for line in lines:
        yield list(spans_of(line, classes))


def spans_of(line, classes):
    column = 0
    for text, codes in re.findall(r"([^\x1b]+)|\x1b\[([0-9;]*)m", line):
        if text:
            yield text, " ".join(sorted(classes)), column
            column += len(text)
            continue
        for code in (int(code or 0) for code in simple(codes).split(";")):
            if code == 0:
                classes.clear()
            elif code == 39:
                classes.difference_update("rgyumc")
            elif code in CLASSES:
                classes.difference_update("rgyumc" if code >= 30 else "")
                classes.add(CLASSES[code])


def text_elements(lines):
    for number, line in enumerate(spans(lines)):
        y = PADDING + 14 + number * LINE_HEIGHT
        pieces = []
        for text, classes, column in line:
            style = f' class="{classes}"' if classes else ""
            x = round(PADDING + column * CELL_WIDTH, 1)
            pieces.append(f'<tspan x="{x}"{style}>{html.escape(text, quote=False)}</tspan>')
        if pieces:
            yield f'<text y="{y}" xml:space="preserve">{"".join(pieces)}</text>'


def recording_style(count):
    """Shows each frame for its share of the time; with reduced motion, only the last one is shown."""
    yield f".f{{visibility:hidden;animation:f {count * SECONDS:.1f}s infinite}}"
    yield f"@keyframes f{{0%,{100 / count:.3f}%{{visibility:visible}}{100 / count + 0.001:.3f}%,100%{{visibility:hidden}}}}"
    for number in range(count):
        yield f"#f{number}{{animation-delay:{number * SECONDS:.1f}s}}"
    yield f"@media(prefers-reduced-motion){{.f{{animation:none}}#f{count - 1}{{visibility:visible}}}}"


def svg(frames):
    width = round(2 * PADDING + COLUMNS * CELL_WIDTH)
    height = 2 * PADDING + max(len(lines) for lines in frames) * LINE_HEIGHT
    style = STYLE.strip() + ("" if len(frames) == 1 else "".join(recording_style(len(frames))))
    yield f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">'
    yield f"<style>{style}</style>"
    yield f'<rect x=".5" y=".5" width="{width - 1}" height="{height - 1}" rx="8"/>'
    for number, lines in enumerate(frames):
        elements = text_elements(lines)
        yield from elements if len(frames) == 1 else [f'<g class="f" id="f{number}">', *elements, "</g>"]
    yield "</svg>"


def main():
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    binary, project, target, *commands = sys.argv[1:]
    binary = os.path.abspath(binary)
    with tempfile.TemporaryDirectory() as home:
        environment = {"HOME": home, "PATH": os.environ["PATH"], "TERM": "xterm-256color"}
        subprocess.run([binary, "index", "--quiet"], cwd=project, env=environment, check=True)
        lines, frames = [], []
        for command in commands:
            kind, _, text = command.partition(" ")
            if kind in RECORDED:
                frames += RECORDED[kind](binary, text, project, environment)
                continue
            lines.append(f"\x1b[2m$\x1b[0m \x1b[1mvectorcode {command}\x1b[0m")
            lines += run([binary, *shlex.split(command)], project, environment) + [""]
    with open(target, "w", encoding="utf-8") as file:
        file.write("\n".join(svg(frames or [lines[:-1]])) + "\n")


if __name__ == "__main__":
    main()
