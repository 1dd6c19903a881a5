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
Place = tuple[str | None, str | None, str | None]  # operator, module, Python function


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
        cause = "communication" if communicated(trace, gap, work) else "unknown"
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
    assert {"host", "host_sync", "launch", "kernel", "unknown"} <= seen


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


def outermost_operators(trace: RandomTrace) -> list[Slice]:
    return [
        each for each in trace.operators
        if each.dur > 0 and not any(above.category == "cpu_op" for above in trace.ancestors(each))
    ]  # fmt: skip


def function_around(trace: RandomTrace, thread: object, part: Interval) -> str | None:
    """The innermost Python function of a thread that lasts as long as a part of its time."""
    found = [
        each for each in trace.slices
        if each.category == "python_function" and (each.pid, each.tid) == thread
        and each.ts <= part[0] and each.end >= part[1]
    ]  # fmt: skip
    return max(found, key=lambda each: len(trace.ancestors(each))).name if found else None


def parts(trace: RandomTrace, call: Slice, idle: Interval) -> Iterator[tuple[Place, int]]:
    """Where the thread of a call was while a device was idle: operators, and functions between."""
    reached = idle[0]
    mine = [
        each for each in outermost_operators(trace)
        if (each.pid, each.tid) == (call.pid, call.tid) and each.ts < idle[1] and each.end > idle[0]
    ]  # fmt: skip
    for each in sorted(mine, key=lambda each: each.ts):
        start, end = max(each.ts, idle[0]), min(each.end, idle[1])
        if start > reached:
            function = function_around(trace, (call.pid, call.tid), (reached, start))
            yield (None, None, function), start - reached
        module, frame = trace.frame_of(each, is_module=True), trace.frame_of(each)
        yield (each.name, module and module.name, frame and frame.name), end - start
        reached = end
    if idle[1] > reached:
        function = function_around(trace, (call.pid, call.tid), (reached, idle[1]))
        yield (None, None, function), idle[1] - reached


def places(trace: RandomTrace) -> dict[tuple[object, ...], tuple[int, int]]:
    """Number of gaps and idle time before calls, by device, operator, module and Python frame."""
    found: dict[tuple[object, ...], list[int]] = defaultdict(list)
    for (device, _), (start, end), work, _before in gaps(trace, per_device=True):
        call = trace.cause(work)
        if call is None or call.ts <= start:
            continue
        mine: dict[Place, int] = defaultdict(int)
        for place, ns in parts(trace, call, (start, min(call.ts, end))):
            mine[place] += ns
        for place, ns in mine.items():
            found[device, *place].append(ns)
    return {key: (len(each), sum(each)) for key, each in found.items()}


def longest_places(
    trace: RandomTrace, per_device: bool
) -> dict[tuple[object, ...], tuple[set[Place], int]]:
    """Places of threads until their calls returned with most time, by lane and cause; the time."""
    found: dict[tuple[object, ...], dict[Place, int]] = defaultdict(lambda: defaultdict(int))
    for lane, gap, work, before in gaps(trace, per_device):
        call = trace.cause(work)
        if call is None or call.end <= gap[0]:
            continue
        cause = explain(trace, gap, work, before)["cause"]
        for place, ns in parts(trace, call, (gap[0], min(call.end, gap[1]))):
            found[*lane, cause][place] += ns
    return {
        key: ({place for place, ns in mine.items() if ns == max(mine.values())}, max(mine.values()))
        for key, mine in found.items()
    }


@pytest.mark.parametrize("per_device", [True, slow(False)])
def test_causes_name_the_place_with_most_time(random_runs: Runs, per_device: bool) -> None:
    rows = random_runs.rows("idle_summary", per_device=per_device, short_ns=SHORT_NS)

    seen = set()
    for run, traces in random_runs.jobs.items():
        for trace in traces:
            expected = longest_places(trace, per_device)
            for row in (each for each in rows[run] if each["rank"] == trace.rank):
                key = (row["device"], row["stream"], row["cause"])
                if key not in expected:
                    assert row["place_share"] is None
                    continue
                best, ns = expected.pop(key)
                assert (row["cpu_op"], row["module"], row["python"]) in best
                assert row["place_share"] == ns / row["idle_ns"]
                seen.add((row["cpu_op"] is None, row["python"] is None))
            assert not expected
    assert {(False, False), (True, False)} <= seen


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
    assert {(False, False, True), (True, True, True)} <= seen


def test_idle_places_add_up_to_idle_time_before_calls(random_runs: Runs) -> None:
    summary = random_runs.rows("idle_summary", per_device=True)

    for run, rows in random_runs.rows("idle_place").items():
        idle = sum(row["before_launch_ns"] or 0 for row in summary[run])
        assert sum(row["idle_ns"] for row in rows) == idle
