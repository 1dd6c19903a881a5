"""The tables `schedule` and `schedule_run`: definitions, claims, results.

Whoever writes holds the whole warehouse, so a claim needs no more than a look before the insert.
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
from warehouse.schedule.definition import Definition
from warehouse.store import database

if TYPE_CHECKING:
    import duckdb

    Connection = duckdb.DuckDBPyConnection

_MANUAL, _DUE = "manual", "due"


@dataclass(frozen=True)
class RunResult:
    """What came of a run."""

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
    """This process, as it signs its claims: HOST:PID:START."""
    return f"{socket.gethostname()}:{os.getpid()}:{_started(os.getpid())}"


def _started(pid: int) -> str:
    """When a process of this machine began, in clock ticks: numbers of processes come again."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return "?"


def is_gone(claimed_by: str) -> bool:
    """Whether the claim is of a process of this machine that has ended."""
    host, _, rest = claimed_by.rpartition(":")
    host, _, pid = host.rpartition(":")
    if host != socket.gethostname() or not pid.isdigit():
        return False
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        pass
    return _started(int(pid)) != rest


def schedules(connection: Connection) -> list[Definition]:
    """All definitions by name."""
    rows = connection.execute(
        "SELECT name, cron, time_zone, definition_json, is_enabled, created_at "
        "FROM schedule ORDER BY name"
    ).fetchall()
    return [Definition.from_row(*row) for row in rows]


def find(connection: Connection, name: str) -> Definition:
    """One definition; raises UsageError naming those there are."""
    known = {each.name: each for each in schedules(connection)}
    if name not in known:
        names = f"There are: {', '.join(known)}." if known else "There is none yet."
        raise UsageError(f"there is no schedule {name!r}", hint=names)
    return known[name]


def save(connection: Connection, definition: Definition) -> None:
    """Stores a definition in place of any of its name; its runs stay."""
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
    """Removes a definition and the record of its runs; the files stay."""
    with database.transaction(connection):
        connection.execute("DELETE FROM schedule WHERE name = ?", [name])
        connection.execute("DELETE FROM schedule_run WHERE schedule_name = ?", [name])


def last_due(connection: Connection, name: str) -> datetime | None:
    """The latest due time that has an outcome or is being made."""
    (found,) = database.one(
        connection,
        "SELECT max(due_at) FROM schedule_run WHERE schedule_name = ? AND origin = ?",
        [name, _DUE],
    )
    return found.replace(tzinfo=UTC) if found else None


def unfinished(connection: Connection, definition: Definition, now: datetime) -> list[datetime]:
    """Due times that somebody began and will not end: killed here, or too long ago elsewhere."""
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
    """Makes the due time this process's own; False where another has it, or had it and ended.

    An unfinished claim of a process that is gone is taken over: the caller has looked.
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
    """Records due times that are not made, with the reason."""
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
    """Writes the result of this process's claim; False where it has been taken over meanwhile."""
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
    """Gives a claim of this process back, as if it had never been made."""
    connection.execute(
        "DELETE FROM schedule_run "
        "WHERE schedule_name = ? AND due_at = ? AND status = 'running' AND claimed_by = ?",
        [name, _stored(due_at), me()],
    )


def superseded(
    connection: Connection, name: str, n_kept: int
) -> tuple[list[tuple[datetime, str, str]], set[str]]:
    """Outputs older than the newest `n_kept` (due time, path, sha256), and the paths of these."""
    rows = connection.execute(
        "SELECT due_at, output, sha256 FROM schedule_run "
        "WHERE schedule_name = ? AND status = 'ok' AND removed_at IS NULL ORDER BY due_at DESC",
        [name],
    ).fetchall()
    old = [(at.replace(tzinfo=UTC), path, digest) for at, path, digest in rows[n_kept:]]
    return old, {path for _, path, _ in rows[:n_kept]}


def removed(connection: Connection, name: str, due_at: datetime, now: datetime) -> None:
    """Records that an output is no longer kept."""
    connection.execute(
        "UPDATE schedule_run SET removed_at = ? WHERE schedule_name = ? AND due_at = ?",
        [_stored(now), name, _stored(due_at)],
    )


def history(connection: Connection, name: str | None = None, limit: int = -1) -> list[Run]:
    """Runs, the latest first."""
    rows = connection.execute(
        "SELECT schedule_name, due_at, status, origin, claimed_by, claimed_at, started_at, "
        "finished_at, n_rows, n_bytes, sha256, output, error, removed_at FROM schedule_run "
        "WHERE coalesce(schedule_name = $1, true) ORDER BY due_at DESC, schedule_name "
        "LIMIT CASE WHEN $2 < 0 THEN NULL ELSE $2 END",
        [name, limit],
    ).fetchall()
    return [Run(*row) for row in rows]


def _stored(moment: datetime) -> datetime:
    """As the tables have it: UTC without saying so."""
    return moment.astimezone(UTC).replace(tzinfo=None)
