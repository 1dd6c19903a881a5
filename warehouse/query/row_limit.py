"""Counts the rows that the parameter `top` of a query leaves out.

The line `--+ , EXPRESSION AS n_without_top` after the last column of a query is a comment. When its
rows are counted, the line becomes one more column, the number of rows without `top`, and the query
runs once. Blocks that it calls may have such a line, too. Rows of other queries are counted in a
second run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from warehouse.library import library
from warehouse.library.arguments import arguments
from warehouse.query import comparison, execute
from warehouse.query.execute import Result

if TYPE_CHECKING:
    import pyarrow as pa

    from warehouse.library.header import Column
    from warehouse.library.library import Query
    from warehouse.query.session import Session

PARAMETER = "top"
_MOST = 2**62  # of queries whose `top` cannot be null
_LINE = re.compile(r"^([^\S\n]*)--\+ ", re.MULTILINE)


class CountedResult(Result):
    """Rows of a query with their number without `top`, which is known when the first is read."""

    n_without_limit: int | None = None

    def _start(self) -> tuple[tuple[Column, ...], Any]:
        columns, reader = super()._start()
        return columns[:-1], reader

    @property
    def schema(self) -> pa.Schema:
        return super().schema.remove(len(self.columns))

    def batches(self) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        for batch in super().batches():
            if batch.num_rows:
                self.n_without_limit = batch.column(len(self.columns))[0].as_py()
            yield pa.RecordBatch.from_arrays(batch.columns[:-1], schema=self.schema)

    def _lists(self) -> Iterator[list[tuple[Any, ...]]]:
        for rows in super()._lists():
            self.n_without_limit = rows[0][-1]
            yield [row[:-1] for row in rows]


def is_counted(query: Query, values: Mapping[str, object]) -> bool:
    """Whether a query that is limited by these values can count its rows meanwhile."""
    is_comparison = any(each.unit == comparison.UNIT for each in query.parameters)
    has_line = _LINE.search(query.sql) is not None
    return has_line and not is_comparison and _limit(query, values) is not None


def run(
    session: Session,
    query: Query,
    values: Mapping[str, object],
    *,
    timeout_s: float | None = None,
    as_tuples: bool = False,
) -> CountedResult:
    """Starts a query that is counted, in a session that runs no other; raises as `execute.run`."""
    given = arguments(query, values)
    counting = replace(
        session.queries,
        queries={key: _counting(each) for key, each in session.queries.queries.items()},
    )
    prepared = execute.prepare(
        session.connection, _counting(query), counting, installed=session.installed,
        kept=session.kept, timeout_s=timeout_s, values=given,
    )  # fmt: skip
    return CountedResult(
        session.connection, prepared, given, timeout_s=timeout_s, as_tuples=as_tuples
    )


def rows_without_limit(
    session: Session,
    query: Query,
    values: Mapping[str, object],
    result: Result,
) -> int | None:
    """How many rows a query that ran in the session has without its `top`; None if as many.

    All are counted only if the result has as many as `top`. Raises QueryError, QueryTimeout.
    """
    limit = _limit(query, values)
    if limit is None or result.n_rows < limit:
        return None
    if isinstance(result, CountedResult):
        n_all = result.n_without_limit
    else:
        n_all = _counted(session, query, values, result.timeout_s)
    return n_all if n_all is not None and n_all > result.n_rows else None


def _limit(query: Query, values: Mapping[str, object]) -> int | None:
    declared = next((each for each in query.parameters if each.name == PARAMETER), None)
    if declared is None or query.header is None:
        return None
    limit = declared.convert(values.get(PARAMETER, declared.default))
    return limit if isinstance(limit, int) else None


def _counted(
    session: Session, query: Query, values: Mapping[str, object], timeout_s: float | None
) -> int:
    """Runs the query without its `top`."""
    declared = next(each for each in query.parameters if each.name == PARAMETER)
    most = None if declared.nullable else declared.max or _MOST
    sql = query.on(session.connection).bound_sql
    count = library.from_text(f"SELECT count(*) FROM ({sql}\n)")
    all_values = arguments(query, {**values, PARAMETER: most})
    ((n_all,),) = Result(session.connection, count, all_values, timeout_s=timeout_s).rows()
    return int(n_all)


def _counting(query: Query) -> Query:
    """The query with the column of its line."""
    if "--+ " not in query.sql:
        return query
    return replace(query, sql=_LINE.sub(r"\1", query.sql))
