"""Iterations of replays above their streams in a Perfetto trace, against plain Python."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.support.gpu_profiles import imported
from warehouse.export.perfetto.trace import export_perfetto
from warehouse.query import session
from warehouse.query.selection import Selection
from warehouse.store import database

DUMPS = Path(__file__).parents[1] / "data" / "bladedisc" / "ok"
REPLAYS = Path(__file__).parents[1] / "queries" / "cases" / "shared" / "cluster_replays.sql"
PROFILE = "gpu/nsys_replay_synthetic/replay_full.sqlite"
COPIED = [8, 400, 400]  # bytes of the arguments of cluster_0
TO_DEVICE = 1  # copyKind


def expected(file: Path) -> list[tuple[int, int]]:
    """Start and end of each iteration: from its first copy to the end of the last work in it."""
    with closing(sqlite3.connect(file)) as export:
        copies = export.execute(
            "SELECT start, bytes FROM CUPTI_ACTIVITY_KIND_MEMCPY WHERE copyKind = ? ORDER BY start",
            [TO_DEVICE],
        ).fetchall()
        work = [
            row
            for table in ("KERNEL", "MEMCPY", "MEMSET")
            for row in export.execute(f"SELECT start, end FROM CUPTI_ACTIVITY_KIND_{table}")
        ]
    sizes = [size for _, size in copies]
    n = len(COPIED)
    starts = [copies[k][0] for k in range(len(copies)) if sizes[k : k + n] == COPIED]
    return [
        (start, max(end for begin, end in work if start <= begin < until))
        for start, until in zip(starts, [*starts[1:], float("inf")], strict=True)
    ]


@pytest.mark.slow
def test_iterations_of_a_replay_lie_above_its_streams(
    data_dir: Path, tmp_path: Path, read: Any
) -> None:
    file, db = data_dir / PROFILE, tmp_path / "w.duckdb"
    connection = imported([DUMPS / "train.log", file], db)
    ((source_base_ns,),) = connection.execute(
        "SELECT source_base_ns FROM trace WHERE format = 'nsys'"
    ).fetchall()
    connection.close()

    with session.opened(session.Place(db), Selection(runs=("replay_full",))) as opened:
        written = export_perfetto(opened.connection, tmp_path / "t.pftrace")

    timeline = read(tmp_path / "t.pftrace")
    shown = [each for each in timeline.slices if each.track == "iterations of cluster_0"]
    begun = [each.ts - source_base_ns for each in shown]
    found = [(ts, ts + each.dur) for ts, each in zip(begun, shown, strict=True)]
    assert found == expected(file)
    names = [f"iteration {n} (warm-up)" for n in range(5)] + ["iteration 5 (measured)"]
    assert [each.name for each in shown] == names
    assert shown[-1].args == {
        "function": "cluster_0", "n_kernels": 3, "kernel_ns": 10944, "n_copies": 3,
        "copied_bytes": 808,
    }  # fmt: skip
    assert written.n_added == len(shown)
    places = {
        track.name: (track.parent_uuid, track.sibling_order_rank)
        for track in timeline.tracks.values()
        if track.name.startswith(("stream", "iterations"))
    }
    process, rank = places.pop("iterations of cluster_0")
    assert len(places) == 2
    assert all(parent == process and rank < other for parent, other in places.values())


def test_iterations_are_added_to_what_is_stored(tmp_path: Path, read: Any) -> None:
    """Of two profiles, whose device work has no slices; a third one may be of two clusters."""
    db = tmp_path / "w.duckdb"
    database.create_empty(db)
    with duckdb.connect(str(db)) as connection:
        connection.execute(REPLAYS.read_text())
    with session.opened(session.Place(db), Selection(runs=("all",))) as opened:
        written = export_perfetto(opened.connection, tmp_path / "t.pftrace")

    assert (written.n_slices, written.n_added) == (0, 3)
    shown = {(each.name, each.dur, each.category) for each in read(tmp_path / "t.pftrace").slices}
    assert shown == {
        (name, dur, "cluster_iteration")
        for name, dur in (
            ("iteration 0 (warm-up)", 35), ("iteration 1 (measured)", 47),
            ("iteration 0 (measured)", 30),
        )
    }  # fmt: skip
