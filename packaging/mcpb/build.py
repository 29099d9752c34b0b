#!/usr/bin/env python3
"""Makes the bundles for Claude Desktop from the archives of a release:

    packaging/mcpb/build.py ARCHIVES OUT

There is one bundle per platform, because a manifest distinguishes operating systems but not processors.
"""

import json
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from release import ROOT, binaries, write_zip  # noqa: E402


def main(archives, out):
    manifest = json.loads((HERE / "manifest.json").read_text())
    for platform, binary in binaries(archives):
        program = f"server/{platform.program}"
        manifest["server"]["entry_point"] = program
        manifest["server"]["mcp_config"]["command"] = "${__dirname}/" + program
        manifest["compatibility"]["platforms"] = [platform.node_os]
        files = [
            ("manifest.json", json.dumps(manifest, indent=2).encode(), False),
            (program, binary, True),
            ("LICENSE", (ROOT / "LICENSE").read_bytes(), False),
        ]
        print(write_zip(out / f"vectorcode-{platform.node}.mcpb", files))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: packaging/mcpb/build.py ARCHIVES OUT")
    main(Path(sys.argv[1]), Path(sys.argv[2]))
