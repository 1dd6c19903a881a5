"""Stores the program's queries in a warehouse, as macros for other DuckDB clients."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from warehouse import __version__
from warehouse.library.library import load
from warehouse.resources import sql_folder

if TYPE_CHECKING:
    import duckdb


def install(connection: duckdb.DuckDBPyConnection, *, temp: bool = True) -> None:
    """Installs our own queries; `temp=False` stores them, for other DuckDB clients."""
    load().install(connection, temp=temp)


def keep_stored(connection: duckdb.DuckDBPyConnection) -> bool:
    """Brings macros that were stored for other clients to this program's; does nothing else."""
    stored = connection.execute("SELECT 1 FROM schema_migration WHERE name = 'queries'").fetchall()
    return bool(stored) and store_macros(connection)


def store_macros(connection: duckdb.DuckDBPyConnection) -> bool:
    """Stores our queries as macros in the open warehouse, for other DuckDB clients.

    Returns whether there was anything to do: not while the warehouse has those of this program.
    Every open of the file then takes longer, as DuckDB reads them all.
    """
    lock = hashlib.sha256((sql_folder("queries") / "LOCK.toml").read_bytes()).hexdigest()
    stored = connection.execute(
        "SELECT arg_max(sha256, applied_at) FROM schema_migration WHERE name = 'queries'"
    ).fetchall()
    if stored == [(lock,)]:
        return False
    connection.execute("BEGIN")
    install(connection, temp=False)
    connection.execute(
        "INSERT INTO schema_migration VALUES (NULL, 'queries', ?, now() AT TIME ZONE 'UTC', ?)",
        [lock, __version__],
    )
    connection.execute("COMMIT")
    return True
