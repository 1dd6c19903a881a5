"""Writes the rows of queries as a Parquet file, in groups of rows that take little memory."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from warehouse.files import whole_file

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

GROUP_ROWS = 61_440
_BATCH_ROWS = GROUP_ROWS // 3  # a whole group at once takes more memory


def write(connection: duckdb.DuckDBPyConnection, query: str | Sequence[str], path: Path) -> int:
    """Streams a query's rows, in their order, into a file; returns how many. Raises ExportError.

    The rows of several queries, which have the same columns, follow each other.
    """
    import pyarrow.parquet as pq

    first, *others = [query] if isinstance(query, str) else query
    reader = connection.sql(first).to_arrow_reader(_BATCH_ROWS)
    batches = itertools.chain(reader, _batches(connection, others))
    n_rows = 0
    path.parent.mkdir(parents=True, exist_ok=True)
    with (
        whole_file(path) as file,
        pq.ParquetWriter(file, reader.schema, compression="zstd") as writer,
    ):
        for group in _groups(batches):
            writer.write_table(group, row_group_size=GROUP_ROWS)
            n_rows += group.num_rows
    return n_rows


def _batches(
    connection: duckdb.DuckDBPyConnection, queries: Sequence[str]
) -> Iterator[pa.RecordBatch]:
    for query in queries:
        yield from connection.sql(query).to_arrow_reader(_BATCH_ROWS)


def _groups(found: Iterator[pa.RecordBatch]) -> Iterator[pa.Table]:
    """Yields the rows in tables of one row group each; the last may be smaller."""
    import pyarrow as pa

    while batches := list(itertools.islice(found, GROUP_ROWS // _BATCH_ROWS)):
        group = pa.Table.from_batches(batches)
        del batches  # the memory of a group is free before the next is read
        if group.num_rows:
            yield group
        del group
