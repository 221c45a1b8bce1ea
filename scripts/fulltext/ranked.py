"""The ranked cases of scripts/bench: Amalgam next to Tantivy, and next to the way in which FTS5 itself ranks.

A case is the 50 queries of a class. The time of a query is the median over the runs of a process, and then over the
rounds. The time of a case is the median over its queries, and its worst time that of the slowest one. The ratio of two
engines is the median of the ratios within each round; that of their worst times is one quotient. FTS5's way takes
minutes, so that it is measured in the first round only, and held against Amalgam in this round.
"""

from __future__ import annotations

import sys
from collections import namedtuple
from math import prod
from statistics import median
from typing import Any, Callable, Mapping, Optional, Sequence

# How many times the time of another engine Amalgam may take.
Target = namedtuple("Target", ["key", "at_most", "text"])


def _target(key: str, at_most: float, text: str) -> Target:
    return Target(key, at_most, f"≤ {at_most} × {text}")


TANTIVY = [
    _target("amalgam_over_tantivy", 1.6, "Tantivy"),
    _target("amalgam_worst_over_tantivy", 2.5, "Tantivy's worst"),
]
COMMON = [*TANTIVY, _target("amalgam_over_fts5", 0.05, "FTS5")]
PREFIX = [_target("amalgam_over_fts5", 0.2, "FTS5"), Target("amalgam_worst_ms", 50, "worst ≤ 50 ms")]

CASES: Mapping[str, Sequence[Target]] = {
    "ranked-common": COMMON,
    "ranked-middling": TANTIVY,
    "ranked-all-2": TANTIVY,
    "ranked-all-3": TANTIVY,
    "ranked-any-2": TANTIVY,
    "ranked-any-5": TANTIVY,
    "ranked-prefix-1": PREFIX,
    "ranked-prefix-2": PREFIX,
    "ranked-prefix-3": PREFIX,
    "ranked-prefix-1-indexed": PREFIX,
    "ranked-prefix-2-indexed": PREFIX,
    "ranked-prefix-3-indexed": PREFIX,
    "ranked-page-5": [],
    # Half of the documents pass the filter, then a tenth, 1 % and 0.1 %.
    "ranked-filter-50": [_target("amalgam_over_unfiltered", 3, "unfiltered")],
    "ranked-filter-10": [_target("amalgam_over_unfiltered", 3, "unfiltered")],
    "ranked-filter-1": [],
    "ranked-filter-0.1": [],
    "fuzzy-1": [_target("amalgam_over_tantivy", 1.5, "Tantivy")],
    "fuzzy-1-ranked": [],
}

# Those whose geometric mean has a target.
AVERAGED = [case for case, targets in CASES.items() if TANTIVY[0] in targets]
MEAN = _target("amalgam_over_tantivy", 1.2, "Tantivy")

# The case without the filters.
UNFILTERED = "ranked-common"
FILTER = "ranked-filter-"

# The numbers of documents of --growth --short, and the name of such a case.
GROWTH = [10_000, 30_000, 100_000, 300_000, 1_000_000]
GROWTH_CASE = "ranked-growth-{}"

# The milliseconds of each query in one round, of one engine.
Times = Sequence[float]

# Runs a case in a program: the object that the program prints.
Run = Callable[[Any, str, int], Mapping[str, Any]]


def measure(
    cases: Sequence[str], programs: Sequence[Any], run: Run, rounds: int, runs: int, progress: Callable[[str], None]
) -> list[dict[str, Any]]:
    """The objects that --json prints: one for each case, and the mean."""
    results: dict[str, list[dict[str, Times]]] = {case: [] for case in cases}
    for number in range(1, rounds + 1):
        for case in cases:
            present = [it for it in programs if case in it.cases and (number == 1 or it.name != "fts5")]
            outputs = {it.name: run(it, case, 1 if it.name == "fts5" else runs) for it in present}
            _compare(case, outputs)
            results[case].append(_times(outputs))
            times = results[case][-1].items()
            shown = "".join(f"  {name} {median(each):.3f} (worst {max(each):.3f}) ms" for name, each in times)
            progress(f"round {number} of {rounds}: {case:24}{shown}")
    unfiltered = results.get(UNFILTERED, [])
    summaries = [_summary(case, results[case], unfiltered if case.startswith(FILTER) else []) for case in cases]
    return summaries + _mean(summaries)


