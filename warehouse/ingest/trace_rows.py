"""Inserts the rows that describe new traces as a whole: `trace`, `clock` and `source_file`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import duckdb

from warehouse import __version__
from warehouse.ingest import formats, runs
from warehouse.ingest.decode import DecodedSource
from warehouse.ingest.runs import RunChoice
from warehouse.store import statements


@dataclass(frozen=True)
class NewTrace:
    """A decoded source as the trace `id` of a run."""

    id: int
    run_id: int
    decoded: DecodedSource
    choice: RunChoice
    origin: tuple[Any, ...]  # its first and last time, in ns

    def values(self) -> dict[str, object]:
        """Returns the columns of `trace`."""
        importer, facts = formats.by_name(self.decoded.importer_name), self.decoded.facts
        rank, rule = runs.trace_rank(self.decoded, self.choice)
        first_ns, last_ns = self.origin
        is_graph = importer.kind == "graph"
        return {
            "id": self.id, "run_id": self.run_id, "name": runs.trace_name(self.decoded),
            "rank": rank, "rank_rule": rule, "kind": importer.kind, "host_name": facts.host_name,
            "format": facts.format, "format_version": facts.format_version,
            "importer": importer.name, "importer_version": importer.version,
            "tw_version": __version__,
            "base_ns": facts.source_base_ns + first_ns, "source_base_ns": facts.source_base_ns,
            "start_ts": None if is_graph else 0,
            "end_ts": None if is_graph else last_ns - first_ns,
            "clock_id": self.id << 32, "ts_style": facts.ts_style, "dur_style": facts.dur_style,
            "metadata_json": facts.metadata_json, "damage": self.decoded.damage,
        }  # fmt: skip

    def files(self) -> list[tuple[object, ...]]:
        """Returns the rows of `source_file`."""
        return [
            (
                (self.id << 32) + n, self.id, file.source.origin, file.source.member, file.role,
                file.n_stored_bytes, file.n_content_bytes, file.sha256,
            )
            for n, file in enumerate(self.decoded.files)
        ]  # fmt: skip


def insert(connection: duckdb.DuckDBPyConnection, traces: Sequence[NewTrace]) -> None:
    """Inserts traces, their clocks and their files, by one statement for each table."""
    if not traces:
        return
    values = [trace.values() for trace in traces]
    columns = ", ".join(f"unnest(${name}) AS {name}" for name in values[0])
    statements.execute(
        connection,
        f"INSERT INTO trace BY NAME SELECT {columns}, now() AT TIME ZONE 'UTC' AS imported_at",
        {name: [each[name] for each in values] for name in values[0]},
    )
    clocks = [(trace.id << 32, trace.id, "host", *[None] * 7) for trace in traces]
    insert_rows(connection, "clock", clocks)
    insert_rows(connection, "source_file", [row for trace in traces for row in trace.files()])


def insert_rows(
    connection: duckdb.DuckDBPyConnection, table: str, rows: Sequence[Sequence[object]]
) -> None:
    """Inserts rows of all columns of a table, in their order."""
    if rows:
        # Columns as lists: planning a value for each place takes 15 times as long.
        columns = ", ".join(["unnest(?)"] * len(rows[0]))
        statement = f"INSERT INTO {table} SELECT {columns}"
        statements.execute(connection, statement, [list(each) for each in zip(*rows, strict=True)])
