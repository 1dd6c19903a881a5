"""The macros on a connection, and how they are created."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from warehouse.store import statements

if TYPE_CHECKING:
    import duckdb

    from warehouse.library.library import Query

FEW_BLOCKS = 12  # which a macro is planned with in milliseconds


class Macros(set[str]):
    """Names of the macros on a connection; those in `held` are not made from the query's text."""

    def __init__(self, made: Iterable[str] = ()) -> None:
        super().__init__(made)
        self.held: set[str] = set()

    def hold(self, keys: Iterable[str]) -> None:
        """Adds macros that nothing may replace, such as those that read a table."""
        names = set(keys)
        self.update(names)
        self.held.update(names)

    def release(self, key: str) -> None:
        """Removes a macro that was held."""
        self.discard(key)
        self.held.discard(key)


def n_blocks_of(queries: Iterable[Query]) -> dict[str, int]:
    """How many texts each query consists of without a session, which computes a block once.

    Callees are given first; those that are left out, as of kept rows, count as none.
    """
    found: dict[str, int] = {}
    for query in queries:
        found[str(query.key)] = 1 + sum(found.get(key, 0) for key in query.pins.values())
    return found


def create_macros(
    connection: duckdb.DuckDBPyConnection,
    queries: Sequence[Query],
    plain: Iterable[Query] = (),
    *,
    temp: bool = True,
) -> None:
    """Creates the macros of queries, given callees first, and those of the `plain` names."""
    # The database plans a macro when it is made, with all it calls, however deep. So each is made
    # while what it calls is still an outline: that takes two thirds of the time.
    plain = list(plain)
    called = {key for query in (*queries, *plain) for key in query.pins.values()}
    called.update(str(query.key) for query in plain)
    for query in queries:
        if str(query.key) in called:
            statements.execute(connection, query.outline(temp=temp))
    for query in plain:
        query.install(connection, plain=True, temp=temp)
    for query in reversed(queries):
        query.install(connection, temp=temp)
