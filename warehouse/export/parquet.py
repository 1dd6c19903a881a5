"""Writes the scope as Parquet files, one folder per table.

Tables with `trace_id` are Hive-partitioned: DIR/<table>/trace_id=<id>/part-0.parquet, without that
column in the file. Other tables are DIR/<table>/part-0.parquet. Rows without trace (links between
traces) are in Hive's default partition, which readers show as NULL; so is the empty file of a table
without rows, which keeps its columns.

Views over tables stored in parts (`Presentation.detail_views`) are written too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warehouse.errors import ExportError
from warehouse.export import presentation
from warehouse.export.exporter import Exporter
from warehouse.files import whole_file, whole_folder

if TYPE_CHECKING:
    import duckdb

    from warehouse.query.session import Session

_BATCH_ROWS = 122_880  # DuckDB's row group
_DEFAULT_PARTITION = "__HIVE_DEFAULT_PARTITION__"


@dataclass(frozen=True)
class WrittenTable:
    """A written table."""

    name: str
    n_rows: int
    n_files: int


def export_parquet(connection: duckdb.DuckDBPyConnection, folder: Path) -> list[WrittenTable]:
    """Writes the rows of all tables in scope to a new folder, atomically.

    Raises ExportError when the folder is occupied or cannot be written.
    """
    import duckdb

    try:
        with whole_folder(folder) as part:
            return [
                _write_table(connection, name, is_partitioned, part / name)
                for name, is_partitioned in _tables(connection)
            ]
    except duckdb.Error as error:
        raise ExportError(f"cannot read a table: {str(error).splitlines()[0]}") from error


def _tables(connection: duckdb.DuckDBPyConnection) -> list[tuple[str, bool]]:
    """The tables of a lake, and whether their rows belong to traces."""
    return connection.execute(
        """
        SELECT table_name, bool_or(column_name = 'trace_id')
        FROM duckdb_columns()
        WHERE database_name = current_database() AND schema_name = 'main'
          AND table_name IN (
            SELECT table_name FROM duckdb_tables() WHERE database_name = current_database()
            UNION ALL
            SELECT unnest($views::VARCHAR[])
          )
        GROUP BY table_name
        ORDER BY table_name
        """,
        {"views": presentation.detail_views()},
    ).fetchall()


def _write_table(
    connection: duckdb.DuckDBPyConnection, name: str, is_partitioned: bool, folder: Path
) -> WrittenTable:
    if not is_partitioned:
        n_rows = _write_file(connection, f'SELECT * FROM "{name}"', folder)
        return WrittenTable(name, n_rows, 1)
    found = connection.execute(f'SELECT DISTINCT trace_id FROM "{name}" ORDER BY 1').fetchall()
    trace_ids = [row[0] for row in found] or [None]
    n_rows = 0
    for trace_id in trace_ids:
        condition = "trace_id IS NULL" if trace_id is None else f"trace_id = {trace_id}"
        value = _DEFAULT_PARTITION if trace_id is None else trace_id
        query = f'SELECT * EXCLUDE (trace_id) FROM "{name}" WHERE {condition}'
        n_rows += _write_file(connection, query, folder / f"trace_id={value}")
    return WrittenTable(name, n_rows, len(trace_ids))


def _write_file(connection: duckdb.DuckDBPyConnection, query: str, folder: Path) -> int:
    """Streams a query's rows, in their order, into one Parquet file; returns how many."""
    import pyarrow.parquet as pq

    folder.mkdir(parents=True)
    reader = connection.sql(query).to_arrow_reader(_BATCH_ROWS)
    n_rows = 0
    with (
        whole_file(folder / "part-0.parquet") as file,
        pq.ParquetWriter(file, reader.schema, compression="zstd") as writer,
    ):
        for batch in reader:
            if batch.num_rows:
                writer.write_batch(batch, row_group_size=_BATCH_ROWS)
                n_rows += batch.num_rows
    return n_rows


def _write(opened: Session, path: Path, options: Mapping[str, Any]) -> Any:
    return export_parquet(opened.connection, path)


EXPORTER = Exporter(_write)
