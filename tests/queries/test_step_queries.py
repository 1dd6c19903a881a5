"""Device time by step, against counts in plain Python."""

from __future__ import annotations

from collections import defaultdict
from statistics import mean, median, stdev
from typing import Any

import pytest

from tests.support.randomtrace import Interval, RandomTrace, Runs, Slice, common, covered, union

Row = dict[str, Any]
Key = tuple[str, int | None, int | None, int | None]  # run, rank, device, mark of the step


def work_by_step(runs: Runs) -> dict[Key, list[Slice]]:
    found: dict[Key, list[Slice]] = defaultdict(list)
    for name, traces in runs.jobs.items():
        for trace in traces:
            for work in trace.device_work:
                if step := trace.step_of_work(work):
                    found[name, trace.rank, work.device, step.mark].append(work)
    return found


def traces(runs: Runs) -> dict[tuple[str, int | None], RandomTrace]:
    return {(name, trace.rank): trace for name, job in runs.jobs.items() for trace in job}


def running(work: list[Slice], *classes: str) -> list[Interval]:
    return union(each.interval for each in work if each.klass in classes)


def activity(work: list[Slice]) -> dict[str, int]:
    compute, communication = running(work, "compute"), running(work, "communication")
    memory = running(work, "memory")
    busy = covered(compute + communication + memory)
    span = max(each.end for each in work) - min(each.ts for each in work)
    return {
        "n_ops": len(work),
        "span_ns": span,
        "idle_ns": span - busy,
        "compute_ns": covered(compute),
        "non_compute_ns": busy - covered(compute),
        "exposed_communication_ns": covered(compute + communication) - covered(compute),
        "exposed_memory_ns": busy - covered(compute + communication),
        "communication_ns": covered(communication),
        "overlap_ns": covered(common(compute, communication)),
        "memory_overlap_ns": covered(common(compute, memory)),
    }


def keyed(runs: Runs, query: str) -> dict[Key, Row]:
    """Rows that are about a step, by its mark."""
    return {
        (run, row["rank"], row["device"], runs.marks[row["step_id"]][2]): row
        for run, rows in runs.rows(query).items()
        for row in rows
        if row["step_id"] is not None
    }


def same(row: Row, expected: dict[str, Any]) -> None:
    names = row.keys() & expected.keys()
    assert {name: row[name] for name in names} == {name: expected[name] for name in names}


def test_each_step_has_the_time_of_the_work_launched_in_it(random_runs: Runs) -> None:
    parts, overlaps = (
        keyed(random_runs, "temporal_breakdown"),
        keyed(random_runs, "overlap_by_step"),
    )

    assert parts.keys() == overlaps.keys() == work_by_step(random_runs).keys()
    for key, work in work_by_step(random_runs).items():
        expected = activity(work)
        same(parts[key], expected)
        same(overlaps[key], expected)
        names = ("idle", "compute", "exposed_communication", "exposed_memory")
        assert sum(parts[key][f"{name}_ns"] for name in names) == expected["span_ns"]


def test_a_whole_trace_has_a_row_for_each_device(random_runs: Runs) -> None:
    found = {
        (run, row["rank"], row["device"]): row
        for run, rows in random_runs.rows("temporal_breakdown").items()
        for row in rows
        if row["scope"] == "trace"
    }

    expected = defaultdict(list)
    for (run, rank), trace in traces(random_runs).items():
        for work in trace.device_work:
            expected[run, rank, work.device].append(work)
    assert found.keys() == expected.keys()
    for key, row in found.items():
        assert row["step_id"] is row["step"] is None
        same(row, activity(expected[key]))


def test_a_step_on_the_host_and_on_its_devices(random_runs: Runs) -> None:
    found = keyed(random_runs, "step_summary")

    by_step = work_by_step(random_runs)
    for key, work in by_step.items():
        row, trace = found.pop(key), traces(random_runs)[key[:2]]
        step = trace[key[3]] if key[3] is not None else None
        assert step
        calls = {cause.mark for each in work if (cause := trace.cause(each))}
        first, last = min(each.ts for each in work), max(each.end for each in work)
        expected = activity(work) | {
            "n_kernels": sum(each.category == "kernel" for each in work),
            "n_launches": len(calls),
            "host_ns": max(step.dur, 0),
            "start_ns": step.ts,
            "device_start_ns": first,
            "device_span_ns": last - first,
            "lag_ns": last - step.end,
            "step": int(step.name.partition("#")[2]),
        }
        same(row, expected)
    for (run, rank, device, mark), row in found.items():
        assert device is None and row["n_ops"] == 0 and row["device_span_ns"] is None
        assert not any(key[:2] == (run, rank) and key[3] == mark for key in by_step)


def test_statistics_are_over_the_steps_of_a_device(random_runs: Runs) -> None:
    groups: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
    for run, rows in random_runs.rows("step_summary").items():
        for row in rows:
            groups[run, row["rank"], row["device"], row["n_ops"] > 0].append(row)

    for run, rows in random_runs.rows("step_statistics").items():
        for row in rows:
            steps = groups.pop((run, row["rank"], row["device"], row["has_work"]))
            assert row["n_steps"] == len(steps)
            slowest = max(steps, key=lambda step: (step["host_ns"], -step["start_ns"]))
            assert row["slowest_step_id"] == slowest["step_id"]
            names = {"host": "host_ns"} | (
                {"span": "device_span_ns", "busy": "busy_ns", "idle": "idle_ns"}
                if row["has_work"] else {}
            )  # fmt: skip
            for name, column in names.items():
                values = [step[column] for step in steps]
                assert row[f"{name}_mean_ns"] == pytest.approx(mean(values))
                assert row[f"{name}_median_ns"] == median(values)
                assert row[f"{name}_max_ns"] == max(values)
                spread = stdev(values) if len(values) > 1 else None
                assert row[f"{name}_stddev_ns"] == pytest.approx(spread)
    assert not groups
