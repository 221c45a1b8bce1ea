"""Where a debug build has put the modules, for tools that import them."""

from __future__ import annotations

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
