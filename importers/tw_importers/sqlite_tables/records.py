"""Rows of SQLite's record format, taken apart column by column; many rows at once.

A row is a header of serial types, one for each column, and the values behind each other.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pyarrow as pa

from tw_importers.sqlite_tables import alike
from tw_importers.sqlite_tables.pages import Bytes, Numbers

Kind = Literal["integer", "real", "text", "blob"]
ARROW = {
    "integer": pa.int64(),
    "real": pa.float64(),
    "text": pa.string(),
    "blob": pa.binary(),
}
Flags = np.ndarray[tuple[int], np.dtype[np.bool_]]
_REAL, _TEXT = 7, 12  # serial types: a double; from here on blobs (even) and texts (odd)
_SIZES = np.array([0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0], dtype=np.int64)
_IS_INTEGER = np.array([0, 1, 1, 1, 1, 1, 1, 0, 1, 1, 0, 0], dtype=bool)
_SHIFTS = 64 - 8 * np.maximum(_SIZES, 1)
_TWO63 = float(1 << 63)
_WHOLE = re.compile(r"[-+]?[0-9]{1,19}")
_ONE = np.ones(1, dtype=np.int64)


@dataclass
class Rows:
    """Some rows: where each begins in `data` and how many bytes it has there."""

    data: Bytes
    start: Numbers
    length: Numbers
    rowid: Numbers
    encoding: str = "utf-8"

    def some(self, which: Numbers) -> Rows:
        """The rows at these places."""
        return Rows(
            self.data, self.start[which], self.length[which], self.rowid[which], self.encoding
        )


@dataclass
class Columns:
    """The requested columns of the intact rows."""

    arrays: list[pa.Array]
    is_whole: Flags
    n_mistyped: int  # values that are not of the requested kind; they are NULL


@dataclass
class _Field:
    """One column of the rows: serial types, and offsets of the values."""

    rows: Rows
    types: Numbers
    at: Numbers
    size: Numbers


def varints(data: Bytes, at: Numbers) -> tuple[Numbers, Numbers]:
    """SQLite's variable-length integers at these places, and the bytes each takes."""
    byte = data.take(at, mode="clip").astype(np.int64)
    value, length = byte & 127, np.ones(len(at), dtype=np.int64)
    more = np.flatnonzero(byte > 127)
    for n in range(1, 9):
        if not len(more):
            break
        byte = data.take(at[more] + n, mode="clip").astype(np.int64)
        value[more] = value[more] << 8 | byte if n == 8 else value[more] << 7 | byte & 127
        length[more] += 1
        more = more[byte > 127]
    return value, length


def _serial_types(data: Bytes, at: Numbers) -> tuple[Numbers, Numbers]:
    """Serial types as `varints` returns numbers; nearly all of them take one byte."""
    byte = data.take(at, mode="clip")
    if byte.max(initial=0) < 128:
        return byte.astype(np.int64), _ONE
    return varints(data, at)


def columns(
    rows: Rows,
    requested: Sequence[tuple[int | None, Kind]],
    rowid_n: int | None,
    defaults: Mapping[int, object],
) -> Columns:
    """The requested columns, by number; None is a column that the table lacks, all NULL.

    Rows from before a column was added have the column's default there.
    """
    numbers = {number for number, _ in requested if number is not None and number != rowid_n}
    if numbers and all(kind == "integer" for _, kind in requested):
        found = _Integers(rows, sorted(numbers))
        if found.n_left < len(rows.start) / 2:
            found.fill_rest(defaults)
            return found.columns([number for number, _ in requested], rowid_n)
    return _any_columns(rows, requested, rowid_n, defaults)


