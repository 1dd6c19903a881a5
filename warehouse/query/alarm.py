"""Evaluates an SQL condition over the rows of a diagnosis or a trend."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import duckdb

from warehouse.errors import UsageError
from warehouse.store import database

if TYPE_CHECKING:
    from warehouse.query.result import QueryResult


def matching(rows: QueryResult, condition: str, named_by: Sequence[str]) -> list[str]:
    """The rows for which the condition is true, named by texts of these columns: "a: b".

    The condition reads only their columns. Raises UsageError if it is invalid.
    """
    with database.scratchpad() as connection:
        connection.register("rows", rows.arrow())
        connection.execute("CREATE TABLE x AS FROM rows")
        try:
            # On lines of its own, so that a comment in it ends with it.
            found = connection.execute(
                f"SELECT {', '.join(named_by)} FROM x WHERE (\n{condition}\n)::BOOLEAN"
            ).fetchall()
        except duckdb.Error as error:
            raise UsageError(
                f"--fail-if: invalid condition: {str(error).splitlines()[0]}",
                hint=f"Columns: {', '.join(rows.schema.names)}.",
            ) from None
    return [": ".join(filter(None, row)) for row in found]
