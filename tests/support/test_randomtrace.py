"""The random traces themselves: what they promise, and that their truth is the importer's."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import pytest

from tests.support.randomtrace import (
    JOBS,
    RandomTrace,
    Runs,
    common,
    covered,
    make,
    make_job,
    standard_jobs,
    union,
)
from warehouse.store import database


def traces() -> Iterator[tuple[str, RandomTrace]]:
    for name, job in standard_jobs().items():
        for trace in job:
            yield name, trace


def test_a_seed_is_always_the_same_trace() -> None:
    assert make(5).document() == make(5).document()
    assert make(5).document() != make(6).document()


def test_traces_are_small_and_hold_everything() -> None:
    for seed in range(6):
        trace = make(seed)
        assert 250 <= len(trace.events) <= 600
        assert {e.get("cat") for e in trace.events} >= {
            "cpu_op", "cuda_runtime", "kernel", "gpu_memcpy", "gpu_memset", "user_annotation",
            "gpu_user_annotation", "python_function", "ac2g",
        }  # fmt: skip
    together = [each for seed in range(6) for each in make(seed).slices]
    assert {"cuda_sync", "cuda_driver"} <= {each.category for each in together}
    assert {each.device for each in together} == {None, 0, 1}


@pytest.mark.parametrize("knob", ["python", "copies", "syncs", "memory", "collectives", "odd"])
def test_a_part_can_be_switched_off(knob: str) -> None:
    parts: dict[str, Callable[[RandomTrace], Sequence[object]]] = {
        "python": lambda t: t.frames,
        "copies": lambda t: t.of("gpu_memset"),
        "syncs": lambda t: t.waits,
        "memory": lambda t: t.memory,
        "collectives": lambda t: t.collectives,
        "odd": lambda t: [each for each in t.slices if each.dur < 0],
    }
    gone = parts[knob]

    assert any(gone(make(seed)) for seed in range(3))
    assert not any(gone(make(seed, **{knob: False, "odd": False})) for seed in range(3))


def test_without_odd_parts_work_is_causal_and_streams_are_in_order() -> None:
    for seed in range(6):
        trace = make(seed, odd=False)
        ends: dict[tuple[int | None, int | None], int] = {}
        for work in sorted(trace.device_work, key=lambda each: each.ts):
            cause = trace.cause(work)
            assert cause is not None
            assert cause.ts < work.ts
            assert ends.get((work.device, work.stream), 0) <= work.ts
            ends[work.device, work.stream] = work.end


def test_collectives_of_a_job_end_together_on_the_true_clock() -> None:
    one, two = make_job(3, ranks=2, odd=False)

    assert one.collectives
    assert two.clock_offset_ns != 0
    for collective in one.collectives:
        other = one.same_on(two, collective)
        assert collective.name == other.name
        true_end = two.base_ns + other.end - two.clock_offset_ns
        assert one.base_ns + collective.end == true_end


def test_every_slice_is_imported_as_it_was_made(random_runs: Runs) -> None:
    with database.Reader(random_runs.path) as reader:
        found = reader.connection.execute(
            "SELECT id, category, name, ts, dur, parent_id FROM slice WHERE phase = 'X'"
        ).fetchall()

    marks = random_runs.marks
    actual = {
        marks[id]: (category, name, ts, dur, None if parent is None else marks[parent][2])
        for id, category, name, ts, dur, parent in found
    }
    assert actual == {
        (run, trace.rank, each.mark): (
            each.category, each.name, each.ts, each.dur,
            above.mark if (above := trace.parent(each)) else None,
        )
        for run, trace in traces()
        for each in trace.slices
    }  # fmt: skip


def test_every_job_is_a_run_with_its_ranks(random_runs: Runs) -> None:
    ranks = random_runs.rows("SELECT run_id, rank, base_ns FROM trace")

    assert set(ranks) == set(JOBS)
    for name, job in random_runs.jobs.items():
        assert [row["rank"] for row in ranks[name]] == [trace.rank for trace in job]


def test_links_are_the_truth(random_runs: Runs) -> None:
    launches, operators = random_runs.links("launch"), random_runs.links("op_launch")

    for run, trace in traces():
        causes = [(trace.cause(work), work.mark) for work in trace.device_work]
        assert launches[run][trace.rank] == {(cause.mark, mark) for cause, mark in causes if cause}
        around = [(trace.operator_of(call), call.mark) for call in trace.calls]
        inside = {(op.mark, mark) for op, mark in around if op}
        assert inside <= operators[run][trace.rank]


def test_intervals_are_sets_of_instants() -> None:
    some, others = [(0, 5), (3, 8), (8, 9), (20, 20), (30, 31)], [(4, 6), (30, 40)]

    assert union(some) == [(0, 9), (30, 31)]
    assert covered(some) == 10
    assert common(some, others) == [(4, 6), (30, 31)]
