#!/usr/bin/env python3
"""Prints what `cargo binstall vectorcode` would download, according to the manifest: platform, URL, path in the archive."""

import sys
import tomllib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from release import ROOT, facts  # noqa: E402

release = facts()
metadata = tomllib.loads((ROOT / "crates/vectorcode/Cargo.toml").read_text())["package"]["metadata"]["binstall"]
for target, override in metadata["overrides"].items():
    suffix = ".exe" if "windows" in target else ""
    address = override["pkg-url"].replace("{ repo }", release["repository"]).replace("{ version }", release["version"])
    program = metadata["bin-dir"].replace("{ bin }", "vectorcode").replace("{ binary-ext }", suffix)
    if "{" in address + program or {"tgz": ".gz", "zip": ".zip"}[override["pkg-fmt"]] != Path(address).suffix:
        sys.exit(f"error: the binstall entry for {target} is inconsistent: {address}, {program}")
    print(Path(address).name.removeprefix("vectorcode-").split(".")[0], address, program)
