"""nvprof's databases: the sample nvprof itself printed, and what that one lacks, made here."""

from __future__ import annotations

import csv
import sqlite3
import struct
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from decimal import Decimal
from importlib.resources import files
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.support.gpu_profiles import error, imported

FOLDER = "gpu/nvprof_replay"
STRINGS = ["_Z1kv", "range", "domain", "GPU", "main thread"]


def thread_of(process: int, thread: int) -> bytes:
    return struct.pack("<iq", process, thread)


OURS: dict[str, list[dict[str, Any]]] = {
    "RUNTIME": [
        {"cbid": 211, "start": 100, "end": 120, "processId": 9, "threadId": -2, "correlationId": 5},
        {"cbid": 41, "start": 200, "end": 220, "processId": 9, "threadId": -2, "correlationId": 6},
        {"cbid": 9999, "start": 300, "end": 301, "processId": 9, "threadId": -2,
         "correlationId": 7},
    ],
    "DRIVER": [
        {"cbid": 307, "start": 105, "end": 115, "processId": 9, "threadId": -2, "correlationId": 5}
    ],
    # Columns of no version in particular, in no order.
    "KERNEL": [
        {"name": 1, "end": 150, "start": 130, "deviceId": 0, "contextId": 1, "streamId": 7,
         "correlationId": 5, "gridX": 2, "gridY": 3, "gridZ": 1, "blockX": 32, "blockY": 1,
         "blockZ": 1, "staticSharedMemory": 16, "dynamicSharedMemory": 32,
         "registersPerThread": 40, "queued": 110, "someColumnOfTomorrow": 1},
        {"name": 1, "start": 0, "end": 0, "deviceId": 0, "contextId": 1, "streamId": 7},
    ],
    "MEMCPY": [
        {"copyKind": 2, "srcKind": 3, "dstKind": 2, "bytes": 64, "start": 230, "end": 240,
         "deviceId": 0, "contextId": 2, "streamId": 8, "correlationId": 77,
         "runtimeCorrelationId": 6, "flags": 1}
    ],
    "MEMSET": [
        {"value": 0, "bytes": 8, "start": 250, "end": 251, "deviceId": 0, "contextId": 1,
         "streamId": 7, "correlationId": 8}
    ],
    "MARKER": [
        {"flags": 2, "timestamp": 90, "id": 1, "objectKind": 2, "name": 2, "domain": 3,
         "objectId": thread_of(9, 4294967294)},
        {"flags": 4, "timestamp": 190, "id": 1, "objectKind": 2, "name": 0, "domain": 0,
         "objectId": thread_of(9, 4294967294)},
        {"flags": 1, "timestamp": 95, "id": 2, "objectKind": 2, "name": 2, "domain": 0,
         "objectId": thread_of(9, 4294967294)},
        {"flags": 2, "timestamp": 96, "id": 3, "objectKind": 1, "name": 2, "domain": 0,
         "objectId": thread_of(9, 0)},
        {"flags": 4, "timestamp": 97, "id": 4, "objectKind": 1, "name": 0, "domain": 0,
         "objectId": thread_of(9, 0)},
    ],
    "SYNCHRONIZATION": [
        {"type": 3, "start": 260, "end": 270, "correlationId": 7, "contextId": 1, "streamId": 7,
         "cudaEventId": 4294967295}
    ],
    "CONTEXT": [{"contextId": 1, "deviceId": 0}],
    "DEVICE": [
        {"id": 0, "name": 4, "globalMemoryBandwidth": 900, "coreClockRate": 1500,
         "numMultiprocessors": 80, "globalMemorySize": 4096, "uuid": bytes(range(16))}
    ],
    "NAME": [{"objectKind": 2, "objectId": thread_of(9, 4294967294), "name": 5}],
    "GRAPH_TRACE": [{"start": 1, "end": 2}],
}  # fmt: skip


