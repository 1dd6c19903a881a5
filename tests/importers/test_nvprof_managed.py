"""Managed memory in nvprof's databases and CSV: migrations are copies, page faults no ranges."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.support.gpu_profiles import imported

#: As nvprof prints them: the unit of managed memory is that of bytes, other values have none.
CSV = """==5== NVPROF is profiling process 5, command: ./a
==5== Profiling result:
"Start","Duration","Size","Device","Context","Stream","Unified Memory","Virtual Address","Name",\
"Correlation_ID"
ns,ns,B,,,,KB,,,
100,,,,,,"PC 0x5e24","0x7000","[Unified Memory CPU page faults]",
200,50,,"GPU (1)",,,"18","0x8000","[Unified Memory GPU page faults]",
300,7,,"GPU (1)",,,64.000000,"0x8000","[Unified Memory Memcpy HtoD]",
400,2,,"GPU (1)",,,4.500000,"0x7000","[Unified Memory Memcpy DtoH]",
500,9,16,"GPU (1)","1","7",,,"[CUDA memcpy HtoD]",3
"""
#: The same as CUPTI's records: counterKind, value, start, end, address, srcId, dstId.
HOST = 4294967295
RECORDS = (
    (3, 0x5E24, 100, 0, 0x7000, HOST, 0),
    (4, 18, 200, 250, 0x8000, 1, 0),
    (1, 65536, 300, 307, 0x8000, HOST, 1),
    (2, 4608, 400, 402, 0x7000, 1, HOST),
)


def database(path: Path) -> Path:
    with closing(sqlite3.connect(path)) as file:
        file.executescript(
            "CREATE TABLE StringTable (_id_ INTEGER PRIMARY KEY, value TEXT);"
            "CREATE TABLE CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER (_id_ INTEGER PRIMARY KEY, "
            "counterKind INT, value INT, start INT, end INT, address INT, srcId INT, dstId INT, "
            "streamId INT, processId INT, flags INT);"
            "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (_id_ INTEGER PRIMARY KEY, copyKind INT, "
            "bytes INT, start INT, end INT, deviceId INT, contextId INT, streamId INT, "
            "correlationId INT);"
            "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (1, 1, 16, 500, 509, 1, 1, 7, 3)"
        )
        file.executemany(
            "INSERT INTO CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER "
            "VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, 0, 5, 0)",
            RECORDS,
        )
        file.commit()
    return path


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Iterator[duckdb.DuckDBPyConnection]:
    folder = tmp_path_factory.mktemp("managed")
    (folder / "printed.csv").write_text(CSV)
    files = [folder / "printed.csv", database(folder / "stored.nvprof")]
    with closing(imported(files, folder / "w.duckdb")) as connection:
        yield connection


def rows(db: duckdb.DuckDBPyConnection, trace: str, sql: str) -> list[tuple[Any, ...]]:
    return db.execute(sql, {"t": {"printed": 1, "stored": 2}[trace]}).fetchall()


@pytest.mark.parametrize("trace", ["printed", "stored"])
def test_migrations_are_copies_with_bytes_and_addresses(
    db: duckdb.DuckDBPyConnection, trace: str
) -> None:
    assert rows(
        db, trace,
        "SELECT g.ts, g.dur, g.bytes, direction, is_unified, virtual_address, k.name, d.ordinal "
        "FROM gpu_op AS g JOIN track AS k ON k.id = g.track_id "
        "JOIN device AS d ON d.id = g.device_id "
        "WHERE g.trace_id = $t ORDER BY g.ts",
    ) == [
        (200, 7, 65536, "HtoD", True, 0x8000, "copies of managed memory", 1),
        (300, 2, 4608, "DtoH", True, 0x7000, "copies of managed memory", 1),
        (400, 9, 16, "HtoD", None, None, "stream 7", 1),
    ]  # fmt: skip


@pytest.mark.parametrize("trace", ["printed", "stored"])
def test_all_is_of_the_only_process(db: duckdb.DuckDBPyConnection, trace: str) -> None:
    assert rows(db, trace, "SELECT pid FROM process WHERE trace_id = $t") == [(5,)]


@pytest.mark.parametrize("trace", ["printed", "stored"])
def test_page_faults_are_slices_of_the_host_and_the_device(
    db: duckdb.DuckDBPyConnection, trace: str
) -> None:
    assert rows(
        db, trace,
        "SELECT s.category, s.ts, s.dur, k.kind, k.name, s.args_json ->> '$.numberOfPageFaults' "
        "FROM slice AS s JOIN track AS k ON k.id = s.track_id "
        "WHERE s.trace_id = $t AND s.category LIKE 'um_%' ORDER BY s.ts",
    ) == [
        ("um_cpu_page_fault", 0, 0, "thread", "thread", None),
        ("um_gpu_page_fault", 100, 50, "stream", "page faults of managed memory", "18"),
    ]  # fmt: skip
    assert rows(db, trace, "FROM annotation WHERE trace_id = $t") == []
    assert rows(db, trace, "SELECT kind FROM import_problem WHERE trace_id = $t") == []
