"""Writes Arrow batches into a scratch database while an importer makes them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import pyarrow as pa

if TYPE_CHECKING:
    import duckdb

    from warehouse.ingest.importer import Scratch


def run(
    connection: duckdb.DuckDBPyConnection,
    statement: str,
    name: str,
    schema: pa.Schema,
    batches: Iterable[pa.RecordBatch],
    parameters: Sequence[object] | None = None,
) -> None:
    """Runs a statement that reads batches, once, by a name.

    An exception of the batches is raised as it is; DuckDB would raise its own with the same text.
    """
    failures: list[BaseException] = []
    reader = pa.RecordBatchReader.from_batches(schema, _recorded(batches, failures))
    connection.register(name, reader)
    try:
        connection.execute(statement, parameters)
    except Exception:
        if failures:
            raise failures[0] from None
        raise
    finally:
        connection.unregister(name)


def store(
    scratch: Scratch,
    name: str,
    schema: pa.Schema,
    batches: Iterable[pa.RecordBatch],
    *,
    row_group_size: int | None = None,
) -> None:
    """Writes batches to the Parquet file `name` of the scratch folder. Raises as `run`."""
    target = scratch.path(name).replace("'", "''")
    size = "" if row_group_size is None else f", ROW_GROUP_SIZE {row_group_size}"
    statement = f"COPY (FROM batches) TO '{target}' (FORMAT parquet, COMPRESSION snappy{size})"
    run(scratch.connection, statement, "batches", schema, batches)


def _recorded(
    batches: Iterable[pa.RecordBatch], failures: list[BaseException]
) -> Iterator[pa.RecordBatch]:
    """Yields the batches, and adds their exception to `failures`."""
    try:
        yield from batches
    except BaseException as error:
        failures.append(error)
        raise
