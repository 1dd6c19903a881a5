"""Counts the rows that the parameter `top` of a query leaves out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from warehouse.library.library import Query
    from warehouse.query.session import Session

PARAMETER = "top"
_MOST = 2**62  # of queries whose `top` cannot be null


def rows_without_limit(
    session: Session, query: Query, values: Mapping[str, object], n_rows: int
) -> int | None:
    """How many rows a query would have without its `top`; None if that leaves out none.

    `n_rows` are those it has. The query runs once more if it has as many as `top`.
    """
    declared = next((each for each in query.parameters if each.name == PARAMETER), None)
    if query.header is None or declared is None:
        return None
    limit = declared.convert(values.get(PARAMETER, declared.default))
    if not isinstance(limit, int) or n_rows < limit:
        return None
    most = None if declared.nullable else declared.max or _MOST
    with session.run(query, {**values, PARAMETER: most}) as result:
        for _ in result.batches():
            pass
    return result.n_rows if result.n_rows > n_rows else None