class _Integers:
    """Columns of whole numbers; rows with equal headers are read together."""

    def __init__(self, rows: Rows, numbers: list[int]) -> None:
        n_rows = len(rows.start)
        self._rows, self._numbers = rows, numbers
        self._values = {number: np.zeros(n_rows, np.int64) for number in numbers}
        self._is_null = {number: np.zeros(n_rows, bool) for number in numbers}
        self._is_left = np.ones(n_rows, bool)
        self._is_whole = np.ones(n_rows, bool)
        self._n_mistyped = 0
        for group in alike.groups(rows.data, rows.start, rows.length, numbers):
            self._is_left[group.rows] = False
            for number in numbers:
                column = group.column(number)
                if column is None:
                    self._is_null[number][group.rows] = True
                else:
                    self._values[number][group.rows] = column
        self.n_left = int(self._is_left.sum())

    def fill_rest(self, defaults: Mapping[int, object]) -> None:
        """Reads the rows that are like few others."""
        rest = np.flatnonzero(self._is_left)
        if not len(rest):
            return
        found = _find(self._rows.some(rest), self._numbers, defaults)
        self._is_whole[rest] = found.is_whole
        for number in self._numbers:
            values, is_null, n_wrong = _numbers(found.fields[number])
            if number in found.older:
                default = _scalar(defaults[number], pa.int64())
                if default is not None:
                    values[found.older[number]] = default.as_py()
                    is_null[found.older[number]] = False
            self._values[number][rest], self._is_null[number][rest] = values, is_null
            self._n_mistyped += n_wrong

    def columns(self, requested: Sequence[int | None], rowid_n: int | None) -> Columns:
        """The requested ones in order; a number not in `numbers` is the key, or missing."""
        n_rows = len(self._rows.start)
        arrays = []
        for number in requested:
            if number is None:
                array = pa.nulls(n_rows, pa.int64())
            elif number == rowid_n:
                array = pa.array(self._rows.rowid)
            elif self._is_null[number].any():
                array = pa.array(self._values[number], mask=self._is_null[number])
            else:
                array = pa.array(self._values[number])
            arrays.append(array)
        if not self._is_whole.all():
            arrays = [array.filter(pa.array(self._is_whole)) for array in arrays]
        return Columns(arrays, self._is_whole, self._n_mistyped)


def _any_columns(
    rows: Rows,
    requested: Sequence[tuple[int | None, Kind]],
    rowid_n: int | None,
    defaults: Mapping[int, object],
) -> Columns:
    """Every column found row by row."""
    found = _find(rows, [number for number, _ in requested if number is not None], defaults)
    arrays, n_mistyped = [], 0
    for place, kind in requested:
        if place is None:
            array, n_wrong = pa.nulls(len(rows.start), ARROW[kind]), 0
        elif place == rowid_n:
            array, n_wrong = pa.array(rows.rowid), 0
        else:
            array, n_wrong = _READERS[kind](found.fields[place])
            if place in found.older:
                array = _filled(array, found.older[place], defaults[place])
        arrays.append(array)
        n_mistyped += n_wrong
    if not found.is_whole.all():
        arrays = [array.filter(pa.array(found.is_whole)) for array in arrays]
    return Columns(arrays, found.is_whole, n_mistyped)


@dataclass
class _Positions:
    """Offsets of the values of some columns."""

    fields: dict[int, _Field]
    older: dict[int, Flags]  # rows that lack the column, which has a default for them
    is_whole: Flags


def _find(rows: Rows, numbers_read: Collection[int], defaults: Mapping[int, object]) -> _Positions:
    """Goes through the headers of all rows at once, column by column."""
    header, n_bytes = varints(rows.data, rows.start)
    header_end, end = rows.start + header, rows.start + rows.length
    found = _Positions({}, {}, (header > 0) & (header_end <= end))
    # The length of a damaged header may lead anywhere, also before the file.
    at_type, at = rows.start + n_bytes, np.where(found.is_whole, header_end, rows.start)
    for number in range(max(numbers_read, default=-1) + 1):
        types, n_bytes = _serial_types(rows.data, at_type)
        # Rows older than a column that was added have no field for it.
        missing = (at_type >= header_end) | ~found.is_whole
        if missing.any():
            types[missing] = 0
            if number in defaults:
                found.older[number] = missing
        size = _SIZES.take(types, mode="clip")
        if (is_text := types >= _TEXT).any():
            size = np.where(is_text, types - _TEXT >> 1, size)
        broken = (at + size > end) | (types < 0)
        if broken.any():
            found.is_whole &= ~broken
            types[broken], size[broken] = 0, 0
        if number in numbers_read:
            found.fields[number] = _Field(rows, types, at, size)
        at_type, at = at_type + n_bytes, at + size
    return found


def _filled(array: pa.Array, is_older: Flags, default: object) -> pa.Array:
    """Inserts a column's default for older rows; a default of another type is ignored."""
    value = _scalar(default, array.type)
    if value is None:
        return array
    import pyarrow.compute as pc  # takes longer to load than a small export to read

    return pc.if_else(pa.array(is_older), value, array)


def _scalar(value: object, kind: pa.DataType) -> pa.Scalar | None:
    try:
        return pa.scalar(str(value) if pa.types.is_string(kind) else value, kind)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
        return None


def _eight_bytes(field: _Field) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """The eight bytes at each place as a big-endian integer; beyond the file's end they are 0."""
    data = field.rows.data
    view = np.ndarray((len(data) - 7,), dtype=">i8", buffer=data, strides=(1,))
    at = np.minimum(field.at, len(data) - 8)
    words = view[at].astype(np.int64)
    late = np.flatnonzero(at != field.at)
    if len(late):
        words[late] <<= np.minimum(8 * (field.at - at)[late], 63)
    return np.asarray(words)


