"""Checks that a module calls the C functions of the objects that it owns, and of no others.

The table below names the owner of each function by the longest prefix of its name. Functions of FTS5's structures are
members, and have names such as fts5_api.xCreateFunction. An owner that imports no C module leaves its functions to
AmalgamCore.

The index store of a debug build tells which function each file refers to: build first.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import defaultdict
from pathlib import Path
from typing import Iterator, Mapping, Sequence

from structure import sources
from structure.index_store import IndexStoreError
from structure.sources import Sources, Use

NAME = "scripts/checks/c-functions"
CORE, ANY_MODULE = "AmalgamCore", "any module"
OWNERS: Mapping[str, Sequence[str]] = {
    CORE: ["sqlite3_", "amalgam_"],
    "AmalgamEngine": [
        "sqlite3_compileoption_",
        "sqlite3_errstr",
        "sqlite3_libversion",
        "sqlite3_sourceid",
        "sqlite3_threadsafe",
        "amalgam_build_",
        "amalgam_cipher_provider",
        "amalgam_cipher_version",
    ],
    "AmalgamSessions": [
        "sqlite3changegroup_",
        "sqlite3changeset_",
        "sqlite3rebaser_",
        "sqlite3session_",
        "amalgam_changeset_",
        "amalgam_deferred_violations",
        "amalgam_rebase",
        "amalgam_session_",
    ],
    "AmalgamBlobs": ["sqlite3_blob_", "amalgam_blob_"],
    "AmalgamEncryption": [
        "amalgam_attach",
        "amalgam_change_key",
        "amalgam_key_state",
        "amalgam_use_key",
        "amalgam_wipe",
    ],
    "AmalgamBackup": [
        "amalgam_cipher_reserve",
        "amalgam_copy_with_reserve",
        "sqlite3_backup_",
        "sqlite3_deserialize",
        "sqlite3_exec",
        "sqlite3_serialize",
        "amalgam_copy_pages",
        "amalgam_erase",
        "amalgam_forget_encoding",
        "amalgam_deserialize",
        "amalgam_page_size",
    ],
    "AmalgamInspection": [
        "sqlite3_db_status",
        "sqlite3_hard_heap_limit",
        "sqlite3_memory_",
        "sqlite3_release_memory",
        "sqlite3_soft_heap_limit",
        "sqlite3_status",
        "sqlite3_stmt_busy",
        "sqlite3_stmt_explain",
        "amalgam_check_pages",
        "amalgam_config_count_memory",
        "amalgam_counts_memory",
        "amalgam_normalized_sql",
    ],
    "AmalgamRecovery": ["amalgam_recover_", "amalgam_recovered_"],
    "AmalgamSandbox": [
        "sqlite3_limit",
        "amalgam_column_sources",
        "amalgam_connect_virtual_tables",
        "amalgam_function_class",
        "amalgam_has_trigger",
        "amalgam_index_refusal_",
        "amalgam_is_hidden_column",
        "amalgam_object_class",
        "amalgam_set_defensive",
        "amalgam_shadow_table_owner",
        "amalgam_view_sources",
    ],
    "AmalgamConcurrency": [
        "sqlite3_wal_checkpoint_v2",
        "amalgam_checkpoint_now",
        "amalgam_look_for_commits",
        "amalgam_version_",
        "amalgam_wal_connection",
        "amalgam_wal_file_size",
        "amalgam_wal_get_state",
        "amalgam_wal_holders",
    ],
    "AmalgamVirtualTables": [
        "sqlite3_create_module",
        "sqlite3_declare_vtab",
        "sqlite3_overload_function",
        "sqlite3_value_nochange",
        "sqlite3_vtab_",
        "amalgam_shadow_names",
        "amalgam_vtab_",
    ],
    "AmalgamAudit": [
        "amalgam_image",
        "amalgam_recorder_",
        "amalgam_set_autocommit",
        "amalgam_undo_begin",
        "amalgam_undo_end",
        "amalgam_writing_statements",
    ],
    "AmalgamFullText": ["Fts5ExtensionApi.", "fts5_", "amalgam_fts5_", "amalgam_ranked_", "amalgam_stemming_", "amalgam_words_"],
    "AmalgamTesting": ["amalgam_disk_", "amalgam_power_"],
    # Memory that a function hands over belongs to the caller.
    # So does a connection that a module opens for itself. Each SQL function asks for its own user data.
    ANY_MODULE: [
        "sqlite3_close_v2",
        "sqlite3_errmsg",
        "sqlite3_free",
        "sqlite3_initialize",
        "sqlite3_malloc",
        "sqlite3_open_v2",
        "sqlite3_user_data",
    ],
}
IMPORTS_OF_C = {"c:@M@CAmalgam", "c:@M@CAmalgamTesting"}
FUNCTION = re.compile(r"c:(?:@|[^@]+@)F@(\w+)$")
MEMBER = re.compile(r"c:@S@(Fts5\w+|fts5_\w+)@FI@(x\w+)$")


def main(arguments: list[str]) -> int:
    options = parse_options(arguments)
    try:
        return check(sources.read(options.store))
    except IndexStoreError as problem:
        print(f"{NAME}: {problem}", file=sys.stderr)
        return 1


def parse_options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog=NAME, description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--store", type=Path, default=sources.STORE, help="the index store of another build folder")
    return parser.parse_args(arguments)


def check(found: Sources) -> int:
    calls = calls_of_c(found)
    problems = [*misplaced_calls(calls, importers(found)), *idle_prefixes(calls)]
    for problem in problems:
        print(f"{NAME}: {problem}", file=sys.stderr)
    for module, count in functions_by_module(calls).items():
        print(f"{module} calls {count} functions of SQLite and its shims.")
    return 1 if problems else 0


def importers(found: Sources) -> set[str]:
    return {use.file.module for use in found.uses if use.symbol.usr in IMPORTS_OF_C}


def calls_of_c(found: Sources) -> dict[str, list[Use]]:
    """The references to each function of SQLite and the shims. Those to the C library aren't among them."""
    calls: dict[str, list[Use]] = defaultdict(list)
    for use in found.uses:
        name = function_name(use.symbol.usr)
        if longest_prefix(name):
            calls[name].append(use)
    return dict(sorted(calls.items()))


