"""Checks the table of promises in docs/reliability.md.

Each promise has a test that exists once, and a mutation of one line that exists once in the source and runs this test. Each
mutation of Tests/Mutations belongs to one promise. scripts/proof/mutate shows that the tests fail.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path
from typing import Iterator, Sequence

from promises import mutations, suites, table
from promises.mutations import Mutation, MutationError
from promises.suites import SuiteError
from promises.table import DOCUMENT, Promise, TableError

NAME = "scripts/checks/promises"
ROOT = Path(__file__).resolve().parents[2]


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog=NAME, description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.parse_args(arguments)
    return check(ROOT)


def check(root: Path) -> int:
    try:
        text = (root / DOCUMENT).read_text()
        promises, changes = table.read(text), mutations.read(root)
    except (OSError, MutationError, TableError) as problem:
        print(f"{NAME}: {problem}", file=sys.stderr)
        return 1
    problems = [
        *problems_of_links(promises, table.addresses(text), root),
        *problems_of_promises(promises, changes),
        *problems_of_mutations(changes, root),
    ]
    for problem in problems:
        print(f"{NAME}: {problem}", file=sys.stderr)
    print(f"{len(promises)} promises, {len(changes)} mutations in {len({it.module for it in changes})} modules.")
    return 1 if problems else 0


def problems_of_links(promises: Sequence[Promise], addresses: dict[str, str], root: Path) -> Iterator[str]:
    for label in dict.fromkeys(promise.page for promise in promises):
        if label not in addresses:
            yield f"{DOCUMENT}: the link [{label}] has no address"
        elif not ((root / DOCUMENT).parent / addresses[label]).is_file():
            yield f"{DOCUMENT}: there is no file {addresses[label]}"


def problems_of_promises(promises: Sequence[Promise], changes: Sequence[Mutation]) -> Iterator[str]:
    by_name = {it.name: it for it in changes}
    for promise in promises:
        mutation = by_name.get(promise.mutation)
        if mutation is None:
            yield f"{DOCUMENT}:{promise.line}: there is no mutation {promise.mutation}"
        elif promise.test not in mutation.tests:
            yield f"{DOCUMENT}:{promise.line}: the mutation {promise.mutation} doesn't run {promise.test}"
    uses = Counter(promise.mutation for promise in promises)
    for name in by_name:
        if uses[name] != 1:
            yield f"{uses[name]} promises of {DOCUMENT} name the mutation {name}, and not one"


def problems_of_mutations(changes: Sequence[Mutation], root: Path) -> Iterator[str]:
    for mutation in changes:
        source = root / mutation.file
        if not source.is_file():
            yield f"{mutation.name}: there is no file {mutation.file}"
        else:
            try:
                mutation.position(source.read_text())
            except MutationError as problem:
                yield str(problem)
        for test in mutation.tests:
            try:
                suites.require(root, test)
            except SuiteError as problem:
                yield f"{mutation.name}: {problem}"
