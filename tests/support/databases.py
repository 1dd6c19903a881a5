"""Databases of tests beside each other in one instance of DuckDB: a new instance takes 20 ms."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

import duckdb

from warehouse.store import database

_numbers = itertools.count(1)


@cache
def _instance() -> duckdb.DuckDBPyConnection:
    return duckdb.connect(config=dict(database.NO_WRONG_STATISTICS))


@contextmanager
def attached(path: Path | None = None) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection to the database of a file, or to a new one in memory, for plain SQL.

    The file is whole and closed afterwards. Settings apply to other tests, too.
    """
    name, file = f"attached_{next(_numbers)}", str(path or ":memory:").replace("'", "''")
    with _instance().cursor() as connection:
        connection.execute(f"ATTACH '{file}' AS {name}; USE {name}")
        try:
            yield connection
        finally:
            with suppress(duckdb.Error):  # no transaction is open
                connection.execute("ROLLBACK")
            connection.execute(f"USE memory; DETACH {name}")
