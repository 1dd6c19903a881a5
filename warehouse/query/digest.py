"""Row digests: order-independent hashes of results.

Rows are hashed as text, fractions to 12 digits, because parallel sums differ in the last ones.
Columns with ids of the warehouse are excluded, so that re-imported traces give the same digest.
DuckDB hashes many rows, Python few: a statement that hashes takes DuckDB 10 ms to plan.
"""

from __future__ import annotations

import hashlib
import itertools
import math
import struct
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING

from warehouse.query import plain
from warehouse.store import database

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

    from warehouse.library.header import Column
    from warehouse.query.encoding import Rows
    from warehouse.query.stored import StoredRows

_HALF = 1 << 64
_FEW = 4096  # values
_SEPARATOR, _NULL = "\x1f", "\x1a"


def is_id(column: Column) -> bool:
    """Whether a column holds ids, which are only valid in one warehouse."""
    return column.unit == "id" or (column.unit or "").startswith("ref ")


class Digest:
    """A digest built batch by batch."""

    def __init__(self, columns: Sequence[Column]) -> None:
        self.n_rows = 0
        self._sums = (0, 0)
        self._is_hashed = [not is_id(column) for column in columns]
        self._stack = ExitStack()
        self._connection: duckdb.DuckDBPyConnection | None = None

    def __enter__(self) -> Digest:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def add(self, rows: pa.Table) -> None:
        """Adds rows; columns are identified by position, because names may repeat."""

        columns = list(itertools.compress(rows.columns, self._is_hashed))
        flat = plain.table(columns, [f"c{place}" for place in range(len(columns))])
        texts = _texts(flat) if flat.num_rows * flat.num_columns <= _FEW else None
        if not columns:
            texts = [""] * rows.num_rows
        lower, upper = self._sums_in_sql(flat) if texts is None else _sums(texts)
        self._sums = ((self._sums[0] + lower) % _HALF, (self._sums[1] + upper) % _HALF)
        self.n_rows += rows.num_rows

    def add_stored(self, rows: StoredRows) -> None:
        """Adds rows of plain types, hashed where they are."""
        values = [
            _value(f'"{column.name}"', column.type == "DOUBLE")
            for column in itertools.compress(rows.columns, self._is_hashed)
        ]
        with rows.reading("rows_added") as connection:
            lower, upper = _sums_of(connection, "rows_added", _joined(values))
        self._sums = ((self._sums[0] + lower) % _HALF, (self._sums[1] + upper) % _HALF)
        self.n_rows += rows.n_rows

    def _sums_in_sql(self, rows: pa.Table) -> tuple[int, int]:
        if self._connection is None:
            self._connection = self._stack.enter_context(database.shared_scratchpad())
        self._connection.register("rows_added", rows)
        found = _sums_of(self._connection, "rows_added", _text(rows))
        self._connection.unregister("rows_added")
        return found

    @property
    def hex(self) -> str:
        """Returns the digest of the rows so far: 32 hexadecimal digits."""
        return f"{self._sums[1]:016x}{self._sums[0]:016x}"


def _sums_of(connection: duckdb.DuckDBPyConnection, relation: str, text: str) -> tuple[int, int]:
    """The sums of both halves of the hashes of rows; `text` is SQL for a row as a text."""
    lower, upper = database.one(
        connection,
        # The functions for either half hash each text again.
        f"SELECT sum((hash >> 64)::UBIGINT), sum((hash & {_HALF - 1})::UBIGINT) "
        f"FROM (SELECT md5_number({text}) AS hash FROM {relation})",
    )
    return int(lower or 0), int(upper or 0)


def _sums(texts: Sequence[str]) -> tuple[int, int]:
    """The sums of `md5_number_lower` and `md5_number_upper` of texts."""
    numbers = [struct.unpack("<2Q", hashlib.md5(text.encode()).digest()) for text in texts]
    return sum(lower for _, lower in numbers), sum(upper for upper, _ in numbers)


def _texts(rows: pa.Table) -> list[str] | None:
    """Each row as the text that `_text` makes; None for values that only DuckDB writes so."""
    import pyarrow as pa

    kinds, columns = pa.types, []
    for column in rows.columns:
        values = column.to_pylist()
        if kinds.is_floating(column.type):
            texts = [_NULL if each is None else f"{each:.12g}" for each in values]
            if not all(math.isfinite(each) for each in values if each is not None):
                return None  # DuckDB writes the sign of a NaN
        elif kinds.is_boolean(column.type):
            texts = [_NULL if each is None else str(each).lower() for each in values]
        elif kinds.is_integer(column.type) or kinds.is_string(column.type):
            texts = [_NULL if each is None else str(each) for each in values]
        else:
            return None
        columns.append(texts)
    return list(map(_SEPARATOR.join, zip(*columns, strict=True)))


def _text(rows: pa.Table) -> str:
    """SQL for a row as one text, with unit separators, and NULL distinct from ''."""
    import pyarrow as pa

    parts = [_value(each.name, pa.types.is_floating(each.type)) for each in rows.schema]
    return _joined(parts)


def _joined(values: Sequence[str]) -> str:
    return f"concat_ws(chr(31), {', '.join(values)})"


class DigestingRows:
    """Rows that are digested while they are read."""

    def __init__(self, rows: Rows, digest: Digest) -> None:
        self._rows, self._digest = rows, digest

    @property
    def columns(self) -> tuple[Column, ...]:
        return self._rows.columns

    @property
    def schema(self) -> pa.Schema:
        return self._rows.schema

    @property
    def n_rows(self) -> int:
        return self._rows.n_rows

    def batches(self) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        for batch in self._rows.batches():
            self._digest.add(pa.Table.from_batches([batch]))
            yield batch


def of(rows: Rows) -> str:
    """Returns the digest of rows, reading them."""
    with Digest(rows.columns) as digest:
        for _ in DigestingRows(rows, digest).batches():
            pass
        return digest.hex


def hashed_rows(connection: duckdb.DuckDBPyConnection, table: pa.Table) -> list[tuple[str, str]]:
    """The md5 of each row and its text, in order; ids count, fractions are rounded to 12 digits."""
    rows = plain.table(table.columns, [f"c{place}" for place in range(table.num_columns)])
    texts = _texts(rows) if rows.num_rows * rows.num_columns <= _FEW else None
    if texts is not None:
        return [(hashlib.md5(text.encode()).hexdigest(), _shown(text)) for text in texts]
    connection.register("rows_hashed", rows)
    found = connection.execute(
        f"SELECT md5(t), replace(replace(t, chr(31), ' | '), chr(26), 'NULL') "
        f"FROM (SELECT {_text(rows)} AS t FROM rows_hashed)"
    ).fetchall()
    connection.unregister("rows_hashed")
    return [(str(hash_), str(text)) for hash_, text in found]


def _shown(text: str) -> str:
    """The text of a row as people read it."""
    return text.replace(_SEPARATOR, " | ").replace(_NULL, "NULL")


def _value(name: str, is_fraction: bool) -> str:
    """A value as text, in SQL; NULL is not the empty text."""
    text = f"printf('%.12g', {name}::DOUBLE)" if is_fraction else f"{name}::VARCHAR"
    return f"coalesce({text}, chr(26))"
