"""Simulated annealing over contiguous groups of gradients: random moves from the best of a sweep.

A move joins two groups, splits one, or moves a tensor between neighbours; at least one of the
groups is critical (`Reduction.critical`). Moves like those that helped lately are more likely
(heat). A slower candidate is accepted with probability exp(-beta * ln(n + 1) * d), where n counts
the candidates and d is the difference in percent of the recorded step.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import exp, expm1, log
from typing import TYPE_CHECKING

import numpy as np

from warehouse.optimize.groupings import grouping_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from warehouse.optimize.reduction import Reduction
    from warehouse.optimize.search import Annealing

    Floats = NDArray[np.float64]

#: Searches with random numbers of their own: their number does not depend on that of processes.
N_CHAINS = 4
#: Changes of a tensor's groups that its heat is the mean of.
_WINDOW = 5
#: Largest gain in percent that heat distinguishes.
_MOST = 20.0
_LEAST_WEIGHT = 1e-3


@dataclass(frozen=True)
class Attempt:
    """A candidate: groups that end before these places."""

    ends: tuple[int, ...]
    evaluated_ns: float
    is_accepted: bool


@dataclass(frozen=True)
class Chain:
    """The candidates of a chain, in order, and whether it was stopped before the last."""

    attempts: tuple[Attempt, ...]
    is_stopped: bool


@dataclass(frozen=True)
class Job:
    """The input of a chain."""

    reduction: Reduction
    start: tuple[int, ...]
    recorded_ns: float
    annealing: Annealing
    keeps_count: bool  # of groups
    number: int


@dataclass(frozen=True)
class _Move:
    """A candidate near another, and which change of the heat of tensors follows."""

    ends: tuple[int, ...]
    weight: float
    sign: int  # 1: joins groups, -1: splits one, 0: neither
    touched: slice  # of the tensors of the groups


def run_chain(job: Job, is_told_to_stop: Callable[[], bool] = lambda: False) -> Chain:
    """Anneals until the candidates or the time of the chain are used, or it is told to stop.

    Ctrl-C stops it too.
    """
    annealing = job.annealing
    walk = _Walk(job)
    until = None if annealing.budget_s is None else time.monotonic() + annealing.budget_s
    attempts: list[Attempt] = []
    try:
        for _ in range(-(-annealing.n_candidates // N_CHAINS)):
            if is_told_to_stop() or (until is not None and time.monotonic() > until):
                return Chain(tuple(attempts), is_stopped=True)
            found = walk.step()
            if found is None:
                break
            attempts.append(found)
    except KeyboardInterrupt:
        return Chain(tuple(attempts), is_stopped=True)
    return Chain(tuple(attempts), is_stopped=False)


class _Walk:
    """The state of a chain."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.reduction = job.reduction
        self.random = random.Random(f"{job.annealing.seed} {job.number}")
        self.heat = _Heat(len(job.reduction.tensor_ids))
        self.n_done = 0
        self.known: dict[tuple[int, ...], float] = {}
        self.ends = job.start
        self.current_ns = self.evaluate(job.start)
        self.critical = job.reduction.critical(grouping_of(job.start))

    def evaluate(self, ends: tuple[int, ...]) -> float:
        """The step time of groups."""
        if ends not in self.known:
            self.known[ends] = self.reduction.evaluate(grouping_of(ends))
        return self.known[ends]

    def step(self) -> Attempt | None:
        """Draws a move and evaluates its candidate; None if there is no move."""
        moves = self._moves()
        if not moves:
            return None
        (move,) = self.random.choices(moves, [each.weight for each in moves])
        self.n_done += 1
        evaluated_ns = self.evaluate(move.ends)
        gain = 100 * (self.current_ns - evaluated_ns) / self.job.recorded_ns
        if move.sign:
            self.heat.add(move.touched, gain * move.sign, self.n_done)
        is_accepted = self._accepts(gain)
        if is_accepted:
            self.ends, self.current_ns = move.ends, evaluated_ns
            self.critical = self.reduction.critical(grouping_of(move.ends))
        return Attempt(move.ends, evaluated_ns, is_accepted)

    def _accepts(self, gain: float) -> bool:
        if gain >= 0:
            return True
        chance = exp(max(self.job.annealing.beta * log(self.n_done + 1) * gain, -700.0))
        return self.random.random() < chance

    def _moves(self) -> list[_Move]:
        """All moves that touch a critical group; of all groups, if none is critical."""
        ends, heat = self.ends, self.heat.of_groups(self.ends, self.n_done)
        critical = set(self.critical) or set(range(len(ends)))
        found: list[_Move] = []
        for n in range(len(ends) - 1):
            if n in critical or n + 1 in critical:
                weight = max(1 + (heat[n] + heat[n + 1]) / 2, _LEAST_WEIGHT)
                found += _shifts(ends, n, weight / 2)
                if not self.job.keeps_count:
                    found.append(_joined(ends, n, weight))
        if not self.job.keeps_count:
            for n in sorted(critical):
                found += _splits(ends, n, 1 / max(1 + heat[n], _LEAST_WEIGHT))
        return found


def _joined(ends: tuple[int, ...], n: int, weight: float) -> _Move:
    touched = slice(ends[n - 1] if n else 0, ends[n + 1])
    return _Move(ends[:n] + ends[n + 1 :], weight, 1, touched)


def _shifts(ends: tuple[int, ...], n: int, weight: float) -> list[_Move]:
    """The last tensor of a group becomes the first of the next, or the other way round."""
    first, last = ends[n - 1] if n else 0, ends[n + 1]
    places = [ends[n] + by for by in (-1, 1) if first < ends[n] + by < last]
    return [
        _Move((*ends[:n], place, *ends[n + 1 :]), weight, 0, slice(first, last)) for place in places
    ]


def _splits(ends: tuple[int, ...], n: int, weight: float) -> list[_Move]:
    """All splits of a group; equal parts are the most likely."""
    first, last = ends[n - 1] if n else 0, ends[n]
    places = range(first + 1, last)
    balance = [((place - first) * (last - place)) ** 0.5 for place in places]
    total = sum(balance)
    return [
        _Move((*ends[:n], place, *ends[n:]), weight * each / total, -1, slice(first, last))
        for place, each in zip(places, balance, strict=True)
    ]


class _Heat:
    """Recent gain of joining the groups of each tensor, or loss of splitting them."""

    def __init__(self, n_tensors: int) -> None:
        self.gain = np.zeros((n_tensors, _WINDOW))
        self.at = np.zeros((n_tensors, _WINDOW))
        self.n = np.zeros(n_tensors, np.int64)

    def add(self, touched: slice, gain: float, n_done: int) -> None:
        """Notes the gain of a move; one that changes nothing is not noted."""
        if gain == 0:
            return
        places = np.arange(touched.start, touched.stop)
        column = self.n[places] % _WINDOW
        self.gain[places, column] = expm1(min(max(gain, -_MOST), _MOST))
        self.at[places, column] = n_done
        self.n[places] += 1

    def of_groups(self, ends: Sequence[int], n_done: int) -> list[float]:
        """The mean over the tensors of each group; earlier gains count less."""
        heat = (self.gain / (n_done + 1 - self.at)).sum(axis=1) / np.clip(self.n, 1, _WINDOW)
        before = np.concatenate([[0], np.cumsum(heat)])
        edges = np.array([0, *ends])
        means: Floats = (before[edges[1:]] - before[edges[:-1]]) / np.diff(edges)
        return [float(each) for each in means]
