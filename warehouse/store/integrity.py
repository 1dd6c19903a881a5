"""Reads all stored values of a warehouse file, to find any damage (`tw check --file`)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from warehouse.errors import InvalidDatabase
from warehouse.store import catalog, damage, database
from warehouse.wording import counted

if TYPE_CHECKING:
    import duckdb


@dataclass(frozen=True)
class TableCheck:
    """The result of checking one table."""

    name: str
    n_rows: int
    n_orphans: int = 0  # rows of traces that the warehouse does not hold
    damage: str | None = None  # what cannot be read, and where

    def of(self, path: Path) -> InvalidDatabase:
        """Returns the finding as an error of a file."""
        return damage.sentence(path, f"table {self.name} {self.reason}")

    @property
    def reason(self) -> str:
        return self.damage or f"holds {counted(self.n_orphans, 'row')} of no trace"


@dataclass(frozen=True)
class FileCheck:
    """All tables of a file, and its size in bytes."""

    tables: tuple[TableCheck, ...]
    n_bytes: int

    @property
    def broken(self) -> tuple[TableCheck, ...]:
        return tuple(each for each in self.tables if each.damage or each.n_orphans)


def check(path: Path, *, wait_s: float = database.DEFAULT_WAIT_S) -> FileCheck:
    """Reads every column of every table; raises InvalidDatabase if the file cannot be opened."""
    with database.Reader(path, wait_s=wait_s) as reader:
        connection = reader.connection
        owned = set(catalog.trace_tables(connection)) - {"trace"}
        names = [each.name for each in catalog.tables(connection) if each.kind == "table"]
        found = [_check(connection, path, name, owns=name in owned) for name in names]
    return FileCheck(tuple(found), path.stat().st_size)


def _check(
    connection: duckdb.DuckDBPyConnection, path: Path, name: str, *, owns: bool
) -> TableCheck:
    import duckdb

    try:
        # A hash of each value: an aggregate that statistics alone cannot answer.
        connection.execute(f'SELECT bit_xor(hash(COLUMNS(*))) FROM main."{name}"').fetchall()
        (n_rows,) = database.one(connection, f'SELECT count(*) FROM main."{name}"')
        n_orphans = _orphans(connection, name) if owns else 0
    except duckdb.Error as error:
        found = damage.of(path, error)
        if found is None:
            raise
        return TableCheck(name, 0, damage=damage.place(error))
    return TableCheck(name, int(n_rows), n_orphans)


def _orphans(connection: duckdb.DuckDBPyConnection, name: str) -> int:
    (n_rows,) = database.one(
        connection,
        f'SELECT count(*) FROM main."{name}" WHERE trace_id NOT IN (SELECT id FROM main.trace)',
    )
    return int(n_rows)
