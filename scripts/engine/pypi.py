"""The origin `pypi`: the amalgamation inside the source distribution of a Python package, pinned file by file.

`pip download` fetches a source distribution and then runs the package's build script to learn its metadata, which would
run foreign code and need a C toolchain manager. So pip is given a build backend of ours that answers with fixed metadata,
and `--hash`, which makes pip refuse another archive before anything in it is looked at.
"""

from __future__ import annotations

import hashlib
import sys
import tarfile
from pathlib import Path

from . import system, terminal
from .delivery import Delivery, Unavailable
from .lock import OriginEntry
from .refusal import Refusal

BACKEND = """
import os, sys
__legacy__ = sys.modules[__name__]

def get_requires_for_build_wheel(config_settings=None):
    return []

def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    name = "{name}-{version}.dist-info"
    os.makedirs(os.path.join(metadata_directory, name))
    with open(os.path.join(metadata_directory, name, "METADATA"), "w") as file:
        file.write("Metadata-Version: 2.1\\nName: {name}\\nVersion: {version}\\n")
    return name
"""


def fetch(entry: OriginEntry, folder: Path) -> Path:
    """The pinned source distribution, downloaded into the folder."""
    requirement = entry.one("package")
    terminal.step(f"Asking pip for the source distribution of {requirement}")
    require_pip()
    result = system.run(
        pip(
            "download",
            "--quiet",
            "--no-deps",
            "--no-build-isolation",
            "--no-binary",
            requirement.partition("==")[0],
            "--require-hashes",
            "--dest",
            folder,
            "--requirement",
            requirements_file(entry, folder),
        ),
        environment={"PYTHONPATH": str(backend_folder(requirement, folder))},
    )
    ((archive, _),) = entry.pins("archive").items()
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


def requirements_file(entry: OriginEntry, folder: Path) -> Path:
    ((_, digest),) = entry.pins("archive").items()
    file = folder / "requirements.txt"
    file.write_text(f"{entry.one('package')} --hash=sha256:{digest}\n")
    return file


def backend_folder(requirement: str, folder: Path) -> Path:
    name, _, version = requirement.partition("==")
    backend = folder / "backend" / "setuptools"
    backend.mkdir(parents=True)
    (backend / "__init__.py").touch()
    (backend / "build_meta.py").write_text(BACKEND.format(name=name, version=version))
    return backend.parent


def extract(archive: Path, entry: OriginEntry, folder: Path) -> Delivery:
    """The pinned files of the distribution, each verified."""
    for name, digest in entry.pins("archive").items():
        require_digest(archive.read_bytes(), digest, name)
    with tarfile.open(archive) as tar:
        for name, digest in entry.pins("file").items():
            content = member(tar, name)
            require_digest(content, digest, name)
            (folder / Path(name).name).write_bytes(content)
    return Delivery(folder, f"Python source distribution {entry.one('package').replace('==', ' ')}")


def member(tar: tarfile.TarFile, name: str) -> bytes:
    """The content of a file in the archive; nothing, which no digest fits, where it is missing."""
    found = tar.extractfile(name) if name in tar.getnames() else None
    return found.read() if found else b""


def require_digest(content: bytes, digest: str, name: str) -> None:
    found = hashlib.sha256(content).hexdigest()
    if found != digest:
        raise Refusal(
            f"{name} was tampered with: it is not the file that sqlite.lock pins.",
            f"sqlite.lock pins {digest}\nthe file is      {found}",
            "Get the source from another origin (--origin).",
        )
