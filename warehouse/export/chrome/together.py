"""Writes several traces to one file of Trace Event JSON, one above the other.

Processes are named after their run and trace, and have ids of their own; times are those that the
traces share, from the first event of all. Traces whose clocks are not related begin where their
own clocks say.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

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


def export_together(connection: duckdb.DuckDBPyConnection, path: Path) -> trace.WrittenTrace:
    """Writes all traces in scope to a `.json` or `.json.gz` file."""
    places = {
        trace_id: (label, base_ns)
        for trace_id, label, base_ns in connection.execute(_TRACES).fetchall()
    }
    first_ns = min(base_ns for _, base_ns in places.values())
    connection.execute(load("macros"))
    n_events = 0
    with whole_file(path) as file:
        file.write(b"[\n")
        for each in trace.traces(connection):
            label, base_ns = places[each.id]
            query = trace.making(connection, each, label=label, file_ns=base_ns - first_ns)
            n_events += trace.write_events(
                connection, query, file, each.name, is_first=not n_events
            )
        file.write(b"\n]\n")
    return trace.WrittenTrace(path, f"{len(places)} traces", n_events, is_restored=False)
