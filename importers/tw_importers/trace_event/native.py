"""Loads the compiled reader of plain events (reader.c) and lays Arrow columns over its output.

The library is optional: it is built when the package is installed where a C compiler is (see
build_reader.py), and `TW_NATIVE=0` switches it off. A library that was built from another reader.c
than the one beside it is not used.
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from numpy.typing import NDArray

SOURCE = Path(__file__).with_name("reader.c")
LIBRARY = SOURCE.with_suffix(".dll" if sys.platform == "win32" else ".so")
SWITCH = "TW_NATIVE"

MORE, CLOSED, INVALID, FULL = range(4)  # how a call of tw_read ended
PHASES = ("X", "i", "I", "s", "t", "f")
N_ROWS = 122_880  # of a group: a row group of DuckDB
_DICTIONARIES = ("cat", "name", "pid", "tid", "bp", "scope")
_N_SLOTS = 1 << 18  # of a hash table: more than two a row
_N_OTHER = 1 << 16
_MAX_EVENT_BYTES = 4 << 20  # larger events are not plain
_ARGS_BYTES = 64 << 20
_CODES = pa.dictionary(pa.int32(), pa.string())
_POINTER = ctypes.c_void_p


class _Dictionary(ctypes.Structure):
    _fields_ = (
        ("codes", _POINTER), ("is_valid", _POINTER), ("slots", _POINTER), ("hashes", _POINTER),
        ("offsets", _POINTER), ("texts", _POINTER), ("n_text_bytes", ctypes.c_int64),
        ("n_slots", ctypes.c_int32), ("n", ctypes.c_int32), ("n_null", ctypes.c_int32),
        ("last", ctypes.c_int32),
    )  # fmt: skip


class _Texts(ctypes.Structure):
    _fields_ = (
        ("offsets", _POINTER), ("is_valid", _POINTER), ("texts", _POINTER),
        ("n_text_bytes", ctypes.c_int64), ("n_null", ctypes.c_int32),
    )  # fmt: skip


class _Rows(ctypes.Structure):
    _fields_ = (
        ("n_max", ctypes.c_int64), ("n_event_max", ctypes.c_int64), ("n", ctypes.c_int64),
        ("seq", _POINTER), ("ts", _POINTER), ("dur", _POINTER), ("phases", _POINTER),
        ("dur_is_valid", _POINTER), ("n_dur_null", ctypes.c_int32),
        ("dictionaries", _Dictionary * len(_DICTIONARIES)), ("id", _Texts), ("args", _Texts),
        ("n_other_max", ctypes.c_int64), ("n_other", ctypes.c_int64),
        ("other_seq", _POINTER), ("other_start", _POINTER), ("other_end", _POINTER),
    )  # fmt: skip


class State(ctypes.Structure):
    """Position of the reader in the array; `seq` is that of the next event."""

    _fields_ = (
        ("seq", ctypes.c_int64), ("ts_style", ctypes.c_int32), ("dur_style", ctypes.c_int32),
        ("is_first", ctypes.c_int32), ("after_comma", ctypes.c_int32),
        ("n_consumed", ctypes.c_int64),
    )  # fmt: skip


@dataclass(frozen=True)
class Availability:
    """The library, or None and why it is not used."""

    library: ctypes.CDLL | None
    reason: str = ""


def load() -> Availability:
    """The compiled reader, unless it is switched off, not built, or built from another source."""
    if os.environ.get(SWITCH) == "0":
        return Availability(None, f"{SWITCH}=0")
    return load_from(LIBRARY)


@functools.cache
def load_from(path: Path) -> Availability:
    """The library at `path`, if it was built from the reader.c of this package."""
    if not path.exists():
        return Availability(None, "not built")
    try:
        library = ctypes.CDLL(str(path))
        library.tw_source_sha256.restype = ctypes.c_char_p
        built_from = library.tw_source_sha256().decode()
    except (OSError, AttributeError) as error:
        return Availability(None, f"cannot be loaded: {error}")
    if built_from != hashlib.sha256(SOURCE.read_bytes()).hexdigest():
        return Availability(None, "built from another version of reader.c")
    library.tw_read.argtypes = (
        ctypes.POINTER(_Rows), ctypes.POINTER(State), _POINTER, ctypes.c_int64
    )  # fmt: skip
    return Availability(library)


class Rows:
    """Columns that the compiled reader appends to; reused after `clear`.

    Pages of the buffers are used only as far as rows reach.
    """

    def __init__(self, library: ctypes.CDLL) -> None:
        n_rows = N_ROWS
        self._library = library
        self._arrays: list[NDArray[Any]] = []  # keeps the buffers alive
        self._c = _Rows(n_max=n_rows, n_event_max=_MAX_EVENT_BYTES, n_other_max=_N_OTHER)
        c = self._c
        self.seq, c.seq = self._column(n_rows, np.int64)
        self._ts, c.ts = self._column(n_rows, np.int64)
        self._dur, c.dur = self._column(n_rows, np.int64)
        self._phases, c.phases = self._column(n_rows, np.int32)
        self._dur_is_valid, c.dur_is_valid = self._column(n_rows // 8 + 1, np.uint8)
        self._dictionaries = [self._dictionary(each, n_rows) for each in c.dictionaries]
        self._id = self._texts(c.id, n_rows, _MAX_EVENT_BYTES)
        self._args = self._texts(c.args, n_rows, _ARGS_BYTES)
        self.other_seq, c.other_seq = self._column(_N_OTHER, np.int64)
        self._other_start, c.other_start = self._column(_N_OTHER, np.int64)
        self._other_end, c.other_end = self._column(_N_OTHER, np.int64)
        self.clear()

    def _column(self, n: int, dtype: type[np.generic]) -> tuple[NDArray[Any], int]:
        array = np.empty(n, dtype)
        self._arrays.append(array)
        return array, array.ctypes.data

    def _dictionary(self, c: Any, n_rows: int) -> tuple[NDArray[Any], ...]:
        codes, c.codes = self._column(n_rows, np.int32)
        is_valid, c.is_valid = self._column(n_rows // 8 + 1, np.uint8)
        slots = np.zeros(_N_SLOTS, np.int32)
        c.slots = slots.ctypes.data
        _, c.hashes = self._column(_N_SLOTS, np.uint32)
        offsets, c.offsets = self._column(_N_SLOTS + 1, np.int32)
        texts, c.texts = self._column(_MAX_EVENT_BYTES, np.uint8)
        c.n_slots, c.n_text_bytes = _N_SLOTS, _MAX_EVENT_BYTES
        return codes, is_valid, slots, offsets, texts

    def _texts(self, c: Any, n_rows: int, n_bytes: int) -> tuple[NDArray[Any], ...]:
        offsets, c.offsets = self._column(n_rows + 1, np.int32)
        is_valid, c.is_valid = self._column(n_rows // 8 + 1, np.uint8)
        texts, c.texts = self._column(n_bytes, np.uint8)
        c.n_text_bytes = n_bytes
        return offsets, is_valid, texts

    def clear(self) -> None:
        """Removes all rows; arrays of `columns` are invalid from now on."""
        c = self._c
        c.n = c.n_other = c.n_dur_null = c.id.n_null = c.args.n_null = 0
        for each, (_, _, slots, offsets, _) in zip(c.dictionaries, self._dictionaries, strict=True):
            if each.n:
                slots[:] = 0
            each.n = each.n_null = 0
            each.last = -1
            offsets[0] = 0
        self._id[0][0] = self._args[0][0] = 0

    def __len__(self) -> int:
        return int(self._c.n)

    @property
    def capacity(self) -> int:
        """The number of rows that fit."""
        return int(self._c.n_max)

    @property
    def n_other(self) -> int:
        """Events of the last calls that are not plain; see `others`."""
        return int(self._c.n_other)

    def read(self, state: State, block: memoryview) -> int:
        """Appends the events of a block; returns MORE, CLOSED, FULL, or INVALID and no rows.

        The interpreter's lock is released meanwhile.
        """
        address = np.frombuffer(block, np.uint8).ctypes.data if len(block) else None
        return int(self._library.tw_read(self._c, state, address, len(block)))

    def others(self) -> list[tuple[int, int, int]]:
        """(seq, start, end) of the events that are not plain; removes them."""
        n, self._c.n_other = self.n_other, 0
        columns = (self.other_seq, self._other_start, self._other_end)
        return list(zip(*(column[:n].tolist() for column in columns), strict=True))

    def columns(self) -> pa.RecordBatch:
        """The rows, in buffers that the next `clear` reuses."""
        c, n = self._c, len(self)
        cat, name, pid, tid, bp, scope = (
            self._codes(*pair, n) for pair in zip(c.dictionaries, self._dictionaries, strict=True)
        )
        phases = pa.Array.from_buffers(pa.int32(), n, [None, pa.py_buffer(self._phases)])
        columns = {
            "seq": _numbers(self.seq, n, None),
            "ph": pa.DictionaryArray.from_arrays(phases, pa.array(PHASES), safe=False),
            "cat": cat, "name": name, "pid": pid, "tid": tid,
            "id": _strings(c.id, self._id, n),
            "bp": bp, "scope": scope,
            "ts_ns": _numbers(self._ts, n, None),
            "dur_ns": _numbers(self._dur, n, self._dur_is_valid if c.n_dur_null else None),
            "args": _strings(c.args, self._args, n),
            "text": pa.nulls(n, pa.string()),
        }  # fmt: skip
        return pa.RecordBatch.from_arrays(list(columns.values()), schema=SCHEMA)

    def _codes(self, c: Any, arrays: tuple[NDArray[Any], ...], n: int) -> pa.Array:
        codes, is_valid, _, offsets, texts = map(pa.py_buffer, arrays)
        values = pa.Array.from_buffers(pa.string(), c.n, [None, offsets, texts])
        bits = is_valid if c.n_null else None
        indices = pa.Array.from_buffers(pa.int32(), n, [bits, codes])
        return pa.DictionaryArray.from_arrays(indices, values, safe=False)


SCHEMA = pa.schema([
    ("seq", pa.int64()), ("ph", _CODES), ("cat", _CODES), ("name", _CODES), ("pid", _CODES),
    ("tid", _CODES), ("id", pa.string()), ("bp", _CODES), ("scope", _CODES),
    ("ts_ns", pa.int64()), ("dur_ns", pa.int64()), ("args", pa.string()), ("text", pa.string()),
])  # fmt: skip


def _numbers(values: NDArray[Any], n: int, is_valid: NDArray[Any] | None) -> pa.Array:
    bits = None if is_valid is None else pa.py_buffer(is_valid)
    return pa.Array.from_buffers(pa.int64(), n, [bits, pa.py_buffer(values)])


def _strings(c: Any, arrays: tuple[NDArray[Any], ...], n: int) -> pa.Array:
    offsets, is_valid, texts = map(pa.py_buffer, arrays)
    return pa.Array.from_buffers(pa.string(), n, [is_valid if c.n_null else None, offsets, texts])
