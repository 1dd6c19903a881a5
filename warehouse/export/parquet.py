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

from warehouse import parquet
from warehouse.errors import ExportError
from warehouse.export import presentation
from warehouse.export.exporter import Exporter
from warehouse.files import whole_folder

if TYPE_CHECKING:
    import duckdb

    from warehouse.query.session import Session

_FILE = "part-0.parquet"
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

    views = presentation.detail_views()
    try:
        with whole_folder(folder) as part:
            return [
                _write_table(connection, name, is_partitioned, name in views, part / name)
                for name, is_partitioned in _tables(connection, views)
            ]
    except duckdb.Error as error:
        raise ExportError(f"cannot read a table: {str(error).splitlines()[0]}") from error


def _tables(connection: duckdb.DuckDBPyConnection, views: list[str]) -> list[tuple[str, bool]]:
    """The tables to write, and whether their rows belong to traces."""
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
        {"views": views},
    ).fetchall()


def _write_table(
    connection: duckdb.DuckDBPyConnection,
    name: str,
    is_partitioned: bool,
    is_view: bool,
    folder: Path,
) -> WrittenTable:
    if not is_partitioned:
        n_rows = parquet.write(connection, f'SELECT * FROM "{name}"', folder / _FILE)
        return WrittenTable(name, n_rows, 1)
    found = connection.execute(f'SELECT DISTINCT trace_id FROM "{name}" ORDER BY 1').fetchall()
    trace_ids = [row[0] for row in found] or [None]
    n_rows = 0
    for trace_id in trace_ids:
        condition = "trace_id IS NULL" if trace_id is None else f"trace_id = {trace_id}"
        value = _DEFAULT_PARTITION if trace_id is None else trace_id
        # Tables are read in the order of their rows, joins of many rows in any.
        order = "ORDER BY 1" if is_view else ""
        query = f'SELECT * EXCLUDE (trace_id) FROM "{name}" WHERE {condition} {order}'
        n_rows += parquet.write(connection, query, folder / f"trace_id={value}" / _FILE)
    return WrittenTable(name, n_rows, len(trace_ids))


def _write(opened: Session, path: Path, options: Mapping[str, Any]) -> Any:
    return export_parquet(opened.connection, path)


EXPORTER = Exporter(_write, writes_ids=True)
