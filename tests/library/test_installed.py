"""Macros that a session made from rows stay where later queries create theirs."""

from __future__ import annotations

from pathlib import Path

import duckdb

from warehouse.library import library
from warehouse.library.installed import Macros
from warehouse.store import database


def test_macros_that_are_held_stay(tmp_path: Path) -> None:
    queries = library.load()
    held, above = queries.find("dpro_tensor"), queries.find("what_if_groups_problem")
    database.create_empty(tmp_path / "w.duckdb")
    with duckdb.connect(str(tmp_path / "w.duckdb")) as connection:
        macros = Macros()
        connection.execute(held.outline(temp=True))  # one row, which the query has not
        macros.hold([str(held.key)])

        queries.install_for(connection, above, macros)

        assert len(connection.execute(f'FROM "{held.key}"()').fetchall()) == 1
