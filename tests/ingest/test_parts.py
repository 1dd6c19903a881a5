"""Scripts of an importer run in their order, neighbours on the same parts part by part."""

from __future__ import annotations

from importlib.resources.abc import Traversable
from pathlib import Path

import duckdb
import pytest

from warehouse.ingest import commit
from warehouse.ingest.importer import InParts

NOTE = "INSERT INTO note SELECT '{}', getvariable('first_row'), getvariable('last_row');"
LAST = commit.LAST_ROW - 1


def test_neighbours_on_the_parts_of_a_table_run_part_by_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commit, "PART_ROWS", 2)
    for name in "abcd":
        (tmp_path / name).write_text(NOTE.format(name))
    connection = duckdb.connect()
    connection.execute("ATTACH ':memory:' AS scratch; USE scratch")
    connection.execute("CREATE TABLE many AS FROM range(5)")
    connection.execute("CREATE TABLE note (script VARCHAR, first_row BIGINT, last_row BIGINT)")
    scripts: list[Traversable | InParts] = [
        InParts(tmp_path / "a", "many", 4),
        InParts(tmp_path / "b", "many"),
        InParts(tmp_path / "c", "many"),
        tmp_path / "d",
    ]

    commit._normalize(connection, scripts, "1GB")

    rows = connection.execute("SELECT script, first_row, last_row FROM note").fetchall()
    assert rows[:-1] == [
        ("a", 0, 3), ("a", 4, LAST),
        ("b", 0, 1), ("c", 0, 1), ("b", 2, 3), ("c", 2, 3), ("b", 4, LAST), ("c", 4, LAST),
    ]  # fmt: skip
    assert rows[-1][0] == "d"
