"""Lakes that several tests begin with."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.support.sharing import DDP, WarehouseCache, build_once
from warehouse.lake.sync import sync


@pytest.fixture
def synced(imported_files: WarehouseCache, shared_place: Path, tmp_path: Path) -> tuple[Path, Path]:
    """A warehouse of two ranks, and a lake of it."""
    db, lake = imported_files.copy(tmp_path / "w.duckdb", DDP), tmp_path / "lake"

    def make(folder: Path) -> None:
        sync(db, folder, name="w")

    shutil.copytree(build_once(shared_place / "lake_of_two_ranks", make), lake)
    return db, lake
