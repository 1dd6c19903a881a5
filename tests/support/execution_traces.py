"""Execution traces in a warehouse in memory, one after another: no file, no links, no process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb

from tw_importers.execution_trace import EXECUTION_TRACE
from warehouse.ingest import decode
from warehouse.ingest.importer import InParts, Scratch, TraceFacts
from warehouse.ingest.streams import TraceStream
from warehouse.store import database

FIRST_ID = 1 << 32  # of trace 1, which every trace is here


class Memory:
    """What an import of an execution trace does to the core tables, in a schema made once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.connection = duckdb.connect(":memory:")
        path = folder / "warehouse.duckdb"
        database.create_empty(path)
        self.connection.execute(f"ATTACH '{path}' AS warehouse; USE warehouse")

    @contextmanager
    def imported(self, source: Path) -> Iterator[TraceFacts]:
        """The rows of a file, within a transaction that is rolled back."""
        connection = self.connection
        connection.execute("ATTACH ':memory:' AS scratch; USE scratch")
        try:
            scratch = Scratch(self.folder, connection)
            with source.open("rb") as file:
                facts = EXECUTION_TRACE.read(TraceStream(file, source.name), scratch)
            decode.prepare(EXECUTION_TRACE, scratch, facts)
            connection.execute("USE warehouse; BEGIN")
            self._insert(facts)
            yield facts
            connection.execute("ROLLBACK")
        finally:
            connection.execute("USE warehouse; DETACH scratch")

    def _insert(self, facts: TraceFacts) -> None:
        self.connection.execute(f"SET VARIABLE trace_id = 1; SET VARIABLE first_id = {FIRST_ID}")
        self.connection.execute(
            "INSERT INTO trace (id, run_id, name, format, importer, importer_version, tw_version, "
            "imported_at, base_ns, source_base_ns, metadata_json) "
            "VALUES (1, 1, 't', 'execution_trace', '', 1, '', now() AT TIME ZONE 'UTC', 0, 0, ?)",
            [facts.metadata_json],
        )
        for script in EXECUTION_TRACE.normalize:
            assert not isinstance(script, InParts)
            self.connection.execute(script.read_text())

    def rows(self, query: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.connection.sql(query).to_arrow_table().to_pylist()
        return found

    def problems(self) -> dict[str, int]:
        """What the SQL finds odd about the file that is imported."""
        rows = self.rows("SELECT kind, count FROM scratch.problem WHERE count > 0")
        return {row["kind"]: row["count"] for row in rows}
