"""Combines all data-quality checks into one query.

A check is a query named `check_…` with the columns all checks share, in `queries/quality/` or in a
folder of the user: to add a check is to add a file.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from warehouse.errors import UsageError
from warehouse.library.library import Query
from warehouse.library.parameter import sql_literal

if TYPE_CHECKING:
    from warehouse.library.library import Library

PREFIX = "check_"
COMBINED = "check"  # the name of all checks as one query
SEVERITIES = ("error", "warning", "note")
COLUMNS = (
    ("run_id", "BIGINT"),
    ("run", "VARCHAR"),
    ("trace_id", "BIGINT"),
    ("trace", "VARCHAR"),
    ("rank", "BIGINT"),
    ("check_name", "VARCHAR"),
    ("severity", "VARCHAR"),
    ("n_found", "BIGINT"),
    ("n_looked_at", "BIGINT"),
    ("examples", "VARCHAR"),
    ("meaning", "VARCHAR"),
    ("remedy", "VARCHAR"),
)


def checks(queries: Library) -> dict[str, Query]:
    """Returns the newest version of every check, by its name without `check_`."""
    return {
        name.removeprefix(PREFIX): query
        for name, query in queries.newest.items()
        if name.startswith(PREFIX) and _columns(query) == COLUMNS
    }


def _columns(query: Query) -> tuple[tuple[str, str], ...]:
    assert query.header is not None
    return tuple((column.name, column.type) for column in query.header.columns)


def _given(query: Query) -> str:
    """Returns arguments that are not in the warehouse: the linkers of this program."""
    parameters = {parameter.name for parameter in query.parameters}
    if not parameters & {"linkers", "run_linkers"}:
        return ""
    from warehouse.link import linkers

    known = linkers.linkers()
    between = [query for query in known.all if query not in known.of_trace]
    lists = {"linkers": known.of_trace, "run_linkers": between}
    return ", ".join(
        f"p_{name} := {sql_literal([linkers.noted(each) for each in lists[name]])}"
        for name in sorted(parameters & lists.keys())
    )


def combined(queries: Library, names: Sequence[str] = ()) -> Query:
    """Returns one query with the findings of the named checks, or of all, most severe first.

    Raises UsageError for an unknown check.
    """
    known = checks(queries)
    for name in names:
        if name not in known:
            raise UsageError(f"check {name!r} not found", hint=f"Available: {', '.join(known)}.")
    chosen = [query for name, query in known.items() if not names or name in names]
    columns = ", ".join(name for name, _ in COLUMNS)
    parts = [f'SELECT {columns} FROM "{query.key}"({_given(query)})' for query in chosen]
    ranks = " ".join(f"WHEN '{each}' THEN {place}" for place, each in enumerate(SEVERITIES))
    sql = (
        f"SELECT {columns} FROM ({' UNION ALL '.join(parts)}) "
        f"ORDER BY CASE severity {ranks} END, run_id, rank NULLS FIRST, trace_id, check_name"
    )
    first = chosen[0].header
    assert first is not None
    keys = tuple(str(query.key) for query in chosen)
    header = replace(first, name=COMBINED, title="All checks", parameters=(), requires_queries=keys)
    return Query(sql, header)
