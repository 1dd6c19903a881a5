"""A capture and the trace of its host are one run on one time."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pytest

from tests.support import sophgo_capture as capture

if TYPE_CHECKING:
    from tests.conftest import Tw


SHOWN = (
    "SELECT aligned_ts_ns, a.dur, a.name FROM aligned_slice AS a "
    "JOIN trace AS t ON t.id = a.trace_id WHERE t.format = 'sophgo'"
)


def rows(db: Path, sql: str) -> list[Any]:
    with duckdb.connect(str(db), read_only=True) as connection:
        return connection.execute(sql).fetchall()


def test_a_capture_that_says_when_its_counters_stopped_ends_then(
    tw: Tw, data_dir: Path, tmp_path: Path
) -> None:
    folder, db = data_dir / "bigtpu" / "aks_m1_trace_tail", tmp_path / "w.duckdb"
    lines = (folder / "out37" / "slices.jsonl").read_text().splitlines()
    theirs = Counter(
        (row["ts"], row["dur"], row["name"])
        for row in map(json.loads, lines)
        if "dur" in row and not row["track"].startswith(("cpu op", "tpudnn op"))
    )

    done = tw("import", "--db", db, folder / "input", "--trace-file", folder / "trace.json")

    assert done.code == 0, done.err
    assert rows(db, "SELECT count(*) FROM run") == [(1,)]
    assert Counter(rows(db, SHOWN)) == theirs


@pytest.mark.integration
def test_any_other_capture_begins_when_the_first_call_ends(tw: Tw, tmp_path: Path) -> None:
    folder = capture.write(tmp_path / "capture", capture.program(random.Random(1), 1, [5_000]))
    events = [
        {"name": name, "ph": "X", "ts": ts, "dur": dur, "pid": 1, "tid": 1, "cat": category}
        for name, ts, dur, category in (
            ("enable_profile", 110.0, 60.25, "tpudnn"),
            ("aten::matmul", 200.0, 50.0, "cpu_op"),
            ("tpudnnMatmulAsync", 210.5, 12.125, "tpudnn"),
            ("tpudnnGeluForwardAsync", 265.0, 10.0, "tpudnn"),
        )
    ]
    host = tmp_path / "trace.json"
    host.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
    db = tmp_path / "w.duckdb"

    done = tw("import", "--db", db, folder, "--trace-file", host)

    assert done.code == 0, done.err
    assert rows(db, f"SELECT min(aligned_ts_ns) FROM ({SHOWN})") == [(222_625,)]
