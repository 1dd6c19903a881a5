"""Keeps pyarrow from loading pandas, which no command uses.

For the first array made of a list, pyarrow imports pandas where it is installed, to recognize its
types: 0.15 s and 45 MB. Once the import has failed, pyarrow tries again only for `to_pandas`.
"""

from __future__ import annotations

import functools
import sys
import threading
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import duckdb
    import numpy as np
    import pyarrow as pa

    from warehouse.library.header import Column


_lock = threading.Lock()
_filters: object = None  # the list of filters of warnings that has ours


class _NoPandas:
    """A finder of modules that does not find pandas for the thread that made it."""

    def __init__(self) -> None:
        self._thread = threading.get_ident()

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: object = None
    ) -> None:
        if name == "pandas" and threading.get_ident() == self._thread:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


@functools.cache
def leave_pandas_unloaded() -> None:
    """Makes pyarrow's first array while pandas cannot be imported; afterwards it can.

    Other threads may import modules meanwhile.
    """
    import pyarrow as pa

    with _lock:
        if "pandas" in sys.modules:
            return
        finder = _NoPandas()
        # In new lists: another thread may be iterating over this one, to find a module. Removing
        # the first finder would make it skip one, and a module would seem to be missing.
        sys.meta_path = [finder, *sys.meta_path]
        try:
            pa.array([0])
        finally:
            sys.meta_path = [each for each in sys.meta_path if each is not finder]


def table_of(rows: Iterable[Mapping[str, Any]], columns: Iterable[Column]) -> pa.Table:
    """A table of rows by column name, made without loading pandas."""
    import pyarrow as pa

    leave_pandas_unloaded()
    types = {
        "VARCHAR": pa.string(), "DOUBLE": pa.float64(), "BIGINT": pa.int64(),
        "INTEGER": pa.int32(), "BOOLEAN": pa.bool_(),
    }  # fmt: skip
    schema = pa.schema([(each.name, types[each.type]) for each in columns])
    return pa.Table.from_pylist(list(rows), schema)


def numbers(column: pa.ChunkedArray) -> np.ndarray[Any, np.dtype[np.float64]]:
    """The numbers of a column, NaN for NULL.

    Of the usual types they are read without a cast, for which pyarrow loads all its functions.
    """
    import pyarrow as pa

    if not (pa.types.is_integer(column.type) or pa.types.is_floating(column.type)):
        column = column.cast(pa.float64(), safe=False)
    return column.to_numpy().astype("float64", copy=False)  # type: ignore[no-any-return]


def coded(texts: Iterable[str]) -> tuple[list[str], np.ndarray[Any, np.dtype[np.int64]]]:
    """The different texts in order of appearance, and the place of each among them."""
    import numpy as np

    given = list(texts)
    places = {text: place for place, text in enumerate(dict.fromkeys(given))}
    return list(places), np.fromiter(map(places.__getitem__, given), np.int64, len(given))


def rows_of(connection: duckdb.DuckDBPyConnection, sql: str) -> pa.Table:
    """All rows of a statement. A relation would stream them, but its statement is bound twice."""
    connection.execute(sql)
    ignore_copies()
    return connection.to_arrow_table()


def ignore_copies() -> None:
    """Suppresses DuckDB's warning that rows of an executed statement are copied to Arrow.

    `warnings.catch_warnings` would restore filters while another thread relies on its own.
    """
    global _filters
    with _lock:
        if _filters is not warnings.filters:  # each list of filters once
            warnings.filterwarnings("ignore", ".*extra copy of the rows", UserWarning)
            _filters = warnings.filters
