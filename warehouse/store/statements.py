"""SQL texts that run on many connections, parsed once per process.

DuckDB 2.0 takes about 0.4 ms to parse 1 kB of SQL: of the import of a small trace that is an
eighth.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import duckdb

_MOST = 2048
_parsed: dict[str, tuple[duckdb.Statement, ...]] = {}


def quoted(name: str) -> str:
    """Returns a name as a quoted identifier."""
    return '"' + name.replace('"', '""') + '"'


def execute(
    connection: duckdb.DuckDBPyConnection, text: str, parameters: Any = None
) -> duckdb.DuckDBPyConnection:
    """Runs the statements of a text, as `connection.execute` does; returns the connection."""
    for statement in parse(connection, text):
        connection.execute(statement, parameters)
    return connection


def parse(connection: duckdb.DuckDBPyConnection, text: str) -> tuple[duckdb.Statement, ...]:
    """Returns the statements of a text, for all connections; raises duckdb.ParserException."""
    found = _parsed.get(text)
    if found is None:
        if len(_parsed) >= _MOST:
            _parsed.clear()
        # By the connection: the function of the same name opens another database for it.
        found = _parsed[text] = tuple(connection.extract_statements(text))
    return found
