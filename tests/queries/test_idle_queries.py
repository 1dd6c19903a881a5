"""Gaps of streams and devices and their causes, against a search in plain Python."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.randomtrace import (
    Interval,
    RandomTrace,
    Runs,
    Slice,
    common,
    covered,
    import_jobs,
    make_job,
    union,
)
from tests.support.sharing import slow

Row = dict[str, Any]
SHORT_NS = 3000
Lane = tuple[int | None, int | None]  # device, stream


def waits_of_host(trace: RandomTrace, thread: object) -> list[Interval]:
    """When a thread is in calls that return only after device work is done."""
    found = []
    for call in trace.calls:
        if (call.pid, call.tid) != thread or call.dur <= 0:
            continue
        name = call.name.lower()
        copies = [work for work in trace.work_of(call) if work.category == "gpu_memcpy"]
        if (
            "synchronize" in name
            or ("memcpy" in name and "async" not in name)
            or (copies and max(work.end for work in copies) <= call.end)
        ):
            found.append(call.interval)
    return union(found)


def ordered_to_wait(trace: RandomTrace) -> set[int]:
    """Marks of the launching calls before which their thread made their stream wait."""
    recorded: dict[int, list[Slice]] = defaultdict(list)
    for wait in trace.waits:
        if cause := trace.cause(wait):
            recorded[cause.mark].append(wait)
    launches = defaultdict(list)
    for work in trace.device_work:
        if call := trace.cause(work):
            launches[call.pid, call.tid].append((call, work.stream))
    found = set()
    for call in trace.calls:
        if "streamwaitevent" not in call.name.lower():
            continue
        for stream in [wait.stream for wait in recorded[call.mark]] or [None]:
            later = [
                launch for launch, its_stream in launches[call.pid, call.tid]
                if launch.ts >= call.ts and (not recorded[call.mark] or its_stream == stream)
            ]  # fmt: skip
            if later:
                found.add(min(later, key=lambda launch: launch.ts).mark)
    return found


def gaps(
    trace: RandomTrace, per_device: bool
) -> Iterator[tuple[Lane, Interval, Slice, Slice | None]]:
    """Lane, gap, the work that ended it, and the work before that in the order of starts."""
    lanes: dict[Lane, list[Slice]] = defaultdict(list)
    for work in trace.device_work:
        lanes[work.device, None if per_device else work.stream].append(work)
    for lane, mine in lanes.items():
        mine.sort(key=lambda each: (each.ts, each.end))
        reach = mine[0].end
        for before, each in itertools.pairwise(mine):
            if each.ts > reach:
                yield lane, (reach, each.ts), each, before
            reach = max(reach, each.end)


def communicated(trace: RandomTrace, gap: Interval, work: Slice) -> bool:
    """Whether communication on another stream of the device of `work` ended during the gap."""
    return any(
        gap[0] < other.end <= gap[1]
        for other in trace.device_work
        if other.device == work.device
        and other.stream != work.stream
        and other.name.startswith("nccl")
    )


def explain(trace: RandomTrace, gap: Interval, work: Slice, before: Slice | None) -> Row:
    start, end = gap
    call = trace.cause(work)
    if call is None:
        return {"cause": "unknown", "before_launch_ns": None, "blocked_ns": None}
    launch_start = min(max(call.ts, start), end)
    launch_end = min(max(call.end, start), end)
    waits = waits_of_host(trace, (call.pid, call.tid))
    is_late = call.ts > start
    blocked = covered(common(waits, [(start, launch_start)])) if is_late else 0
    earlier = trace.cause(before) if before else None
    if is_late:
        is_waiting = any(a <= start < b for a, b in waits)
        cause = "host_sync" if is_waiting or 2 * blocked > launch_start - start else "host"
    elif call.end > start and call != earlier:
        cause = "launch"
    elif call.mark in ordered_to_wait(trace) and any(
        start < other.end <= end for other in trace.device_work if other.device == work.device
    ):
        cause = "stream_wait"
    elif end - start <= SHORT_NS:
        cause = "kernel"
    else:
        cause = "communication" if communicated(trace, gap, work) else "other"
    return {
        "cause": cause,
        "before_launch_ns": launch_start - start,
        "blocked_ns": blocked,
        "in_launch_ns": launch_end - launch_start,
        "after_launch_ns": end - launch_end,
    }


def causes_seen(runs: Runs, per_device: bool) -> set[str]:
    """Compares all gaps with a search; returns their causes."""
    rows = runs.rows("idle_gap", per_device=per_device, short_ns=SHORT_NS, top=None)
    seen = set()
    for name, traces in runs.jobs.items():
        found = {
            (row["rank"], row["device"], row["stream"], row["start_ns"]): row for row in rows[name]
        }
        for trace in traces:
            for (device, stream), gap, work, before in gaps(trace, per_device):
                row = found.pop((trace.rank, device, stream, gap[0]))
                assert row["end_ns"] == gap[1]
                assert row["next_op"] == work.name
                expected = explain(trace, gap, work, before)
                assert {key: row[key] for key in expected} == expected
                seen.add(row["cause"])
        assert not found
    return seen


@pytest.mark.parametrize("per_device", [True, slow(False)])
def test_every_gap_has_the_cause_a_search_finds(random_runs: Runs, per_device: bool) -> None:
    seen = causes_seen(random_runs, per_device)
    assert {"host", "host_sync", "launch", "kernel", "other", "unknown"} <= seen


@pytest.mark.slow
def test_communication_is_a_cause_where_no_wait_was_recorded(tmp_path: Path) -> None:
    def lasting(category: str, name: str, ns: float) -> float:
        return ns * 200 if name.startswith("nccl") else ns

    knobs: Row = {"launch_ns": 500, "gap_ns": 0, "tail_ns": 0, "change": lasting, "syncs": False}
    jobs = {f"job {seed}": list(map(without_waits, make_job(seed, **knobs))) for seed in range(12)}
    runs = import_jobs(tmp_path / "w.duckdb", jobs)
    assert "communication" in causes_seen(runs, per_device=False)
    # No work of a device ends while it is idle.
    assert "communication" not in causes_seen(runs, per_device=True)


def without_waits(trace: RandomTrace) -> RandomTrace:
    """The same job, of which the profiler did not record waits of streams for events."""
    words = ("streamwaitevent", "stream wait event")
    return trace.changed(
        [each for each in trace.events if not any(w in each["name"].lower() for w in words)]
    )


@pytest.mark.parametrize("per_device", [False, True])
def test_the_summary_adds_up_all_gaps(random_runs: Runs, per_device: bool) -> None:
    rows = random_runs.rows("idle_gap", per_device=per_device, short_ns=SHORT_NS, top=None)
    summary = random_runs.rows("idle_summary", per_device=per_device, short_ns=SHORT_NS)

    for run, mine in summary.items():
        expected: dict[tuple[object, ...], list[int]] = defaultdict(list)
        for row in rows[run]:
            expected[row["rank"], row["device"], row["stream"], row["cause"]].append(row["gap_ns"])
        for row in mine:
            each = expected.pop((row["rank"], row["device"], row["stream"], row["cause"]))
            assert (row["n_gaps"], row["idle_ns"]) == (len(each), sum(each))
            assert row["max_ns"] == max(each)
        assert not expected


def test_the_gaps_of_a_device_are_its_idle_time(random_runs: Runs) -> None:
    idle = random_runs.rows("breakdown")

    for run, rows in random_runs.rows("idle_summary", per_device=True).items():
        found: dict[tuple[object, ...], int] = defaultdict(int)
        for row in rows:
            found[row["rank"], row["device"]] += row["idle_ns"]
        assert found == {
            (row["rank"], row["device"]): row["idle_ns"] for row in idle[run] if row["idle_ns"]
        }


def places(trace: RandomTrace) -> dict[tuple[object, ...], tuple[int, int]]:
    """Number of gaps and idle time before calls, by device, operator, module and Python frame."""
    found: dict[tuple[object, ...], list[int]] = defaultdict(list)
    outermost = [
        each for each in trace.operators
        if each.dur > 0 and not any(above.category == "cpu_op" for above in trace.ancestors(each))
    ]  # fmt: skip
    for (device, _), (start, end), work, _before in gaps(trace, per_device=True):
        call = trace.cause(work)
        if call is None or call.ts <= start:
            continue
        idle = [(start, min(call.ts, end))]
        mine: dict[tuple[object, ...], int] = defaultdict(int)
        for each in outermost:
            if (each.pid, each.tid) == (call.pid, call.tid):
                module, frame = trace.frame_of(each, is_module=True), trace.frame_of(each)
                place = (each.name, module and module.name, frame and frame.name)
                mine[place] += covered(common([each.interval], idle))
        mine[None, None, None] = covered(idle) - sum(mine.values())
        for spot, idle_ns in mine.items():
            if idle_ns:
                found[device, *spot].append(idle_ns)
    return {key: (len(each), sum(each)) for key, each in found.items()}


def test_idle_time_is_where_a_search_finds_the_thread(random_runs: Runs) -> None:
    rows = random_runs.rows("idle_place")

    seen = set()
    for run, traces in random_runs.jobs.items():
        for trace in traces:
            found = {
                tuple(row[key] for key in ("device", "cpu_op", "module", "python")): (
                    row["n_gaps"],
                    row["idle_ns"],
                )
                for row in rows[run]
                if row["rank"] == trace.rank
            }
            assert found == places(trace)
            seen |= {tuple(value is not None for value in key[1:]) for key in found}
    assert {(False, False, False), (True, True, True)} <= seen


def test_idle_places_add_up_to_idle_time_before_calls(random_runs: Runs) -> None:
    summary = random_runs.rows("idle_summary", per_device=True)

    for run, rows in random_runs.rows("idle_place").items():
        idle = sum(row["before_launch_ns"] or 0 for row in summary[run])
        assert sum(row["idle_ns"] for row in rows) == idle
