"""Counts the rows that the parameter `top` of a query leaves out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from warehouse.library import library
from warehouse.library.arguments import arguments
from warehouse.query.execute import Result

if TYPE_CHECKING:
    from warehouse.library.library import Query
    from warehouse.query.session import Session

PARAMETER = "top"
_MOST = 2**62  # of queries whose `top` cannot be null


def rows_without_limit(
    session: Session,
    query: Query,
    values: Mapping[str, object],
    n_rows: int,
    *,
    timeout_s: float | None = None,
) -> int | None:
    """How many rows a query that ran in the session has without its `top`; None if as many.

    `n_rows` are those it had. All are counted only if those are as many as `top`. Raises
    QueryError, QueryTimeout.
    """
    declared = next((each for each in query.parameters if each.name == PARAMETER), None)
    if declared is None:
        return None
    limit = declared.convert(values.get(PARAMETER, declared.default))
    if not isinstance(limit, int) or n_rows < limit:
        return None
    most = None if declared.nullable else declared.max or _MOST
    sql = query.on(session.connection).bound_sql
    count = library.from_text(f"SELECT count(*) FROM ({sql}\n)")
    all_values = arguments(query, {**values, PARAMETER: most})
    ((n_all,),) = Result(session.connection, count, all_values, timeout_s=timeout_s).rows()
    return int(n_all) if n_all > n_rows else None
