"""Pairs sections of records with sections of commands.

Ids restart whenever a kernel resets its engine, so both streams are sequences of sections within
which ids rise. Records get lost, one by one or by the section. A section of records and one of
commands can only be the same if their ids span equally much; of all such pairings in order, the
one that leaves the fewest sections alone is taken: an edit distance without substitution.

Why not SQL: the alignment of two sequences is sequential by nature. The table of distances would
grow with the product of both numbers; only a band of it is computed, as wide as there are sections
alone, a row at a time. Where several pairings are equally good, the latest sections are paired.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tw_importers.sophgo.commands import Commands
from tw_importers.sophgo.records import Ints

_FIRST_BAND = 64
_LAST_BAND = 4096  # sections alone in a row; beyond that the pairing may not be the best one
_FAR = 1 << 30


@dataclass
class Sections:
    """Stretches of a stream: from `first` on, `count` rows, ids spanning `span`."""

    first: Ints
    count: Ints
    span: Ints

    def __len__(self) -> int:
        return len(self.first)


def of_records(ids: Ints) -> Sections:
    """Stretches of rising ids."""
    is_new = np.ones(len(ids), bool)
    is_new[1:] = ids[1:] <= ids[:-1]
    return _sections(is_new, ids)


def of_commands(commands: Commands) -> Sections:
    """Stretches of rising ids; a reference to descriptors is one, as long as it has images."""
    is_des = commands.is_des
    is_new = np.ones(len(commands), bool)
    is_new[1:] = (commands.id[1:] <= commands.id[:-1]) | is_des[1:] | is_des[:-1]
    found = _sections(is_new, commands.id)
    if len(found):
        des = is_des[found.first]
        found.span = np.where(des, commands.n_images[found.first], found.span)
    return found


def _sections(is_new: NDArray[np.bool_], ids: Ints) -> Sections:
    first = np.flatnonzero(is_new)
    count = np.diff(np.append(first, len(ids)))
    return Sections(first, count, ids[first + count - 1] - ids[first] + 1)


def pair(records: Ints, commands: Ints) -> Ints:
    """For each span of records the number of its partner among those of commands, or -1."""
    partner = np.full(len(records), -1)
    n_records, n_commands = len(records), len(commands)
    # Equal ends always pair, so the table begins before them.
    shorter = min(n_records, n_commands)
    differs = np.flatnonzero(records[::-1][:shorter] != commands[::-1][:shorter])
    n_equal = int(differs[0]) if len(differs) else shorter
    if n_equal:
        partner[n_records - n_equal :] = np.arange(n_commands - n_equal, n_commands)
    n_records, n_commands = n_records - n_equal, n_commands - n_equal
    if n_records and n_commands:
        partner[:n_records] = _aligned(records[:n_records], commands[:n_commands])
    return partner


def _aligned(records: Ints, commands: Ints) -> Ints:
    """Widens the band until no better way can lie outside of it."""
    band, longest = _FIRST_BAND, len(records) + len(commands)
    while True:
        table = _Band(records, commands, band)
        if table.distance < band or band >= min(longest, _LAST_BAND):
            return table.partners()
        band *= 4


class _Band:
    """Distances of all beginnings of both sequences, as far as they differ little in length.

    Column c of row i is the beginning of commands of length i + shift + c.
    """

    def __init__(self, records: Ints, commands: Ints, band: int) -> None:
        self._records, self._commands = records, commands
        lengthen = len(commands) - len(records)
        self._shift = min(0, lengthen) - band // 2
        width = max(0, lengthen) - self._shift + band // 2 + 1
        self._rows = np.full((len(records) + 1, width), _FAR, np.int32)
        column = np.arange(width, dtype=np.int32)
        for i in range(len(records) + 1):
            self._rows[i] = self._row(i, column)
        self.distance = int(self._rows[-1, len(commands) - len(records) - self._shift])

    def _row(self, i: int, column: NDArray[np.int32]) -> NDArray[np.int32]:
        j = i + self._shift + column
        is_inside = (j >= 0) & (j <= len(self._commands))
        if i == 0:
            return np.where(is_inside, j, _FAR)
        above = np.append(self._rows[i - 1, 1:], _FAR) + 1  # this record is alone
        ends = self._commands[np.clip(j - 1, 0, len(self._commands) - 1)] == self._records[i - 1]
        paired = np.where(ends & (j >= 1), self._rows[i - 1], _FAR)
        best = np.where(is_inside, np.minimum(above, paired), _FAR)
        # A command alone costs one more than the place to its left.
        return np.where(is_inside, np.minimum.accumulate(best - column) + column, _FAR)

    def partners(self) -> Ints:
        """Back from the ends: pairs where both are equal, else leaves a record alone first."""
        partner = np.full(len(self._records), -1)
        i, j = len(self._records), len(self._commands)
        while i > 0 and j > 0:
            c = j - i - self._shift
            here = self._rows[i, c]
            if self._records[i - 1] == self._commands[j - 1] and self._rows[i - 1, c] == here:
                i, j = i - 1, j - 1
                partner[i] = j
            elif c + 1 < self._rows.shape[1] and self._rows[i - 1, c + 1] + 1 == here:
                i -= 1
            else:
                j -= 1
        return partner
