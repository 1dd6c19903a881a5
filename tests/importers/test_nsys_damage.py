"""Exports of Nsight Systems that are random or damaged: rows and counts, or a sentence."""

import random
from contextlib import closing
from pathlib import Path

import duckdb
import pytest

from tests.fuzz import edit_sqlite
from tests.ingest.test_nesting import by_definition
from tests.support import nsys_export
from tw_importers.nsys.tables import TABLES
from tw_importers.sqlite_tables import Database, alike
from warehouse.errors import TwError
from warehouse.ingest import pipeline


@pytest.mark.integration
def test_every_record_of_a_random_export_with_a_start_is_a_slice(tmp_path: Path) -> None:
    source = nsys_export.write(tmp_path / "a.sqlite", n_rows=300)
    (outcome,) = pipeline.import_paths([source], db=tmp_path / "w.duckdb")
    assert outcome.error is None
    with closing(duckdb.connect(str(tmp_path / "w.duckdb"), read_only=True)) as connection:
        found = dict(
            connection.execute("SELECT category, count(*) FROM slice GROUP BY ALL").fetchall()
        )
        ranges = connection.execute("SELECT count(*) FROM annotation").fetchone()
        slices = connection.execute(
            "SELECT track_id, ts, if(dur = -1, (SELECT end_ts FROM trace) - ts, greatest(dur, 0)), "
            "depth, parent_id - (SELECT min(id) FROM slice) FROM slice ORDER BY id"
        ).fetchall()
    assert found["gpu_memcpy"] == found["gpu_memset"] == found["cuda_sync"] == found["osrt"] == 300
    assert found["kernel"] == 2 * 300  # kernels, and graphs recorded as one piece
    assert found["cuda_runtime"] + found["cuda_driver"] + found["cuda_backtrace"] == 300
    assert ranges == (found["user_annotation"],)
    expected = by_definition([(track, ts, reach) for track, ts, reach, _, _ in slices])
    assert {n: (depth, parent) for n, (*_, depth, parent) in enumerate(slices)} == expected


def test_rows_read_together_are_those_read_one_by_one_however_damaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = random.Random(5)
    whole = nsys_export.write(tmp_path / "a.sqlite", seed=5).read_bytes()
    hurt = tmp_path / "hurt.sqlite"
    for _ in range(20):
        hurt.write_bytes(edit_sqlite.edit(whole, source, whole))
        together = tables(hurt)
        with monkeypatch.context() as patch:
            patch.setattr(alike, "groups", lambda *_: iter(()))
            assert tables(hurt) == together


def tables(path: Path) -> object:
    """The tables of numbers most rows are in, and what is wrong with them."""
    try:
        with Database(path) as database:
            found = [database.rows(*TABLES[name]) for name in ("kernel", "api", "memcpy")]
            return found, database.problems
    except TwError as error:
        return error.message
