"""The origin `pypi`: a source distribution of the Python package index.

`pip download` fetches a source distribution and then runs the package's build script to learn its metadata, which would
run foreign code and need a C toolchain manager. So pip is given a build backend of ours that answers with fixed metadata,
and `--require-hashes`, which makes pip refuse another archive before anything in it is looked at.
"""

from __future__ import annotations

import sys
from pathlib import Path

from . import system, terminal
from .files import new
from .lock import Lock, Origin
from .refusal import Refusal, Unavailable

BACKEND = """
import pathlib, sys
__legacy__ = sys.modules[__name__]

def get_requires_for_build_wheel(config_settings=None):
    return []

def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    info = pathlib.Path(metadata_directory, "{name}-{version}.dist-info")
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\\nName: {name}\\nVersion: {version}\\n")
    return info.name
"""


def fetch(lock: Lock, origin: Origin, folder: Path) -> Path:
    requirement = origin.one("package")
    name, version = requirement.split("==")
    archive, digest = origin.archive
    terminal.step(f"Asking pip for the source distribution of {requirement}")
    require_pip()
    pinned = folder / "requirements.txt"
    pinned.write_text(f"{requirement} --hash=sha256:{digest}\n")
    options = ["--quiet", "--no-deps", "--no-build-isolation", "--no-binary", name, "--dest", folder]
    result = system.run(
        pip("download", *options, "--require-hashes", "--requirement", pinned),
        environment={"PYTHONPATH": str(backend_folder(name, version, folder))},
    )
    if result.returncode != 0 or not (folder / archive).is_file():
        raise Unavailable(system.last_lines(result.stdout, 2) or "pip could not download it")
    return folder / archive


def pip(*words: object) -> list[str]:
    return [sys.executable, "-m", "pip", *map(str, words)]


def require_pip() -> None:
    if system.run(pip("--version")).returncode != 0:
        try:
            system.install(["python3-pip"], reason="to download a Python source distribution")
        except Refusal as refusal:
            raise Unavailable(f"{refusal.what} {refusal.next}") from None


def backend_folder(name: str, version: str, folder: Path) -> Path:
    package = new(folder / "backend" / "setuptools")
    (package / "__init__.py").touch()
    (package / "build_meta.py").write_text(BACKEND.format(name=name, version=version))
    return package.parent
