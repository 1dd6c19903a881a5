"""Writes rows of a warehouse to a lake: the files of a trace or run, which a commit then names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from warehouse import parquet
from warehouse.lake import layout, tables
from warehouse.lake.layout import File, Lake
from warehouse.lake.storage import sha256_of
from warehouse.lake.tables import Table

if TYPE_CHECKING:
    import duckdb


@dataclass
class Writer:
    """Writes rows of an open warehouse under the ids that they have in the lake.

    `trace_ids` and `run_ids` are those of the lake by those of the warehouse.
    """

    connection: duckdb.DuckDBPyConnection
    lake: Lake
    trace_ids: Mapping[int, int]
    run_ids: Mapping[int, int]

    def __post_init__(self) -> None:
        for name, ids in ((tables.TRACE_IDS, self.trace_ids), (tables.RUN_IDS, self.run_ids)):
            places = [ids.get(old) for old in range(1, max(ids, default=0) + 1)]
            self.connection.execute(f"SET VARIABLE {name} = $ids::BIGINT[]", {"ids": places})

    def trace(self, trace_id: int, counts: Mapping[str, int]) -> tuple[File, ...]:
        """Writes the rows of a trace; `counts` are its rows by table, without those of runs."""
        new, attempt = self.trace_ids[trace_id], layout.attempt()
        written = []
        for table in _with_rows(counts):
            column = table.trace_column
            condition = f"{table.of_traces()} AND {column} = {trace_id}"
            without = column if column == "trace_id" else None
            path = f"{table.name}/trace_id={new}/part-{attempt}.parquet"
            written.append(self._write(table, condition, path, without))
        return tuple(written)

    def run(self, run_id: int, counts: Mapping[str, int]) -> tuple[File, ...]:
        """Writes the rows of a run; `counts` are its rows by table."""
        new, attempt = self.run_ids[run_id], layout.attempt()
        written = []
        for table in _with_rows(counts):
            path = f"{table.name}/run_id={new}/part-{attempt}.parquet"
            written.append(self._write(table, str(table.of_run(run_id)), path, None))
        return tuple(written)

    def _write(self, table: Table, condition: str, path: str, without: str | None) -> File:
        columns = tables.selected(table, without=without)
        query = f'SELECT {columns} FROM "{table.name}" WHERE {condition}'
        return write(self.connection, self.lake, table, path, [query])


def write(
    connection: duckdb.DuckDBPyConnection, lake: Lake, table: Table, path: str,
    queries: Sequence[str],
) -> File:  # fmt: skip
    """Writes the rows of queries, one after the other, as a file of a lake."""
    with layout.writing(lake.name), lake.storage.adding(path) as target:
        n_rows = parquet.write(connection, queries, target)
        with target.open("rb") as written:
            return File(table.name, path, target.stat().st_size, sha256_of(written), n_rows)


def counts_of_traces(
    connection: duckdb.DuckDBPyConnection, after: int = 0
) -> dict[int, dict[str, int]]:
    """The rows of traces above an id by table, without those of runs and empty tables."""
    found: dict[int, dict[str, int]] = {}
    for table in tables.tables().values():
        if (condition := table.of_traces()) is None:
            continue
        rows = connection.execute(
            f'SELECT {table.trace_column}, count(*) FROM "{table.name}" WHERE {condition} '
            f"AND {table.trace_column} > {after} GROUP BY 1"
        ).fetchall()
        for trace_id, n_rows in rows:
            found.setdefault(int(trace_id), {})[table.name] = int(n_rows)
    return found


def counts_of_run(connection: duckdb.DuckDBPyConnection, run_id: int) -> dict[str, int]:
    """The rows of a run by table, without empty tables."""
    found = {}
    for table in tables.tables().values():
        if (condition := table.of_run(run_id)) is not None:
            query = f'SELECT count(*) FROM "{table.name}" WHERE {condition}'
            ((n_rows,),) = connection.execute(query).fetchall()
            if n_rows:
                found[table.name] = int(n_rows)
    return found


def _with_rows(counts: Mapping[str, int]) -> Iterable[Table]:
    return (table for name, table in tables.tables().items() if counts.get(name))
