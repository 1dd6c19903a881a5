"""From a launching call to its work: latency and queues, against counts in plain Python."""

from __future__ import annotations

import itertools
from collections import defaultdict
from statistics import median
from typing import Any

import pytest

from tests.support.randomtrace import RandomTrace, Runs, Slice

Row = dict[str, Any]
Call = tuple[str, int | None, int]  # run, rank, mark
Stream = tuple[str, int | None, int | None, int | None]  # run, rank, device, stream
KINDS = {"kernel": "kernel", "gpu_memcpy": "memcpy", "gpu_memset": "memset"}


def launches(runs: Runs) -> dict[Call, tuple[Slice, list[Slice]]]:
    found: dict[Call, tuple[Slice, list[Slice]]] = {}
    for name, traces in runs.jobs.items():
        for trace in traces:
            for work in trace.device_work:
                if call := trace.cause(work):
                    found.setdefault((name, trace.rank, call.mark), (call, []))[1].append(work)
    return found


def measured(call: Slice, work: list[Slice]) -> Row:
    first, length = min(each.ts for each in work), max(call.dur, 0)
    total = sum(max(each.dur, 0) for each in work)
    return {
        "call": call.name,
        "n_ops": len(work),
        "call_ns": length,
        "latency_ns": first - call.ts,
        "delay_ns": first - call.end,
        "device_ns": total,
        "is_launch_bound": total < length,
    }


def test_latency_is_from_the_call_to_its_first_work(random_runs: Runs) -> None:
    found = {
        (run, row["rank"], random_runs.marks[row["call_id"]][2]): row
        for run, rows in random_runs.rows("launch_latency", top=None).items()
        for row in rows
    }

    assert found.keys() == launches(random_runs).keys()
    for key, (call, work) in launches(random_runs).items():
        expected = measured(call, work)
        assert {name: found[key][name] for name in expected} == expected


def test_the_longest_delays_come_first(random_runs: Runs) -> None:
    for rows in random_runs.rows("launch_latency", top=5).values():
        by_rank: dict[int | None, list[int]] = defaultdict(list)
        for row in rows:
            by_rank[row["rank"]].append(row["delay_ns"])
        for delays in by_rank.values():
            assert delays == sorted(delays, reverse=True) and len(delays) <= 5


def test_launches_are_summed_by_call_and_kind(random_runs: Runs) -> None:
    groups: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
    for (run, rank, _), (call, work) in launches(random_runs).items():
        first = min(work, key=lambda each: (each.ts,))
        groups[run, rank, first.device, call.name, KINDS[first.category]].append(
            measured(call, work)
        )

    rows = random_runs.rows("launch_summary", slow_call_ns=4000, long_delay_ns=9000)
    for run, mine in rows.items():
        for row in mine:
            calls = groups.pop((run, row["rank"], row["device"], row["call"], row["kind"]))
            assert row["n_calls"] == len(calls)
            assert row["n_ops"] == sum(each["n_ops"] for each in calls)
            for name in ("call", "latency", "delay"):
                values = [each[f"{name}_ns"] for each in calls]
                assert row[f"{name}_median_ns"] == median(values)
                assert row[f"{name}_max_ns"] == max(values)
            assert row["call_total_ns"] == sum(each["call_ns"] for each in calls)
            assert row["device_total_ns"] == sum(each["device_ns"] for each in calls)
            assert row["n_launch_bound"] == sum(each["is_launch_bound"] for each in calls)
            assert row["n_slow_calls"] == sum(each["call_ns"] > 4000 for each in calls)
            assert row["n_long_delays"] == sum(each["delay_ns"] > 9000 for each in calls)
            assert row["n_before_call"] == sum(each["latency_ns"] < 0 for each in calls)
    assert not groups


