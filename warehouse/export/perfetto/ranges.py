"""Adds slices that are not stored: ranges of the host on streams, critical paths, and others.

Host ranges (NVTX, rocTX) are projected onto streams. The PyTorch profiler records such projections
itself; other GPU profilers leave them to viewers. A projection spans the device work launched in a
range, from first start to last end, on one stream. Presentations add slices by a query.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from warehouse.export.perfetto import load
from warehouse.library import library
from warehouse.query import execute

if TYPE_CHECKING:
    import duckdb

    from warehouse.export.presentation import Presentation


def project(connection: duckdb.DuckDBPyConnection) -> int:
    """Creates the TEMP tables `export_range_track` and `export_range`; returns how many ranges.

    Projects ranges that nest on their thread, of traces without recorded projections.
    """
    connection.execute(load("range_tables"))
    ((has_ranges,),) = connection.execute(
        "SELECT count(*) FROM (SELECT 1 FROM export_range_source LIMIT 1)"
    ).fetchall()
    if not has_ranges:
        return 0
    projected = execute.run(
        connection, "annotation_projection", {"by_stream": True}, library=library.load()
    ).table()
    connection.register("projected", projected)
    connection.execute(load("ranges"))
    connection.unregister("projected")
    ((n,),) = connection.execute("SELECT count(*) FROM export_range").fetchall()
    return int(n)


def add_slices(connection: duckdb.DuckDBPyConnection, presentations: Iterable[Presentation]) -> int:
    """Adds the slices of presentations to those of ranges; returns how many."""
    chosen = {each.added_slices for each in presentations if each.added_slices is not None}
    n_added = 0
    for each in sorted(chosen, key=lambda added: added.query):
        some = f"SELECT count(*) FROM (SELECT 1 FROM {each.table} LIMIT 1)"
        if connection.execute(some).fetchall() == [(0,)]:
            continue
        rows = execute.run(connection, each.query, library=library.load()).table()
        connection.register("added", rows)
        connection.execute(load("added"))
        connection.unregister("added")
        n_added += rows.num_rows
    return n_added


def add_paths(connection: duckdb.DuckDBPyConnection) -> int:
    """Adds the critical paths of predictions in scope to them; returns how many slices.

    Creates the TEMP table `export_path`: the slices, in the order of `place` in each run.
    """
    rows = execute.run(connection, "predicted_path", library=library.load()).table()
    connection.register("path", rows)
    connection.execute(load("paths"))
    connection.unregister("path")
    ((n,),) = connection.execute("SELECT count(*) FROM export_path").fetchall()
    return int(n)
