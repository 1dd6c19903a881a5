"""Exports of Nsight Systems that are random or damaged: rows and counts, or a sentence."""

from contextlib import closing
from pathlib import Path

import duckdb

from tests.importers import fuzz_nsys
from warehouse import ingest


def test_every_record_of_a_random_export_with_a_start_is_a_slice(tmp_path: Path) -> None:
    source = fuzz_nsys.export(tmp_path / "a.sqlite", n_rows=300)
    (outcome,) = ingest.import_paths([source], db=tmp_path / "w.duckdb")
    assert outcome.error is None
    with closing(duckdb.connect(str(tmp_path / "w.duckdb"), read_only=True)) as connection:
        found = dict(
            connection.execute("SELECT category, count(*) FROM slice GROUP BY ALL").fetchall()
        )
        ranges = connection.execute("SELECT count(*) FROM annotation").fetchone()
    assert found["gpu_memcpy"] == found["gpu_memset"] == found["cuda_sync"] == found["osrt"] == 300
    assert found["kernel"] == 2 * 300  # kernels, and graphs recorded as one piece
    assert found["cuda_runtime"] + found["cuda_driver"] + found["cuda_backtrace"] == 300
    assert ranges == (found["user_annotation"],)


def test_damaged_exports_end_in_rows_or_a_sentence(tmp_path: Path) -> None:
    ends = fuzz_nsys.run(3, 30, tmp_path, import_every=15)
    assert ends["damaged"] + ends["sound"] + ends["refused"] == 30
    assert ends["imported"] + ends["import refused"] == 2