def queued(trace: RandomTrace) -> dict[tuple[int | None, int | None], list[tuple[int, int, int]]]:
    """For each device and stream, when work was launched, started and ended."""
    found: dict[tuple[int | None, int | None], list[tuple[int, int, int]]] = defaultdict(list)
    for work in trace.device_work:
        if call := trace.cause(work):
            found[work.device, work.stream].append((min(call.ts, work.ts), work.ts, work.end))
    return found


def lengths(work: list[tuple[int, int, int]]) -> dict[int, tuple[int, int]]:
    """At each change how much is launched and not started, and how much launched and not ended."""
    return {
        at: (
            sum(launched <= at < start for launched, start, _ in work),
            sum(launched <= at < end for launched, _, end in work),
        )
        for at in sorted({moment for each in work for moment in each})
    }


def all_queues(runs: Runs) -> dict[Stream, list[tuple[int, int, int]]]:
    return {
        (name, trace.rank, *place): work
        for name, traces in runs.jobs.items()
        for trace in traces
        for place, work in queued(trace).items()
    }


def stream_rows(runs: Runs, query: str, **parameters: Any) -> dict[Stream, list[Row]]:
    found: dict[Stream, list[Row]] = defaultdict(list)
    for run, rows in runs.rows(query, **parameters).items():
        for row in rows:
            found[run, row["rank"], row["device"], row["stream"]].append(row)
    return found


def test_queues_grow_with_launches_and_shrink_with_starts(random_runs: Runs) -> None:
    found = stream_rows(random_runs, "queue_length")

    assert found.keys() == all_queues(random_runs).keys()
    for stream, work in all_queues(random_runs).items():
        assert {
            row["start_ns"]: (row["queue_length"], row["n_outstanding"]) for row in found[stream]
        } == lengths(work)


def test_means_of_queues_are_over_time(random_runs: Runs) -> None:
    found = stream_rows(random_runs, "queue_length_summary", full_length=2)

    for stream, work in all_queues(random_runs).items():
        (row,) = found[stream]
        span = max(end for *_, end in work) - min(launched for launched, *_ in work)
        steps = list(lengths(work).items())
        held = [(until - at, queue) for (at, (queue, _)), (until, _) in itertools.pairwise(steps)]
        most = max(queue for _, (queue, _) in steps)
        assert (row["n_ops"], row["span_ns"]) == (len(work), span)
        assert row["max_queue_length"] == most
        assert row["max_start_ns"] == next(at for at, (queue, _) in steps if queue == most)
        assert row["empty_ns"] == sum(length for length, queue in held if queue == 0)
        assert row["full_ns"] == sum(length for length, queue in held if queue >= 2)
        waiting = sum(start - launched for launched, start, _ in work)
        present = sum(end - launched for launched, _, end in work)
        if span:
            assert row["mean_queue_length"] == pytest.approx(waiting / span)
            assert row["mean_outstanding"] == pytest.approx(present / span)


@pytest.mark.parametrize("bucket_ns", [1000, 777, 50_000_000])
def test_buckets_share_out_the_queues(random_runs: Runs, bucket_ns: int) -> None:
    found = stream_rows(random_runs, "queue_length_over_time", bucket_ns=bucket_ns)

    for stream, work in all_queues(random_runs).items():
        steps = list(lengths(work).items())
        area: dict[int, int] = defaultdict(int)
        most: dict[int, int] = defaultdict(int)
        covered: dict[int, int] = defaultdict(int)
        for (at, (queue, _)), (until, _) in itertools.pairwise(steps):
            for start in range(at // bucket_ns * bucket_ns, until, bucket_ns):
                inside = min(until, start + bucket_ns) - max(at, start)
                area[start] += inside * queue
                covered[start] += inside
                most[start] = max(most[start], queue)
        assert {row["bucket_start_ns"]: row["covered_ns"] for row in found[stream]} == covered
        for row in found[stream]:
            start = row["bucket_start_ns"]
            assert row["max_queue_length"] == most[start]
            assert row["mean_queue_length"] == pytest.approx(area[start] / covered[start])
