"""Writes several traces to one file of Trace Event JSON, one above the other.

Processes are named after their run and trace, and have ids of their own; times are those that the
traces share, from the first event of all. Traces whose clocks are not related begin where their
own clocks say. Arrows of links between the traces come last.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from warehouse.export.chrome import load, trace
from warehouse.files import whole_file

if TYPE_CHECKING:
    import duckdb

_TRACES = """
SELECT
  t.id,
  r.name || '/' || t.name,
  -- a drifting clock is aligned at the middle of its trace, as in Perfetto files
  t.base_ns + coalesce(c.offset_ns + round(coalesce(c.drift * t.end_ts, 0) / 2)::BIGINT, 0)
FROM trace AS t
JOIN run AS r ON r.id = t.run_id
LEFT JOIN clock AS c ON c.id = t.clock_id
WHERE t.kind = 'timeline'
ORDER BY t.id
"""

_TRACKS = """
CREATE OR REPLACE TEMP TABLE chrome_track (
  n BIGINT, track_id BIGINT, members VARCHAR, file_ns BIGINT
)
"""


def export_together(connection: duckdb.DuckDBPyConnection, path: Path) -> trace.WrittenTrace:
    """Writes all traces in scope to a `.json` or `.json.gz` file."""
    places = {
        trace_id: (label, base_ns)
        for trace_id, label, base_ns in connection.execute(_TRACES).fetchall()
    }
    first_ns = min(base_ns for _, base_ns in places.values())
    connection.execute(load("macros"))
    connection.execute(_TRACKS)
    n_events = 0
    with whole_file(path) as file:
        file.write(b"[\n")
        for each in trace.traces(connection):
            label, base_ns = places[each.id]
            file_ns = base_ns - first_ns
            query = trace.making(connection, each, label=label, file_ns=file_ns)
            n_events += trace.write_events(
                connection, query, file, f"trace {each.name!r}", is_first=not n_events
            )
            connection.execute(load("written", file_ns=file_ns))
        n_events += _write_arrows(connection, file, is_first=not n_events)
        file.write(b"\n]\n")
    return trace.WrittenTrace(path, f"{len(places)} traces", n_events, is_restored=False)


def _write_arrows(connection: duckdb.DuckDBPyConnection, file: BinaryIO, *, is_first: bool) -> int:
    source = "links between traces"
    with trace.reading(source):
        connection.execute(load("arrows"))
    query = trace.separated(load("between"))
    return trace.write_events(connection, query, file, source, is_first=is_first)
