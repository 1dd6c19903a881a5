"""Rows of a query in a table of the session's database, which counts to its memory limit.

Of many ranks, a section of a report has hundreds of thousands of rows, of which their distribution
and their digest are shown: both are computed where the rows are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

import duckdb

from warehouse.errors import query_error
from warehouse.query.result import QueryResult

if TYPE_CHECKING:
    import pyarrow as pa

    from warehouse.library.header import Column

_FEW = 1 << 16  # values that are read at once


class StoredRows(QueryResult):
    """All rows of a query in a table, which is dropped once they are read or released."""

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        table: str,
        columns: tuple[Column, ...],
        meta: Mapping[str, str],
        order: str = "",
    ) -> None:
        """`order` is SQL that puts the rows of the table into the order of the query."""
        self._connection, self.table_name, self._order = connection, table, order
        super().__init__(self._read("LIMIT 0"), columns, meta)
        ((self._n_rows,),) = connection.execute(f"SELECT count(*) FROM {table}").fetchall()
        self.is_stored = True
        if self._n_rows * len(columns) <= _FEW:
            self.arrow()

    @property
    def n_rows(self) -> int:
        return int(self._n_rows)

    def arrow(self) -> pa.Table:
        """Returns the rows as an Arrow table, which takes the place of the stored ones."""
        if self.is_stored:
            self._table = self._read(self._order)
            self._drop()
        return self._table

    def release(self) -> None:
        """Drops the rows."""
        if self.is_stored:
            self._drop()
        self._n_rows = 0
        super().release()

    @contextmanager
    def reading(self, name: str) -> Iterator[duckdb.DuckDBPyConnection]:
        """A connection on which the stored rows have a name."""
        try:
            with self._connection.cursor() as connection:
                connection.execute(f"CREATE TEMP VIEW {name} AS FROM {self.table_name}")
                yield connection
        except duckdb.Error as error:
            raise query_error(error) from None

    def _read(self, rest: str) -> pa.Table:
        try:
            return self._connection.sql(f"FROM {self.table_name} {rest}").to_arrow_table()
        except (duckdb.Error, OSError) as error:  # Arrow wraps DuckDB's errors in OSError
            raise query_error(error) from None

    def _drop(self) -> None:
        self._connection.execute(f"DROP TABLE {self.table_name}")
        self.is_stored = False
