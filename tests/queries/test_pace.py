"""Pace and histograms of iterations over ranks, against a search in random jobs."""

from __future__ import annotations

from collections import Counter, defaultdict
from fractions import Fraction
from typing import Any

import pytest

from tests.support.randomtrace import RandomTrace, Runs, Slice
from tests.support.sharing import integration

Lane = tuple[str, int | None]  # kind, device
BUCKETS = 7
CATEGORIES = {"range": "user_annotation", "operator": "cpu_op", "kernel": "kernel"}


def occurrences(trace: RandomTrace, name: str | None) -> dict[Lane, list[Slice]]:
    found: dict[Lane, list[Slice]] = defaultdict(list)
    if name is None:
        found["step", None] = [step for step in trace.steps if step.dur >= 0]
    for kind, category in CATEGORIES.items():
        for each in trace.of(category):
            if each.name == name and each.dur >= 0:
                found[kind, each.device if kind == "kernel" else None].append(each)
    return {lane: sorted(mine, key=lambda each: each.ts) for lane, mine in found.items() if mine}


def names(random_runs: Runs, category: str) -> list[str]:
    """The most frequent names of a category, and one that no trace has."""
    counted = Counter(
        each.name
        for traces in random_runs.jobs.values()
        for trace in traces
        for each in trace.of(category)
    )
    assert counted
    return [*(name for name, _ in counted.most_common(3)), "none such"]


def chosen_names(random_runs: Runs, kind: str) -> list[str | None]:
    return [None] if kind == "step" else [*names(random_runs, CATEGORIES[kind])]


every_kind = pytest.mark.parametrize(
    "kind", ["kernel", *(integration(kind) for kind in ("step", "range", "operator"))]
)


@every_kind
def test_pace_is_that_of_a_search_in_random_jobs(random_runs: Runs, kind: str) -> None:
    n_behind = 0
    for name in chosen_names(random_runs, kind):
        found = random_runs.rows("pace", name=name)
        for job, traces in random_runs.jobs.items():
            of = {trace.rank: occurrences(trace, name) for trace in traces}
            fastest: dict[tuple[str, int], int] = {}
            for lanes in of.values():
                for (its_kind, _), mine in lanes.items():
                    for n, each in enumerate(mine, start=1):
                        elapsed = each.ts - mine[0].ts
                        key = (its_kind, n)
                        fastest[key] = min(elapsed, fastest.get(key, elapsed))
            expected = [
                (rank, its_kind, device, n, each.ts, each.ts - before.ts if n > 1 else None,
                 each.ts - mine[0].ts, each.ts - mine[0].ts - fastest[its_kind, n])
                for rank, lanes in of.items()
                for (its_kind, device), mine in lanes.items()
                for n, (before, each) in enumerate(
                    zip([mine[0], *mine[:-1]], mine, strict=True), start=1
                )
            ]  # fmt: skip
            rows = [
                (row["rank"], row["kind"], row["device"], row["iteration"], row["start_ns"],
                 row["interval_ns"], row["elapsed_ns"], row["behind_ns"])
                for row in found[job]
            ]  # fmt: skip
            assert sorted(rows, key=repr) == sorted(expected, key=repr)
            assert Counter((r["rank"], r["start_ns"], r["dur_ns"]) for r in found[job]) == Counter(
                (rank, each.ts, each.dur)
                for rank, lanes in of.items() for mine in lanes.values() for each in mine
            )  # fmt: skip
            n_behind += sum(row["behind_ns"] > 0 for row in found[job])
    assert n_behind


@every_kind
def test_histograms_count_the_durations_of_random_jobs(random_runs: Runs, kind: str) -> None:
    for name in chosen_names(random_runs, kind):
        found = random_runs.rows("duration_histogram", name=name, buckets=BUCKETS)
        for job, traces in random_runs.jobs.items():
            of = {trace.rank: occurrences(trace, name) for trace in traces}
            expected: Counter[tuple[Any, ...]] = Counter()
            for its_kind in {lane[0] for lanes in of.values() for lane in lanes}:
                lengths = [each.dur for lanes in of.values() for lane, mine in lanes.items()
                           if lane[0] == its_kind for each in mine]  # fmt: skip
                low, high = min(lengths), max(lengths)
                width = Fraction(high - low, BUCKETS)
                for rank, lanes in of.items():
                    for lane, mine in lanes.items():
                        for each in mine if lane[0] == its_kind else []:
                            n = min(int((each.dur - low) / width), BUCKETS - 1) if width else 0
                            borders = (float(low + n * width), float(low + (n + 1) * width))
                            expected[rank, *lane, n + 1, borders] += 1
            rows = {
                (r["rank"], r["kind"], r["device"], r["bucket"]): r for r in found[job]
            }  # fmt: skip
            assert {key: row["n"] for key, row in rows.items()} == {
                key[:4]: n for key, n in expected.items()
            }
            for *key, borders in expected:
                row = rows[tuple(key)]
                assert (row["from_ns"], row["to_ns"]) == pytest.approx(borders)
            shares: dict[tuple[Any, ...], float] = defaultdict(float)
            for row in found[job]:
                shares[row["rank"], row["kind"], row["device"]] += row["share"]
            assert list(shares.values()) == pytest.approx([1.0] * len(shares))
