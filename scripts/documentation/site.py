"""Builds the documentation site: one archive, with the articles and guides of Sources/Amalgam/Amalgam.docc and every public
symbol of `import Amalgam`.

The archive is a folder of files that any web server can serve. To look at it:

    scripts/docs
    python3 -m http.server --directory .build/documentation/Amalgam.doccarchive 8000
    # then open http://localhost:8000/documentation/amalgam

Every problem that DocC warns of ends the script with an error.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Sequence

from documentation import guides
from documentation.modules import extraction

NAME = "scripts/docs"
ROOT = Path(__file__).resolve().parents[2]
MODULE = "Amalgam"
# Publishers are public symbols with this trait.
TRAITS = ["--traits", "OpenCombine,Encryption,Macros,Replication"]
# See scripts/swift.sh.
os.environ["SWIFT_DETERMINISTIC_HASHING"] = os.environ["AMALGAM_CHECKS"] = "1"


def main(arguments: list[str]) -> int:
    options = parse_options(arguments)
    try:
        for page in guides.update(guides.pages(), ROOT, writes=True):
            print(f"updated {page.relative_to(ROOT)}")
        build(options.scratch_path)
        graphs = extract_symbols(options.scratch_path, options.output)
        archive = convert(graphs, options.output, options.base_path)
    except (guides.GuideError, StepError) as problem:
        print(f"{NAME}: {problem}", file=sys.stderr)
        return 1
    print(f"The site is in {archive}")
    return 0


class StepError(Exception):
    """A step that failed; its message is on standard error already."""


def parse_options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog=NAME, description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--output", type=Path, default=ROOT / ".build/documentation", help="a folder for the site")
    parser.add_argument("--scratch-path", type=Path, default=ROOT / ".build", help="the build folder (.build)")
    parser.add_argument("--base-path", default="/", help="the path under which a server offers the site (/)")
    return parser.parse_args(arguments)


def run(command: Sequence[str | Path], problem: str) -> None:
    """Runs a command whose output is progress."""
    if subprocess.run(command, cwd=ROOT, stdout=sys.stderr).returncode != 0:
        raise StepError(problem)


def build(scratch: Path) -> None:
    if not (ROOT / "vendor/sqlite/sqlite3.c").exists():
        run([ROOT / "scripts/bootstrap"], "scripts/bootstrap failed: see above.")
    run(
        ["swift", "build", *TRAITS, "--scratch-path", scratch, "--target", MODULE],
        "the package does not build: see the compiler's message above.",
    )


def modules() -> list[str]:
    """The modules that `import Amalgam` exports, by the manifest."""
    description = subprocess.run(
        ["swift", "package", *TRAITS, "describe", "--type", "json"], cwd=ROOT, capture_output=True, text=True
    )
    if description.returncode != 0:
        raise StepError(f"the manifest cannot be read:\n{description.stderr}")
    # SwiftPM may print lines before the object.
    text = description.stdout[description.stdout.index("{") :]
    targets = {target["name"]: target for target in json.loads(text)["targets"]}
    return sorted(it for it in targets[MODULE]["target_dependencies"] if targets[it]["module_type"] == "SwiftTarget")


def extract_symbols(scratch: Path, output: Path) -> Path:
    """Writes the symbol graph of the umbrella module, with the symbols that it exports."""
    folder = output / "symbols"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    run(
        extraction(ROOT, scratch, MODULE, folder)
        + ["-omit-extension-block-symbols"]
        + [f"-experimental-allowed-reexported-modules={','.join(modules())}"],
        "the symbols cannot be extracted: see above.",
    )
    return folder


def convert(graphs: Path, output: Path, base_path: str) -> Path:
    """Makes the archive. DocC prints its warnings, each of which is an error."""
    archive = output / f"{MODULE}.doccarchive"
    shutil.rmtree(archive, ignore_errors=True)
    run(
        ["docc", "convert", guides.CATALOG, "--additional-symbol-graph-dir", graphs, "--output-path", archive]
        + ["--fallback-display-name", MODULE, "--fallback-bundle-identifier", "amalgam", "--hosting-base-path", base_path]
        + ["--warnings-as-errors"],
        "the site has the problems above.",
    )
    return archive
