"""The graph of the folders of a module: which folder uses which, by which symbols, and its circles."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from structure.sources import File, Sources, Use

Circle = frozenset[str]


@dataclass(frozen=True, order=True)
class UsedSymbol:
    """A symbol that another folder uses, and where it is defined."""

    name: str
    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.name} ({self.file}:{self.line})"


Edge = dict[UsedSymbol, list[Use]]


@dataclass
class Graph:
    """The folders of one module. An edge leads from the folder that uses symbols to the one that defines them."""

    folders: set[str] = field(default_factory=set)
    edges: dict[tuple[str, str], Edge] = field(default_factory=dict)

    def add(self, user: str, used: str, symbol: UsedSymbol, use: Use) -> None:
        self.edges.setdefault((user, used), {}).setdefault(symbol, []).append(use)

    def used_by(self, folder: str) -> list[str]:
        return sorted(used for user, used in self.edges if user == folder)

    def circles(self) -> list[Circle]:
        """The strongly connected components of more than one folder, largest first."""
        reachable = {folder: self.reachable(folder) for folder in self.folders}
        components = {
            frozenset(other for other in reachable[folder] if folder in reachable[other]) for folder in self.folders
        }
        return sorted((found for found in components if len(found) > 1), key=lambda found: (-len(found), sorted(found)))

    def reachable(self, folder: str) -> set[str]:
        """The folders that a path of edges leads to: the folder itself too, if it is in a circle."""
        found: set[str] = set()
        waiting = [folder]
        while waiting:
            new = set(self.used_by(waiting.pop())) - found
            found |= new
            waiting += new
        return found

    def two_way_pairs(self) -> list[tuple[str, str]]:
        """The pairs of folders that use each other. The first of a pair uses fewer symbols of the second."""
        pairs = [(a, b) for a, b in self.edges if a < b and (b, a) in self.edges]
        return sorted((a, b) if len(self.edges[a, b]) <= len(self.edges[b, a]) else (b, a) for a, b in pairs)


def graphs(sources: Sources) -> dict[str, Graph]:
    """The graph of each module."""
    found: dict[str, Graph] = defaultdict(Graph)
    for file in sources.files:
        found[file.module].folders.add(file.folder)
    for use in sources.uses:
        definition = sources.definitions.get(use.symbol.usr)
        if definition and is_edge(use.file, definition.file):
            symbol = UsedSymbol(use.symbol.name, definition.file.name, definition.line)
            found[use.file.module].add(use.file.folder, definition.file.folder, symbol, use)
    return dict(sorted(found.items()))


def is_edge(user: File, used: File) -> bool:
    return user.module == used.module and user.folder != used.folder