def _integers(field: _Field) -> tuple[pa.Array, int]:
    values, is_null, n_wrong = _numbers(field)
    return pa.array(values, mask=is_null if is_null.any() else None), n_wrong


def _numbers(field: _Field) -> tuple[Numbers, Flags, int]:
    """Whole numbers, which of them are NULL, and how many only because they are something else."""
    types = field.types
    small = np.minimum(types, _TEXT - 1)
    is_null = types == 0
    is_good = _IS_INTEGER.take(small)
    values = _eight_bytes(field) >> _SHIFTS.take(small)
    if (constant := (types == 8) | (types == 9)).any():
        values[constant] = types[constant] - 8
    if (is_real := types == _REAL).any():
        reals = _eight_bytes(field).view(np.float64)
        fits = is_real & _fits_integer(reals)
        values[fits] = reals[fits].astype(np.int64)
        is_good = is_good | fits
    if is_good.all():
        return values, ~is_good, 0
    if (is_text := (types > _TEXT) & (types % 2 == 1)).any():
        _spelled(field, is_text, values, is_good)
    return values, ~is_good, int((~is_good & ~is_null).sum())


def _spelled(field: _Field, is_text: Flags, values: Numbers, is_good: Flags) -> None:
    """Whole numbers that stand in the file as texts, as columns without a type hold them."""
    content = _content(field, pa.binary(), ~is_text)
    for n in np.flatnonzero(is_text).tolist():  # one by one: no profiler writes its numbers so
        text = content[n].as_py().decode(field.rows.encoding, "replace").strip()
        if _WHOLE.fullmatch(text) and -_TWO63 <= int(text) < _TWO63:
            values[n], is_good[n] = int(text), True


def _reals(field: _Field) -> tuple[pa.Array, int]:
    whole, is_null, n_wrong = _numbers(field)
    is_real = field.types == _REAL
    reals = _eight_bytes(field).view(np.float64)
    values = np.where(is_real, reals, whole.astype(np.float64))
    n_no_integer = int((is_real & ~_fits_integer(reals)).sum())
    return pa.array(values, mask=is_null & ~is_real), n_wrong - n_no_integer


def _fits_integer(reals: np.ndarray[tuple[int], np.dtype[np.float64]]) -> Flags:
    with np.errstate(invalid="ignore"):  # NaN does not fit
        return np.asarray((np.floor(reals) == reals) & (np.abs(reals) < _TWO63))


def _content(field: _Field, kind: pa.DataType, is_null: Flags) -> pa.Array:
    """The bytes of texts and blobs; of numbers none."""
    size = np.where(field.types >= _TEXT, field.size, 0)
    offsets = np.concatenate([[0], np.cumsum(size)])
    from_byte = np.repeat(field.at - offsets[:-1], size) + np.arange(offsets[-1])
    content = field.rows.data.take(from_byte, mode="clip")
    valid = np.packbits(~is_null, bitorder="little") if is_null.any() else None
    return pa.Array.from_buffers(
        kind,
        len(size),
        [
            None if valid is None else pa.py_buffer(valid),
            pa.py_buffer(offsets.astype(np.int32)),
            pa.py_buffer(content),
        ],
    )


def _blobs(field: _Field) -> tuple[pa.Array, int]:
    """Blobs and texts as they are stored; numbers are NULL."""
    is_null = field.types < _TEXT
    return _content(field, pa.binary(), is_null), int((is_null & (field.types != 0)).sum())


def _texts(field: _Field) -> tuple[pa.Array, int]:
    """Texts and blobs as texts; numbers as they are printed."""
    is_null = field.types == 0
    is_number = (field.types < _TEXT) & ~is_null
    if field.rows.encoding == "utf-8" and not is_number.any():
        texts = _content(field, pa.string(), is_null)
        with suppress(pa.ArrowInvalid):
            texts.validate(full=True)
            return texts, 0
    # One by one: texts in other encodings, broken ones, and numbers where texts should be.
    numbers = _printed(field) if is_number.any() else []
    array = _content(field, pa.binary(), is_null)
    each_text = [
        numbers[n] if is_number[n] else each and each.decode(field.rows.encoding, "replace")
        for n, each in enumerate(array.to_pylist())
    ]
    return pa.array(["" if each == b"" else each for each in each_text], pa.string()), 0


def _printed(field: _Field) -> list[str | None]:
    """Numbers as SQLite prints them: whole ones exactly, others with 15 digits."""
    whole, reals = _integers(field)[0].to_pylist(), _reals(field)[0].to_pylist()
    return [
        None if real is None
        else f"{real:.15g}" if is_real or n is None
        else str(n)
        for n, real, is_real in zip(whole, reals, (field.types == _REAL).tolist(), strict=True)
    ]  # fmt: skip


_READERS = {"integer": _integers, "real": _reals, "text": _texts, "blob": _blobs}
