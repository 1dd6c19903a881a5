"""Shared by importers of GPU profilers: a table of activities, and SQL from it to core tables.

An importer fills the tables of `tables.sql` from its own raw tables; the rest is the same for all
profilers. Registers no format.
"""

from __future__ import annotations

from importlib.resources import files

FOLDER = files(__package__)
MACROS = FOLDER / "macros.sql"
TABLES = FOLDER / "tables.sql"
PREPARE = FOLDER / "prepare.sql"
NORMALIZE = FOLDER / "normalize.sql"
RECORD_TABLES = ("slice", "metric")
