"""Candidate groups of gradients, contiguous in the order in which the gradients are ready.

`sweep` lists groups of a uniform size; `programme` finds the best by dynamic programming, with a
closed form of the time of a group: the longest of any rank, begun at once on all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from warehouse.optimize.reduction import Grouping, Reduction, Stages

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]

#: Of more sizes the sweep takes this many, evenly spaced in their order.
MOST_CAPS = 2000
#: Partial groupings that the programme keeps of each length.
WIDTH = 50


@dataclass(frozen=True)
class ClosedForm:
    """The quantities that determine the step time, with all ranks as one."""

    ready: Floats  # of each tensor, ascending
    computed: float  # when operators before updates have ended
    update: Floats  # sum of the updates of all tensors before each
    cost: Floats  # (first, end): time of the group of tensors first … end - 1

    def evaluate(self, ends: Sequence[int]) -> float:
        """When the updates have ended, if groups end before these places."""
        taken, updated, first = 0.0, self.computed, 0
        for end in ends:
            taken = max(taken, self.ready[end - 1]) + self.cost[first, end]
            updated = max(taken, updated) + self.update[end] - self.update[first]
            first = end
        return updated


def closed_form(reduction: Reduction) -> ClosedForm:
    """The closed form of a run."""
    n = len(reduction.tensor_ids)
    update = np.zeros(n)
    for updates in reduction.updates:
        work = np.zeros(n)
        for each, tensors in zip(updates.work, updates.tensors, strict=True):
            work[list(tensors)] += each / len(tensors)
        update = np.maximum(update, work)
    return ClosedForm(
        ready=reduction.ready,
        computed=float(reduction.computed.max()),
        update=np.concatenate([[0], np.cumsum(update)]),
        cost=_costs(reduction),
    )


def _costs(reduction: Reduction) -> Floats:
    """The time of each contiguous group alone; infinite where it would end before it begins."""
    n = len(reduction.tensor_ids)
    first, end = np.triu_indices(n + 1, 1)
    before = np.concatenate([[0], np.cumsum(reduction.bytes)])
    n_bytes = before[end] - before[first]
    cost = np.full((n + 1, n + 1), np.inf)
    counts = reduction.counts
    sizes = np.log([max(each.bytes, 1) for each in counts])
    nearest = np.abs(np.log(np.maximum(n_bytes, 1))[:, None] - sizes).argmin(axis=1)
    shapes = [(c.n_steps, c.n_loops, c.n_channels, c.n_slices) for c in counts]
    for shape in sorted(set(shapes)):
        chosen = np.array([shapes[each] == shape for each in nearest])
        stages = reduction.modelled(
            (end - first)[chosen], n_bytes[chosen], counts[shapes.index(shape)]
        )
        cost[first[chosen], end[chosen]] = _alone(reduction, stages)
    for group, recorded in reduction.recorded.items():
        if group[-1] - group[0] + 1 == len(group):
            cost[group[0], group[-1] + 1] = float(_alone(reduction, recorded))
    return cost


def _alone(reduction: Reduction, stages: Stages) -> Floats:
    end, _ = reduction.reduce(stages, np.zeros(1), np.zeros(reduction.previous.shape))
    longest: Floats = end.max(axis=-1)
    return longest


def sweep(n_bytes: Ints) -> list[tuple[int, ...]]:
    """Groups of each uniform size and number, as the places before which they end.

    Of a size both rules: a group closes before it exceeds it, or once it reaches it.
    """
    n = len(n_bytes)
    before = np.concatenate([[0], np.cumsum(n_bytes)])
    caps = np.unique((before[None, :] - before[:, None])[np.triu_indices(n + 1, 1)])
    if len(caps) > MOST_CAPS:
        caps = caps[np.linspace(0, len(caps) - 1, MOST_CAPS).astype(np.int64)]
    found = {equal_groups(n, count): None for count in range(1, n + 1)}
    for cap in caps.tolist():
        found[capped(before, cap, exceeds=False)] = None
        found[capped(before, cap, exceeds=True)] = None
    return list(found)


def equal_groups(n: int, count: int) -> tuple[int, ...]:
    """Ends of as many groups of nearly equal numbers of tensors, larger ones first."""
    return tuple(np.cumsum([len(each) for each in np.array_split(np.arange(n), count)]).tolist())


def capped(before: Ints, cap: float, *, exceeds: bool) -> tuple[int, ...]:
    """Ends of groups that close before they exceed a size, or once they reach it."""
    n, end, ends = len(before) - 1, 0, []
    while end < n:
        if exceeds:
            following = int(np.searchsorted(before, before[end] + cap, "left"))
        else:
            following = int(np.searchsorted(before, before[end] + cap, "right")) - 1
        end = min(max(following, end + 1), n)
        ends.append(end)
    return tuple(ends)


@dataclass(frozen=True)
class _Labels:
    """Partial groupings of the tensors before a place, none better than another in all respects."""

    taken: Floats  # when the last group has ended
    updated: Floats  # when the updates so far have ended
    total: Floats  # time of all groups
    first: Ints  # where the last group begins
    label: Ints  # which grouping of the tensors before it


def programme(form: ClosedForm, n_groups: int | None = None) -> list[tuple[int, ...]]:
    """The best groupings by closed form, best first, of any or of one number of groups."""
    n = len(form.ready)
    zero = np.zeros(1, np.int64)
    start = _Labels(np.zeros(1), np.full(1, form.computed), np.zeros(1), zero, zero)
    if n_groups is None:
        table: list[_Labels | None] = [start]
        for end in range(1, n + 1):
            table.append(_extended(form, table, end))
        tables = [table] * (n + 1)
    else:
        layer: list[_Labels | None] = [start, *[None] * n]
        tables = [layer]
        for _ in range(n_groups):
            layer = [None, *(_extended(form, layer[:end], end) for end in range(1, n + 1))]
            tables.append(layer)
    last = tables[-1][n]
    if last is None:
        return []
    order = np.lexsort((last.total, last.updated))
    return [_traced(tables, n, int(label)) for label in order]


def _traced(tables: Sequence[Sequence[_Labels | None]], end: int, label: int) -> tuple[int, ...]:
    """The ends of the groups of a label."""
    ends: list[int] = []
    depth = len(tables) - 1
    while end:
        labels = tables[depth][end]
        assert labels is not None
        ends.append(end)
        end, label = int(labels.first[label]), int(labels.label[label])
        depth -= 1
    return tuple(reversed(ends))


def _extended(form: ClosedForm, before: Sequence[_Labels | None], end: int) -> _Labels | None:
    """Labels of the tensors before `end`, with one more group than those before it."""
    parts = [(first, each) for first, each in enumerate(before) if each is not None]
    if not parts:
        return None
    firsts = np.repeat([first for first, _ in parts], [len(each.taken) for _, each in parts])
    cost = form.cost[firsts, end]
    taken = np.maximum(np.concatenate([each.taken for _, each in parts]), form.ready[end - 1])
    taken = taken + cost
    update = form.update[end] - form.update[firsts]
    updated = np.maximum(taken, np.concatenate([each.updated for _, each in parts])) + update
    total = np.concatenate([each.total for _, each in parts]) + cost
    label = np.concatenate([np.arange(len(each.taken)) for _, each in parts])
    kept = _best(taken, updated, total)
    return _Labels(taken[kept], updated[kept], total[kept], firsts[kept], label[kept])


def _best(taken: Floats, updated: Floats, total: Floats) -> Ints:
    """The labels to keep: the Pareto-optimal ones, then the next best; of equal times one."""
    order = np.lexsort((total, updated.round(), taken.round()))
    times = np.stack([taken[order].round(), updated[order].round()])
    is_new = np.concatenate([[True], (times[:, 1:] != times[:, :-1]).any(axis=0)])
    order = order[is_new]
    least = np.minimum.accumulate(updated[order])
    beaten = np.concatenate([[False], updated[order][1:] >= least[:-1]])
    chosen = np.concatenate([order[~beaten][:WIDTH], order[beaten]])[:WIDTH]
    return chosen


def grouping_of(ends: Sequence[int]) -> Grouping:
    """The places of the tensors of groups that end before these places."""
    return tuple(tuple(range(first, end)) for first, end in zip((0, *ends), ends, strict=False))
