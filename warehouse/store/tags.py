"""Tags of runs: selected by `--run tag:NAME`, kept by `tw prune --keep-tagged`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from warehouse.errors import ScopeError, UsageError
from warehouse.query import scope
from warehouse.query.selection import Selection
from warehouse.store import database

_NAME = re.compile(r"[^\s:,/][^\s:,/]{0,99}")


@dataclass(frozen=True)
class Tag:
    """A tag of a run; `tagged_at` in UTC."""

    name: str
    run: str
    run_id: int
    tagged_at: str


def tags(path: Path, *, wait_s: float = database.DEFAULT_WAIT_S) -> list[Tag]:
    """Returns all tags, by name and run."""
    with database.Reader(path, wait_s=wait_s) as reader:
        rows = reader.connection.execute(
            "SELECT g.name, r.name, r.id, g.created_at::VARCHAR FROM tag AS g "
            "JOIN run AS r ON r.id = g.run_id ORDER BY g.name, r.id"
        ).fetchall()
    return [Tag(*row) for row in rows]


def put(
    path: Path,
    name: str,
    selection: Selection,
    *,
    moves: bool = False,
    wait_s: float = database.DEFAULT_WAIT_S,
) -> tuple[str, ...]:
    """Tags the selected runs, and with `moves` no others; returns their names.

    Raises UsageError for an invalid tag name, ScopeError if no run is selected.
    """
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"invalid tag name {name!r}",
            hint="Up to 100 characters, no spaces, :, / or commas.",
        )
    with database.writer(path, wait_s=wait_s) as connection:
        chosen = scope.resolve(connection, selection)
        with database.transaction(connection):
            if moves:
                connection.execute("DELETE FROM tag WHERE name = ?", [name])
            connection.execute(
                "INSERT INTO tag SELECT $name, id, now() AT TIME ZONE 'UTC' "
                "FROM (SELECT unnest($runs) AS id) "
                "WHERE id NOT IN (SELECT run_id FROM tag WHERE name = $name)",
                {"name": name, "runs": list(chosen.run_ids)},
            )
    return chosen.run_names


def take(
    path: Path,
    name: str,
    selection: Selection | None = None,
    *,
    wait_s: float = database.DEFAULT_WAIT_S,
) -> tuple[str, ...]:
    """Removes the tag from the selected runs, or all; returns their names, raises ScopeError."""
    with database.writer(path, wait_s=wait_s) as connection:
        tagged = scope.resolve(connection, Selection(runs=(f"tag:{name}",)))
        chosen = scope.resolve(connection, selection) if selection else tagged
        gone = [
            n for n, i in zip(tagged.run_names, tagged.run_ids, strict=True) if i in chosen.run_ids
        ]
        if not gone:
            raise ScopeError(f"no selected run has the tag {name!r}", hint="`tw tag` lists them.")
        with database.transaction(connection):
            connection.execute(
                "DELETE FROM tag WHERE name = ? AND run_id IN (SELECT unnest(?))",
                [name, list(chosen.run_ids)],
            )
    return tuple(gone)
