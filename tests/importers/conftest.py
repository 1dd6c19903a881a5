"""What tests of importers share: the recorded captures of Sophgo TPUs, imported once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from tests.nsys_cases import CASES
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


@pytest.fixture(scope="session")
def nsys(
    data_dir: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[duckdb.DuckDBPyConnection]:
    """All exports of Nsight Systems in one warehouse, each a run of its own, in their order."""
    db = tmp_path_factory.mktemp("nsys") / "w.duckdb"
    files = [data_dir / "gpu" / case for case in CASES.values()]
    outcomes = ingest.import_paths(files, db=db, options=Options(jobs=1))
    assert [outcome.error for outcome in outcomes] == [None] * len(CASES)
    connection = duckdb.connect(str(db), read_only=True)
    yield connection
    connection.close()
