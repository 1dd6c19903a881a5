"""What importers of GPU profilers share: one table of activities, and its way into the core tables.

An importer names its own columns only in SQL that fills the tables of `tables.sql`; from there on
all profilers go the same way. Registers no format of its own.
"""

from __future__ import annotations

from importlib.resources import files

FOLDER = files(__package__)
MACROS = FOLDER / "macros.sql"
TABLES = FOLDER / "tables.sql"
PREPARE = FOLDER / "prepare.sql"
NORMALIZE = FOLDER / "normalize.sql"
