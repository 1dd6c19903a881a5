"""Runs building blocks once that several queries of a replay call.

A call of a query is its whole text again: DuckDB would read the events of a trial a dozen times.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from warehouse.library.library import Query
    from warehouse.query.session import Session


@contextmanager
def computed_once(
    session: Session, names: Sequence[str], parameters: Mapping[str, bool]
) -> Iterator[None]:
    """While open, queries in the session read the rows of shared building blocks of `names`.

    Shared are those that more than one of the queries call, directly or not; without those that
    any session computes once (`computed_once` in their header). `parameters` are arguments of
    the queries, which hand them on to blocks with parameters of the same names.
    """
    blocks = _shared(session, names)
    kept: list[str] = []
    try:
        for block in blocks:
            declared = {each.name for each in block.parameters}
            values = {name: value for name, value in parameters.items() if name in declared}
            table = f"shared {block.key}"
            session.create_table(block, values, table)
            kept.append(table)
            session.connection.execute(f'{block.macro_head(temp=True)} FROM temp.main."{table}"')
            session.installed.hold([str(block.key)])
        yield
    finally:
        for block, table in zip(blocks, kept, strict=False):
            session.connection.execute(f'DROP MACRO TABLE "{block.key}"')
            session.connection.execute(f'DROP TABLE temp.main."{table}"')
            session.installed.release(str(block.key))


def _shared(session: Session, names: Sequence[str]) -> list[Query]:
    """The shared building blocks, callees first."""
    roots = [session.queries.find(name) for name in names]
    order: dict[str, Query] = {}
    n_callers: Counter[str] = Counter()

    def visit(query: Query) -> None:
        if str(query.key) in order:
            return
        for key in query.pins.values():
            n_callers[key] += 1
            visit(session.queries.queries[key])
        order[str(query.key)] = query

    for root in roots:
        visit(root)
    handed_on = {each.name for root in roots for each in root.parameters}
    shared = [
        query
        for key, query in order.items()
        if n_callers[key] > 1 and handed_on.issuperset(each.name for each in query.parameters)
    ]
    return [q for q in shared if not (q.header and q.header.computed_once)]
