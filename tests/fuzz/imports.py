"""Imports inputs whole, SQL and commit included, and judges what is in the warehouse afterwards.

Rules: every source is imported, with a disposition for each record, or refused with a TraceError,
whatever lies beside it; of a refused one there is no row, and rows refer to rows that exist.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import duckdb

from tests.fuzz.family import Family, Files
from tests.fuzz.limits import Violation, limited
from tests.fuzz.readers import check_error, write
from warehouse.ingest import conservation, pipeline
from warehouse.ingest.pipeline import Options, Outcome
from warehouse.store import catalog, database

CPU_S = 10.0  # of each input
_DANGLING = {
    "graph_edge": "from_node_id NOT IN (SELECT id FROM graph_node) "
    "OR to_node_id NOT IN (SELECT id FROM graph_node)",
    "tensor_use": "graph_node_id NOT IN (SELECT id FROM graph_node)",
    "slice": "track_id NOT IN (SELECT id FROM track)",
    "counter": "track_id NOT IN (SELECT id FROM track)",
}


def run(family: Family, inputs: Sequence[Files], folder: Path) -> list[str]:
    """Imports inputs together into a new warehouse; returns how each ended.

    Raises whatever breaks a rule. Options are the defaults: what is strict is read in `readers`.
    """
    incoming, db = folder / "in", _new_warehouse(folder)
    shutil.rmtree(incoming, ignore_errors=True)
    paths: list[str] = []
    for n, files in enumerate(inputs):
        paths += write(family, files, incoming / f"n{n}")
    with limited(CPU_S * (1 + len(inputs))):
        outcomes = pipeline.import_paths(
            paths, db=db, options=Options(jobs=1, format=_forced(family))
        )
    ends = [_end(outcome) for outcome in outcomes]
    _check_warehouse(db, ends.count("imported"))
    return ends


def _forced(family: Family) -> str | None:
    return None if family.is_capture else family.importer


def _end(outcome: Outcome) -> str:
    if outcome.committed is not None:
        if conservation.KIND in outcome.committed.problems:
            raise Violation("records without a disposition")
        return "imported"
    if outcome.status == "failed":
        assert outcome.error is not None
        check_error(outcome.error)
    return outcome.status


def _check_warehouse(db: Path, n_imported: int) -> None:
    """Raises Violation unless just so many traces are in it, and nothing else."""
    with database.Reader(db) as reader:
        connection = reader.connection
        (n_traces,) = database.one(connection, "SELECT count(*) FROM trace")
        if n_traces != n_imported:
            raise Violation(f"{n_traces} traces in the warehouse, {n_imported} imported")
        for table in catalog.trace_tables(connection):
            if _count(connection, table, "trace_id NOT IN (SELECT id FROM trace)"):
                raise Violation(f"rows of no trace in {table}")
        for table, condition in _DANGLING.items():
            if _count(connection, table, condition):
                raise Violation(f"rows of {table} refer to nothing")


def _count(connection: duckdb.DuckDBPyConnection, table: str, condition: str) -> int:
    (n,) = database.one(connection, f"SELECT count(*) FROM {table} WHERE {condition}")
    return int(n)


def _new_warehouse(folder: Path) -> Path:
    """An empty one: a copy of that of the first call, as making one takes long."""
    template, db = folder / "empty.duckdb", folder / "w.duckdb"
    if not template.exists():
        database.create_empty(template)
    db.unlink(missing_ok=True)
    shutil.copyfile(template, db)
    return db
