"""Numbers the combinations of phase, category, place and binding that the events of a file have.

A file has few of them, often under a hundred. SQL joins, filters and groups events by the number of
their kind, an integer, where it would compare several texts for each event.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]

COLUMNS = ("ph", "cat", "pid", "tid", "bp", "scope")
_MAX_SLOTS = 1 << 18  # of a table of numbers; beyond, sorting takes less than clearing it

#: Columns stored for each event, beside its kind.
ROW_SCHEMA = pa.schema([
    ("seq", pa.int64()), ("kind", pa.int32()), ("name", pa.dictionary(pa.int32(), pa.string())),
    ("id", pa.string()), ("ts_ns", pa.int64()), ("dur_ns", pa.int64()), ("args", pa.string()),
    ("text", pa.string()),
])  # fmt: skip


class Kinds:
    """The kinds of the events of a trace so far; each keeps the next of `numbers` it found."""

    def __init__(self, trace_n: int = 0, numbers: Iterator[int] | None = None) -> None:
        self._trace_n, self._next = trace_n, numbers or itertools.count()
        self._numbers: dict[tuple[str | None, ...], int] = {}

    def __len__(self) -> int:
        return len(self._numbers)

    def rows(self, events: pa.Table) -> pa.Table:
        """Returns events with their kind instead of the columns that make it.

        `events` has one chunk, and dictionaries in `COLUMNS`.
        """
        columns = [events.column(name).combine_chunks() for name in COLUMNS]
        places, first = _combine(columns)
        numbers = np.array(self._number(columns, first), np.int32)
        kinds = pa.Array.from_buffers(
            pa.int32(), len(events), [None, pa.py_buffer(numbers[places])]
        )
        arrays = [kinds if name == "kind" else events.column(name) for name in ROW_SCHEMA.names]
        return pa.Table.from_arrays(arrays, schema=ROW_SCHEMA)

    def table(self) -> pa.Table:
        """Returns the kinds: `kind`, `trace_n` and `COLUMNS`."""
        columns = zip(*self._numbers, strict=True) if self._numbers else ([] for _ in COLUMNS)
        texts = {
            name: pa.array(list(column), pa.string())
            for name, column in zip(COLUMNS, columns, strict=True)
        }
        numbers = {
            "kind": pa.array(list(self._numbers.values()), pa.int32()),
            "trace_n": pa.array([self._trace_n] * len(self), pa.int64()),
        }
        return pa.table({**numbers, **texts})

    def _number(self, columns: list[Any], rows: Ints) -> list[int]:
        indices = pa.Array.from_buffers(pa.int64(), len(rows), [None, pa.py_buffer(rows)])
        texts = [column.take(indices).to_pylist() for column in columns]
        kinds = list(zip(*texts, strict=True))
        for kind in kinds:
            if kind not in self._numbers:
                self._numbers[kind] = next(self._next)
        return [self._numbers[kind] for kind in kinds]


def by_kind(rows: pa.Table) -> pa.Table:
    """Returns rows ordered by kind; those of one kind keep their order."""
    kinds = rows.column("kind").to_numpy()
    if len(kinds) and int(kinds.max()) < 1 << 16:
        kinds = kinds.astype(np.uint16)  # the only width that is sorted by its digits
    order = np.argsort(kinds, kind="stable")
    return rows.take(pa.Array.from_buffers(pa.int64(), len(order), [None, pa.py_buffer(order)]))


def _combine(columns: list[Any]) -> tuple[Ints, Ints]:
    """Returns which distinct combination each row has, and one row of each of them."""
    n_rows = len(columns[0])
    combined, n_combined = np.zeros(n_rows, np.int64), 1
    for column in columns:
        n_codes = len(column.dictionary) + 1
        if n_combined * n_codes > _MAX_SLOTS:
            combined, n_combined = _compact(combined, n_combined)
        combined *= n_codes
        combined += _codes(column)
        n_combined *= n_codes
    combined, n_combined = _compact(combined, n_combined)
    rows = np.empty(n_combined, np.int64)
    rows[combined] = np.arange(n_rows)
    return combined, rows


def _codes(column: Any) -> Ints:
    """Returns the codes of a dictionary array; NULL is the last."""
    indices = column.indices
    if indices.null_count:
        indices = indices.fill_null(len(column.dictionary))
    codes: Ints = indices.to_numpy()
    return codes


def _compact(codes: Ints, n_codes: int) -> tuple[Ints, int]:
    """Renumbers codes below `n_codes` without gaps; returns them, and how many they are."""
    if n_codes > _MAX_SLOTS:
        distinct, compacted = np.unique(codes, return_inverse=True)
        return compacted, len(distinct)
    is_present = np.zeros(n_codes, bool)
    is_present[codes] = True
    present = np.flatnonzero(is_present)
    numbers = np.empty(n_codes, np.int64)
    numbers[present] = np.arange(len(present))
    return numbers[codes], len(present)
