"""The rows of a lake's tables as SQL over the Parquet files that commits name.

A table has rows in files of one trace each, in compacted files of several, and in files of runs.
A compacted file may have rows of traces that were replaced or removed: of each file those of the
traces count whose commits name it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from warehouse.lake import tables
from warehouse.lake.layout import File, Lake, RunCommit, TraceCommit
from warehouse.lake.tables import Table


@dataclass(frozen=True)
class Views:
    """The rows of tables, of the traces and runs with the given commits."""

    lake: Lake
    traces: Mapping[int, TraceCommit]
    runs: Sequence[RunCommit]

    def all(self, names: Iterable[str] | None = None) -> dict[str, str]:
        """A query for each table, or some, whose columns have the types of the schema."""
        known = tables.tables()
        of_traces: dict[str, dict[str, tuple[File, list[int]]]] = {}
        for commit in self.traces.values():
            for file in commit.files:
                files = of_traces.setdefault(file.table, {})
                files.setdefault(file.path, (file, []))[1].append(commit.trace_id)
        of_runs: dict[str, list[File]] = {}
        for run in self.runs:
            for file in run.files:
                of_runs.setdefault(file.table, []).append(file)
        return {
            name: self._rows(
                known[name], list(of_traces.get(name, {}).values()), of_runs.get(name, [])
            )
            for name in (known if names is None else names)
        }

    def _rows(
        self, table: Table, of_traces: Sequence[tuple[File, list[int]]], of_runs: Sequence[File]
    ) -> str:
        own = [file for file, _ in of_traces if not file.is_shared]
        parts = [self.of_files(table, own)] if own else []
        parts += [
            f"{self.of_shared(table, [file])} WHERE {among(str(table.trace_column), traces)}"
            for file, traces in of_traces
            if file.is_shared
        ]
        rows = " UNION ALL ".join(parts)
        if of_runs:
            replacing = self._of_runs(table, of_runs)
            if parts and table.name in tables.REPLACED:
                rows = f"SELECT * FROM ({rows}) WHERE id NOT IN (SELECT id FROM ({replacing}))"
            rows = f"{rows} UNION ALL {replacing}" if parts else replacing
        rows = rows or f"SELECT {_nothing(table)} WHERE false"
        if table.name == "query_version":  # each run has those of its linkers
            rows = (
                "SELECT name, version, content_hash, min(first_used_at) AS first_used_at "
                f"FROM ({rows}) GROUP BY ALL"
            )
        return rows

    def of_files(self, table: Table, files: Iterable[File]) -> str:
        """The rows of files of one trace each, whose column trace_id is part of their path."""
        return (
            f"SELECT {_columns(table)} FROM read_parquet({self._paths(files)}, "
            "hive_partitioning = true, hive_types = {'trace_id': BIGINT})"
        )

    def of_shared(self, table: Table, files: Iterable[File]) -> str:
        """The rows of files of several traces."""
        return (
            f"SELECT {_columns(table)} FROM read_parquet({self._paths(files)}, "
            "hive_partitioning = false)"
        )

    def _of_runs(self, table: Table, files: Sequence[File]) -> str:
        """The rows of files of runs, of traces that are committed."""
        rows = self.of_shared(table, files)
        condition = _committed(table, self.traces)
        return f"{rows} WHERE {condition}" if condition else rows

    def _paths(self, files: Iterable[File]) -> str:
        return listed(dict.fromkeys(self.lake.path(file) for file in files))


def _columns(table: Table) -> str:
    """The columns with the types of the schema, whatever the files or paths have."""
    return ", ".join(
        f'CAST("{column.name}" AS {column.type}) AS "{column.name}"' for column in table.columns
    )


def _nothing(table: Table) -> str:
    """Columns of a table without files."""
    return ", ".join(f'CAST(NULL AS {column.type}) AS "{column.name}"' for column in table.columns)


def _committed(table: Table, traces: Iterable[int]) -> str | None:
    """The condition of rows whose traces are committed, in a file that has others, too."""
    ids = list(traces)
    if table.name == "run":
        return None  # only runs with traces have a commit in use
    if table.name == "link":
        ends = f"{among('(from_id >> 32)', ids)} AND {among('(to_id >> 32)', ids)}"
        return f"coalesce({among('trace_id', ids)}, {ends})"
    if table.relates is not None:
        named = [column.name for column in table.columns if column.name.endswith("_trace_id")]
        return " AND ".join(among(name, ids) for name in named)
    column = table.trace_column
    return None if column is None else among(column, ids)


def among(value: str, ids: Iterable[int]) -> str:
    """The condition that a value is one of some ids, as ranges: the ids of a run mostly are."""
    ranges: list[list[int]] = []
    for number in sorted(ids):
        if ranges and number == ranges[-1][1] + 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    found = [f"{value} BETWEEN {first} AND {last}" for first, last in ranges]
    return f"({' OR '.join(found)})" if found else "false"


def listed(paths: Iterable[str]) -> str:
    """Paths as a list of SQL."""
    quoted = ("'" + path.replace("'", "''") + "'" for path in paths)
    return f"[{', '.join(quoted)}]"
