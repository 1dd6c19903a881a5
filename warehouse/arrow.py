"""Keeps pyarrow from loading pandas, which no command uses.

For the first array made of a list, pyarrow imports pandas where it is installed, to recognize its
types: 0.15 s and 45 MB. Once the import has failed, pyarrow tries again only for `to_pandas`.
"""

from __future__ import annotations

import functools
import sys
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import duckdb
    import numpy as np
    import pyarrow as pa

    from warehouse.library.header import Column


class _NoPandas:
    """A finder of modules that does not find pandas."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: object = None) -> None:
        if name == "pandas":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


@functools.cache
def leave_pandas_unloaded() -> None:
    """Makes pyarrow's first array while pandas cannot be imported; afterwards it can."""
    import pyarrow as pa

    if "pandas" in sys.modules:
        return
    sys.meta_path.insert(0, _NoPandas)
    try:
        pa.array([0])
    finally:
        sys.meta_path.remove(_NoPandas)


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
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*extra copy of the rows", UserWarning)
        return connection.to_arrow_table()
