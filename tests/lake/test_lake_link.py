"""Ranks that meet in a lake are linked as those of one import."""

from __future__ import annotations

from pathlib import Path

import pytest

import warehouse
from tests.conftest import Tw
from tests.lake.test_lake_queries import PUBLIC, Both
from tests.support.sharing import DDP, WarehouseCache, slow
from warehouse.ingest.pipeline import Options
from warehouse.lake.importing import import_paths
from warehouse.lake.upkeep import check
from warehouse.query.selection import Selection

LINKS = (
    "SELECT from_id, to_id, kind, rule, confidence, link_set FROM link "
    "WHERE trace_id IS NULL ORDER BY ALL"
)
#: Queries that say when traces were imported, and from where.
NOT_COMPARED = {"runs", "traces"}
CLOCKS = "SELECT trace_id, offset_ns, uncertainty_ns, method FROM clock ORDER BY ALL"


@pytest.mark.parametrize("has_queries", [False, slow(True)])
def test_ranks_of_two_imports_are_linked_as_those_of_one(
    tw: Tw, tmp_path: Path, imported_files: WarehouseCache, has_queries: bool
) -> None:
    db, lake = imported_files(DDP), tmp_path / "lake"
    for path in DDP[1]:
        import_paths([path], lake, options=Options(run="ddp"))
    with warehouse.open(db) as opened:
        expected = [opened.sql(each).rows() for each in (LINKS, CLOCKS)]
    assert expected[0]
    written = {path: path.stat().st_mtime_ns for path in lake.rglob("*/trace_id=*/*")}

    done = tw("lake", "link", lake)

    assert (done.code, f"ddp: 2 traces, {len(expected[0])} links" in done.err) == (0, True)
    with warehouse.open(lake=lake) as opened:
        assert [opened.sql(each).rows() for each in (LINKS, CLOCKS)] == expected
    assert {path: path.stat().st_mtime_ns for path in written} == written
    assert check(lake).findings == []
    if has_queries:
        queries = [each for each in PUBLIC if each.header and each.header.name not in NOT_COMPARED]
        assert list(Both(db, lake).differing(Selection(), queries)) == []