def function_name(usr: str) -> str:
    """The name of a C function, or an empty string for other symbols."""
    if match := FUNCTION.match(usr):
        return match[1]
    if match := MEMBER.match(usr):
        return f"{match[1]}.{match[2]}"
    return ""


def misplaced_calls(calls: Mapping[str, list[Use]], importers: set[str]) -> Iterator[str]:
    for function, uses in calls.items():
        owner = owner_of(function, importers)
        for use in uses:
            if owner not in (ANY_MODULE, use.file.module):
                yield f"Sources/{use.file.path}:{use.line} calls {function}: only {owner} does."


def owner_of(function: str, importers: set[str]) -> str:
    prefix = longest_prefix(function)
    owner = next(owner for owner, prefixes in OWNERS.items() if prefix in prefixes)
    return owner if owner in importers | {ANY_MODULE} else CORE


def longest_prefix(function: str) -> str:
    prefixes = [prefix for prefixes in OWNERS.values() for prefix in prefixes if function.startswith(prefix)]
    return max(prefixes, key=len, default="")


def idle_prefixes(calls: Mapping[str, list[Use]]) -> Iterator[str]:
    used = {longest_prefix(function) for function in calls}
    for owner, prefixes in OWNERS.items():
        for prefix in prefixes:
            if prefix not in used:
                yield f"the table has {prefix} for {owner}, but no file calls such a function."


def functions_by_module(calls: Mapping[str, list[Use]]) -> dict[str, int]:
    functions: dict[str, set[str]] = defaultdict(set)
    for function, uses in calls.items():
        for use in uses:
            functions[use.file.module].add(function)
    return {module: len(names) for module, names in sorted(functions.items())}
