"""NumPy's columns as Arrow's, without a copy, and what is distinct in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from tw_importers.sophgo.records import Ints

if TYPE_CHECKING:
    import duckdb


def put(connection: duckdb.DuckDBPyConnection, name: str, table: pa.Table) -> None:
    """Makes a table of the scratch database of these rows."""
    connection.register("incoming", table)
    connection.execute(f"CREATE TABLE {name} AS FROM incoming")
    connection.unregister("incoming")


def columns(values: dict[str, Any]) -> pa.Table:
    """A table of columns of numbers."""
    return pa.table({name: column(each) for name, each in values.items()})


def column(values: Any) -> pa.Array:
    """An Arrow column of NumPy's numbers without a copy, where they lie one after the other."""
    if not isinstance(values, np.ndarray):
        values = np.array(list(values), np.int64)
    kind = {"int64": pa.int64(), "int32": pa.int32(), "uint32": pa.uint32()}[str(values.dtype)]
    plain = np.ascontiguousarray(values)
    return pa.Array.from_buffers(kind, len(plain), [None, pa.py_buffer(plain)])


def distinct(values: Ints) -> tuple[Ints, np.ndarray]:
    """The distinct values in the order they first appear in, and which of them each is.

    By hashing, as they are few.
    """
    encoded = column(values).dictionary_encode()
    return encoded.dictionary.to_numpy(), encoded.indices.to_numpy()
