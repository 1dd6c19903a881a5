"""Drill-down queries against a plain walk over random traces: stacks, trees, who launched what."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from statistics import mean
from typing import Any, NamedTuple

import pytest

from tests.support.launching import launched, named_operator, operators, places
from tests.support.randomtrace import RandomTrace, Row, Runs, Slice
from tests.support.sharing import slow

Path = tuple[str, ...]


def length(each: Slice) -> int:
    return max(each.dur, 0)


def jobs(runs: Runs, rows: dict[str, list[Row]]) -> Iterator[tuple[str, RandomTrace, list[Row]]]:
    """Each trace with its rows."""
    for name, job in runs.jobs.items():
        for trace in job:
            yield name, trace, [row for row in rows[name] if row["rank"] == trace.rank]


def stack(trace: RandomTrace, call: Slice) -> list[Slice]:
    """The Python frames around a call, outermost first."""
    return [each for each in reversed(places(trace, call)) if each.category == "python_function"]


def nameless(name: str) -> str:
    return re.sub(r" at 0x[0-9A-Fa-f]+", "", name)


def mark_of(runs: Runs, slice_id: int) -> int:
    return runs.marks[slice_id][2]


def test_host_slices_have_the_device_work_launched_in_or_below_them(random_runs: Runs) -> None:
    found = random_runs.rows(
        "SELECT t.run_id, t.rank, h.* FROM host_device_time() AS h "
        "JOIN trace AS t ON t.id = h.slice_id >> 32"
    )

    for _, trace, rows in jobs(random_runs, found):
        works: dict[int, list[int]] = defaultdict(list)
        for call, work in launched(trace):
            for each in places(trace, call):
                works[each.mark].append(length(work))
        assert {
            mark_of(random_runs, row["slice_id"]): (row["n_device_ops"], row["device_ns"])
            for row in rows
        } == {mark: (len(each), sum(each)) for mark, each in works.items()}


def test_python_functions_have_the_device_work_of_the_stacks_they_are_in(
    random_runs: Runs,
) -> None:
    found = random_runs.rows("gpu_time_by_python_frame")

    for _, trace, rows in jobs(random_runs, found):
        own: dict[str, int] = defaultdict(int)
        total: dict[str, int] = defaultdict(int)
        count: dict[str, int] = defaultdict(int)
        for call, work in launched(trace):
            names = [nameless(each.name) for each in stack(trace, call)]
            for name in set(names):
                total[name] += length(work)
                count[name] += 1
            if names:
                own[names[-1]] += length(work)
        everything = sum(length(work) for work in trace.device_work)
        assert {
            row["name"]: (row["n_device_ops"], row["self_device_ns"], row["total_device_ns"],
                          row["total_share"])
            for row in rows
        } == {
            name: (count[name], own[name], total[name], total[name] / everything) for name in total
        }  # fmt: skip


@pytest.mark.parametrize("max_depth", [None, 2])
def test_a_flame_graph_has_a_row_for_each_stack(random_runs: Runs, max_depth: int | None) -> None:
    found = random_runs.rows("python_flame", max_depth=max_depth)

    for _, trace, rows in jobs(random_runs, found):
        own: dict[Path, int] = defaultdict(int)
        total: dict[Path, int] = defaultdict(int)
        for call, work in launched(trace):
            path = tuple(nameless(each.name) for each in stack(trace, call))[:max_depth]
            for depth in range(1, len(path) + 1):
                total[path[:depth]] += length(work)
            if path:
                own[path] += length(work)
        assert {
            tuple(row["path"].split(";")): (row["self_device_ns"], row["total_device_ns"])
            for row in rows
        } == {path: (own[path], total[path]) for path in total}
        assert all(row["depth"] == len(row["path"].split(";")) for row in rows)


def test_kernels_have_the_operators_that_launched_them(random_runs: Runs) -> None:
    found = random_runs.rows("kernel_by_op")

    for _, trace, rows in jobs(random_runs, found):
        groups: dict[tuple[Any, ...], list[int]] = defaultdict(list)
        for work in trace.device_work:
            call = trace.cause(work)
            above = operators(trace, call) if call else []
            names = (above[-1].name, above[0].name) if above else (None, None)
            groups[work.device, *names, work.name].append(length(work))
        assert {
            (row["device"], row["top_op"], row["op"], row["name"]): (
                row["n_device_ops"], row["total_ns"],
            )
            for row in rows
        } == {key: (len(each), sum(each)) for key, each in groups.items()}  # fmt: skip


def test_kernels_of_operators_have_the_delays_since_their_calls(random_runs: Runs) -> None:
    found = random_runs.rows("kernel_delay_by_op")

    for _, trace, rows in jobs(random_runs, found):
        groups: dict[tuple[Any, ...], list[tuple[int, ...]]] = defaultdict(list)
        for work in trace.device_work:
            call = trace.cause(work)
            above = operators(trace, call) if call else []
            if call is None or not above or work.category != "kernel":
                continue
            returned = call.ts + length(call)
            queue = work.ts - returned if work.ts >= returned else -1
            key = (work.device, above[0].name, work.name)
            groups[key].append((length(work), work.ts - call.ts, queue, work.ts - above[0].ts))
        assert {
            (row["device"], row["op"], row["name"]): (
                row["n_kernels"], row["total_ns"], row["max_delay_ns"], row["n_queued"],
                round(row["mean_delay_ns"], 3), round(row["mean_start_ns"], 3),
                row["mean_queue_ns"] and round(row["mean_queue_ns"], 3),
            )
            for row in rows
        } == {key: delays(each) for key, each in groups.items()}  # fmt: skip


def delays(kernels: list[tuple[int, ...]]) -> tuple[float | None, ...]:
    lengths, since_call, queues, since_op = zip(*kernels, strict=True)
    queued = [queue for queue in queues if queue >= 0]
    return (
        len(kernels), sum(lengths), max(since_call), len(queued),
        round(mean(since_call), 3), round(mean(since_op), 3),
        round(mean(queued), 3) if queued else None,
    )  # fmt: skip


class Node(NamedTuple):
    """A row of a tree."""

    depth: int
    mark: int
    parent: int | None
    n_device_ops: int
    device_ns: int


def tree(trace: RandomTrace, step: Slice, *, is_all: bool, has_python: bool) -> list[Node]:
    """Walks from the outermost slices of a step inwards."""
    shown = {"cpu_op", "user_annotation", *(["python_function"] if has_python else [])}
    here = [each for each in trace.slices
            if each.category in {*shown, "cuda_runtime", "cuda_driver"}
            and (each.mark == step.mark or step_at(trace, each) == step.mark)]  # fmt: skip
    marks = {each.mark for each in here}
    below: dict[int | None, list[Slice]] = defaultdict(list)
    for each in here:
        above = trace.around(each, lambda up: up.mark in marks)
        below[above.mark if above else None].append(each)

    def work_at(each: Slice, depth: int, parent: int | None) -> list[Node]:
        mine = [work for call, work in launched(trace)
                if (named_operator(trace, call) or call) == each]  # fmt: skip
        return [Node(depth, work.mark, parent, 1, length(work))
                for work in sorted(mine, key=lambda work: work.ts)]  # fmt: skip

    def walk(each: Slice, depth: int, parent: int | None) -> list[Node]:
        children = sorted(below[each.mark], key=lambda child: (child.ts, -max(child.dur, 0.5)))
        if each.category not in shown:
            device = work_at(each, depth, parent)
            return device + [node for child in children for node in walk(child, depth, parent)]
        inner = work_at(each, depth + 1, each.mark)
        inner += [node for child in children for node in walk(child, depth + 1, each.mark)]
        device = [node for node in inner if trace[node.mark] in trace.device_work]
        times = len(device), sum(node.device_ns for node in device)
        return [Node(depth, each.mark, parent, *times), *inner] if device or is_all else inner

    roots = sorted(below[None], key=lambda each: (each.tid, each.ts, -max(each.dur, 0.5)))
    return [node for root in roots for node in walk(root, 0, None)]


def step_at(trace: RandomTrace, each: Slice) -> int | None:
    step = trace.step_of(each)
    return step.mark if step else None


@pytest.mark.slow
@pytest.mark.parametrize(
    ("is_all", "has_python"),
    [(True, False), slow(False, False), slow(True, True), slow(False, True)],
)
def test_the_tree_of_a_step_is_what_a_walk_over_its_slices_meets(
    random_runs: Runs, is_all: bool, has_python: bool
) -> None:
    found = random_runs.rows("op_kernel_tree", all_ops=is_all, python=has_python)

    for _, trace, rows in jobs(random_runs, found):
        if not trace.steps:
            assert rows == []
            continue
        by_length = sorted(trace.steps, key=lambda step: (step.dur, step.ts))
        median = by_length[(len(by_length) - 1) // 2]
        assert [row["position"] for row in rows] == list(range(1, len(rows) + 1))
        assert [
            Node(row["depth"], mark_of(random_runs, row["slice_id"]),
                 row["parent_id"] and mark_of(random_runs, row["parent_id"]),
                 row["n_device_ops"], row["device_ns"])
            for row in rows
        ] == tree(trace, median, is_all=is_all, has_python=has_python)  # fmt: skip


def test_a_step_is_chosen_by_its_number(random_runs: Runs) -> None:
    found = random_runs.rows("op_kernel_tree", "seed-1", step=8)["seed-1"]

    assert {row["step"] for row in found} == {8}
    assert found[0]["name"] == "ProfilerStep#8"


@pytest.mark.integration
def test_stacks_and_ancestors_of_device_work_are_those_of_its_call(random_runs: Runs) -> None:
    (trace,) = random_runs.jobs["seed-2"]
    ids = {mark: id for id, (run, _, mark) in random_runs.marks.items() if run == "seed-2"}
    pairs = list(launched(trace))
    left_over = [
        (call, work) for call, work in pairs
        if named_operator(trace, call) and places(trace, call)[0] == call
    ]  # fmt: skip
    assert left_over

    for call, work in [*pairs[:: len(pairs) // 5], left_over[0]]:
        frames = random_runs.rows("python_stack", "seed-2", slice_id=ids[work.mark])["seed-2"]
        ways = random_runs.rows("slice_ancestors", "seed-2", slice_id=ids[work.mark])["seed-2"]

        above = [each for each in places(trace, call) if each != call]
        assert [mark_of(random_runs, row["frame_id"]) for row in frames] == [
            each.mark for each in stack(trace, call)
        ]
        assert [mark_of(random_runs, row["slice_id"]) for row in reversed(ways)] == [
            each.mark for each in (work, call, *above)
        ]


def test_children_are_the_slices_right_below_and_the_work_launched(random_runs: Runs) -> None:
    (trace,) = random_runs.jobs["seed-2"]
    ids = {mark: id for id, (run, _, mark) in random_runs.marks.items() if run == "seed-2"}

    works_below: dict[int, list[int]] = defaultdict(list)
    for call, work in launched(trace):
        for place in places(trace, call):
            works_below[place.mark].append(length(work))
    remote = next(
        named for call, _ in launched(trace)
        if (named := named_operator(trace, call)) and places(trace, call)[0] == named
    )  # fmt: skip
    for each in (trace.steps[0], trace.operators[0], next(launched(trace))[0], remote):
        rows = random_runs.rows("slice_children", "seed-2", slice_id=ids[each.mark])["seed-2"]

        below = {other.mark for other in trace.slices if (up := trace.parent(other)) and up == each}
        works = trace.work_of(each) if each.correlation is not None else []
        works += [work for call, work in launched(trace) if places(trace, call)[0] == each != call]
        assert {mark_of(random_runs, row["slice_id"]) for row in rows} == below | {
            work.mark for work in works
        }
        assert {
            mark_of(random_runs, row["slice_id"]): (row["n_device_ops"], row["device_ns"])
            for row in rows if row["relation"] == "child"
        } == {
            mark: (len(works_below[mark]), sum(works_below[mark])) for mark in below
        }  # fmt: skip
