"""Operators' host and device times against a plain walk over random traces."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple

import pytest

from tests.support.launching import launched, operators
from tests.support.randomtrace import RandomTrace, Runs, Slice

Key = tuple[Any, ...]


class Call(NamedTuple):
    """A call of an operator as the tests find it: all times in nanoseconds."""

    slice: Slice
    self_ns: int
    is_inner: bool
    work: list[Slice]  # launched in it
    own_work: list[Slice]  # launched by itself


def length(each: Slice) -> int:
    return max(each.dur, 0)


def calls(trace: RandomTrace) -> list[Call]:
    """Every call of an operator, by looking from each slice at all above it."""
    below: dict[int, int] = defaultdict(int)
    for each in trace.slices:
        if parent := trace.parent(each):
            below[parent.mark] += length(each)
    own: dict[int, list[Slice]] = defaultdict(list)
    everything: dict[int, list[Slice]] = defaultdict(list)
    for call, work in launched(trace):
        above = operators(trace, call)
        if above:
            own[above[0].mark].append(work)
            for each in above:
                everything[each.mark].append(work)
    return [
        Call(
            each,
            max(length(each) - below[each.mark], 0),
            any(up.category == "cpu_op" and up.name == each.name for up in trace.ancestors(each)),
            everything[each.mark],
            own[each.mark],
        )
        for each in trace.operators
    ]


def percentile(values: Sequence[int], share: float) -> float:
    """With linear interpolation between the two nearest."""
    ordered = sorted(values)
    place = (len(ordered) - 1) * share
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def figures(group: Sequence[Call]) -> dict[str, float]:
    """What a summary says of some calls."""
    lengths = [length(call.slice) for call in group]
    outer = [call for call in group if not call.is_inner]
    return {
        "n_calls": len(group),
        "self_ns": sum(call.self_ns for call in group),
        "total_ns": sum(length(call.slice) for call in outer),
        "min_ns": min(lengths),
        "max_ns": max(lengths),
        "mean_ns": sum(lengths) / len(lengths),
        "median_ns": percentile(lengths, 0.5),
        "p90_ns": percentile(lengths, 0.9),
        "p99_ns": percentile(lengths, 0.99),
        "n_device_ops": sum(len(call.work) for call in outer),
        "self_device_ns": sum(length(work) for call in group for work in call.own_work),
        "total_device_ns": sum(length(work) for call in outer for work in call.work),
    }


@pytest.mark.parametrize("query", ["op_summary", "op_summary_by_shape"])
def test_operators_have_the_times_a_plain_walk_finds(random_runs: Runs, query: str) -> None:
    found = random_runs.rows(query)

    for name, job in random_runs.jobs.items():
        for trace in job:
            rows = [row for row in found[name] if row["rank"] == trace.rank]
            groups: dict[Key, list[Call]] = defaultdict(list)
            for call in calls(trace):
                groups[call.slice.name, *shape_of(call, query)].append(call)
            assert {key(row): {name: row[name] for name in figures_of(row)} for row in rows} == {
                each: pytest.approx(figures(group)) for each, group in groups.items()
            }


def shape_of(call: Call, query: str) -> Key:
    if query == "op_summary":
        return ()
    return tuple(str(call.slice.args.get(each)) for each in ("Input Dims", "Input type"))


def key(row: dict[str, Any]) -> Key:
    texts = [row[each] for each in ("input_dims_json", "input_type_json") if each in row]
    return (row["name"], *(str(text and json.loads(text)) for text in texts))


def figures_of(row: dict[str, Any]) -> list[str]:
    return [name for name in row if name in FIGURES]


FIGURES = frozenset(figures([Call(Slice(0, "", "", 0, 0, 0, 0, {}), 0, False, [], [])]))


def test_device_time_of_all_operators_is_that_of_the_work_launched_in_any(
    random_runs: Runs,
) -> None:
    found = random_runs.rows("op_summary")

    for name, job in random_runs.jobs.items():
        in_operators = sum(
            length(work)
            for trace in job
            for call, work in launched(trace)
            if operators(trace, call)
        )
        assert sum(row["self_device_ns"] for row in found[name]) == in_operators
