"""Where a debug build has put the modules, for tools that import them."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path


def compiler_arguments(root: Path, scratch: Path) -> list[str | Path]:
    """The options by which the compiler finds the modules of a debug build."""
    products = scratch / "debug"
    c_targets = [
        "OpenCombine/Sources/COpenCombineHelpers", "swift-system/Sources/CSystem", "swift-subprocess/Sources/_SubprocessCShims",
    ]
    headers = [scratch / "checkouts" / target / "include" for target in c_targets] + [root / "Sources/CAmalgam/include"]
    arguments: list[str | Path] = ["-I", products / "Modules"]
    for module_map in sorted(products.glob("*.build/module.modulemap")):
        # Macros, and what they depend on, are built a second time.
        if not module_map.parent.name.endswith("-tool.build"):
            arguments += ["-Xcc", f"-fmodule-map-file={module_map}"]
    for folder in headers:
        arguments += ["-I", folder]
    return arguments


def extraction(root: Path, scratch: Path, module: str, folder: Path) -> list[str | Path]:
    """The command that writes the public symbols of a module to a folder."""
    return (
        ["swift", "symbolgraph-extract", "-module-name", module, "-target", target(), "-output-dir", folder]
        + compiler_arguments(root, scratch)
        + ["-minimum-access-level", "public", "-skip-synthesized-members"]
    )


def target() -> str:
    info = json.loads(subprocess.check_output(["swiftc", "-print-target-info"]))
    return info["target"]["triple"]
