"""What a warehouse holds for a lake: its traces and runs, and states that change with their rows.

The state of a trace is made of its row, the statistics and problems of its import, and the numbers
of its rows by table: each import and each rebuilding of links changes one of them. That of a run is
made of all its rows, which are few.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from warehouse.lake import claims, tables, writing

if TYPE_CHECKING:
    import duckdb

#: Columns of `trace` that other traces of the run change: they are in the run's commit.
_PAIRED = "rank, rank_rule, timeline_trace_id, pair_rule"


@dataclass(frozen=True)
class TraceRow:
    """A trace of a warehouse."""

    id: int
    run_id: int
    name: str
    rank: int | None
    kind: str
    key: str
    state: str


@dataclass(frozen=True)
class RunRow:
    """A run of a warehouse."""

    name: str
    job_id: str | None


@dataclass(frozen=True)
class Content:
    """The traces and runs of an open warehouse, in the order of their ids."""

    connection: duckdb.DuckDBPyConnection
    traces: list[TraceRow]
    runs: dict[int, RunRow]
    counts: dict[int, dict[str, int]]  # rows of traces by table

    @classmethod
    def read(cls, connection: duckdb.DuckDBPyConnection, after: int = 0) -> Content:
        """Reads a warehouse; of traces up to the id `after` no rows are counted."""
        counts = writing.counts_of_traces(connection, after)
        rows = connection.execute(_TRACES).fetchall()
        seen: dict[str, int] = {}
        traces = []
        for trace_id, run_id, name, rank, kind, sha256, of_run, text in rows:
            key = claims.trace_key(sha256, *([] if of_run is None else [of_run, name]))
            seen[key] = seen.get(key, 0) + 1
            if seen[key] > 1:  # one file may have several traces
                key = claims.trace_key(sha256, str(key), str(seen[key]))
            state = _digest([text, counts.get(trace_id)])
            traces.append(TraceRow(trace_id, run_id, name, rank, kind, key, state))
        runs = connection.execute("SELECT id, name, job_id FROM run ORDER BY id").fetchall()
        found = {int(run_id): RunRow(name, job_id) for run_id, name, job_id in runs}
        return cls(connection, traces, found, counts)

    def run_counts(self, run_id: int) -> dict[str, int]:
        """The rows of a run by table."""
        return writing.counts_of_run(self.connection, run_id)

    def run_state(self, run_id: int, more: Sequence[object]) -> str:
        """A text that changes with the rows of a run, or with `more`."""
        sums = []
        for table in tables.tables().values():
            if (condition := table.of_run(run_id)) is not None:
                row = self.connection.execute(
                    f"SELECT count(*), sum(md5_number_lower(to_json(x)::VARCHAR))::VARCHAR "
                    f'FROM (SELECT * FROM "{table.name}" WHERE {condition}) AS x'
                ).fetchall()
                sums.append([table.name, *row[0]])
        return _digest([sums, *more])


_TRACES = f"""
WITH file AS (
  SELECT trace_id, list(DISTINCT sha256 ORDER BY sha256) AS sha256
  FROM source_file
  WHERE NOT starts_with(role, 'option ')
  GROUP BY trace_id
),
stat AS (
  SELECT trace_id, string_agg(to_json(s)::VARCHAR, ' ' ORDER BY id) AS stats
  FROM import_stat AS s
  WHERE name <> 'run_linked'
  GROUP BY trace_id
)
SELECT
  t.id, t.run_id, t.name, t.rank, t.kind, coalesce(f.sha256, []),
  CASE WHEN r.kind <> 'measured' OR f.sha256 IS NULL THEN r.name END,
  concat(to_json(p)::VARCHAR, s.stats)
FROM trace AS t
JOIN (SELECT * EXCLUDE ({_PAIRED}) FROM trace) AS p ON p.id = t.id
JOIN run AS r ON r.id = t.run_id
LEFT JOIN file AS f ON f.trace_id = t.id
LEFT JOIN stat AS s ON s.trace_id = t.id
ORDER BY t.id
"""


def _digest(values: object) -> str:
    text = json.dumps(values, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:32]
