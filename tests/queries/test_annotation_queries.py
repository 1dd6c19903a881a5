"""Annotations against a plain walk over random traces, and against what Kineto drew on devices."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.support.randomtrace import RandomTrace, Row, Runs, Slice, covered
from warehouse.ingest import pipeline
from warehouse.query import execute
from warehouse.store import database

Key = tuple[Any, ...]


class Range(NamedTuple):
    """An annotation and what it caused."""

    slice: Slice
    is_step: bool
    self_ns: int
    is_inner: bool
    work: list[Slice]
    own_work: list[Slice]


def length(each: Slice) -> int:
    return max(each.dur, 0)


def is_annotation(each: Slice) -> bool:
    return each.category == "user_annotation"


def ranges(trace: RandomTrace) -> list[Range]:
    """Every annotation, by looking from each slice and each piece of work at all above it."""
    below: dict[int, int] = defaultdict(int)
    for each in trace.annotations:
        if above := trace.around(each, is_annotation):
            below[above.mark] += length(each)
    work, own = launched_in(trace)
    steps = {each.mark for each in trace.steps}
    return [
        Range(
            each,
            each.mark in steps,
            max(length(each) - below[each.mark], 0),
            any(label(up) == label(each) for up in trace.ancestors(each) if is_annotation(up)),
            work[each.mark],
            own[each.mark],
        )
        for each in trace.annotations
    ]


def launched_in(trace: RandomTrace) -> tuple[dict[int, list[Slice]], dict[int, list[Slice]]]:
    """Work by annotation, and that whose innermost annotation it is; steps hold all threads'."""
    work: dict[int, list[Slice]] = defaultdict(list)
    own: dict[int, list[Slice]] = defaultdict(list)
    steps = {each.mark for each in trace.steps}
    for each in trace.device_work:
        call = trace.cause(each)
        if call is None:
            continue
        step, inner = trace.step_of(each), trace.annotation_of(each)
        if step:
            work[step.mark].append(each)
        for owner in [inner or step]:
            if owner:
                own[owner.mark].append(each)
        for above in trace.ancestors(call):
            if is_annotation(above) and above.mark not in steps:
                work[above.mark].append(each)
    return work, own


def label(each: Slice) -> str:
    return re.sub(r"^(ProfilerStep#)\d+$", r"\1*", each.name)


def jobs(runs: Runs, rows: dict[str, list[Row]]) -> Iterator[tuple[RandomTrace, list[Row]]]:
    for name, job in runs.jobs.items():
        for trace in job:
            yield trace, [row for row in rows[name] if row["rank"] == trace.rank]


def busy(work: Sequence[Slice]) -> int:
    devices: dict[int | None, list[tuple[int, int]]] = defaultdict(list)
    for each in work:
        devices[each.device].append(each.interval)
    return sum(covered(intervals) for intervals in devices.values())


def test_annotations_have_the_times_a_plain_walk_finds(random_runs: Runs) -> None:
    found = random_runs.rows("annotation_summary")

    for trace, rows in jobs(random_runs, found):
        groups: dict[str, list[Range]] = defaultdict(list)
        for each in ranges(trace):
            groups[label(each.slice)].append(each)
        expected = {}
        for name, group in groups.items():
            outer = [each for each in group if not each.is_inner]
            work = [one for each in outer for one in each.work]
            expected[name] = (
                group[0].is_step,
                len(group),
                sum(each.self_ns for each in group),
                sum(length(each.slice) for each in outer),
                len(work),
                sum(length(one) for each in group for one in each.own_work),
                sum(length(one) for one in work),
                busy(work),
            )
        assert {
            row["name"]: (
                row["is_step"], row["n_calls"], row["self_ns"], row["total_ns"],
                row["n_device_ops"], row["self_device_ns"], row["total_device_ns"], row["busy_ns"],
            )
            for row in rows
        } == expected  # fmt: skip


def by_device(each: Slice) -> Key:
    return (each.device, None)


def by_stream(each: Slice) -> Key:
    return (each.device, each.stream)


@pytest.mark.parametrize("only_self", [False, True])
@pytest.mark.parametrize("place", [by_device, by_stream])
def test_projections_hold_the_work_launched_in_an_annotation(
    random_runs: Runs, place: Callable[[Slice], Key], only_self: bool
) -> None:
    found = random_runs.rows(
        "annotation_projection", by_stream=place is by_stream, only_self=only_self
    )

    for trace, rows in jobs(random_runs, found):
        expected = {}
        for each in ranges(trace):
            groups: dict[Key, list[Slice]] = defaultdict(list)
            for work in each.own_work if only_self else each.work:
                groups[place(work)].append(work)
            for key, group in groups.items():
                expected[each.slice.mark, *key] = (
                    min(work.ts for work in group),
                    max(work.end for work in group),
                    covered(work.interval for work in group),
                    sum(length(work) for work in group),
                    len(group),
                    len([work for work in group if work in each.own_work]),
                )
        assert {
            (random_runs.marks[row["annotation_id"]][2], row["device"], row["stream"]): (
                row["start_ns"], row["end_ns"], row["busy_ns"], row["device_ns"],
                row["n_device_ops"], row["n_self_device_ops"],
            )
            for row in rows
        } == expected  # fmt: skip


#: How much wider than the work Kineto draws the projections, before and after it.
WIDER = {"a100_nccl": (1000, 500), "b200_eager": (1, 1), "mi300_resnet_train": (1, 1)}


@pytest.mark.integration
@pytest.mark.parametrize(
    "case",
    [
        "b200_eager",
        *(pytest.param(each, marks=pytest.mark.slow) for each in WIDER if each != "b200_eager"),
    ],
)
def test_projections_are_those_kineto_draws(data_dir: Path, tmp_path: Path, case: str) -> None:
    """Apart from steps, which for Kineto hold only what the thread of the step itself launched."""
    path = tmp_path / "w.duckdb"
    pipeline.import_paths([data_dir / "kineto" / case / "trace.json.gz"], db=path)
    before, after = WIDER[case]

    with database.Reader(path) as reader:
        rows = execute.run(
            reader.connection, "annotation_projection", {"by_stream": True, "only_self": True}
        ).table().to_pylist()  # fmt: skip
        drawn = reader.connection.execute(
            "SELECT a.name, k.stream, a.ts, a.ts + a.dur FROM annotation AS a "
            "JOIN track AS k ON k.id = a.track_id WHERE a.side = 'device'"
        ).fetchall()

    ours = Counter(
        (row["name"], row["stream"], row["start_ns"] - before, row["end_ns"] + after)
        for row in rows if not row["is_step"]
    )  # fmt: skip
    steps = {row["name"] for row in rows if row["is_step"]}
    kineto = Counter(tuple(each) for each in drawn if each[0] not in steps)
    assert kineto
    assert ours == kineto
