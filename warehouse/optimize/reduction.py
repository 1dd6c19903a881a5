"""How gradients are reduced: groups of tensors around rings of ranks, without a graph of nodes.

`Reduction.evaluate` gives the times that a replay of the same groups gives, a hundred times as
fast: what computes the gradients does not depend on the groups, and each group passes through the
same stages. It does not hold where an update of weights delays the computation of a gradient.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]

#: Places of tensors in the order in which their gradients are ready, of each group.
Grouping = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Stages:
    """Durations of the stages of a group; leading axes may stand for several groups.

    Axes: (…, rank) of copies and (…, step of the ring, part, rank, channel) of sends, where parts
    are loops by slices.
    """

    queue: Floats
    copy_in: Floats
    send: Floats
    behind: Floats  # from the end of a send to the end of its receive
    copy_out: Floats
    order: int = 0  # of groups that are ready at one time


@dataclass(frozen=True)
class Line:
    """Duration by size, of each rank."""

    fixed: Floats
    slope: Floats
    counts_tensors: NDArray[np.bool_]  # the size is a number of tensors, otherwise bytes
    least: Floats  # recorded sizes
    most: Floats

    def at(self, n_tensors: Ints, n_bytes: Floats) -> Floats:
        """Durations (group, rank)."""
        size = np.where(self.counts_tensors, n_tensors[..., None], n_bytes[..., None])
        return self.fixed + self.slope * size

    def extrapolates(self, n_tensors: Ints, n_bytes: Floats) -> NDArray[np.bool_]:
        """Whether a duration of each group depends on a size outside the recorded range."""
        size = np.where(self.counts_tensors, n_tensors[..., None], n_bytes[..., None])
        outside = (size < self.least) | (size > self.most)
        return np.asarray((outside & (self.slope > 0)).any(axis=-1))


@dataclass(frozen=True)
class Updates:
    """Operators of a rank that update weights, in the order in which equal ones are served."""

    work: Floats  # duration and gap
    gap: Floats
    tensors: tuple[tuple[int, ...], ...]  # places of the tensors that each waits for


@dataclass(frozen=True)
class Counts:
    """Into how many parts a recorded group is cut."""

    bytes: int
    n_steps: int
    n_loops: int
    n_channels: int
    n_slices: int

    @property
    def n_parts(self) -> int:
        """The parts of a group that the ranks send."""
        return (self.n_steps // 2 + 1) * self.n_loops * self.n_channels * self.n_slices


@dataclass(frozen=True)
class _Pass:
    """How groups pass through the communicator."""

    ready_at: Floats  # (rank, tensor): when a tensor is reduced
    order: tuple[int, ...]  # of the groups
    waits: tuple[bool, ...]  # in that order: whether a group waits for the one before it


@dataclass
class Reduction:
    """The gradients of a run: when they are ready, how long groups of them take, what follows.

    Times are nanoseconds after the start of the step.
    """

    tensor_ids: tuple[int, ...]  # in the order in which they are ready
    bytes: Ints
    ready: Floats  # when a group of the tensor alone could be queued
    previous: Ints  # (rank, channel): the rank that sends to it
    lines: Mapping[str, Line]
    counts: tuple[Counts, ...]  # in the order of names
    recorded: Mapping[tuple[int, ...], Stages]  # by sorted places
    grouping: Grouping  # as recorded
    updates: tuple[Updates, ...]  # of each rank
    computed: Floats  # of each rank: when its operators before updates have ended
    begin: Floats  # of each rank: start of its first operator
    tail: Floats  # of each rank: from the end of its last update to the end of the step
    _modelled: dict[tuple[int, ...], Stages] = field(default_factory=dict)

    def evaluate(self, grouping: Grouping) -> float:
        """The step time of the slowest rank."""
        return float(self._step_ends(self._pass(grouping).ready_at).max())

    def critical(self, grouping: Grouping) -> tuple[int, ...]:
        """The groups that delay the end of the step: the last that is awaited, and those before it.

        They are reduced one after another without a pause; none if the operators take longer.
        """
        passed = self._pass(grouping)
        rank = int(self._step_ends(passed.ready_at).argmax())
        tensor = self._last_awaited(rank, passed.ready_at[rank])
        if tensor is None:
            return ()
        place = next(n for n, each in enumerate(passed.order) if tensor in grouping[each])
        first = place
        while first > 0 and passed.waits[first]:
            first -= 1
        return tuple(sorted(passed.order[first : place + 1]))

    def _pass(self, grouping: Grouping) -> _Pass:
        """Reduces the groups one after another."""
        ready_at = np.zeros((len(self.computed), len(self.tensor_ids)))
        taken = np.zeros(len(self.computed))
        channels = np.zeros(self.previous.shape)
        groups = [(self.ready_of(group), self.stages(group), group) for group in grouping]
        order = sorted(range(len(groups)), key=lambda n: (groups[n][0], groups[n][1].order, n))
        waits = []
        for n in order:
            ready, stages, group = groups[n]
            waits.append(bool(taken.max() > ready))
            taken, channels = self.reduce(stages, np.maximum(taken, ready), channels)
            ready_at[:, group] = taken[:, None]
        return _Pass(ready_at, tuple(order), tuple(waits))

    def ready_of(self, group: Sequence[int]) -> float:
        """When a group could be queued."""
        return float(self.ready[list(group)].max())

    def reduce(self, stages: Stages, begin: Floats, channels: Floats) -> tuple[Floats, Floats]:
        """When a group that begins then has ended (…, rank), and its channels are free."""
        n_steps, n_parts, _, n_channels = stages.send.shape[-4:]
        copied = (begin + stages.queue + stages.copy_in)[..., None]
        free = np.maximum(channels[..., :n_channels], 0)
        sources, each = self.previous[:, :n_channels], np.arange(n_channels)
        received = [copied] * n_parts
        for step in range(n_steps):
            for part in range(n_parts):
                sent = np.maximum(free, received[part]) + stages.send[..., step, part, :, :]
                arrived = np.maximum(sent[..., sources, each], copied)
                received[part] = arrived + stages.behind[..., step, part, :, :]
                free = sent
        end = np.max(np.stack(received), axis=0).max(axis=-1) + stages.copy_out
        used = channels.copy() if channels.ndim == free.ndim else np.zeros(free.shape)
        used[..., :n_channels] = free
        return end, used

    def stages(self, group: tuple[int, ...]) -> Stages:
        """Durations of a group: as recorded, otherwise by its size."""
        key = tuple(sorted(group))
        found = self.recorded.get(key) or self._modelled.get(key)
        if found is None:
            n_tensors = np.array([len(group)])
            n_bytes = self.bytes[list(group)].sum(keepdims=True)
            found = self.modelled(n_tensors, n_bytes, self.counts_of(float(n_bytes[0])))
            found = Stages(
                found.queue[0], found.copy_in[0], found.send[0], found.behind[0],
                found.copy_out[0], order=1 << 60,
            )  # fmt: skip
            self._modelled[key] = found
        return found

    def modelled(self, n_tensors: Ints, n_bytes: Ints, counts: Counts) -> Stages:
        """Durations of groups by their sizes, all cut into as many parts."""
        parts = n_bytes / counts.n_parts
        shape = (1, counts.n_steps, counts.n_loops * counts.n_slices, 1, counts.n_channels)

        def of_sends(stage: str) -> Floats:
            by_rank = self.lines[stage].at(n_tensors, parts)[:, None, None, :, None]
            return np.broadcast_to(by_rank, np.broadcast_shapes(by_rank.shape, shape))

        def of_copies(stage: str) -> Floats:
            return self.lines[stage].at(n_tensors, n_bytes.astype(np.float64))

        return Stages(
            queue=of_copies("queue"),
            copy_in=of_copies("copy_in"),
            send=of_sends("send"),
            behind=of_sends("receive"),
            copy_out=of_copies("copy_out"),
        )

    def counts_of(self, n_bytes: float) -> Counts:
        """The counts of the recorded group closest in size."""
        size = np.log(max(n_bytes, 1.0))
        return min(self.counts, key=lambda each: abs(np.log(max(each.bytes, 1)) - size))

    def extrapolated_share(self, grouping: Grouping) -> float:
        """Share of the time of new and recorded groups that follows from sizes never recorded."""
        total = outside = 0.0
        for group in grouping:
            end, _ = self.reduce(
                self.stages(group), np.zeros(len(self.computed)), np.zeros(self.previous.shape)
            )
            total += float(end.max())
            outside += float(end.max()) if self._extrapolates(group) else 0.0
        return outside / total if total else 0.0

    def _extrapolates(self, group: tuple[int, ...]) -> bool:
        if tuple(sorted(group)) in self.recorded:
            return False
        n_tensors = np.array([len(group)])
        n_bytes = self.bytes[list(group)].sum(keepdims=True).astype(np.float64)
        parts = n_bytes / self.counts_of(float(n_bytes[0])).n_parts
        return any(
            line.extrapolates(n_tensors, parts if stage in ("send", "receive") else n_bytes).any()
            for stage, line in self.lines.items()
        )

    def _step_ends(self, ready_at: Floats) -> Floats:
        """The step time of each rank, whose tensors are reduced then."""
        ends = [self._step_end(rank, ready_at[rank]) for rank in range(len(self.updates))]
        return np.array(ends)

    def _step_end(self, rank: int, ready_at: Floats) -> float:
        updates, computed = self.updates[rank], self.computed[rank]
        if not updates.tensors:
            return float(computed + self.tail[rank] - self.begin[rank])
        order, waited, work = _awaited(updates, ready_at)
        end = max(float(waited.max()), float(computed)) + work - updates.gap[order][-1]
        return float(end + self.tail[rank] - self.begin[rank])

    def _last_awaited(self, rank: int, ready_at: Floats) -> int | None:
        """The tensor whose reduction delays the updates of a rank most, if one does."""
        updates = self.updates[rank]
        if not updates.tensors:
            return None
        order, waited, _ = _awaited(updates, ready_at)
        last = int(waited.argmax())
        if waited[last] <= self.computed[rank]:
            return None
        return int(max(updates.tensors[order[last]], key=lambda each: (ready_at[each], each)))


def _awaited(updates: Updates, ready_at: Floats) -> tuple[Ints, Floats, float]:
    """Updates in the order in which they can run, when each would let all begin, and their time."""
    ready = np.array([ready_at[list(each)].max() for each in updates.tensors])
    order = np.argsort(ready, kind="stable")
    work = np.cumsum(updates.work[order])
    return order, ready[order] - (work - updates.work[order]), float(work[-1])
