"""The tables `schedule` and `schedule_run`: definitions, claims, results.

A writer locks the whole warehouse, so a claim is a SELECT followed by an INSERT.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from warehouse import __version__
from warehouse.errors import UsageError
from warehouse.processes import is_alive
from warehouse.schedule.definition import Definition
from warehouse.store import database

if TYPE_CHECKING:
    import duckdb

    Connection = duckdb.DuckDBPyConnection

_MANUAL, _DUE = "manual", "due"


@dataclass(frozen=True)
class RunResult:
    """The result of a run."""

    status: str  # ok, failed, skipped
    n_rows: int | None = None
    n_bytes: int | None = None
    sha256: str | None = None
    output: str | None = None
    error: str | None = None


@dataclass(frozen=True)
class Run:
    """A row of `schedule_run`; times are UTC."""

    schedule: str
    due_at: datetime
    status: str
    origin: str  # due or manual
    claimed_by: str | None
    claimed_at: datetime | None
    started_at: datetime | None
    finished_at: datetime | None
    n_rows: int | None
    n_bytes: int | None
    sha256: str | None
    output: str | None
    error: str | None
    removed_at: datetime | None


def me() -> str:
    """Returns the identity of this process in claims: HOST:PID:START."""
    return f"{socket.gethostname()}:{os.getpid()}:{_started(os.getpid())}"


def _started(pid: int) -> str:
    """Returns the start of a local process in clock ticks: process ids are reused."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return "?"


def is_gone(claimed_by: str) -> bool:
    """Whether a claim belongs to a process of this machine that has ended."""
    host, _, rest = claimed_by.rpartition(":")
    host, _, pid = host.rpartition(":")
    if host != socket.gethostname() or not pid.isdigit():
        return False
    return not is_alive(int(pid)) or _started(int(pid)) != rest


def schedules(connection: Connection) -> list[Definition]:
    """Returns all definitions by name."""
    rows = connection.execute(
        "SELECT name, cron, time_zone, definition_json, is_enabled, created_at "
        "FROM schedule ORDER BY name"
    ).fetchall()
    return [Definition.from_row(*row) for row in rows]


def find(connection: Connection, name: str) -> Definition:
    """Returns a definition; raises UsageError if there is none of that name."""
    known = {each.name: each for each in schedules(connection)}
    if name not in known:
        names = f"Available: {', '.join(known)}." if known else "There are no schedules."
        raise UsageError(f"schedule {name!r} not found", hint=names)
    return known[name]


def save(connection: Connection, definition: Definition) -> None:
    """Inserts or replaces a definition; its runs are kept."""
    with database.transaction(connection):
        connection.execute("DELETE FROM schedule WHERE name = ?", [definition.name])
        connection.execute(
            "INSERT INTO schedule (name, cron, time_zone, definition_json, is_enabled, created_at) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            [
                definition.name, definition.cron, definition.time_zone, definition.to_json(),
                definition.is_enabled, definition.created_at,
            ],
        )  # fmt: skip


def remove(connection: Connection, name: str) -> None:
    """Removes a definition and its runs; the files are kept."""
    with database.transaction(connection):
        connection.execute("DELETE FROM schedule WHERE name = ?", [name])
        connection.execute("DELETE FROM schedule_run WHERE schedule_name = ?", [name])


def last_due(connection: Connection, name: str, now: datetime) -> datetime | None:
    """Returns the latest due time until now that has an outcome or is running."""
    (found,) = database.one(
        connection,
        "SELECT max(due_at) FROM schedule_run "
        "WHERE schedule_name = ? AND origin = ? AND due_at <= ?",
        [name, _DUE, _stored(now)],
    )
    return found.replace(tzinfo=UTC) if found else None


_AHEAD = "schedule_name = ? AND origin = ? AND status = 'skipped' AND due_at > ?"


def is_ahead(connection: Connection, name: str, now: datetime) -> bool:
    """Whether times after now were recorded as missed: the clock was wrong then."""
    values = [name, _DUE, _stored(now)]
    (n_rows,) = database.one(
        connection, f"SELECT count(*) FROM schedule_run WHERE {_AHEAD}", values
    )
    return bool(n_rows)


def remove_ahead(connection: Connection, name: str, now: datetime) -> None:
    """Deletes the records of times after now as missed, so that they are run when they come."""
    connection.execute(f"DELETE FROM schedule_run WHERE {_AHEAD}", [name, _DUE, _stored(now)])


def unfinished(connection: Connection, definition: Definition, now: datetime) -> list[datetime]:
    """Returns due times of abandoned runs: of ended local processes, or too old ones elsewhere."""
    rows = connection.execute(
        "SELECT due_at, claimed_by, claimed_at FROM schedule_run "
        "WHERE schedule_name = ? AND status = 'running' ORDER BY due_at",
        [definition.name],
    ).fetchall()
    limit = now - timedelta(seconds=definition.grace_s)
    return [
        due_at.replace(tzinfo=UTC)
        for due_at, claimed_by, claimed_at in rows
        if is_gone(claimed_by) or claimed_at.replace(tzinfo=UTC) < limit
    ]


