"""Migrates the schema of a warehouse, forward only.

`V0001__name.sql` files run once, in order, each in a transaction with its row in
`schema_migration`. `R__name.sql` files are repeatable: they run whenever their text has changed.
SQL comments in both become the COMMENTs of tables and columns.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Container, Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from warehouse import __version__
from warehouse.errors import InvalidDatabase, NewerDatabase
from warehouse.resources import sql_folder

if TYPE_CHECKING:
    import duckdb

_HISTORY = """
CREATE TABLE IF NOT EXISTS schema_migration (
  version BIGINT, -- [count] number of the file; NULL for those that run again when they change
  name VARCHAR NOT NULL, -- [text] name of the file
  sha256 VARCHAR NOT NULL, -- [text] of the file, hexadecimal
  applied_at TIMESTAMP NOT NULL, -- [UTC] when it ran
  tw_version VARCHAR NOT NULL -- [text] program that ran it
);
"""
_CREATED = re.compile(r"^CREATE (?:OR REPLACE )?(TABLE|VIEW) (?:IF NOT EXISTS )?(\w+)")
_COLUMN = re.compile(r'^\s+"?(\w+)"? [A-Z].*?-- (\[.*)$')
_COMMENTED = re.compile(r"^COMMENT ON (?:TABLE|COLUMN) (\S+) IS '", re.MULTILINE)
_VIEW_COLUMN = re.compile(r"(\w+),?\s+-- (\[.*)$")


@dataclass(frozen=True)
class Migration:
    """A file of the schema folder; `version` is None for a repeatable one."""

    version: int | None
    name: str
    sql: str

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.sql.encode()).hexdigest()


@cache
def migrations() -> tuple[Migration, ...]:
    """Returns all migrations in the order they run, numbered ones first."""
    found = []
    for path in sorted(sql_folder("schema").glob("[VR]*__*.sql")):
        number, name = path.stem.split("__", 1)
        version = int(number[1:]) if number.startswith("V") else None
        found.append(Migration(version, name, path.read_text()))
    return tuple(sorted(found, key=lambda m: (m.version is None, m.version or 0, m.name)))


def latest_version() -> int:
    """Returns the schema version of this program."""
    return max(m.version or 0 for m in migrations())


def version(connection: duckdb.DuckDBPyConnection) -> int:
    """Returns the schema version; raises InvalidDatabase if the database is not a warehouse."""
    return max((number or 0 for number, _, _ in _history(connection)), default=0)


def _history(connection: duckdb.DuckDBPyConnection) -> list[tuple[int | None, str, str]]:
    """Returns version, name and sha256 of the migrations that ran, in order.

    Raises InvalidDatabase if the database is not a warehouse. Reads the table without looking it up
    in the catalogue first: listing all tables takes longer than opening the file.
    """
    import duckdb

    try:
        rows = connection.execute(
            "SELECT version, name, sha256 FROM schema_migration ORDER BY applied_at"
        ).fetchall()
    except (duckdb.CatalogException, duckdb.BinderException):
        raise InvalidDatabase(
            f"{_file(connection)} is not a trace warehouse, but another DuckDB file",
            hint="Name another file with --db, or create one with `tw import`.",
        ) from None
    return [(number, str(name), str(sha)) for number, name, sha in rows]


def _file(connection: duckdb.DuckDBPyConnection) -> str:
    """The path of the current database."""
    sql = "SELECT path FROM duckdb_databases() WHERE database_name = current_database()"
    ((path,),) = connection.execute(sql).fetchall()
    return str(path)


def check_history(connection: duckdb.DuckDBPyConnection) -> list[Migration]:
    """Returns the pending migrations.

    Raises NewerDatabase or InvalidDatabase if the history does not match the migrations.
    """
    history = _history(connection)
    found = max((number or 0 for number, _, _ in history), default=0)
    if found > latest_version():
        raise NewerDatabase(
            f"the warehouse has schema version {found}; this tw {__version__} "
            f"supports versions up to {latest_version()}",
            hint="Install the newer tw that wrote it.",
        )
    applied = {(number, name): sha for number, name, sha in history}  # the last one counts
    pending = []
    for migration in migrations():
        sha = applied.get((migration.version, migration.name))
        if migration.version is not None and sha not in (None, migration.sha256):
            raise InvalidDatabase(
                f"schema migration {migration.version} ({migration.name}) of this warehouse "
                "differs from the one of this tw",
                hint="The warehouse was written by a modified tw; use that one.",
            )
        if sha != migration.sha256:
            pending.append(migration)
    return pending


def upgrade(connection: duckdb.DuckDBPyConnection) -> list[Migration]:
    """Runs pending migrations, each in its own transaction; returns those that ran."""
    connection.execute(_HISTORY)
    pending = check_history(connection)
    for migration in pending:
        _run(connection, migration)
    return pending


def create(connection: duckdb.DuckDBPyConnection, version: int) -> None:
    """Makes an empty database a warehouse of a version, without repeatable migrations."""
    connection.execute(_HISTORY)
    for migration in migrations():
        if migration.version is not None and migration.version <= version:
            _run(connection, migration)


def _run(connection: duckdb.DuckDBPyConnection, migration: Migration) -> None:
    """Runs a migration in a transaction with its row."""
    connection.execute("BEGIN")
    connection.execute(migration.sql)
    write_comments(connection, migration.sql, without=_repeatable_comments())
    connection.execute(
        "INSERT INTO schema_migration VALUES (?, ?, ?, now() AT TIME ZONE 'UTC', ?)",
        [migration.version, migration.name, migration.sha256, __version__],
    )
    connection.execute("COMMIT")


def write_comments(
    connection: duckdb.DuckDBPyConnection, sql: str, *, without: Container[str] = ()
) -> None:
    """Sets the COMMENTs of the tables and columns that a schema file documents.

    `without` are those to leave out, as `comments` names them.
    """
    statements = []
    for kind, target, text in comments(sql):
        if target not in without:
            literal = text.replace("'", "''")
            statements.append(f"COMMENT ON {kind} {target} IS '{literal}';")
    connection.execute("\n".join(statements))


@cache
def _repeatable_comments() -> frozenset[str]:
    """The tables and columns that a repeatable file comments: setting them twice takes long."""
    texts = (each.sql for each in migrations() if each.version is None)
    return frozenset(target for text in texts for target in _COMMENTED.findall(text))


def comments(sql: str) -> Iterator[tuple[str, str, str]]:
    """Extracts the comments of a schema file: (TABLE|VIEW|COLUMN, name, text)."""
    above: list[str] = []
    table, column = "", _COLUMN
    for line in sql.splitlines():
        if found := _CREATED.match(line):
            kind, table = found.groups()
            column = _COLUMN if kind == "TABLE" else _VIEW_COLUMN
            yield kind, table, " ".join(above)
        elif table and (found := column.search(line)):
            yield "COLUMN", f'{table}."{found.group(1)}"', found.group(2)
        above = [*above, line[3:]] if line.startswith("-- ") else []
