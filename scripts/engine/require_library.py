"""Makes sure that a C library is there for a test: python3 -m engine.require_library HEADER LIBRARY PACKAGE REASON"""

from __future__ import annotations

import sys

from . import system
from .refusal import Refusal


def main(header: str, library: str, package: str, reason: str) -> int:
    system.require([system.COMPILER])
    if system.links(system.compiler(), header, [library]):
        return 0
    try:
        system.install([package], reason)
    except Refusal as refusal:
        print(refusal, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:5]))