def _compare(case: str, outputs: Mapping[str, Mapping[str, Any]]) -> None:
    """Stops if the engines didn't do the same."""
    counts = {name: output["checksum"] for name, output in outputs.items()}
    if len(set(counts.values())) > 1:
        sys.exit(f"bench: {case}: different documents match: {counts}")
    found = {name: output["result"] for name, output in outputs.items() if "result" in output}
    if len(set(found.values())) > 1:
        sys.exit(f"bench: {case}: different documents are the best: {found}")


def _times(outputs: Mapping[str, Mapping[str, Any]]) -> dict[str, Times]:
    """The times of each engine, and those of Tantivy without titles."""
    times = {name: output["parts_ms"] for name, output in outputs.items()}
    if "tantivy" in outputs:
        times["tantivy_without_titles"] = outputs["tantivy"]["untitled_parts_ms"]
    return {name: _medians(runs) for name, runs in times.items()}


def _medians(times: Sequence[Times]) -> list[float]:
    """The median of each query, from times of all queries."""
    return [median(each) for each in zip(*times)]


def _summary(
    case: str, rounds: Sequence[Mapping[str, Times]], unfiltered: Sequence[Mapping[str, Times]]
) -> dict[str, Any]:
    """The object that --json prints. What was not measured is null."""

    def times(name: str) -> list[float]:
        return _medians([each[name] for each in rounds if name in each])

    def over(name: str) -> list[float]:
        both = [each for each in rounds if name in each and "amalgam" in each]
        return [median(each["amalgam"]) / median(each[name]) for each in both]

    engines = {name: times(name) for name in ["amalgam", "tantivy", "tantivy_without_titles", "fts5"]}
    worst = {name: max(engines[name]) for name in ["amalgam", "tantivy", "fts5"] if engines[name]}
    return {
        "case": case,
        **{f"{name}_ms": _rounded(median, each) for name, each in engines.items()},
        **{f"{name}_worst_ms": _rounded(max, engines[name]) for name in ["amalgam", "tantivy", "fts5"]},
        "amalgam_over_tantivy": _rounded(median, over("tantivy")),
        "amalgam_worst_over_tantivy": (
            round(worst["amalgam"] / worst["tantivy"], 4) if {"amalgam", "tantivy"} <= worst.keys() else None),
        "amalgam_over_fts5": _rounded(median, over("fts5")),
        "amalgam_over_unfiltered": _rounded(median, [
            median(filtered["amalgam"]) / median(each["amalgam"])
            for filtered, each in zip(rounds, unfiltered) if "amalgam" in filtered and "amalgam" in each
        ]),
    }


def _rounded(figure: Callable[[Times], float], times: Times) -> Optional[float]:
    return round(figure(times), 4) if times else None


def _mean(summaries: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The geometric mean of the cases that have one, if all of them were measured."""
    ratios = [each["amalgam_over_tantivy"] for each in summaries if each["case"] in AVERAGED]
    if len(ratios) < len(AVERAGED) or None in ratios:
        return []
    return [{"case": "ranked-mean", "amalgam_over_tantivy": round(prod(ratios) ** (1 / len(ratios)), 4)}]


# -- The table

HEADER = [
    "case", "Amalgam ms", "worst", "Tantivy ms", "worst", "FTS5 ms", "worst", "Amalgam/Tantivy", "worst/worst",
    "Amalgam/FTS5", "filtered/not", "targets",
]
COLUMNS = [
    ("amalgam_ms", 3), ("amalgam_worst_ms", 3), ("tantivy_ms", 3), ("tantivy_worst_ms", 3), ("fts5_ms", 2),
    ("fts5_worst_ms", 2), ("amalgam_over_tantivy", 2), ("amalgam_worst_over_tantivy", 2), ("amalgam_over_fts5", 3),
    ("amalgam_over_unfiltered", 2),
]


def rows(summaries: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    return [
        [each["case"], *(_number(each.get(key), digits) for key, digits in COLUMNS), _verdicts(each)]
        for each in summaries
    ]


def _number(value: Optional[float], digits: int) -> str:
    return "–" if value is None else f"{value:.{digits}f}"


def _verdicts(each: Mapping[str, Any]) -> str:
    targets = CASES.get(each["case"], [MEAN])
    measured = [(target, each[target.key]) for target in targets if each.get(target.key) is not None]
    return ", ".join(
        f"{target.text}: {'met' if value <= target.at_most else 'missed'}" for target, value in measured)
