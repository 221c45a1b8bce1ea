"""Prints which folders of each module use which, and fails on a circle that isn't listed with a reason.

A folder uses another one when one of its files refers to a symbol that a file of the other folder defines; members of
extensions are defined where they are written. A circle is a group of folders that use each other, directly or through
others. The circles that are allowed are listed in folders.allowed, next to the script, with a reason for each.

The index store of a debug build tells what files define and use: build first.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Iterable, Iterator, Mapping

from structure import allowed, graph, sources
from structure.allowed import ListError
from structure.graph import Edge, Graph
from structure.index_store import IndexStoreError
from structure.sources import Use

NAME = "scripts/checks/folders"
ALLOWED = Path(__file__).resolve().parents[1] / "folders.allowed"
NAMED_SYMBOLS = 3


class UnknownName(Exception):
    """A module or folder that doesn't exist."""


def main(arguments: list[str]) -> int:
    options = parse_options(arguments)
    try:
        return run(options, graph.graphs(sources.read(options.store)))
    except (IndexStoreError, ListError, UnknownName) as problem:
        print(f"{NAME}: {problem}", file=sys.stderr)
        return 1


def parse_options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog=NAME, description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--edges",
        nargs=3,
        metavar=("MODULE", "USER", "USED"),
        help="print the symbols of folder USED that folder USER uses, and where",
    )
    parser.add_argument(
        "--two-way", action="store_true", help="print the pairs of folders that use each other, and by how many symbols"
    )
    parser.add_argument("--store", type=Path, default=sources.STORE, help="the index store of another build folder")
    return parser.parse_args(arguments)


def run(options: argparse.Namespace, graphs: Mapping[str, Graph]) -> int:
    if options.edges:
        print_lines(edge_lines(edge(graphs, *options.edges)))
    elif options.two_way:
        print_lines(two_way_lines(graphs))
    else:
        return check(graphs, allowed.parse(ALLOWED.read_text()))
    return 0


def check(graphs: Mapping[str, Graph], reasons: Mapping[allowed.Entry, str]) -> int:
    for module, found in graphs.items():
        print_lines(graph_lines(module, found))
    problems = list(allowed.problems({module: found.circles() for module, found in graphs.items()}, reasons))
    for problem in problems:
        print(f"{NAME}: {problem}", file=sys.stderr)
    if problems:
        print(f"{NAME}: --two-way shows what makes a circle. Open it, or correct {ALLOWED.name}.", file=sys.stderr)
    return 1 if problems else 0


def print_lines(lines: Iterable[str]) -> None:
    for line in lines:
        print(line)


def graph_lines(module: str, found: Graph) -> Iterator[str]:
    yield f"{module}: {len(found.folders)} folders, {len(found.edges)} edges"
    width = max(map(len, found.folders))
    for folder in sorted(found.folders):
        yield f"  {folder:{width}} → {' '.join(found.used_by(folder)) or '-'}"
    for circle in found.circles():
        yield f"  circle of {len(circle)}: {' '.join(sorted(circle))}"


def two_way_lines(graphs: Mapping[str, Graph]) -> Iterator[str]:
    for module, found in graphs.items():
        for weaker, stronger in found.two_way_pairs():
            yield f"{module}: {direction(found, weaker, stronger)}"
            yield f"{' ' * len(module)}  {direction(found, stronger, weaker)}"


def direction(found: Graph, user: str, used: str) -> str:
    symbols = sorted(found.edges[user, used])
    named = f": {', '.join(map(str, symbols))}" if len(symbols) <= NAMED_SYMBOLS else ""
    return f"{user} → {used} by {len(symbols)}{named}"


def edge(graphs: Mapping[str, Graph], module: str, user: str, used: str) -> Edge:
    if module not in graphs:
        raise UnknownName(f"there is no module {module}")
    for folder in (user, used):
        if folder not in graphs[module].folders:
            raise UnknownName(f"{module} has no folder {folder}")
    return graphs[module].edges.get((user, used), {})


def edge_lines(found: Edge) -> Iterator[str]:
    for symbol, uses in sorted(found.items()):
        yield f"{symbol}: {places(uses)}"


def places(uses: Iterable[Use]) -> str:
    return ", ".join(f"{file}:{line}" for file, line in sorted({(use.file.name, use.line) for use in uses}))
