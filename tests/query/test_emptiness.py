"""A result without rows says what the scope lacks, and what records it."""

from __future__ import annotations

import tomllib
from pathlib import Path

import duckdb
import pytest

from tests.conftest import Tw
from tests.support.sharing import GPU, WarehouseCache
from warehouse.query import emptiness
from warehouse.resources import sql_folder
from warehouse.store import database


@pytest.fixture(autouse=True)
def warehouse(imported_files: WarehouseCache, tmp_path: Path) -> Path:
    """In the folder that commands run in, where they look for it."""
    return imported_files.copy(tmp_path / "traces.duckdb", GPU)


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        (
            "tpu_gap",
            "0 rows. Of what the query reads, the scope has no TPU commands (captures of Sophgo "
            "TPUs have them).",
        ),
        ("straggler", "0 rows. Nothing in the scope matches."),
        ("dpro_category", "0 rows. The query needs a dPRO trial."),
    ],
)
def test_a_query_without_rows_says_why(tw: Tw, query: str, sentence: str) -> None:
    result = tw("query", query, "--format", "csv")

    assert result.code == 0
    assert len(result.out.splitlines()) == 1  # the header
    assert result.err.splitlines()[-1] == sentence
    assert tw("query", query, "--quiet").err == ""


def test_tables_and_views_that_are_described_exist(tmp_path: Path) -> None:
    described = tomllib.loads((sql_folder("queries") / emptiness.FILE).read_text())
    database.create_empty(tmp_path / "w.duckdb")
    with duckdb.connect(str(tmp_path / "w.duckdb"), read_only=True) as connection:
        rows = connection.execute("SELECT DISTINCT table_name FROM duckdb_columns()").fetchall()
    tables = {name for (name,) in rows}
    assert set(described) <= tables
    assert all("holds" in of for of in described.values())
