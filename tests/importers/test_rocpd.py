"""rocpd databases: the sample, and recordings of several processes in one file, made here."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.support.gpu_profiles import error, imported
from warehouse.ingest.decode import Settings

REAL = "gpu/rocpd_synthetic/replay_results.db"
#: What one recording of a process has: table -> rows.
Rows = dict[str, list[dict[str, Any]]]


def recording(pid: int) -> Rows:
    """A call, the kernel it launched with two instances of a counter, and memory."""
    return {
        "metadata": [{"id": 1, "tag": "schema_version", "value": "3"}],
        "string": [
            {"id": n, "string": text}
            for n, text in enumerate(("HIP_RUNTIME_API", "hipLaunch", "MARKER_CORE_API", "mine"))
        ],
        "info_node": [{"id": 1, "machine_id": "m", "hostname": "host"}],
        "info_process": [{"id": 1, "nid": 1, "pid": pid, "command": "secret", "environment": "{}"}],
        "info_thread": [{"id": 1, "pid": 1, "tid": pid, "name": f"thread of {pid}"}],
        "info_agent": [
            {"id": 1, "nid": 1, "type": "CPU", "absolute_index": 0, "name": "cpu"},
            {"id": 2, "nid": 1, "type": "GPU", "absolute_index": 1, "name": "gfx90a"},
        ],
        "info_queue": [{"id": 1, "name": "Queue 1"}],
        "info_pmc": [{"id": 1, "agent_id": 2, "name": "SQ_WAVES", "symbol": "SQ_WAVES"}],
        "info_kernel_symbol": [{"id": 1, "display_name": "k", "arch_vgpr_count": 8}],
        "event": [
            {"id": 1, "category_id": 0, "stack_id": 7},
            {"id": 2, "category_id": 0, "stack_id": 7},
            {"id": 3, "category_id": 2, "stack_id": 8},
        ],
        "arg": [{"id": 1, "event_id": 1, "position": 0, "name": "stream", "value": "0x1"}],
        "pmc_event": [
            {"id": n, "event_id": 2, "pmc_id": 1, "value": float(n)} for n in (1, 2)
        ],
        "region": [
            {"id": 1, "pid": 1, "tid": 1, "start": 100 * pid, "end": 100 * pid + 20, "name_id": 1,
             "event_id": 1},
            {"id": 2, "pid": 1, "tid": 1, "start": 100 * pid - 5, "end": 100 * pid + 50,
             "name_id": 3, "event_id": 3},
        ],
        "kernel_dispatch": [
            {"id": 1, "pid": 1, "tid": 1, "agent_id": 2, "kernel_id": 1, "dispatch_id": 1,
             "queue_id": 1, "start": 100 * pid + 30, "end": 100 * pid + 45, "event_id": 2,
             "workgroup_size_x": 64, "workgroup_size_y": 1, "workgroup_size_z": 1,
             "grid_size_x": 129, "grid_size_y": 1, "grid_size_z": 1},
        ],
        "memory_copy": [],
        "memory_allocate": [
            {"id": 1, "pid": 1, "tid": 1, "agent_id": 2, "type": "ALLOC", "level": "REAL",
             "start": 100 * pid + 1, "end": 100 * pid + 2, "address": 4096, "size": 512},
            {"id": 2, "pid": 1, "tid": 1, "type": "FREE", "level": "REAL",
             "start": 100 * pid + 60, "end": 100 * pid + 61, "address": 4096, "size": 0},
        ],
    }  # fmt: skip


def in_schema_4(tables: Rows, minor: int) -> Rows:
    """The same recording as schema 4.0 or 4.1 stores it: places in tracks, categories apart."""
    newer = {name: [dict(row) for row in rows] for name, rows in tables.items()}
    newer["metadata"][0]["value"] = f"4.{minor}.0"
    texts = {row["id"]: row["string"] for row in newer["string"]}
    newer["info_category"] = []
    for event in newer["event"]:
        row = {"id": 100 + event["category_id"], "name": texts[event["category_id"]]}
        if row not in newer["info_category"]:
            newer["info_category"].append(row)
        event["category_id"] += 100
    tracks, times = newer.setdefault("track", []), newer.setdefault("timestamp", [])
    for table in ("region", "kernel_dispatch", "memory_copy", "memory_allocate"):
        for row in newer[table]:
            places = ("pid", "tid", "agent_id", "queue_id", "stream_id")
            where = {key: row.pop(key) for key in places if key in row}
            tracks.append({"id": len(tracks) + 1, "nid": 1, **where})
            row["track_id"] = len(tracks)
            for key in ("start", "end") if minor == 0 else ():
                times.append({"id": len(times) + 1, "value": row.pop(key)})
                row[f"{key}_id"] = len(times)
    if minor:
        del newer["timestamp"]
    return newer


def write(path: Path, *recordings: Rows) -> Path:
    with closing(sqlite3.connect(path)) as file:
        for n, tables in enumerate(recordings):
            suffix = f"_0000000{n}_aaaa_bbbb_cccc_000000000001"
            for name, rows in tables.items():
                columns = dict.fromkeys(key for row in rows for key in row) or {"start": None}
                names = ", ".join(f'"{column}"' for column in columns)
                file.execute(f"CREATE TABLE rocpd_{name}{suffix} ({names}, guid TEXT)")
                file.execute(
                    f"CREATE VIEW IF NOT EXISTS rocpd_{name} AS SELECT * FROM rocpd_{name}{suffix}"
                )
                file.executemany(
                    f"INSERT INTO rocpd_{name}{suffix} VALUES ({'?, ' * len(columns)}?)",
                    [[*(row.get(column) for column in columns), f"guid {n}"] for row in rows],
                )
        file.commit()
    return path


@pytest.fixture(scope="module")
def db(
    data_dir: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[duckdb.DuckDBPyConnection]:
    folder = tmp_path_factory.mktemp("rocpd")
    ours = write(folder / "ours.db", recording(10), recording(20))
    newer = [
        write(folder / f"schema_4_{n}.db", *(in_schema_4(recording(pid), n) for pid in (10, 20)))
        for n in (0, 1)
    ]
    later = recording(10)
    later["kernel_dispatch"][0] |= {"graph_exec_id": 3, "graph_node_id": 4}
    # Counters streamed over time belong to no dispatch, though they may name its event.
    later["pmc_event"] = [
        {"id": 1, "event_id": 2, "pmc_id": 1, "value": 5.0, "sample_id": None},
        {"id": 2, "event_id": 2, "pmc_id": 1, "value": 7.0, "sample_id": 1},
    ]
    later["sample"] = [{"id": 1, "track_id": 1, "timestamp": 1, "event_id": 2}]
    later["hip_event"] = [{"id": 1, "start": 1, "end": 2}]
    # Some writers name threads and processes by the system's numbers.
    system = in_schema_4(recording(10), 1)
    for track in system["track"]:
        track |= {"pid": 10, "tid": 10}
    more = [write(folder / "later.db", later), write(folder / "system.db", system)]
    connection = imported([data_dir / REAL, ours, *newer, *more], folder / "w.duckdb")
    yield connection
    connection.close()


def rows(db: duckdb.DuckDBPyConnection, table: str, columns: str, trace: str) -> list[Any]:
    return db.execute(
        f"SELECT {columns} FROM {table} AS x JOIN trace AS t ON t.id = x.trace_id "
        f"WHERE t.name = '{trace}' ORDER BY ALL"
    ).fetchall()


def test_the_sample_has_the_dispatches_copies_and_waves_of_its_manifest(
    db: duckdb.DuckDBPyConnection,
) -> None:
    sample = Path(REAL).stem
    figures = "x.kind, count(*), sum(dur)::BIGINT, sum(bytes)::BIGINT"
    assert rows(db, "gpu_op", figures, sample + "' GROUP BY x.kind HAVING '1' = '1") == [
        ("kernel", 18, 6 * 11_520, None),
        ("memcpy", 18, 18 * 1400, 6 * 808),
    ]
    # A wave is 64 work-items, and the grids of the three kernels are 256, 1024 and 512 of them.
    assert rows(db, "metric", "count(*), count(slice_id), sum(value)", sample) == [
        (18, 18, 6 * (256 + 1024 + 512) / 64)
    ]
    assert rows(db, "link", "count(*)", sample + "' AND x.kind = 'launch") == [(36,)]
    assert rows(db, "gpu_op", "DISTINCT grid_x", sample + "' AND x.kind = 'kernel") == [
        (1,), (2,), (4,)
    ]  # fmt: skip


def test_recordings_in_one_file_are_told_apart(db: duckdb.DuckDBPyConnection) -> None:
    found = db.execute(
        "SELECT p.pid, b.name, h.name, h.tid, b.ts - a.ts, confidence FROM link AS l "
        "JOIN slice AS a ON a.id = l.from_id JOIN slice AS b ON b.id = l.to_id "
        "JOIN track AS k ON k.id = a.track_id JOIN thread AS h ON h.id = k.thread_id "
        "JOIN process AS p ON p.id = k.process_id JOIN trace AS t ON t.id = l.trace_id "
        "WHERE t.name = 'ours' AND l.kind = 'launch' ORDER BY ALL"
    ).fetchall()
    assert found == [
        (10, "k", "thread of 10", 10, 30, 1.0),
        (20, "k", "thread of 20", 20, 30, 1.0),
    ]


SLICES = (
    "x.name, x.category, x.ts, x.dur, k.name, k.kind, p.pid, d.ordinal FROM slice AS x "
    "JOIN track AS k ON k.id = x.track_id LEFT JOIN process AS p ON p.id = k.process_id "
    "LEFT JOIN device AS d ON d.id = k.device_id JOIN trace AS t ON t.id = x.trace_id"
)


@pytest.mark.parametrize("schema", ["schema_4_0", "schema_4_1"])
def test_schema_4_says_the_same_as_schema_3(db: duckdb.DuckDBPyConnection, schema: str) -> None:
    for query in (
        SLICES,
        "x.name, domain, dur FROM annotation AS x JOIN trace AS t ON t.id = x.trace_id",
        "x.kind, x.rule, x.confidence FROM link AS x JOIN trace AS t ON t.id = x.trace_id",
        "x.name, value, ordinal FROM metric AS x JOIN trace AS t ON t.id = x.trace_id",
        "x.name, bytes, device_ordinal FROM memory_event AS x JOIN trace AS t ON t.id = x.trace_id",
    ):
        sql = f"SELECT {query} WHERE t.name = $1 ORDER BY ALL"
        found = db.execute(sql, [schema]).fetchall()
        assert found and found == db.execute(sql, ["ours"]).fetchall()


def test_tracks_may_name_threads_as_the_system_does(db: duckdb.DuckDBPyConnection) -> None:
    assert rows(db, "thread", "x.tid, x.name", "system") == [(10, "thread of 10")]
    assert rows(db, "process", "x.pid", "system") == [(10,)]


def test_work_of_a_graph_and_counters_over_time_are_told_apart(
    db: duckdb.DuckDBPyConnection,
) -> None:
    assert rows(db, "gpu_op", "graph_id, graph_node_id", "later") == [(3, 4)]
    assert rows(db, "metric", "x.name, value", "later") == [("SQ_WAVES", 5.0)]
    assert rows(db, "import_stat", "detail, value", "later' AND x.name = 'unused") == [
        ("samples taken over time", 1),
        ("table rocpd_hip_event: not part of the timeline", 1),
        ("values of counters streamed over time", 1),
    ]


def test_a_device_of_one_machine_is_the_same_in_all_recordings(
    db: duckdb.DuckDBPyConnection,
) -> None:
    assert rows(db, "device", "x.kind, ordinal, x.name, vendor", "ours") == [
        ("cpu", 0, "cpu", None),
        ("gpu", 1, "gfx90a", "AMD"),
    ]


def test_markers_counters_arguments_and_memory_are_there(db: duckdb.DuckDBPyConnection) -> None:
    assert rows(db, "annotation", "x.name, domain, dur", "ours") == [
        ("mine", "MARKER_CORE_API", 55)
    ] * 2  # fmt: skip
    assert rows(db, "metric", "x.name, value, ordinal", "ours") == [("SQ_WAVES", 3.0, 1)] * 2
    args = "args_json ->> '$.args.stream'"
    assert rows(db, "slice", f"DISTINCT {args}", "ours' AND x.name = 'hipLaunch") == [("0x1",)]
    assert rows(db, "memory_event", "x.name, bytes, device_kind, device_ordinal", "ours") == [
        ("ALLOC REAL", 512, "hip", 1),
        ("ALLOC REAL", 512, "hip", 1),
        ("FREE REAL", -512, "hip", 1),
        ("FREE REAL", -512, "hip", 1),
    ]
    assert rows(db, "gpu_op", "DISTINCT grid_x, block_x, dur", "ours") == [(3, 64, 15)]


def test_command_lines_stay_out_unless_asked_for(
    db: duckdb.DuckDBPyConnection, tmp_path: Path
) -> None:
    assert rows(db, "process", "x.name", "ours") == [("process 10",), ("process 20",)]
    asked = imported(
        [write(tmp_path / "a.db", recording(10))],
        tmp_path / "w.duckdb",
        settings=Settings(options=(("with_environment", "yes"),)),
    )
    assert asked.execute("SELECT name FROM process").fetchall() == [("secret",)]


def test_an_unknown_schema_is_refused_with_what_to_do(tmp_path: Path) -> None:
    newer = recording(10)
    newer["metadata"][0]["value"] = "9"
    for table in ("kernel_dispatch", "region"):
        newer[table] = [{"id": 1, "begins": 1, "lasts": 2}]
    found = error(write(tmp_path / "a.db", newer), tmp_path / "w.duckdb")
    assert "rocpd schema 9, whose rocpd_kernel_dispatch has neither start" in found.message
    assert found.hint and "rocpd convert" in found.hint


def test_a_file_of_views_alone_is_refused(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "a.db")) as file:
        file.execute("CREATE VIEW rocpd_kernel_dispatch AS SELECT load_extension('evil')")
    found = error(tmp_path / "a.db", tmp_path / "w.duckdb")
    assert "neither rocpd_kernel_dispatch nor rocpd_region found" in found.message
