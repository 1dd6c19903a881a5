"""Ranges of the host as they fall on streams: rows beside the timeline's, for the Perfetto export.

PyTorch's profiler records such projections itself; profilers of GPUs leave them to their viewers.
One goes from the start of the first work launched in a range to the end of the last, on one stream.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from warehouse.export.perfetto import load
from warehouse.library import library
from warehouse.query import execute

if TYPE_CHECKING:
    import duckdb


def project(connection: duckdb.DuckDBPyConnection) -> int:
    """Makes the TEMP tables `export_range_track` and `export_range`; returns how many ranges.

    Ranges that nest on their thread are projected, of traces of profilers that do not.
    """
    connection.execute(load("range_tables"))
    ((wanted,),) = connection.execute(
        "SELECT count(*) FROM (SELECT 1 FROM export_range_source LIMIT 1)"
    ).fetchall()
    if not wanted:
        return 0
    projected = execute.run(
        connection, "annotation_projection", {"by_stream": True}, library=library.load()
    ).table()
    connection.register("projected", projected)
    connection.execute(load("ranges"))
    connection.unregister("projected")
    ((n,),) = connection.execute("SELECT count(*) FROM export_range").fetchall()
    return int(n)