def write(path: Path, tables: dict[str, list[dict[str, Any]]]) -> Path:
    with closing(sqlite3.connect(path)) as file:
        file.execute("CREATE TABLE StringTable (_id_ INTEGER PRIMARY KEY, value TEXT)")
        file.executemany("INSERT INTO StringTable (value) VALUES (?)", [[s] for s in STRINGS])
        file.execute("CREATE TABLE Version (version INTEGER)")
        file.execute("INSERT INTO Version VALUES (22)")
        for name, rows in tables.items():
            table, columns = f"CUPTI_ACTIVITY_KIND_{name}", list(rows[0])
            names = ", ".join(f'"{column}"' for column in columns)
            file.execute(f"CREATE TABLE {table} (_id_ INTEGER PRIMARY KEY, {names})")
            file.executemany(
                f"INSERT INTO {table} ({names}) VALUES ({', '.join('?' * len(columns))})",
                [[row.get(column) for column in columns] for row in rows],
            )
        file.commit()
    return path


@pytest.fixture(scope="module")
def db(
    data_dir: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[duckdb.DuckDBPyConnection]:
    folder = tmp_path_factory.mktemp("nvprof")
    ours = write(folder / "ours.nvprof", OURS)
    connection = imported([data_dir / FOLDER / "replay_v9.nvvp", ours], folder / "w.duckdb")
    yield connection
    connection.close()


def rows(db: duckdb.DuckDBPyConnection, table: str, columns: str, trace: str) -> list[Any]:
    return db.execute(
        f"SELECT {columns} FROM {table} AS x JOIN trace AS t ON t.id = x.trace_id "
        f"WHERE t.name = '{trace}' ORDER BY ALL"
    ).fetchall()


def printed(path: Path) -> list[dict[str, str]]:
    """What nvprof printed, without the line above the header and the one of units below it."""
    lines = path.read_text().splitlines()[1:]
    return list(csv.DictReader([lines[0], *lines[2:]]))


def number(text: str) -> int | None:
    return int(text) if text else None


def test_work_on_the_device_is_what_nvprof_prints(
    db: duckdb.DuckDBPyConnection, data_dir: Path
) -> None:
    expected = Counter(
        (
            int(Decimal(line["Duration"])),
            *(number(line[f"{part} {axis}"]) for part in ("Grid", "Block") for axis in "XYZ"),
            number(line["Registers Per Thread"]),
            number(line["Size"]),
            int(line["Stream"]),
            line["Name"],
            int(line["Correlation_ID"]),
        )
        for line in printed(data_dir / FOLDER / "print-gpu-trace_ns.csv")
    )
    columns = (
        "dur, grid_x, grid_y, grid_z, block_x, block_y, block_z, registers_per_thread, bytes, "
        "stream, x.name, correlation_id"
    )
    assert Counter(rows(db, "gpu_op", columns, "replay_v9")) == expected


def test_calls_are_what_nvprof_prints(db: duckdb.DuckDBPyConnection, data_dir: Path) -> None:
    expected = sorted(
        (
            int(Decimal(line["Start"]) * 1_000_000),
            int(Decimal(line["Duration"]) * 1000),
            line["Name"],
            int(line["Correlation_ID"]),
        )
        for line in printed(data_dir / FOLDER / "print-api-trace.csv")
    )
    first = "(SELECT min(ts) FROM launch AS l WHERE l.trace_id = t.id)"
    columns = f"ts - {first}, dur, x.name, correlation_id"
    assert rows(db, "launch", columns, "replay_v9") == expected


def test_columns_are_found_by_name_whatever_the_version_says(
    db: duckdb.DuckDBPyConnection,
) -> None:
    columns = (
        "x.kind, x.name, ts + base_ns, dur, stream, grid_y, registers_per_thread, "
        "shared_memory_bytes, queued_ns, bytes, direction"
    )
    assert rows(db, "gpu_op", columns, "ours") == [
        ("kernel", "_Z1kv", 130, 20, 7, 3, 40, 48, 20, None, None),
        ("memcpy", "[CUDA memcpy DtoH]", 230, 10, 8, None, None, None, None, 64, "DtoH"),
        ("memset", "[CUDA memset]", 250, 1, 7, None, None, None, None, 8, None),
        ("sync", "Stream Sync", 260, 10, 7, None, None, None, None, None, None),
    ]
    assert rows(db, "track", "x.name", "ours' AND x.kind = 'stream") == [
        ("stream 7 of context 1",),
        ("stream 8 of context 2",),
    ]


def test_kinds_of_memory_are_numbered_as_cupti_does(db: duckdb.DuckDBPyConnection) -> None:
    kinds = "args_json ->> '$.src_memory', args_json ->> '$.dst_memory'"
    copies = "ours' AND category = 'gpu_memcpy"
    assert rows(db, "slice", kinds, copies) == [("Device", "Pinned")]
    copies = "replay_v9' AND category = 'gpu_memcpy"
    assert rows(db, "slice", f"DISTINCT {kinds}", copies) == [("Pageable", "Device")]


def test_work_is_caused_by_the_runtimes_call_rather_than_the_drivers_in_it(
    db: duckdb.DuckDBPyConnection,
) -> None:
    found = db.execute(
        "SELECT a.name, b.name, l.confidence FROM link AS l JOIN slice AS a ON a.id = l.from_id "
        "JOIN slice AS b ON b.id = l.to_id JOIN trace AS t ON t.id = l.trace_id "
        "WHERE t.name = 'ours' AND l.kind = 'launch' ORDER BY ALL"
    ).fetchall()
    assert found == [
        ("cudaLaunchKernel", "_Z1kv", 1.0),
        ("cudaMemcpyAsync", "[CUDA memcpy DtoH]", 1.0),
    ]


def test_functions_have_cuptis_numbers_and_the_names_nvprof_prints() -> None:
    text = (files("tw_importers.nvprof") / "cbid.csv").read_text()
    named = {tuple(line.split(",")[:2]): line.split(",")[2] for line in text.splitlines()[1:]}
    assert len(named) == len(text.splitlines()) - 1 > 1200
    assert named["driver", "276"] == "cuMemcpyHtoD" and named["driver", "307"] == "cuLaunchKernel"
    assert named["runtime", "211"] == "cudaLaunchKernel"
    assert named["runtime", "409"] == "cudaStreamGetCaptureInfo_v2"


def test_a_function_without_a_known_name_has_its_number(db: duckdb.DuckDBPyConnection) -> None:
    assert rows(db, "launch", "callback_id, x.name", "ours' AND callback_id = '9999") == [
        (9999, "runtime#9999")
    ]
    assert ("unnamed_call", 1) in rows(db, "import_problem", "x.kind, count", "ours")


def test_starts_and_ends_of_ranges_are_one_range(db: duckdb.DuckDBPyConnection) -> None:
    columns = "x.name, domain, base_ns + ts, dur, h.tid, h.name"
    found = db.execute(
        f"SELECT {columns} FROM annotation AS x JOIN trace AS t ON t.id = x.trace_id "
        "JOIN track AS k ON k.id = x.track_id LEFT JOIN thread AS h ON h.id = k.thread_id "
        "WHERE t.name = 'ours' ORDER BY 3"
    ).fetchall()
    assert found == [
        ("range", "domain", 90, 100, 4294967294, "main thread"),
        ("range", "", 95, 0, 4294967294, "main thread"),
        ("range", "", 96, -1, None, None),
    ]
    unused = rows(db, "import_stat", "detail, value", "ours' AND x.name = 'unused")
    assert ("ends of ranges that never began", 1.0) in unused


def test_what_could_not_be_read_or_hides_kernels_is_reported(db: duckdb.DuckDBPyConnection) -> None:
    found = rows(db, "import_problem", "x.kind, count", "ours")
    assert ("no_usable_time", 1) in found and ("hidden_kernels", 1) in found


def test_devices_have_units(db: duckdb.DuckDBPyConnection) -> None:
    columns = "ordinal, x.name, clock_hz, peak_bytes_per_s, n_compute_units, uuid"
    assert rows(db, "device", columns, "ours") == [
        (0, "GPU", 1.5e6, 9e5, 80, "000102030405060708090a0b0c0d0e0f")
    ]


def test_another_database_is_refused(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "a.nvvp")) as file:
        file.execute("CREATE TABLE a (b)")
    found = error(tmp_path / "a.nvvp", tmp_path / "w.duckdb")
    assert "table StringTable not found" in found.message
