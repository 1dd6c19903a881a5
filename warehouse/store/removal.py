"""Removes traces for `tw drop` and `tw prune`, and plans removals."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from warehouse.errors import DatabaseError
from warehouse.query import scope
from warehouse.query.scope import Scope
from warehouse.query.selection import Selection
from warehouse.store import database, deletion

if TYPE_CHECKING:
    import duckdb


@dataclass(frozen=True)
class RemovalPlan:
    """The traces to remove, with their names for confirmation."""

    scope: Scope
    names: tuple[str, ...]  # RUN/TRACE


@dataclass(frozen=True)
class Age:
    """Rule for runs to remove: minimum age, except tagged runs and the newest."""

    older_than: timedelta | None = None  # since the last import into the run
    keep_tagged: bool = False
    keep_last: int = 0


def plan(path: Path, wait_s: float, selection: Selection, age: Age | None = None) -> RemovalPlan:
    """Plans a removal; the warehouse is locked for reading only meanwhile."""
    with database.Reader(path, wait_s=wait_s) as reader:
        return _plan(reader.connection, selection, age)


def remove(
    path: Path, wait_s: float, selection: Selection, agreed: RemovalPlan, age: Age | None = None
) -> None:
    """Removes the planned traces in one transaction; raises DatabaseError if the plan changed."""
    from warehouse.link import linkers, run_links

    with database.writer(path, wait_s=wait_s) as connection:
        if _plan(connection, selection, age).scope.trace_ids != agreed.scope.trace_ids:
            raise DatabaseError(
                "the warehouse has changed meanwhile; nothing was removed", hint="Try again."
            )
        with database.transaction(connection):
            runs = deletion.delete_traces(connection, agreed.scope.trace_ids)
            known = linkers.linkers()
            for run_id in sorted(runs):
                run_links.link_run(connection, known, run_id)


def _plan(
    connection: duckdb.DuckDBPyConnection, selection: Selection, age: Age | None
) -> RemovalPlan:
    chosen = scope.resolve(connection, replace(selection, with_captures=True))
    ids = list(chosen.trace_ids)
    if age is not None:
        old = _old_runs(connection, age)
        rows = connection.execute(
            "SELECT id, run_id FROM trace WHERE id IN (SELECT unnest(?))", [ids]
        )
        ids = sorted(trace_id for trace_id, run_id in rows.fetchall() if run_id in old)
    named = connection.execute(
        "SELECT r.name || '/' || t.name FROM trace AS t JOIN run AS r ON r.id = t.run_id "
        "WHERE t.id IN (SELECT unnest(?)) ORDER BY t.id",
        [ids],
    ).fetchall()
    return RemovalPlan(Scope(chosen.run_ids, tuple(ids)), tuple(str(name) for (name,) in named))


def _old_runs(connection: duckdb.DuckDBPyConnection, age: Age) -> set[int]:
    """Returns the runs that the rule selects."""
    limit = datetime.now(UTC).replace(tzinfo=None) - (age.older_than or timedelta())
    rows = connection.execute(
        """
        SELECT run_id FROM (
          SELECT
            t.run_id, max(t.imported_at) AS last_import,
            row_number() OVER (ORDER BY max(t.imported_at) DESC, t.run_id DESC) AS place
          FROM trace AS t GROUP BY t.run_id
        )
        WHERE last_import <= $limit AND place > $keep_last
          AND NOT ($keep_tagged AND run_id IN (SELECT run_id FROM tag))
        """,
        {"limit": limit, "keep_last": age.keep_last, "keep_tagged": age.keep_tagged},
    ).fetchall()
    return {int(run_id) for (run_id,) in rows}
