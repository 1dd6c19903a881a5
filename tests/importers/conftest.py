"""What tests of importers share: the recorded captures of Sophgo TPUs, imported once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from tests.sophgo_blocks import VALID
from warehouse import ingest
from warehouse.ingest import Options


@pytest.fixture(scope="session")
def captures(
    data_dir: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[duckdb.DuckDBPyConnection]:
    """All valid cases in one warehouse, each a run of its own."""
    db = tmp_path_factory.mktemp("sophgo") / "w.duckdb"
    folders = [data_dir / "bigtpu" / case / "input" for case in VALID]
    outcomes = ingest.import_paths(folders, db=db, options=Options(jobs=1))
    assert [outcome.error for outcome in outcomes] == [None] * len(VALID)
    connection = duckdb.connect(str(db), read_only=True)
    yield connection
    connection.close()
