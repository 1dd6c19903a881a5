"""Kernels by name, by class and by what runs at once, against counts in plain Python."""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations
from statistics import mean, median, stdev
from typing import Any

import pytest

from tests.support.randomtrace import Interval, RandomTrace, Runs, Slice, common, covered, union

Row = dict[str, Any]
CLASSES = ("compute", "communication", "memory")
Device = tuple[str, int | None, int | None]  # run, rank, device


def kernels(runs: Runs) -> dict[Device, list[Slice]]:
    found: dict[Device, list[Slice]] = defaultdict(list)
    for name, traces in runs.jobs.items():
        for trace in traces:
            for work in trace.of("kernel"):
                found[name, trace.rank, work.device].append(work)
    return found


def device_rows(runs: Runs, query: str, **parameters: Any) -> dict[Device, list[Row]]:
    found: dict[Device, list[Row]] = defaultdict(list)
    for name, rows in runs.rows(query, **parameters).items():
        for row in rows:
            found[name, row["rank"], row["device"]].append(row)
    return found


def quantile(values: list[int], share: float) -> float:
    """Between the two neighbours of the place `share` of the way from the first to the last."""
    place = share * (len(values) - 1)
    low = int(place)
    high = min(low + 1, len(values) - 1)
    ordered = sorted(values)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def figures(lengths: list[int]) -> Row:
    return {
        "n_kernels": len(lengths),
        "total_ns": sum(lengths),
        "min_ns": min(lengths),
        "median_ns": median(lengths),
        "p90_ns": pytest.approx(quantile(lengths, 0.9)),
        "p99_ns": pytest.approx(quantile(lengths, 0.99)),
        "max_ns": max(lengths),
        "mean_ns": pytest.approx(mean(lengths)),
        "stddev_ns": pytest.approx(stdev(lengths)) if len(lengths) > 1 else None,
    }


def lengths_by_name(work: list[Slice]) -> dict[tuple[str, str], list[int]]:
    found: dict[tuple[str, str], list[int]] = defaultdict(list)
    for each in work:
        found[each.klass, each.name].append(max(each.dur, 0))
    return found


def test_kernel_figures_are_those_of_a_plain_count(random_runs: Runs) -> None:
    found = device_rows(random_runs, "kernel_summary")

    assert set(found) == set(kernels(random_runs))
    for device, work in kernels(random_runs).items():
        by_name = lengths_by_name(work)
        assert {(row["class"], row["name"]) for row in found[device]} == set(by_name)
        for row in found[device]:
            expected = figures(by_name[row["class"], row["name"]])
            assert {key: row[key] for key in expected} == expected


def test_shares_are_of_the_device_and_of_the_class(random_runs: Runs) -> None:
    for rows in device_rows(random_runs, "kernel_summary").values():
        total = sum(row["total_ns"] for row in rows)
        assert [row["share"] for row in rows] == [row["total_ns"] / total for row in rows]
        for klass in {row["class"] for row in rows}:
            mine = [row for row in rows if row["class"] == klass]
            assert sum(row["class_share"] for row in mine) == pytest.approx(1)


@pytest.mark.parametrize(("top", "coverage"), [(1, 1.0), (2, 1.0), (10, 0.5), (3, 0.0)])
def test_names_beyond_the_top_are_one_row(random_runs: Runs, top: int, coverage: float) -> None:
    found = device_rows(random_runs, "top_kernels", top=top, coverage=coverage)

    for device, work in kernels(random_runs).items():
        for klass in {each.klass for each in work}:
            names = {
                name: lengths
                for (its_class, name), lengths in lengths_by_name(work).items()
                if its_class == klass
            }
            total = sum(map(sum, names.values()))
            kept: list[str] = []
            for name in sorted(names, key=lambda n: (-sum(names[n]), -len(names[n]), n)):
                so_far = sum(sum(names[each]) for each in kept)
                if kept and (len(kept) == top or so_far >= coverage * total):
                    break
                kept.append(name)
            rest = [length for name in names if name not in kept for length in names[name]]

            rows = [row for row in found[device] if row["class"] == klass]
            listed = [(name, names[name], 1) for name in kept]
            listed += [("others", rest, len(names) - len(kept))] if rest else []
            assert len(rows) == len(listed)
            for place, (row, (name, lengths, n_names)) in enumerate(
                zip(rows, listed, strict=True), start=1
            ):
                expected = figures(lengths) | {
                    "name": name, "place": place, "n_names": n_names,
                    "is_folded": place > len(kept), "class_share": sum(lengths) / total,
                }  # fmt: skip
                assert {key: row[key] for key in expected} == expected


def without(some: list[Interval], others: list[Interval]) -> int:
    return covered(some) - covered(common(some, others))


def exclusive(trace: RandomTrace, device: int | None) -> dict[str, int]:
    """For each set of classes the time in which just these run."""
    work = [each for each in trace.device_work if each.device == device]
    running = {
        klass: union(each.interval for each in work if each.klass == klass) for klass in CLASSES
    }
    found = {}
    for n in (1, 2, 3):
        for chosen in combinations(CLASSES, n):
            both = running[chosen[0]]
            for klass in chosen[1:]:
                both = common(both, running[klass])
            others = union(
                each for klass in CLASSES if klass not in chosen for each in running[klass]
            )
            found["+".join(chosen)] = without(both, others)
    span = max(each.end for each in work) - min(each.ts for each in work)
    return found | {"idle": span - sum(found.values())}


def test_each_instant_belongs_to_the_classes_that_run_then(random_runs: Runs) -> None:
    found = device_rows(random_runs, "kernel_breakdown")

    for name, traces in random_runs.jobs.items():
        for trace in traces:
            for device in {work.device for work in trace.device_work}:
                rows = found.pop((name, trace.rank, device))
                expected = exclusive(trace, device)
                assert {row["classes"]: row["total_ns"] for row in rows} == expected
                assert sum(row["span_share"] for row in rows) == pytest.approx(1)
                busy = [row["busy_share"] for row in rows if row["classes"] != "idle"]
                assert sum(busy) == pytest.approx(1)
    assert not found
