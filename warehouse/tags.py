"""Labels on runs: `--run tag:NAME` finds them, `tw prune --keep-tagged` spares them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from warehouse import scope, store
from warehouse.errors import ScopeError, UsageError
from warehouse.selection import Selection

_NAME = re.compile(r"[^\s:,/][^\s:,/]{0,99}")


@dataclass(frozen=True)
class Tag:
    """A label and a run it is on; `tagged_at` in UTC."""

    name: str
    run: str
    run_id: int
    tagged_at: str


def tags(path: Path, *, wait_s: float = store.DEFAULT_WAIT_S) -> list[Tag]:
    """All labels, by name and run."""
    with store.Reader(path, wait_s=wait_s) as reader:
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
    wait_s: float = store.DEFAULT_WAIT_S,
) -> tuple[str, ...]:
    """Labels the chosen runs, and with `moves` no others; returns their names.

    Raises UsageError for a name that `--run tag:NAME` could not say, ScopeError for no such run.
    """
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"{name!r} is no name for a tag",
            hint="Up to 100 characters, no spaces, :, / or commas.",
        )
    with store.writer(path, wait_s=wait_s) as connection:
        chosen = scope.resolve(connection, selection)
        with store.transaction(connection):
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
    wait_s: float = store.DEFAULT_WAIT_S,
) -> tuple[str, ...]:
    """Takes the label off the chosen runs, or off all; returns their names, raises ScopeError."""
    with store.writer(path, wait_s=wait_s) as connection:
        tagged = scope.resolve(connection, Selection(runs=(f"tag:{name}",)))
        chosen = scope.resolve(connection, selection) if selection else tagged
        gone = [
            n for n, i in zip(tagged.run_names, tagged.run_ids, strict=True) if i in chosen.run_ids
        ]
        if not gone:
            raise ScopeError(f"no chosen run has the tag {name!r}", hint="`tw tag` lists them.")
        with store.transaction(connection):
            connection.execute(
                "DELETE FROM tag WHERE name = ? AND run_id IN (SELECT unnest(?))",
                [name, list(chosen.run_ids)],
            )
    return tuple(gone)
