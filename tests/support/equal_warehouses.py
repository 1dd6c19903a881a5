"""Compares two warehouses row by row, stored order included."""

from __future__ import annotations

from pathlib import Path

import duckdb

# Times of the import, and how it was done.
_DIFFERENT = {
    "import_stat": ["value", "id", "detail"],
    "query_version": ["recorded_at", "first_used_at"],
    "run": ["created_at", "imported_at"],
    "schema_migration": ["applied_at"],
    "trace": ["imported_at"],
    "source_file": ["path"],
}


def differing_tables(one: Path, other: Path) -> dict[str, int]:
    """The tables whose rows or order differ, with how many rows of either are not in the other."""
    return _differing(one, other, "rowid AS place, ")


def differing_rows(one: Path, other: Path) -> dict[str, int]:
    """The same for rows alone: they may be stored in another order."""
    return _differing(one, other, "")


def _differing(one: Path, other: Path, place: str) -> dict[str, int]:
    with duckdb.connect() as connection:
        for name, path in (("one", one), ("other", other)):
            connection.execute(f"ATTACH '{path}' AS {name} (READ_ONLY)")
        tables = [_tables(connection, each) for each in ("one", "other")]
        assert tables[0] == tables[1]
        found = {table: _n_different(connection, table, place) for table in tables[0]}
    return {table: n for table, n in found.items() if n}


def _tables(connection: duckdb.DuckDBPyConnection, database: str) -> list[str]:
    rows = connection.execute(
        "SELECT table_name FROM duckdb_tables() WHERE database_name = ? ORDER BY ALL", [database]
    ).fetchall()
    return [str(name) for (name,) in rows]


def _n_different(connection: duckdb.DuckDBPyConnection, table: str, place: str) -> int:
    columns = [name for name, *_ in connection.execute(f"DESCRIBE one.{table}").fetchall()]
    excluded = [each for each in _DIFFERENT.get(table, []) if each in columns]
    kept = f"* EXCLUDE ({', '.join(excluded)})" if excluded else "*"
    where = "" if table == "import_stat" else place
    one, other = (f"SELECT {where}{kept} FROM {each}.{table}" for each in ("one", "other"))
    (n,) = connection.execute(
        f"SELECT (SELECT count(*) FROM ({one} EXCEPT ALL {other})) "
        f"+ (SELECT count(*) FROM ({other} EXCEPT ALL {one}))"
    ).fetchone() or (0,)
    return int(n)
