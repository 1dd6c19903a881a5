"""Rows whose headers are equal: every value lies at the same place in all of them.

Of thousands of rows of numbers nearly all have one of a few headers. Those of one header are copied
side by side as they are, and each of their columns is a strided view then: several times as fast as
finding out for every row where each value lies. Whatever else there is, `records` reads.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np

from tw_importers.sqlite_tables.pages import Bytes, Numbers

_WORD = 8
_AT_ONCE = 12  # headers that are looked for one by one; sorting finds all others
_FEW = 8  # rows of one header that are worth their own turn, where there are few headers
_SOME = 64  # likewise, where there are many
_SIZES = (0, 1, 2, 3, 4, 6, 8, 8, 0, 0)  # bytes of a number, by serial type
_REAL, _ZERO, _ONE = 7, 8, 9  # serial types; 0 is NULL; texts and blobs have greater ones
Words = np.ndarray[tuple[int, int], np.dtype[np.uint64]]


@dataclass
class Group:
    """Rows with equal headers: which they are, and their values side by side."""

    rows: Numbers
    types: list[int]
    offsets: list[int]  # of each value in `values`
    values: np.ndarray[tuple[int, int], np.dtype[np.uint8]]

    def column(self, number: int) -> Numbers | int | None:
        """A column of whole numbers; one number where all are the same, None where all are NULL."""
        serial = self.types[number]
        if serial == 0:
            return None
        if serial in (_ZERO, _ONE):
            return serial - _ZERO
        size = _SIZES[serial]
        stored = next(width for width in (1, 2, 4, 8) if width >= size)
        at, n_bytes = self.offsets[number], self.values.shape[1]
        # Numbers of 3 and 6 bytes are read with what follows them, which is shifted out.
        column: Numbers = np.ndarray(
            (len(self.values),), f">i{stored}", self.values.data, at, (n_bytes,)
        ).astype(np.int64)
        return column >> 8 * (stored - size) if stored > size else column


def groups(
    data: Bytes, start: Numbers, length: Numbers, requested: Collection[int]
) -> Iterator[Group]:
    """Yields groups of rows with equal headers, if frequent, whose requested columns hold integers
    or NULL only. `requested` are numbers of columns."""
    if not len(start):
        return
    n_columns = max(requested) + 1
    n_header = int(data[start[0]])
    if not n_columns < n_header < 128:
        return
    far = len(data) - n_header - _WORD * (n_columns + 2)
    near = np.flatnonzero((data[start] == n_header) & (start < far) & (length >= n_header))
    if len(near) < _FEW:
        return
    for some, header in _equal(_headers(data, start[near], n_header)):
        types = header[1 : n_columns + 1]
        if max(types) > _ONE or any(types[number] == _REAL for number in requested):
            continue
        ends = np.cumsum([_SIZES[serial] for serial in types]).tolist()
        rows = near[some]
        rows = rows[length[rows] >= n_header + ends[-1]]
        values = _side_by_side(data, start[rows] + n_header, ends[-1] + _WORD)
        yield Group(rows, types, [0, *ends[:-1]], values)


def _side_by_side(
    data: Bytes, at: Numbers, n_bytes: int
) -> np.ndarray[tuple[int, int], np.dtype[np.uint8]]:
    """So many bytes from each of the places."""
    every = np.ndarray((len(data) - n_bytes + 1,), f"V{n_bytes}", data, strides=(1,))
    return every[at].view(np.uint8).reshape(len(at), n_bytes)


def _headers(data: Bytes, start: Numbers, n_header: int) -> Words:
    """The headers in whole words; behind a header's end there is 0."""
    n_words = -(-n_header // _WORD)
    words = _side_by_side(data, start, n_words * _WORD).view("<u8")
    words[:, -1] &= np.uint64((1 << 8 * (n_header - (n_words - 1) * _WORD)) - 1)
    return words


def _equal(headers: Words) -> Iterator[tuple[Numbers, list[int]]]:
    """Groups of rows with equal headers, and the header; headers of few rows are skipped."""
    if (headers == headers[0]).all():
        yield np.arange(len(headers)), headers[0].view(np.uint8).tolist()
        return
    guess = (headers * _factors()[: headers.shape[1]]).sum(axis=1, dtype=np.uint64)
    for some in _same(guess):
        first = headers[some[0]]
        yield some[(headers[some] == first).all(axis=1)], first.view(np.uint8).tolist()


@cache
def _factors() -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    """Arbitrary odd multipliers: the hash of a header only suggests which headers are equal."""
    # Made when needed: loading random numbers takes longer than reading a small file.
    return np.random.default_rng(1).integers(0, 1 << 63, 16, dtype=np.uint64) | np.uint64(1)


def _same(guess: np.ndarray[tuple[int], np.dtype[np.uint64]]) -> Iterator[Numbers]:
    """Positions of equal numbers, for numbers that occur more than a few times."""
    left = np.arange(len(guess))
    for _ in range(_AT_ONCE):  # mostly these are all
        is_first = guess[left] == guess[left[0]]
        some, left = left[is_first], left[~is_first]
        if len(some) >= _FEW:
            yield some
        if len(left) < _FEW:
            return
    _, number, count = np.unique(guess[left], return_inverse=True, return_counts=True)
    order = np.argsort(number.astype(np.min_scalar_type(len(count))), kind="stable")
    for last, n in zip(np.cumsum(count).tolist(), count.tolist(), strict=True):
        if n >= _SOME:
            yield left[order[last - n : last]]
