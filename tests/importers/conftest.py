"""What tests of importers share: the recorded captures of Sophgo TPUs, imported once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from tests.support.nsys_cases import CASES
from tests.support.sharing import WarehouseCache, has_tier
from tests.support.sophgo_blocks import FEW, VALID


@pytest.fixture(scope="session")
def captures(
    data_dir: Path, imported_files: WarehouseCache, request: pytest.FixtureRequest
) -> Iterator[duckdb.DuckDBPyConnection]:
    """The valid cases that are asked for in one warehouse, each a run of its own."""
    cases = VALID if has_tier(request, "slow") else FEW
    folders = [data_dir / "bigtpu" / case / "input" for case in cases]
    connection = duckdb.connect(str(imported_files.file((None, folders))), read_only=True)
    yield connection
    connection.close()


@pytest.fixture(scope="session")
def nsys(data_dir: Path, imported_files: WarehouseCache) -> Iterator[duckdb.DuckDBPyConnection]:
    """All exports of Nsight Systems in one warehouse, each a run of its own, in their order."""
    files = [data_dir / "gpu" / case for case in CASES.values()]
    connection = duckdb.connect(str(imported_files.file((None, files))), read_only=True)
    yield connection
    connection.close()
