"""Edits of SQLite files: by SQL where they are sound, else of the fields of their pages."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing, suppress

from tests.fuzz import edit_bytes
from tests.fuzz.edit_bytes import NUMBERS

_VALUES: tuple[object, ...] = (
    *(number for number in NUMBERS if -(1 << 63) <= number < 1 << 63),
    None, "", "x", "1", "-1", "1.5", "nan", "\0", "ä", "long " * 400, b"", b"\0", b"\xff" * 20,
    0.5, -1.5, 1e300, -1e300, float("inf"), float("-inf"), 9.3e18,
)  # fmt: skip
_HEADER = 100  # bytes of a file before its first page's own header
_MAGIC = b"SQLite format 3\0"


def edit(data: bytes, rng: random.Random, other: bytes) -> bytes:
    """The database with one edit; `other` is a database that pages are taken from."""
    if rng.random() < 0.6:
        try:
            return _by_sql(data, rng)
        except (sqlite3.Error, OverflowError, ValueError):
            pass  # it was damaged before
    return rng.choice((edit_page, edit_page, edit_header, move_page, take_page, cut_pages))(
        data, rng, other
    )


def _by_sql(data: bytes, rng: random.Random) -> bytes:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.deserialize(data)
        connection.text_factory = bytes
        tables = [
            row[0].decode(errors="surrogateescape").replace('"', '""')
            for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        ]
        rng.choice(_STATEMENTS)(connection, rng.choice(tables), rng)
        return connection.serialize()


def _columns(connection: sqlite3.Connection, table: str) -> list[str]:
    rows = connection.execute(f'PRAGMA table_info("{table}")').fetchall()
    return [row[1].decode(errors="surrogateescape").replace('"', '""') for row in rows]


def set_cell(connection: sqlite3.Connection, table: str, rng: random.Random) -> None:
    column = rng.choice(_columns(connection, table))
    rows = connection.execute(f'SELECT rowid FROM "{table}"').fetchall()
    if rows:
        some = f"rowid = {rng.choice(rows)[0]}" if rng.random() < 0.8 else "true"
        connection.execute(
            f'UPDATE OR IGNORE "{table}" SET "{column}" = ? WHERE {some}', [rng.choice(_VALUES)]
        )


def set_cells(connection: sqlite3.Connection, table: str, rng: random.Random) -> None:
    """A value at its limits in many a row of every table: each column has its own check."""
    names = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    for (name,) in names:
        table = name.decode(errors="surrogateescape").replace('"', '""')
        for _ in range(3):
            with suppress(sqlite3.Error):  # a key takes integers only
                set_cell(connection, table, rng)


def drop_column(connection: sqlite3.Connection, table: str, rng: random.Random) -> None:
    column = rng.choice(_columns(connection, table))
    connection.execute(f'ALTER TABLE "{table}" DROP COLUMN "{column}"')


def rename_column(connection: sqlite3.Connection, table: str, rng: random.Random) -> None:
    column = rng.choice(_columns(connection, table))
    name = rng.choice(("x", "start", "end", "id", "START", "name"))
    connection.execute(f'ALTER TABLE "{table}" RENAME COLUMN "{column}" TO "{name}"')


def rename_table(connection: sqlite3.Connection, table: str, rng: random.Random) -> None:
    connection.execute(f'ALTER TABLE "{table}" RENAME TO "{rng.choice(("x", "y z", "StringIds"))}"')


def drop_table(connection: sqlite3.Connection, table: str, rng: random.Random) -> None:
    connection.execute(f'DROP TABLE "{table}"')


def empty_table(connection: sqlite3.Connection, table: str, rng: random.Random) -> None:
    connection.execute(f'DELETE FROM "{table}" WHERE rowid % ? = 0', [rng.choice((1, 2))])


def repeat_rows(connection: sqlite3.Connection, table: str, rng: random.Random) -> None:
    """All rows again under new keys; what is unique is left out."""
    connection.execute(f'CREATE TABLE other AS SELECT * FROM "{table}"')
    connection.execute(f'DROP TABLE "{table}"')
    connection.execute(
        f'CREATE TABLE "{table}" AS SELECT * FROM other UNION ALL SELECT * FROM other'
    )
    connection.execute("DROP TABLE other")


def change_schema(connection: sqlite3.Connection, table: str, rng: random.Random) -> None:
    """What sqlite_master says of a table: its definition, its first page, its kind."""
    connection.execute("PRAGMA writable_schema = on")
    ((text,),) = connection.execute("SELECT sql FROM sqlite_master WHERE name = ?", [table])
    value: object
    column = rng.choice(("sql", "sql", "sql", "rootpage", "type", "name"))
    if column == "sql":
        value = edit_bytes.edit(text or b"x", rng, text or b"x").decode(errors="replace")
    elif column == "rootpage":
        value = rng.choice((0, 1, 2, 3, 9999, -1, None, rng.randrange(1, 60)))
    else:
        value = rng.choice(("view", "index", "table", "", "x", None))
    connection.execute(f"UPDATE sqlite_master SET {column} = ? WHERE name = ?", [value, table])


def add_code(connection: sqlite3.Connection, table: str, rng: random.Random) -> None:
    """Views, triggers and other tables than plain ones."""
    statement = rng.choice((
        f'CREATE VIEW v AS SELECT * FROM "{table}"',
        f'CREATE TRIGGER t AFTER INSERT ON "{table}" BEGIN DELETE FROM "{table}"; END',
        "CREATE TABLE without (a INTEGER PRIMARY KEY, b) WITHOUT ROWID",
        f'CREATE INDEX i ON "{table}" (rowid)',
        "CREATE TABLE g (a, b GENERATED ALWAYS AS (a + 1) STORED)",
        "CREATE TABLE strict_one (a INTEGER, b ANY) STRICT",
    ))  # fmt: skip
    connection.execute(statement)


def edit_page(data: bytes, rng: random.Random, other: bytes) -> bytes:
    """The header of a page, the places of its cells, or a cell's first bytes."""
    size = _page_size(data)
    first = rng.randrange(max(1, len(data) // size)) * size
    at = first + (_HEADER if not first else 0) + rng.randrange(40)
    return (
        data[:at] + rng.choice((b"\0", b"\5", b"\x0d", b"\xff", b"\x81", b"\x02")) + data[at + 1 :]
    )


def edit_header(data: bytes, rng: random.Random, other: bytes) -> bytes:
    at = rng.randrange(_HEADER)
    return data[:at] + bytes([rng.randrange(256)]) + data[at + 1 :]


def move_page(data: bytes, rng: random.Random, other: bytes) -> bytes:
    return _page_of(data, rng, data)


def take_page(data: bytes, rng: random.Random, other: bytes) -> bytes:
    return _page_of(data, rng, other)


def _page_of(data: bytes, rng: random.Random, source: bytes) -> bytes:
    size = _page_size(data)
    to, begin = (rng.randrange(max(1, len(each) // size)) * size for each in (data, source))
    return data[:to] + source[begin : begin + size] + data[to + size :]


def cut_pages(data: bytes, rng: random.Random, other: bytes) -> bytes:
    size = _page_size(data)
    return data[: rng.randrange(1, max(2, len(data) // size)) * size]


def _page_size(data: bytes) -> int:
    size = int.from_bytes(data[16:18], "big") if data.startswith(_MAGIC) else 0
    return size if size >= 512 else 512


_STATEMENTS = (
    set_cell, set_cell, set_cell, set_cell, set_cells, set_cells, drop_column, rename_column,
    rename_table, drop_table, empty_table, repeat_rows, change_schema, change_schema, add_code,
)  # fmt: skip
