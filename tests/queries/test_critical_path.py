"""The critical path of a step against a walk in plain Python, and what it must always be."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator

import pytest

from tests.support.critical_path_oracle import Walk
from tests.support.randomtrace import JOBS, Row, Runs, Slice, standard_jobs
from tests.support.sharing import integration

STEPS = (7, 8, 9)
JOBS_WITH_STEPS = [name for name in JOBS if name not in ("no-steps", "no-host")]
SOME_JOBS = [integration(name) if n % 3 else name for n, name in enumerate(JOBS_WITH_STEPS)]


@pytest.fixture(scope="module")
def paths(random_runs: Runs) -> dict[tuple[str, int, int], list[Row]]:
    """The rows by run, rank and step."""
    found: dict[tuple[str, int, int], list[Row]] = {}
    for step in STEPS:
        for run, rows in random_runs.rows("critical_path", step=step).items():
            for row in rows:
                found.setdefault((run, row["rank"], step), []).append(row)
    return found


def walks(runs: Runs, name: str) -> Iterator[tuple[int, int, Walk]]:
    waits, hand_overs = runs.links("wait"), runs.links("forward_backward")
    for trace in standard_jobs()[name]:
        for number in STEPS:
            step = [each for each in trace.steps if each.name == f"ProfilerStep#{number}"]
            if step:
                yield trace.rank, number, Walk(
                    trace, step[0], waits[name][trace.rank], hand_overs[name][trace.rank]
                )  # fmt: skip


@pytest.mark.parametrize("name", SOME_JOBS)
def test_the_path_is_that_of_a_walk_through_every_candidate(
    random_runs: Runs, paths: dict[tuple[str, int, int], list[Row]], name: str
) -> None:
    seen = 0
    for rank, number, walk in walks(random_runs, name):
        found = [
            (row["start_ns"], row["end_ns"], row["kind"], mark(random_runs, row))
            for row in paths[name, rank, number]
        ]
        assert found == [part[:4] for part in walk.parts()]
        seen += 1
    assert seen >= 2


def mark(runs: Runs, row: Row) -> int | None:
    return None if row["slice_id"] is None else runs.marks[row["slice_id"]][2]


@pytest.mark.parametrize("name", SOME_JOBS)
def test_the_parts_cover_the_step_and_add_up_to_its_length(
    random_runs: Runs, paths: dict[tuple[str, int, int], list[Row]], name: str
) -> None:
    for rank, number, walk in walks(random_runs, name):
        rows = paths[name, rank, number]
        assert rows[0]["start_ns"] == walk.step.ts
        assert rows[-1]["end_ns"] == walk.end
        for before, after in itertools.pairwise(rows):
            assert before["end_ns"] == after["start_ns"]
        assert sum(row["dur_ns"] for row in rows) == walk.end - walk.step.ts
        assert sum(row["share"] for row in rows) == pytest.approx(1)


def test_paths_have_parts_of_every_kind(paths: dict[tuple[str, int, int], list[Row]]) -> None:
    kinds = {row["kind"] for rows in paths.values() for row in rows}

    assert kinds >= {
        "host", "launch_delay", "device", "device_gap", "stream_wait", "hand_over", "sync"
    }  # fmt: skip


def test_the_summary_adds_up_the_parts(random_runs: Runs) -> None:
    parts = random_runs.rows("critical_path")["seed-1"]
    summary = random_runs.rows("critical_path_summary")["seed-1"]

    for row in summary:
        mine = [p for p in parts if (p["kind"], p["name"]) == (row["kind"], row["name"])]
        assert (row["n_parts"], row["total_ns"]) == (len(mine), sum(p["dur_ns"] for p in mine))
    assert sum(row["n_parts"] for row in summary) == len(parts)


@pytest.mark.integration
def test_by_default_the_longest_step_is_taken(random_runs: Runs) -> None:
    for name in ("seed-0", "seed-1", "seed-2"):
        (trace,) = standard_jobs()[name]
        rows = random_runs.rows("critical_path")[name]
        longest = max(trace.steps, key=lambda each: each.dur)
        assert {row["step"] for row in rows} == {int(longest.name.partition("#")[2])}


def test_an_annotation_can_take_the_place_of_a_step(random_runs: Runs) -> None:
    (trace,) = standard_jobs()["seed-3"]
    second = [each for each in trace.annotations if each.name == "optimizer"][1]

    rows = random_runs.rows("critical_path", range_name="optimizer", step=1)["seed-3"]

    assert rows[0]["start_ns"] == second.ts
    assert {mark_of_range(random_runs, row) for row in rows} == {second.mark}


def mark_of_range(runs: Runs, row: Row) -> int:
    return runs.marks[row["range_id"]][2]


def test_a_trace_without_steps_has_a_path_over_all_of_it(random_runs: Runs) -> None:
    """It is seen from the thread that makes most of the calls."""
    waits, hand_overs = random_runs.links("wait"), random_runs.links("forward_backward")
    (trace,) = standard_jobs()["no-steps"]
    (((pid, tid), _),) = Counter((call.pid, call.tid) for call in trace.calls).most_common(1)
    rows = random_runs.rows("critical_path")["no-steps"]

    host = [each for each in trace.slices if each.pid == pid]
    begin, end = min(each.ts for each in host), max(each.end for each in host)
    whole = Slice(0, "user_annotation", "whole", pid, tid, begin, end - begin, {})
    walk = Walk(trace, whole, waits["no-steps"][trace.rank], hand_overs["no-steps"][trace.rank])
    assert [
        (row["start_ns"], row["end_ns"], row["kind"], mark(random_runs, row)) for row in rows
    ] == [part[:4] for part in walk.parts()]
    assert {row["range_id"] for row in rows} == {None}


def test_a_trace_without_host_has_no_path(random_runs: Runs) -> None:
    assert random_runs.rows("critical_path")["no-host"] == []
    assert random_runs.rows("critical_path", step=1)["no-steps"] == []
