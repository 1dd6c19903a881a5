"""Generates plans of what to compute again until memory is below a budget.

Each plan is a list of parts (`lifetimes`); a replay decides which of them costs least.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from functools import cached_property, partial
from typing import TYPE_CHECKING

from warehouse.optimize.lifetimes import Life, Part, Plan

if TYPE_CHECKING:
    from warehouse.optimize.recorded_memory import Recorded

#: Numbers of parts into which the calls before a peak are divided.
_DIVISIONS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64)
#: Operators before a peak of which the search joins neighbours, at most: those of the largest.
_MOST_RANGES = 96

Parts = tuple[Part, ...]
_More = Callable[[Plan, Parts], Parts]


class Planner:
    """Plans for one run and budget."""

    def __init__(self, recorded: Recorded, budget: int) -> None:
        self.lifetimes = recorded.lifetimes
        self.calls = recorded.calls
        self.budget = budget

    def uniform(self) -> Iterator[Parts]:
        """Before each peak, parts that make about equally much."""
        for n in _DIVISIONS:
            yield self._until_below(partial(self._divided, n))

    def greedy(self) -> Iterator[Parts]:
        """The part that saves most by its cost, until memory is below the budget."""
        yield self._until_below(self._best)

    def improved(self, parts: Parts) -> Iterator[Parts]:
        """Ever better plans: a part is divided, joined with the next, or gives calls to it."""
        score = self.score(parts)
        while not self.is_below(parts):
            for candidate in self._changed(parts):
                found = self.score(candidate)
                if found < score:
                    parts, score = candidate, found
                    yield parts
                    break
            else:
                return
        yield self._pruned(parts)

    def is_below(self, parts: Parts) -> bool:
        """Whether a plan is within the budget."""
        return self.lifetimes.plan(parts).peak <= self.budget

    def score(self, parts: Parts) -> tuple[int, int]:
        """Bytes above the budget, then the cost of the plan; lower is better."""
        return self.lifetimes.plan(parts).excess(self.budget), self.cost_ns(parts)

    def cost_ns(self, parts: Parts) -> int:
        """About the time of what a plan computes again."""
        return sum(self.calls.cost_ns(each.start, each.end) for each in parts)

    def _until_below(self, more: _More) -> Parts:
        """Adds parts for one peak after the other, as long as they save memory."""
        parts: Parts = ()
        plan = self.lifetimes.plan()
        while plan.peak > self.budget:
            added = more(plan, parts)
            after = self.lifetimes.plan(parts + added)
            if not added or after.excess(self.budget) >= plan.excess(self.budget):
                break
            parts, plan = tuple(sorted(parts + added)), after
        return self._pruned(parts)

    def _changed(self, parts: Parts) -> Iterator[Parts]:
        """Plans with one change, those of parts that run again close to the peak first."""
        place = self.lifetimes.plan(parts).peak_place
        for n in sorted(range(len(parts)), key=lambda n: abs(parts[n].again - place)):
            part = parts[n]
            others = (*parts[:n], *parts[n + 1 :])
            pivot = part.again - 1
            cuts = [each for each in self._cuts if part.start < each < part.end]
            for cut in cuts:
                halves = self._part(part.start, cut, pivot), self._part(cut, part.end, pivot)
                yield from self._replaced(others, *halves)
                yield from self._replaced(others, halves[0])
                yield from self._replaced(others, halves[1])
            if n + 1 < len(parts):
                following = parts[n + 1]
                others = (*parts[:n], *parts[n + 2 :])
                pivot = min(pivot, following.again - 1)
                yield from self._replaced(others, self._part(part.start, following.end, pivot))
                for cut in (each for each in self._cuts if part.start < each < following.end):
                    halves = (
                        self._part(part.start, cut, pivot),
                        self._part(cut, following.end, pivot),
                    )
                    yield from self._replaced(others, *halves)

    @cached_property
    def _cuts(self) -> list[int]:
        """Places where parts may begin and end: calls that no operator contains."""
        return sorted({*self.calls.starts, *self.calls.ends})

    @staticmethod
    def _replaced(others: Parts, *added: Part | None) -> Iterator[Parts]:
        if None not in added:
            yield tuple(sorted((*others, *(each for each in added if each is not None))))

    def _pruned(self, parts: Parts) -> Parts:
        """A plan without the parts that the budget does not require, the most expensive first."""
        if not self.is_below(parts):
            return parts
        for each in sorted(parts, key=lambda each: -self.calls.cost_ns(each.start, each.end)):
            fewer = tuple(part for part in parts if part != each)
            if self.is_below(fewer):
                parts = fewer
        return parts

    def _ranges(self, plan: Plan, parts: Parts) -> list[tuple[int, int, int]]:
        """Operators that make what only lies there at the peak: start, end, bytes."""
        found: dict[tuple[int, int], int] = {}
        for life in self.lifetimes.lives:
            if _is_idle(life, plan.peak_place):
                start = self.calls.starts[life.first]
                key = start, self.calls.ends[life.first]
                found[key] = found.get(key, 0) + life.bytes
        free = [
            (start, end, size)
            for (start, end), size in sorted(found.items())
            if end <= plan.peak_place
            and not any(part.start < end and start < part.end for part in parts)
        ]
        return sorted(sorted(free, key=lambda each: -each[2])[:_MOST_RANGES])

    def _part(self, start: int, end: int, peak_place: int) -> Part | None:
        """The part of these calls, which runs again at the first use after the peak."""
        again = [
            life.uses[bisect_right(life.uses, peak_place)]
            for life in self.lifetimes.lives
            if life.is_produced and start <= life.first < end
            and _is_idle(life, peak_place) and not _is_used(life, end, peak_place)
        ]  # fmt: skip
        if not again:
            return None
        part = Part(start, end, min(again))
        return part if self.lifetimes.is_sound(part) else None

    def _divided(self, n: int, plan: Plan, parts: Parts) -> Parts:
        """The calls before the peak in `n` parts; none of those that would not compute the same."""
        ranges = self._ranges(plan, parts)
        total = sum(size for *_, size in ranges)
        groups: dict[int, list[tuple[int, int]]] = {}
        before = 0
        for start, end, size in ranges:
            groups.setdefault(min(before * n // max(total, 1), n - 1), []).append((start, end))
            before += size
        found = []
        for group in groups.values():
            found += self._joined(group, plan.peak_place, parts)
        return tuple(found)

    def _joined(self, group: list[tuple[int, int]], place: int, parts: Parts) -> list[Part]:
        """One part of a group of operators, or more where one would not compute the same."""
        start, end = group[0][0], max(end for _, end in group)
        is_free = not any(part.start < end and start < part.end for part in parts)
        part = self._part(start, end, place) if is_free else None
        if part is not None:
            return [part]
        if len(group) == 1:
            return []
        half = len(group) // 2
        return self._joined(group[:half], place, parts) + self._joined(group[half:], place, parts)

    def _best(self, plan: Plan, parts: Parts) -> Parts:
        """The part of neighbouring operators that saves most by its cost."""
        ranges = self._ranges(plan, parts)
        excess = plan.excess(self.budget)
        best, best_gain = None, 0.0
        for n, (start, _, _) in enumerate(ranges):
            for _, end, _ in ranges[n:]:
                if any(part.start < end and start < part.end for part in parts):
                    break
                part = self._part(start, end, plan.peak_place)
                if part is None:
                    continue
                saved = excess - self.lifetimes.plan((*parts, part)).excess(self.budget)
                gain = saved / max(self.calls.cost_ns(start, end), 1)
                if gain > best_gain:
                    best, best_gain = part, gain
        return () if best is None else (best,)


def _is_idle(life: Life, place: int) -> bool:
    """Whether it is made before a place and used after it, but not there."""
    if not life.is_produced or life.first >= place or life.uses[-1] <= place:
        return False
    return life.uses[bisect_right(life.uses, place) - 1] != place


def _is_used(life: Life, start: int, end: int) -> bool:
    return any(start <= place <= end for place in life.uses)
