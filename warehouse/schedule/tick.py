"""One tick: runs what is due, and records the outcomes.

The warehouse is locked for writing twice per file, briefly: to claim the due time and to record the
result.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from warehouse.errors import DatabaseError, LockedDatabase, UsageError
from warehouse.export import manifest
from warehouse.schedule import records
from warehouse.schedule.definition import Definition
from warehouse.schedule.due import due
from warehouse.schedule.produce import produce
from warehouse.schedule.records import RunResult
from warehouse.store import database

if TYPE_CHECKING:
    import duckdb

    from warehouse.query.session import Place

#: Recording the result of a finished file waits longer than starting a tick.
_FINISH_WAIT_S = 60.0


@dataclass(frozen=True)
class Outcome:
    """A due time with its result, or the last of several that were missed."""

    schedule: str
    due_at: datetime
    made: RunResult
    n_times: int = 1


def run_due(place: Place, now: datetime | None = None) -> Iterator[Outcome]:
    """Runs all that is due at `now` (UTC), oldest first per schedule.

    Raises LockedDatabase if the warehouse stays locked; the rest is then due at the next tick.
    """
    now = now or datetime.now(UTC)
    for name in _with_work(place, now):
        while True:
            missed, claimed = _claim_next(place, name, now)
            if missed is not None:
                yield missed
            if claimed is None:
                break
            yield _make(place, *claimed)


def run_now(place: Place, name: str, now: datetime | None = None) -> Outcome:
    """Runs a schedule now, whether or not it is due or paused; raises UsageError."""
    now = (now or datetime.now(UTC)).replace(microsecond=0)
    with database.writer(place.path, wait_s=place.wait_s) as connection:
        definition = records.find(connection, name)
        with database.transaction(connection):
            if not records.claim(connection, name, now, manual=True):
                raise UsageError(f"{name} has already run in this second", hint="Try again.")
    return _make(place, definition, now)


def _with_work(place: Place, now: datetime) -> list[str]:
    """Returns schedules with due times; most ticks find none and do not lock the warehouse."""
    with database.Reader(place.path, wait_s=place.wait_s) as reader:
        connection = reader.connection
        return [
            each.name
            for each in records.schedules(connection)
            if any(_todo(connection, each, now)[:2]) or records.is_ahead(connection, each.name, now)
        ]


def _todo(
    connection: duckdb.DuckDBPyConnection, definition: Definition, now: datetime
) -> tuple[list[datetime], list[datetime], int]:
    """Times to run, times to record as skipped, and the number of times not recorded."""
    found = due(definition, records.last_due(connection, definition.name, now), now)
    left = records.unfinished(connection, definition, datetime.now(UTC))
    return [*left, *found.made], list(found.skipped), found.n_unrecorded


def _claim_next(
    place: Place, name: str, now: datetime
) -> tuple[Outcome | None, tuple[Definition, datetime] | None]:
    """Claims the next due time, rechecking under the lock, and records skipped ones."""
    with database.writer(place.path, wait_s=place.wait_s) as connection:
        known = [each for each in records.schedules(connection) if each.name == name]
        if not known:
            return None, None
        (definition,) = known
        times, missed, n_unrecorded = _todo(connection, definition, now)
        reason = "missed: run-due was not called in time"
        if n_unrecorded:
            reason += f"; {n_unrecorded:,} earlier times were also missed"
        with database.transaction(connection):
            records.remove_ahead(connection, name, now)
            records.skip(connection, name, missed, reason)
            taken = next((at for at in times if records.claim(connection, name, at)), None)
    claimed = None if taken is None else (definition, taken)
    if not missed:
        return None, claimed
    n_times = len(missed) + n_unrecorded
    return Outcome(name, missed[-1], RunResult("skipped", error=reason), n_times), claimed


def _make(place: Place, definition: Definition, due_at: datetime) -> Outcome:
    try:
        made = produce(place, definition, due_at)
    except LockedDatabase:
        with suppress(DatabaseError), _writer(place) as connection:
            records.release(connection, definition.name, due_at)
        raise
    with _writer(place) as connection, database.transaction(connection):
        ended = datetime.now(UTC)
        if not records.finish(connection, definition.name, due_at, ended, made):
            made = RunResult("skipped", error="taken over by another process")
        elif made.status == "ok" and definition.keep_last is not None:
            _prune(connection, definition, ended)
    return Outcome(definition.name, due_at, made)


def _writer(place: Place) -> AbstractContextManager[duckdb.DuckDBPyConnection]:
    return database.writer(place.path, wait_s=max(place.wait_s, _FINISH_WAIT_S))


def _prune(connection: duckdb.DuckDBPyConnection, definition: Definition, now: datetime) -> None:
    """Removes all outputs but the last ones; keeps files that have been changed."""
    old, kept = records.superseded(connection, definition.name, int(definition.keep_last or 0))
    for due_at, output, digest in old:
        path = Path(output)
        if output not in kept and path.is_file() and manifest.sha256(path) == digest:
            path.unlink(missing_ok=True)
            manifest.beside(path).unlink(missing_ok=True)
        records.removed(connection, definition.name, due_at, now)
