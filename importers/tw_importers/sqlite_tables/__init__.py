"""Tables of SQLite files as Arrow, for the importers of formats that are SQLite databases.

The pages of the file are taken apart here, whole columns at a time with NumPy, instead of asking
SQLite: that is several times as fast as making a Python object of every value, and of a hostile
file nothing can run, since nothing here runs SQL. Views, triggers, virtual tables and indexes are
not looked at. Only the file proper is read: what waits in a journal is refused, not guessed.
Format: https://www.sqlite.org/fileformat2.html
"""

from __future__ import annotations

from tw_importers.sqlite_tables.database import (
    BLOB,
    DISK_USE,
    INTEGER,
    REAL,
    TEXT,
    Database,
    is_sqlite,
    open_database,
)
from tw_importers.sqlite_tables.records import Kind

__all__ = [
    "BLOB",
    "DISK_USE",
    "INTEGER",
    "REAL",
    "TEXT",
    "Database",
    "Kind",
    "is_sqlite",
    "open_database",
]
