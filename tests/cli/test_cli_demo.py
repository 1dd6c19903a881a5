"""`tw demo`: the first thing a newcomer runs."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import warehouse
from warehouse.ingest import pipeline
from warehouse.query import execute
from warehouse.store import database

if TYPE_CHECKING:
    from tests.conftest import Tw

DEMO = Path(warehouse.__file__).parent / "demo_data"


def test_the_demo_prints_figures_and_writes_a_trace(tw: Tw, tmp_path: Path) -> None:
    ran = tw("demo")

    assert ran.code == 0
    assert "thread_utilization" in ran.out
    assert "aten::mm" in ran.out
    assert (tmp_path / "demo.pftrace").stat().st_size > 100_000
    assert "9,690 slices" in ran.err


def test_tables_of_the_demo_fit_a_terminal(
    tw: Tw, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "80")

    ran = tw("demo")

    assert [line for line in ran.out.splitlines() if len(line) > 80] == []
    (row,) = re.findall(r"^ +0  aten::mm .*", ran.out, re.MULTILINE)
    assert row.split() == ["0", "aten::mm", "60", "15.45", "ms", "0.2378", "247.8", "µs"]
    assert "do not fit" not in ran.err


@pytest.mark.slow
def test_the_demo_again_gives_the_same(tw: Tw, tmp_path: Path) -> None:
    first = tw("demo")
    trace = (tmp_path / "demo.pftrace").read_bytes()
    second = tw("demo")

    assert first.out == second.out
    assert trace == (tmp_path / "demo.pftrace").read_bytes()
    with database.Reader(tmp_path / "tw-demo.duckdb") as reader:
        assert database.one(reader.connection, "SELECT count(*) FROM trace") == (2,)


@pytest.mark.slow
def test_thread_utilization_is_the_union_of_host_operations(tmp_path: Path) -> None:
    path = tmp_path / "w.duckdb"
    pipeline.import_paths([DEMO], db=path, options=pipeline.Options(jobs=1))
    with database.Reader(path) as reader:
        found = execute.run(reader.connection, "thread_utilization").table().to_pylist()
        rows = reader.connection.execute("""
            SELECT track_id, ts, dur FROM cpu_op
            UNION ALL SELECT track_id, ts, dur FROM launch
            UNION ALL SELECT track_id, ts, dur FROM collective WHERE side = 'host'
        """).fetchall()

    assert len(found) == 6
    for row in found:
        mine = sorted((ts, ts + dur) for track_id, ts, dur in rows if track_id == row["track_id"])
        assert row["busy_ns"] == union(mine)
        assert (row["start_ns"], row["end_ns"]) == (mine[0][0], max(end for _, end in mine))


def union(intervals: list[tuple[int, int]]) -> int:
    """The length of sorted intervals, counting what overlaps once."""
    length, reached = 0, intervals[0][0]
    for start, end in intervals:
        length += max(0, end - max(start, reached))
        reached = max(reached, end)
    return length