def claim(connection: Connection, name: str, due_at: datetime, *, manual: bool = False) -> bool:
    """Claims a due time for this process; False if another process has claimed or finished it.

    Takes over an abandoned claim, which the caller has found.
    """
    before = connection.execute(
        "SELECT status, claimed_by FROM schedule_run WHERE schedule_name = ? AND due_at = ?",
        [name, _stored(due_at)],
    ).fetchall()
    if any(status != "running" for status, _ in before):
        return False
    values = [name, _stored(due_at)]
    started = _stored(datetime.now(UTC))
    connection.execute("DELETE FROM schedule_run WHERE schedule_name = ? AND due_at = ?", values)
    connection.execute(
        "INSERT INTO schedule_run (schedule_name, due_at, status, origin, claimed_by, claimed_at, "
        "started_at, tw_version) VALUES (?, ?, 'running', ?, ?, ?, ?, ?)",
        [*values, _MANUAL if manual else _DUE, me(), started, started, __version__],
    )
    return True


def skip(connection: Connection, name: str, times: Sequence[datetime], reason: str) -> None:
    """Records due times as skipped, with the reason."""
    connection.execute(
        "INSERT INTO schedule_run (schedule_name, due_at, status, origin, error, tw_version) "
        "SELECT $name, due_at, 'skipped', $origin, $reason, $version "
        "FROM (SELECT unnest($times::TIMESTAMP[]) AS due_at) WHERE due_at NOT IN ("
        "SELECT due_at FROM schedule_run WHERE schedule_name = $name)",
        {
            "name": name, "times": [_stored(each) for each in times], "origin": _DUE,
            "reason": reason, "version": __version__,
        },
    )  # fmt: skip


def finish(
    connection: Connection, name: str, due_at: datetime, now: datetime, made: RunResult
) -> bool:
    """Records the result of this process's claim; False if it has been taken over meanwhile."""
    done = connection.execute(
        "UPDATE schedule_run SET status = ?, finished_at = ?, n_rows = ?, n_bytes = ?, "
        "sha256 = ?, output = ?, error = ? "
        "WHERE schedule_name = ? AND due_at = ? AND status = 'running' AND claimed_by = ? "
        "RETURNING 1",
        [
            made.status, _stored(now), made.n_rows, made.n_bytes, made.sha256, made.output,
            made.error, name, _stored(due_at), me(),
        ],
    ).fetchall()  # fmt: skip
    return bool(done)


def release(connection: Connection, name: str, due_at: datetime) -> None:
    """Deletes a claim of this process."""
    connection.execute(
        "DELETE FROM schedule_run "
        "WHERE schedule_name = ? AND due_at = ? AND status = 'running' AND claimed_by = ?",
        [name, _stored(due_at), me()],
    )


def superseded(
    connection: Connection, name: str, n_kept: int
) -> tuple[list[tuple[datetime, str, str]], set[str]]:
    """Returns outputs older than the newest `n_kept` (due time, path, SHA-256), and their paths."""
    rows = connection.execute(
        "SELECT due_at, output, sha256 FROM schedule_run "
        "WHERE schedule_name = ? AND status = 'ok' AND removed_at IS NULL ORDER BY due_at DESC",
        [name],
    ).fetchall()
    old = [(at.replace(tzinfo=UTC), path, digest) for at, path, digest in rows[n_kept:]]
    return old, {path for _, path, _ in rows[:n_kept]}


def removed(connection: Connection, name: str, due_at: datetime, now: datetime) -> None:
    """Records that an output has been removed."""
    connection.execute(
        "UPDATE schedule_run SET removed_at = ? WHERE schedule_name = ? AND due_at = ?",
        [_stored(now), name, _stored(due_at)],
    )


def history(connection: Connection, name: str | None = None, limit: int = -1) -> list[Run]:
    """Returns runs, latest first."""
    rows = connection.execute(
        "SELECT schedule_name, due_at, status, origin, claimed_by, claimed_at, started_at, "
        "finished_at, n_rows, n_bytes, sha256, output, error, removed_at FROM schedule_run "
        "WHERE coalesce(schedule_name = $1, true) ORDER BY due_at DESC, schedule_name "
        "LIMIT CASE WHEN $2 < 0 THEN NULL ELSE $2 END",
        [name, limit],
    ).fetchall()
    return [Run(*row) for row in rows]


def _stored(moment: datetime) -> datetime:
    """Converts a time to the naive UTC of the tables."""
    return moment.astimezone(UTC).replace(tzinfo=None)
