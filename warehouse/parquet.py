"""Writes the rows of a query as a Parquet file, in groups of rows that take little memory."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from warehouse.files import whole_file

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

GROUP_ROWS = 61_440
_BATCH_ROWS = GROUP_ROWS // 3  # a whole group at once takes more memory


def write(connection: duckdb.DuckDBPyConnection, query: str, path: Path) -> int:
    """Streams a query's rows, in their order, into a file; returns how many. Raises ExportError."""
    import pyarrow.parquet as pq

    path.parent.mkdir(parents=True, exist_ok=True)
    reader = connection.sql(query).to_arrow_reader(_BATCH_ROWS)
    n_rows = 0
    with (
        whole_file(path) as file,
        pq.ParquetWriter(file, reader.schema, compression="zstd") as writer,
    ):
        for group in _groups(reader):
            writer.write_table(group, row_group_size=GROUP_ROWS)
            n_rows += group.num_rows
    return n_rows


def _groups(reader: pa.RecordBatchReader) -> Iterator[pa.Table]:
    """Yields the rows in tables of one row group each; the last may be smaller."""
    import pyarrow as pa

    while batches := list(itertools.islice(reader, GROUP_ROWS // _BATCH_ROWS)):
        group = pa.Table.from_batches(batches)
        del batches  # the memory of a group is free before the next is read
        if group.num_rows:
            yield group
        del group
