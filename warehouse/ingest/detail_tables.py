"""Creates the detail tables that importers bring, in the transaction of their first import.

A script of `Importer.tables` has `CREATE TABLE` statements with comments like the files in schema/,
which document columns and declare their references. Each table needs a column `trace_id`: by it
rows are scoped, checked, exported and removed like all others. A script is recorded in
schema_migration, so that the warehouse can be opened without the importer, and a changed script is
refused. To change a table, add a script.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from warehouse import __version__
from warehouse.errors import TwError
from warehouse.store import migrate

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    import duckdb

    from warehouse.ingest.importer import Importer


def create(connection: duckdb.DuckDBPyConnection, importer: Importer) -> None:
    """Creates the tables that the warehouse does not have yet, within a transaction.

    Raises TwError for a script that changed since, or a table that breaks the rules.
    """
    for script in importer.tables:
        _run(connection, importer, script)


def _run(connection: duckdb.DuckDBPyConnection, importer: Importer, script: Traversable) -> None:
    name, sql = f"{importer.name}:{script.name}", script.read_text()
    sha256 = hashlib.sha256(sql.encode()).hexdigest()
    applied = {sha for (sha,) in connection.execute(
        "SELECT sha256 FROM schema_migration WHERE version IS NULL AND name = ?", [name]
    ).fetchall()}  # fmt: skip
    if sha256 in applied:
        return
    if applied:
        raise TwError(
            f"the tables of importer {importer.name} in this warehouse differ from {script.name}",
            hint="Install the version of the importer that created them.",
        )
    before = _tables(connection)
    connection.execute(sql)
    _validate(connection, importer, _tables(connection) - before)
    migrate.write_comments(connection, sql)
    connection.execute(
        "INSERT INTO schema_migration VALUES (NULL, ?, ?, now() AT TIME ZONE 'UTC', ?)",
        [name, sha256, __version__],
    )


def _validate(connection: duckdb.DuckDBPyConnection, importer: Importer, created: set[str]) -> None:
    for table in sorted(created):
        columns = {name for (name,) in connection.execute(
            "SELECT column_name FROM duckdb_columns() "
            "WHERE database_name = current_database() AND table_name = ?", [table]
        ).fetchall()}  # fmt: skip
        if "trace_id" not in columns:
            raise TwError(f"table {table} of importer {importer.name} has no column trace_id")


def _tables(connection: duckdb.DuckDBPyConnection) -> set[str]:
    rows = connection.execute(
        "SELECT table_name FROM duckdb_tables() WHERE database_name = current_database()"
    ).fetchall()
    return {str(name) for (name,) in rows}
