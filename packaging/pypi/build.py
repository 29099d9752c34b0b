#!/usr/bin/env python3
"""Makes the wheels of a release from its archives:

    packaging/pypi/build.py ARCHIVES OUT

A wheel contains the binary as a script, so `pip install` puts the binary itself on the PATH, without a Python wrapper. The
distribution is called `vectorcode-cli`, because `vectorcode` on PyPI belongs to another project. `uvx` runs the command with the
name of the distribution, so the wheel also has a command `vectorcode-cli` that starts the binary next to it.
"""

import base64
import hashlib
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from release import ROOT, binaries, facts, glibc_of, macos_of, write_zip  # noqa: E402

DISTRIBUTION = "vectorcode-cli"
MODULE = "vectorcode_cli"

STARTER = '''"""Starts the binary that is installed beside this Python: for `uvx vectorcode-cli` and `python -m vectorcode_cli`."""

import os
import subprocess
import sys
import sysconfig


def main():
    program = "vectorcode.exe" if os.name == "nt" else "vectorcode"
    scripts = [sysconfig.get_path("scripts"), sysconfig.get_path("scripts", f"{os.name}_user"), os.path.dirname(sys.argv[0])]
    found = [path for path in (os.path.join(folder, program) for folder in scripts) if os.path.isfile(path)]
    if not found:
        sys.exit(f"error: {program} is not in {scripts[0]}: install vectorcode-cli again")
    if os.name == "nt":
        sys.exit(subprocess.call([found[0], *sys.argv[1:]]))
    os.execv(found[0], [program, *sys.argv[1:]])


if __name__ == "__main__":
    main()
'''


def main(archives, out):
    release = facts()
    for platform, binary in binaries(archives):
        print(write_wheel(out, platform, binary, release))


def tag(platform, binary):
    """The platform tag, read from the binary: a wheel whose tag is too broad installs where its binary cannot start."""
    if platform.node_os == "win32":
        return "win_amd64"
    if platform.node_os == "darwin":
        major, minor = macos_of(binary)
        return f"macosx_{major}_{minor}_{'arm64' if platform.node_cpu == 'arm64' else 'x86_64'}"
    cpu = "aarch64" if platform.node_cpu == "arm64" else "x86_64"
    glibc = glibc_of(binary)
    if glibc is None:
        return f"manylinux_2_17_{cpu}.musllinux_1_1_{cpu}"
    return f"manylinux_{glibc[0]}_{glibc[1]}_{cpu}"


def write_wheel(out, platform, binary, release):
    version = release["version"]
    info = f"{MODULE}-{version}.dist-info"
    tags = tag(platform, binary)
    files = [
        (f"{MODULE}-{version}.data/scripts/{platform.program}", binary, True),
        (f"{MODULE}/__init__.py", b"", False),
        (f"{MODULE}/__main__.py", STARTER.encode(), False),
        (f"{info}/METADATA", metadata(release).encode(), False),
        (f"{info}/WHEEL", wheel_file(tags).encode(), False),
        (f"{info}/entry_points.txt", f"[console_scripts]\n{DISTRIBUTION} = {MODULE}.__main__:main\n".encode(), False),
        (f"{info}/licenses/LICENSE", (ROOT / "LICENSE").read_bytes(), False),
    ]
    record = "".join(f"{name},sha256={digest(content)},{len(content)}\n" for name, content, _ in files)
    files.append((f"{info}/RECORD", f"{record}{info}/RECORD,,\n".encode(), False))
    return write_zip(out / f"{MODULE}-{version}-py3-none-{tags}.whl", files)


def metadata(release):
    # The MCP registry looks for the line `mcp-name` in the description.
    return f"""Metadata-Version: 2.4
Name: {DISTRIBUTION}
Version: {release["version"]}
Summary: {release["description"]}
License-Expression: {release["license"]}
License-File: LICENSE
Keywords: {",".join(release["keywords"])}
Project-URL: Repository, {release["repository"]}
Requires-Python: >=3.8
Description-Content-Type: text/markdown

<!-- mcp-name: {release["mcp_name"]} -->

{(ROOT / "README.md").read_text()}"""


def wheel_file(tags):
    lines = "".join(f"Tag: py3-none-{tag}\n" for tag in tags.split("."))
    return f"Wheel-Version: 1.0\nGenerator: vectorcode\nRoot-Is-Purelib: false\n{lines}"


def digest(content):
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: packaging/pypi/build.py ARCHIVES OUT")
    main(Path(sys.argv[1]), Path(sys.argv[2]))
