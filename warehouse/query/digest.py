"""Row digests: order-independent hashes of results.

DuckDB hashes rows as text, fractions to 12 digits, because parallel sums differ in the last ones.
Columns with ids of the warehouse are excluded, so that re-imported traces give the same digest.
"""

from __future__ import annotations

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

_HALF = 1 << 64


def is_id(column: Column) -> bool:
    """Whether a column holds ids, which are only valid in one warehouse."""
    return column.unit == "id" or (column.unit or "").startswith("ref ")


class Digest:
    """A digest built batch by batch, in an in-memory database."""

    def __init__(self, columns: Sequence[Column]) -> None:
        self.n_rows = 0
        self._sums = [0, 0]
        self._columns = columns
        self._stack = ExitStack()
        self._connection: duckdb.DuckDBPyConnection | None = None

    def __enter__(self) -> Digest:
        self._connection = self._stack.enter_context(database.shared_scratchpad())
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def add(self, rows: pa.Table) -> None:
        """Adds rows; columns are identified by position, because names may repeat."""

        assert self._connection is not None
        names = [f"c{place}" for place in range(rows.num_columns)]
        flat = plain.table(rows.columns, names)
        self._connection.register("rows_added", flat)
        lower, upper = database.one(
            self._connection,
            f"SELECT sum(md5_number_lower(t)), sum(md5_number_upper(t)) "
            f"FROM (SELECT {self._text(flat)} AS t FROM rows_added)",
        )
        self._connection.unregister("rows_added")
        self._sums = [
            (total + int(part or 0)) % _HALF
            for total, part in zip(self._sums, (lower, upper), strict=True)
        ]
        self.n_rows += rows.num_rows

    def _text(self, flat: pa.Table) -> str:
        """Returns SQL for a row as one text, with unit separators, and NULL distinct from ''."""
        import pyarrow as pa

        parts = []
        for place, column in enumerate(self._columns):
            if is_id(column):
                continue
            name = f"c{place}"
            is_fraction = pa.types.is_floating(flat.schema.field(name).type)
            parts.append(_value(name, is_fraction))
        return f"concat_ws(chr(31), {', '.join(parts)})" if parts else "''"

    @property
    def hex(self) -> str:
        """Returns the digest of the rows so far: 32 hexadecimal digits."""
        return f"{self._sums[1]:016x}{self._sums[0]:016x}"


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
    import pyarrow as pa

    names = [f"c{place}" for place in range(table.num_columns)]
    rows = plain.table(table.columns, names)
    parts = [_value(name, pa.types.is_floating(rows.schema.field(name).type)) for name in names]
    connection.register("rows_hashed", rows)
    found = connection.execute(
        f"SELECT md5(t), replace(replace(t, chr(31), ' | '), chr(26), 'NULL') "
        f"FROM (SELECT concat_ws(chr(31), {', '.join(parts)}) AS t FROM rows_hashed)"
    ).fetchall()
    connection.unregister("rows_hashed")
    return [(str(hash_), str(text)) for hash_, text in found]


def _value(name: str, is_fraction: bool) -> str:
    """A value as text, in SQL; NULL is not the empty text."""
    text = f"printf('%.12g', {name}::DOUBLE)" if is_fraction else f"{name}::VARCHAR"
    return f"coalesce({text}, chr(26))"
