"""Reads the index store that the Swift compiler writes in debug builds.

The toolchain's libIndexStore has a C interface, which is declared in its header indexstore/indexstore.h. A *unit*
describes the compilation of one file, and names its *records*; a record holds the *occurrences* of symbols in the file.
"""

from __future__ import annotations

import json
import subprocess
import sys
from ctypes import CDLL, CFUNCTYPE, POINTER, Structure, byref, cast, string_at
from ctypes import c_bool, c_char_p, c_int, c_int64, c_size_t, c_uint, c_uint64, c_void_p
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Callable

DECLARATION, DEFINITION, REFERENCE, IMPLICIT = 1 << 0, 1 << 1, 1 << 2, 1 << 8
RECORD_DEPENDENCY = 2


class StringRef(Structure):
    """Bytes of the library, valid as long as the object that they come from."""

    _fields_ = [("data", c_void_p), ("length", c_size_t)]

    def __str__(self) -> str:
        return string_at(self.data, self.length).decode(errors="replace") if self.length else ""


OUT_ERROR = POINTER(c_void_p)
FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "error_get_description": (c_char_p, [c_void_p]),
    "error_dispose": (None, [c_void_p]),
    "store_create": (c_void_p, [c_char_p, OUT_ERROR]),
    "store_dispose": (None, [c_void_p]),
    "store_units_apply_f": (c_bool, [c_void_p, c_uint, c_void_p, c_void_p]),
    "unit_reader_create": (c_void_p, [c_void_p, c_char_p, OUT_ERROR]),
    "unit_reader_dispose": (None, [c_void_p]),
    "unit_reader_get_main_file": (StringRef, [c_void_p]),
    "unit_reader_get_module_name": (StringRef, [c_void_p]),
    "unit_reader_get_modification_time": (None, [c_void_p, POINTER(c_int64), POINTER(c_int64)]),
    "unit_reader_dependencies_apply_f": (c_bool, [c_void_p, c_void_p, c_void_p]),
    "unit_dependency_get_kind": (c_int, [c_void_p]),
    "unit_dependency_get_name": (StringRef, [c_void_p]),
    "record_reader_create": (c_void_p, [c_void_p, c_char_p, OUT_ERROR]),
    "record_reader_dispose": (None, [c_void_p]),
    "record_reader_occurrences_apply_f": (c_bool, [c_void_p, c_void_p, c_void_p]),
    "occurrence_get_symbol": (c_void_p, [c_void_p]),
    "occurrence_get_roles": (c_uint64, [c_void_p]),
    "occurrence_get_line_col": (None, [c_void_p, POINTER(c_uint), POINTER(c_uint)]),
    "symbol_get_usr": (StringRef, [c_void_p]),
    "symbol_get_name": (StringRef, [c_void_p]),
}


class IndexStoreError(Exception):
    """A store or library that can't be read."""


@dataclass(frozen=True)
class Symbol:
    """A declaration. The USR, its "unified symbol resolution", is the same in all files that mention it."""

    usr: str
    name: str


@dataclass(frozen=True)
class Occurrence:
    symbol: Symbol
    roles: int
    line: int


@dataclass(frozen=True)
class Unit:
    main_file: str
    module: str
    nanoseconds: int
    records: tuple[str, ...]


class IndexStore:
    """An open index store."""

    def __init__(self, library: Path, folder: Path) -> None:
        self.api = bind(library)
        self.handle = self.create("store_create", str(folder))

    def __enter__(self) -> IndexStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.api.store_dispose(self.handle)

    def units(self) -> list[Unit]:
        names = collect(StringRef, str, lambda callback: self.api.store_units_apply_f(self.handle, 0, None, callback))
        return [self.unit(name) for name in names]

    def unit(self, name: str) -> Unit:
        reader = self.create("unit_reader_create", name, self.handle)
        try:
            return Unit(
                main_file=str(self.api.unit_reader_get_main_file(reader)),
                module=str(self.api.unit_reader_get_module_name(reader)),
                nanoseconds=self.modification_time(reader),
                records=self.records(reader),
            )
        finally:
            self.api.unit_reader_dispose(reader)

    def modification_time(self, reader: int) -> int:
        seconds, nanoseconds = c_int64(), c_int64()
        self.api.unit_reader_get_modification_time(reader, byref(seconds), byref(nanoseconds))
        return seconds.value * 1_000_000_000 + nanoseconds.value

    def records(self, reader: int) -> tuple[str, ...]:
        def read(dependency: int) -> str:
            is_record = self.api.unit_dependency_get_kind(dependency) == RECORD_DEPENDENCY
            return str(self.api.unit_dependency_get_name(dependency)) if is_record else ""

        names = collect(
            c_void_p, read, lambda callback: self.api.unit_reader_dependencies_apply_f(reader, None, callback)
        )
        return tuple(name for name in names if name)

    def occurrences(self, record: str) -> list[Occurrence]:
        reader = self.create("record_reader_create", record, self.handle)
        symbols: dict[int, Symbol] = {}

        def read(occurrence: int) -> Occurrence:
            handle = self.api.occurrence_get_symbol(occurrence)
            if handle not in symbols:
                symbols[handle] = self.symbol(handle)
            return Occurrence(symbols[handle], self.api.occurrence_get_roles(occurrence), self.line(occurrence))

        try:
            return collect(
                c_void_p, read, lambda callback: self.api.record_reader_occurrences_apply_f(reader, None, callback)
            )
        finally:
            self.api.record_reader_dispose(reader)

    def symbol(self, handle: int) -> Symbol:
        return Symbol(usr=str(self.api.symbol_get_usr(handle)), name=str(self.api.symbol_get_name(handle)))

    def line(self, occurrence: int) -> int:
        line, column = c_uint(), c_uint()
        self.api.occurrence_get_line_col(occurrence, byref(line), byref(column))
        return line.value

    def create(self, function: str, name: str, *store: int) -> int:
        error = c_void_p()
        handle = getattr(self.api, function)(*store, name.encode(), byref(error))
        if handle:
            return handle
        description = self.api.error_get_description(error) if error else b"no description"
        self.api.error_dispose(error)
        raise IndexStoreError(f"{name}: {description.decode(errors='replace')}")


def bind(library: Path) -> SimpleNamespace:
    """The functions of the library that are used here, by their names without prefix."""
    loaded = CDLL(str(library))
    api = SimpleNamespace()
    for name, (result, arguments) in FUNCTIONS.items():
        function = loaded[f"indexstore_{name}"]
        function.restype, function.argtypes = result, arguments
        setattr(api, name, function)
    return api


def collect(kind: Any, read: Callable[[Any], Any], apply: Callable[[c_void_p], object]) -> list[Any]:
    """What `read` returns for each element that a C function passes to its callback, during the callback."""
    elements: list[Any] = []

    def receive(_: object, element: Any) -> bool:
        elements.append(read(element))
        return True

    callback = CFUNCTYPE(c_bool, c_void_p, kind)(receive)
    apply(cast(callback, c_void_p))
    return elements


def toolchain_library() -> Path:
    """libIndexStore of the toolchain that `swift` belongs to."""
    try:
        answer = subprocess.run(["swift", "-print-target-info"], check=True, capture_output=True, text=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        raise IndexStoreError(f"swift doesn't run: {error}") from error
    resources = Path(json.loads(answer)["paths"]["runtimeResourcePath"])
    library = resources.parent / ("libIndexStore.dylib" if sys.platform == "darwin" else "libIndexStore.so")
    if not library.exists():
        raise IndexStoreError(f"the toolchain has no {library}")
    return library
