"""A value that fits in no column is a problem of its record; the rest of the file is imported."""

from __future__ import annotations

import json
import pickle
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.importers import test_rocpd, test_rocprofv3_json
from tests.support import nsys_export, snapshots
from tests.support.sharing import integration, slow
from warehouse.ingest import pipeline
from warehouse.store import database

SMALLEST = -(1 << 63)


def counters_without_names(folder: Path) -> Path:
    document = test_rocprofv3_json.program(100)
    del document["counters"]
    for record in document["callback_records"]["counter_collection"][0]["records"]:
        del record["counter_id"]["handle"]
    path = folder / "counters.json"
    path.write_text(json.dumps({"rocprofiler-sdk-tool": [document]}))
    return path


def counters_without_ids(folder: Path) -> Path:
    recording = test_rocpd.recording(10)
    recording["info_pmc"] = [{"id": 1, "agent_id": 2, "name": None, "symbol": None}]
    recording["pmc_event"] = [{"id": 1, "event_id": 2, "pmc_id": None, "value": 3.0}]
    return test_rocpd.write(folder / "counters.db", recording)


def earliest_start(folder: Path) -> Path:
    path = nsys_export.write(folder / "early.sqlite", n_rows=10)
    with closing(sqlite3.connect(path)) as file:
        update = "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET"
        file.execute(f'{update} "start" = ? WHERE rowid = 1', [SMALLEST])
        file.execute(f"{update} dynamicSharedMemory = ? WHERE rowid = 2", [-SMALLEST - 1])
        file.commit()
    return path


def smallest_sizes(folder: Path) -> Path:
    snapshot = pickle.loads(snapshots.make(1, n=12).pickled())  # noqa: S301 - our own
    for action in ("alloc", "free_requested", "segment_alloc"):
        found = [each for each in snapshot["device_traces"][0] if each["action"] == action]
        found[0]["size"] = SMALLEST
    path = folder / "sizes.pickle"
    path.write_bytes(pickle.dumps(snapshot))
    return path


def many_categories(folder: Path) -> Path:
    events = ",".join(
        f'{{"ph":"X","cat":"c{n}","name":"a","pid":1,"tid":1,"ts":{n},"dur":1}}'
        for n in range(1 << 15)
    )
    path = folder / "categories.json"
    path.write_text(f'{{"traceEvents":[{events}]}}')
    return path


@pytest.mark.parametrize(
    ("write", "problem", "n_stored"),
    [
        integration(
            counters_without_names, "unnamed_counter", "1 FROM metric WHERE name = 'counter'"
        ),
        (earliest_start, "time_out_of_range", "19 FROM gpu_op WHERE kind = 'kernel'"),
        slow(smallest_sizes, "size_out_of_range", None),
        slow(counters_without_ids, "unnamed_counter", "1 FROM metric"),
        integration(many_categories, None, f"{1 << 15} FROM slice"),
    ],
)
def test_it_loses_no_file(
    write: Callable[[Path], Path], problem: str | None, n_stored: str | None, tmp_path: Path
) -> None:
    path = write(tmp_path)

    (outcome,) = pipeline.import_paths([path], db=tmp_path / "w.duckdb")

    assert outcome.error is None
    assert outcome.committed is not None
    assert problem is None or outcome.committed.problems[problem] >= 1
    if n_stored is not None:
        n, _, rest = n_stored.partition(" ")
        with database.Reader(tmp_path / "w.duckdb") as reader:
            assert database.one(reader.connection, f"SELECT count(*) {rest}") == (int(n),)
