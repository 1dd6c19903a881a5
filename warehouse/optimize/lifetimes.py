"""Peak of memory of a graph whose parts are computed again, in closed form (`memory_recomputed`).

Places count the calls of a graph. A part is a range of calls that runs again right before a later
call. What it made, and nothing takes in between, is released meanwhile; what it takes is kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Part(NamedTuple):
    """Calls from `start` until before `end`, which run again right before `again`."""

    start: int
    end: int
    again: int

    def __str__(self) -> str:
        return f"{self.start}-{self.end}@{self.again}"


@dataclass(frozen=True)
class Life:
    """A lifetime of a storage: its size and the places of the calls that use it."""

    bytes: int
    is_produced: bool
    uses: tuple[int, ...]  # ascending
    writes: tuple[int, ...] = ()
    is_sum: bool = False  # of earlier gradients: begins with its first use, but no call makes it

    @property
    def first(self) -> int:
        """The place where it begins: 0 if no call produces it."""
        return self.uses[0] if self.is_produced or self.is_sum else 0


@dataclass(frozen=True)
class _Made:
    """The effects of one part, which do not depend on other parts."""

    released: tuple[tuple[int, int], ...]  # lives made again, last use in the part
    kept: tuple[int, ...]  # lives that it takes
    needed: int  # bytes of what it makes, at most


@dataclass(frozen=True)
class Plan:
    """Bytes at each place, and before those at which parts run again."""

    levels: NDArray[np.int64]
    again: tuple[tuple[int, int], ...]  # place, bytes

    @cached_property
    def peak(self) -> int:
        """The most bytes at once."""
        return max([int(self.levels.max(initial=0)), *(n for _, n in self.again)])

    @cached_property
    def peak_place(self) -> int:
        """The first place with these."""
        places = [place for place, n in self.again if n == self.peak]
        if self.levels.max(initial=0) == self.peak:
            places.append(int(np.argmax(self.levels)))
        return min(places)

    def excess(self, budget: int) -> int:
        """Bytes above a budget, summed over places."""
        above = int(np.maximum(self.levels - budget, 0).sum())
        return above + sum(max(n - budget, 0) for _, n in self.again)


class Lifetimes:
    """Lives of the storages of one device in a graph of `n_places` calls."""

    def __init__(self, lives: Iterable[Life], n_places: int) -> None:
        self.lives = sorted(lives, key=lambda each: each.first)
        self.n_places = n_places
        pairs = [(place, n) for n, each in enumerate(self.lives) for place in each.uses]
        pairs.sort()
        self._use_places = np.array([place for place, _ in pairs], np.int64)
        self._use_lives = np.array([n for _, n in pairs], np.int64)
        self._known: dict[Part, _Made] = {}

    def floor(self) -> int:
        """Bytes that no plan can save: storages that no call produces, and those one call uses."""
        fixed = np.zeros(self.n_places + 1, np.int64)
        for each in self.lives:
            if not each.is_produced:
                fixed[each.first] += each.bytes
                fixed[each.uses[-1] + 1] -= each.bytes
        levels = np.cumsum(fixed)[:-1]
        for each in self.lives:
            if each.is_produced:
                levels[list(each.uses)] += each.bytes
        return int(levels.max(initial=0))

    def plan(self, parts: Sequence[Part] = ()) -> Plan:
        """The memory with these parts, which do not overlap."""
        made = {part: self._made(part) for part in sorted(parts)}
        released = {n: (last, part) for part, m in made.items() for n, last in m.released}
        kept: dict[int, int] = {}
        for part, each in made.items():
            for n in each.kept:
                kept[n] = max(part.again, kept.get(n, 0))
        change = np.zeros(self.n_places + 1, np.int64)
        intervals = []
        for n, life in enumerate(self.lives):
            last = max(life.uses[-1], kept.get(n, 0))
            if n in released:
                until, part = released[n]
                intervals += [(life.first, until, life.bytes), (part.again, last, life.bytes)]
            else:
                intervals.append((life.first, last, life.bytes))
        firsts, lasts, sizes = np.array(intervals, np.int64).reshape(-1, 3).T
        np.add.at(change, firsts, sizes)
        np.add.at(change, lasts + 1, -sizes)
        again = []
        before: dict[int, int] = {}
        for part, each in made.items():
            around = int(sizes[(firsts < part.again) & (lasts >= part.again)].sum())
            again.append((part.again, around + before.get(part.again, 0) + each.needed))
            size = sum(self.lives[n].bytes for n, _ in each.released)
            before[part.again] = before.get(part.again, 0) + size
        return Plan(np.cumsum(change)[:-1], tuple(again))

    def is_sound(self, part: Part) -> bool:
        """Whether it computes the same again: it writes only what it made, and reads no change."""
        for n in self._used_in(part):
            life = self.lives[n]
            is_made = life.is_produced and part.start <= life.first < part.end
            if not is_made and any(part.start <= place < part.again for place in life.writes):
                return False
        return True

    def released(self, part: Part) -> list[Life]:
        """The lives that it produces again."""
        return [self.lives[n] for n, _ in self._made(part).released]

    def _used_in(self, part: Part) -> list[int]:
        low, high = np.searchsorted(self._use_places, [part.start, part.end])
        return sorted(set(self._use_lives[low:high].tolist()))

    def _made(self, part: Part) -> _Made:
        if part not in self._known:
            self._known[part] = self._found(part)
        return self._known[part]

    def _found(self, part: Part) -> _Made:
        released, kept, changes = [], [], []
        for n in self._used_in(part):
            life = self.lives[n]
            if not (life.is_produced and part.start <= life.first < part.end):
                kept.append(n)
                continue
            changes.append((life.first, 1, life.bytes))
            last = max(place for place in life.uses if place < part.end)
            is_between = any(part.end <= place < part.again for place in life.uses)
            if life.uses[-1] >= part.again and not is_between:
                released.append((n, last))
            if life.uses[-1] < part.end:
                changes.append((last + 1, 0, -life.bytes))
        level = needed = 0
        for _, _, size in sorted(changes):
            level += size
            needed = max(needed, level)
        return _Made(tuple(released), tuple(kept), needed)
