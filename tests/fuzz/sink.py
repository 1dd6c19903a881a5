"""Stands for the scratch database while readers run: takes their records and stores nothing.

Without SQL a reader takes a millisecond instead of a hundred. Whatever a statement would read from
an Arrow stream is read to its end, and checked to be valid Arrow.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import duckdb
import pyarrow as pa

from tw_importers.trace_event.native import SCHEMA as EVENT

Rows = list[tuple[Any, ...]]
Parameters = Sequence[Any] | Mapping[str, Any]
#: What statements of readers return that need a row, by a part of their text.
_ANSWERS: tuple[tuple[str, Callable[[Any], Rows]], ...] = (
    ("FROM event_text", lambda _: [(1, 1)]),
    ("SELECT any_value(hostname) FROM machine", lambda _: [(None,)]),
    ("FROM raw_node WHERE seq IN", lambda given: [(seq, 0, "") for seq in given["places"]]),
)


@dataclass
class Answer:
    """The result of a statement."""

    rows: Rows

    def fetchall(self) -> Rows:
        return self.rows

    def fetchone(self) -> tuple[Any, ...] | None:
        return self.rows[0] if self.rows else None


class NoEvents:
    """The result of typing events with stage.sql: none of them."""

    def to_arrow_table(self) -> pa.Table:
        plain = [pa.string() if pa.types.is_dictionary(t) else t for t in EVENT.types]
        return pa.schema(list(zip(EVENT.names, plain, strict=True))).empty_table()


@dataclass
class Sink:
    """The part of a DuckDB connection that readers use."""

    n_records: int = 0
    _sources: dict[str, Any] = field(default_factory=dict)

    def register(self, name: str, source: Any) -> None:
        self._sources[name] = source

    def unregister(self, name: str) -> None:
        self._sources.pop(name, None)

    def execute(
        self, statement: str | duckdb.Statement, parameters: Parameters | None = None
    ) -> Answer:
        sql = statement if isinstance(statement, str) else statement.query
        for name, source in self._sources.items():
            if re.search(rf"\b{name}\b", sql):
                self._take(source)
        rows = next((answer for part, answer in _ANSWERS if part in sql), None)
        return Answer(rows(parameters) if rows else [])

    def extract_statements(self, text: str) -> list[duckdb.Statement]:
        return duckdb.extract_statements(text)

    def sql(self, sql: str) -> NoEvents:
        self.execute(sql)
        return NoEvents()

    def _take(self, source: Any) -> None:
        batches = source.to_batches() if isinstance(source, pa.Table) else source
        for batch in batches:
            batch.validate(full=True)
            self.n_records += batch.num_rows
