#!/usr/bin/env python3
"""Makes the npm packages of a release from its archives:

    packaging/npm/build.py ARCHIVES OUT

OUT gets a folder for each platform, and `vectorcode`, which has them as optional dependencies; npm installs the one that fits the
machine. No package has an install script, because package managers no longer run them by default; `--ignore-scripts` and offline
caches therefore work too. Publish the platforms first: `for package in OUT/*-* OUT/vectorcode; do npm publish $package; done`.
"""

import json
import shutil
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from release import ROOT, binaries, facts, glibc_of  # noqa: E402


def main(archives, out):
    release = facts()
    platforms = []
    for platform, binary in binaries(archives):
        write_platform(out / platform.node, platform, binary, release)
        platforms.append(platform.node)
    write_launcher(out / "vectorcode", platforms, release)


def shared_fields(release):
    return {
        "version": release["version"],
        "license": release["license"],
        "repository": {"type": "git", "url": f"git+{release['repository']}.git"},
        "homepage": release["repository"],
    }


def write_platform(folder, platform, binary, release):
    manifest = {
        "name": f"@vectorcode/{platform.node}",
        "description": f"The vectorcode binary for {platform.node}. Install `vectorcode` instead.",
        **shared_fields(release),
        "os": [platform.node_os],
        "cpu": [platform.node_cpu],
        # Yarn would otherwise leave the binary in a zip file.
        "preferUnplugged": True,
        "files": ["bin"],
    }
    if platform.node_os == "linux" and glibc_of(binary):
        manifest["libc"] = ["glibc"]
    write_manifest(folder, manifest)
    program = folder / "bin" / platform.program
    program.parent.mkdir()
    program.write_bytes(binary)
    program.chmod(0o755)


def write_launcher(folder, platforms, release):
    manifest = {
        "name": "vectorcode",
        "description": release["description"],
        **shared_fields(release),
        "keywords": release["keywords"],
        # The MCP registry compares this with the name in server.json.
        "mcpName": release["mcp_name"],
        "engines": {"node": ">=18"},
        "bin": {"vectorcode": "launcher.js"},
        "files": ["launcher.js"],
        "optionalDependencies": {f"@vectorcode/{platform}": release["version"] for platform in platforms},
    }
    write_manifest(folder, manifest)
    shutil.copyfile(HERE / "launcher.js", folder / "launcher.js")
    (folder / "launcher.js").chmod(0o755)
    shutil.copyfile(ROOT / "README.md", folder / "README.md")


def write_manifest(folder, manifest):
    folder.mkdir(parents=True)
    (folder / "package.json").write_text(json.dumps(manifest, indent=2) + "\n")
    shutil.copyfile(ROOT / "LICENSE", folder / "LICENSE")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: packaging/npm/build.py ARCHIVES OUT")
    main(Path(sys.argv[1]), Path(sys.argv[2]))
