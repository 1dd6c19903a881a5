"""Modules against a plain walk over random traces."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from tests.support.launching import launched, places
from tests.support.randomtrace import RandomTrace, Row, Runs, Slice

PREFIX = "nn.Module: "


@dataclass
class Module:
    """A call of a module; what is called in it comes after it in `walk`."""

    slice: Slice
    above: Module | None = None
    below: list[Module] = field(default_factory=list)
    forward: list[Slice] = field(default_factory=list)  # own, not that of modules below
    backward: list[Slice] = field(default_factory=list)

    @property
    def instance(self) -> str:
        return self.slice.name.removeprefix(PREFIX)

    @property
    def klass(self) -> str:
        return self.instance.rpartition("_")[0]

    @property
    def way(self) -> list[Module]:
        return [*(self.above.way if self.above else []), self]

    def walk(self) -> Iterator[Module]:
        yield self
        for each in self.below:
            yield from each.walk()


def length(each: Slice) -> int:
    return max(each.dur, 0)


def modules(trace: RandomTrace) -> list[Module]:
    """All calls of modules, with the work of their forward and of its backward."""
    calls = {f.mark: Module(f) for f in trace.frames if f.name.startswith(PREFIX)}
    gradients = {}  # backward operators, and the module whose operator they belong to
    for each in trace.operators:
        forward = trace.forward_of(each)
        frame = trace.frame_of(forward, is_module=True) if forward else None
        if frame:
            gradients[each.mark] = calls[frame.mark]

    def nearest(around: list[Slice]) -> Slice | None:
        return next((up for up in around if up.mark in calls or up.mark in gradients), None)

    for call in calls.values():
        up = nearest(trace.ancestors(call.slice))
        if up and up.mark in calls:
            call.above = calls[up.mark]
            call.above.below.append(call)
    for launch, work in launched(trace):
        up = nearest(places(trace, launch))
        if up and up.mark in calls:
            calls[up.mark].forward.append(work)
        elif up:
            gradients[up.mark].backward.append(work)
    return list(calls.values())


def jobs(runs: Runs, rows: dict[str, list[Row]]) -> Iterator[tuple[RandomTrace, list[Row]]]:
    for name, job in runs.jobs.items():
        for trace in job:
            yield trace, [row for row in rows[name] if row["rank"] == trace.rank]


def figures(calls: list[Module], outer: list[Module]) -> tuple[int, ...]:
    """Calls, and host, forward and backward times, own and in all."""
    inside = [each for call in outer for each in call.walk()]
    return (
        len(calls),
        sum(max(length(c.slice) - sum(length(b.slice) for b in c.below), 0) for c in calls),
        sum(length(each.slice) for each in outer),
        sum(length(work) for each in calls for work in each.forward),
        sum(length(work) for each in inside for work in each.forward),
        sum(length(work) for each in calls for work in each.backward),
        sum(length(work) for each in inside for work in each.backward),
    )


def figures_of(row: Row) -> tuple[int, ...]:
    return (
        row["n_calls"],
        row["self_ns"],
        row["total_ns"],
        row["self_device_ns"],
        row["total_device_ns"],
        row["self_backward_device_ns"],
        row["total_backward_device_ns"],
    )


@pytest.mark.parametrize("by_instance", [False, True])
def test_modules_have_the_times_a_plain_walk_finds(random_runs: Runs, by_instance: bool) -> None:
    found = random_runs.rows("module_summary", by_instance=by_instance)

    def group(call: Module) -> tuple[str, str | None]:
        return call.klass, call.instance if by_instance else None

    for trace, rows in jobs(random_runs, found):
        groups: dict[tuple[str, str | None], list[Module]] = defaultdict(list)
        for call in modules(trace):
            groups[group(call)].append(call)
        assert {(row["class"], row["instance"]): figures_of(row) for row in rows} == {
            key: figures(calls, [c for c in calls if key not in [group(up) for up in c.way[:-1]]])
            for key, calls in groups.items()
        }


def test_the_tree_of_modules_has_a_row_for_each_way_to_a_module(random_runs: Runs) -> None:
    found = random_runs.rows("module_tree")

    for trace, rows in jobs(random_runs, found):
        ways: dict[str, list[Module]] = defaultdict(list)
        for call in modules(trace):
            ways["/".join(each.instance for each in call.way)].append(call)
        assert {row["path"]: figures_of(row) for row in rows} == {
            way: figures(calls, calls) for way, calls in ways.items()
        }


def test_in_the_tree_of_modules_what_is_called_comes_below_its_caller(random_runs: Runs) -> None:
    for rows in random_runs.rows("module_tree").values():
        stack: list[str] = []
        for row in rows:
            del stack[row["depth"] :]
            assert len(stack) == row["depth"]
            stack.append(row["path"].rpartition("/")[2])
            assert row["path"] == "/".join(stack)
            assert row["tree"] == "  " * row["depth"] + stack[-1]
