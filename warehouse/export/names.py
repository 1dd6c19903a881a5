"""Restricts an export to slices whose names match patterns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from warehouse.errors import ExportError
from warehouse.query import scope

if TYPE_CHECKING:
    from warehouse.query.session import Session


@contextmanager
def only_named(opened: Session, patterns: Sequence[str]) -> Iterator[None]:
    """While open, the slices in scope are those whose names match one of the patterns (GLOB).

    Raises ExportError if none does; without patterns, all are in scope.
    """
    if not patterns:
        yield
        return
    connection = opened.connection
    any_matches = " OR ".join("name GLOB ?" for _ in patterns)
    connection.execute(
        f"CREATE OR REPLACE TEMP TABLE named_slice AS SELECT id FROM slice WHERE {any_matches}",
        list(patterns),
    )
    try:
        if not connection.execute("SELECT 1 FROM named_slice LIMIT 1").fetchall():
            raise ExportError(
                f"no slice has a name like {' or '.join(patterns)}",
                hint="Patterns are those of GLOB: '*gemm*' matches names that contain gemm.",
            )
        connection.execute(
            f"CREATE OR REPLACE TEMP VIEW slice AS SELECT * FROM {scope.stored(connection)}slice "
            "WHERE id IN (SELECT id FROM named_slice)"
        )
        yield
    finally:
        opened.see_again()
        connection.execute("DROP TABLE named_slice")
