"""What the package builders need to know about a release: version and metadata, platforms, and the binary in each archive.

Uses only the standard library of Python 3.11, so that a release machine needs to install nothing.
"""

import gzip
import io
import json
import re
import struct
import sys
import tarfile
import tomllib
import zipfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Platform:
    # As in the names of the archives that `.github/workflows/release.yml` makes.
    archive: str
    # As Node names it: `process.platform` and `process.arch`.
    node_os: str
    node_cpu: str

    @property
    def name(self):
        return self.archive.split(".")[0]

    @property
    def node(self):
        return f"{self.node_os}-{self.node_cpu}"

    @property
    def program(self):
        return "vectorcode.exe" if self.node_os == "win32" else "vectorcode"


PLATFORMS = [
    Platform("linux-x86_64.tar.gz", "linux", "x64"),
    Platform("linux-aarch64.tar.gz", "linux", "arm64"),
    Platform("darwin-x86_64.tar.gz", "darwin", "x64"),
    Platform("darwin-aarch64.tar.gz", "darwin", "arm64"),
    Platform("windows-x86_64.zip", "win32", "x64"),
]


def facts():
    """Version, description, licence and repository from the Cargo manifests, and the name in the MCP registry from server.json."""
    workspace = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]
    crate = tomllib.loads((ROOT / "crates/vectorcode/Cargo.toml").read_text())["package"]
    return {
        "version": workspace["version"],
        "license": workspace["license"],
        "repository": workspace["repository"],
        "description": crate["description"],
        "keywords": crate["keywords"],
        "mcp_name": json.loads((ROOT / "server.json").read_text())["name"],
    }


def binaries(archives):
    """Pairs of a platform and its binary, for each archive in the directory."""
    found = [(platform, archives / f"vectorcode-{platform.archive}") for platform in PLATFORMS]
    found = [(platform, unpack(path, platform.program)) for platform, path in found if path.exists()]
    if not found:
        sys.exit(f"error: {archives} has no archive such as vectorcode-{PLATFORMS[0].archive}")
    return found


def unpack(path, program):
    if path.suffix == ".zip":
        with zipfile.ZipFile(path) as archive:
            return archive.read(program)
    with tarfile.open(path) as archive:
        return archive.extractfile(program).read()


def glibc_of(binary):
    """The newest glibc version that an ELF binary requires, such as (2, 35), or None if it is statically linked."""
    if not has_interpreter(binary):
        return None
    versions = re.findall(rb"GLIBC_(\d+)\.(\d+)", binary)
    return max((int(major), int(minor)) for major, minor in versions)


def has_interpreter(binary):
    """Whether a 64-bit little-endian ELF binary names a dynamic linker (program header `PT_INTERP`)."""
    offset, = struct.unpack_from("<Q", binary, 32)
    size, count = struct.unpack_from("<HH", binary, 54)
    return any(struct.unpack_from("<I", binary, offset + i * size)[0] == 3 for i in range(count))


def macos_of(binary):
    """The oldest macOS that a 64-bit Mach-O binary runs on, such as (11, 0)."""
    count, = struct.unpack_from("<I", binary, 16)
    offset = 32
    for _ in range(count):
        command, size = struct.unpack_from("<II", binary, offset)
        # LC_BUILD_VERSION has the platform before the version, LC_VERSION_MIN_MACOSX does not.
        if command in (0x32, 0x24):
            version, = struct.unpack_from("<I", binary, offset + (12 if command == 0x32 else 8))
            return version >> 16, version >> 8 & 0xFF
        offset += size
    sys.exit("error: the binary does not say which macOS version it needs")


def write_zip(path, files):
    """Writes a reproducible zip file; `files` are (name, bytes, is_program)."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content, is_program in files:
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            # 3 is Unix: the permissions are read only then.
            entry.create_system = 3
            entry.external_attr = (0o100755 if is_program else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    return write_file(path, buffer.getvalue())


def write_tar(path, files):
    """Like `write_zip`, for a `.tar.gz`."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, content, is_program in files:
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            entry.mode = 0o755 if is_program else 0o644
            archive.addfile(entry, io.BytesIO(content))
    return write_file(path, gzip.compress(buffer.getvalue(), compresslevel=6, mtime=0))


def write_file(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path
