#!/usr/bin/env python3
"""Packs a binary into the archive of a release:

    packaging/archive.py PLATFORM BINARY OUT      PLATFORM such as linux-x86_64

The same binary always gives the same archive, because it contains no times, users or file modes of the machine.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from release import PLATFORMS, write_tar, write_zip  # noqa: E402


def main(name, binary, out):
    platform = next((platform for platform in PLATFORMS if platform.name == name), None)
    if platform is None:
        sys.exit(f"error: unknown platform {name}; known: {', '.join(platform.name for platform in PLATFORMS)}")
    write = write_zip if platform.archive.endswith(".zip") else write_tar
    print(write(out / f"vectorcode-{platform.archive}", [(platform.program, binary.read_bytes(), True)]))


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit("usage: packaging/archive.py PLATFORM BINARY OUT")
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
