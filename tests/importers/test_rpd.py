"""rocmProfileData's databases, of both schemas, made here."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import duckdb
import pytest

from tests.support.gpu_profiles import imported
from tw_importers.rpd import sniff

_COMMON = (
    "CREATE TABLE rocpd_metadata (id integer PRIMARY KEY AUTOINCREMENT, tag text, value text);"
    "CREATE TABLE rocpd_string (id integer PRIMARY KEY AUTOINCREMENT, string text NOT NULL);"
    "CREATE TABLE rocpd_op (id integer PRIMARY KEY AUTOINCREMENT, gpuId integer, queueId integer, "
    "sequenceId integer, start integer, end integer, description_id integer, opType_id integer);"
    "CREATE TABLE rocpd_api_ops (id integer PRIMARY KEY, api_id integer, op_id integer);"
    "INSERT INTO rocpd_string VALUES (1, ''), (2, 'hipLaunchKernel'), (3, 'hipMemcpyAsync'), "
    "(4, 'UserMarker'), (5, 'KernelExecution'), (6, 'CopyHostToDevice'), (7, 'void k<int>(a)'), "
    "(8, 'Barrier'), (9, 'hipExtModuleLaunchKernel'), (10, 'my range'), (11, 'hipMemset'), "
    "(12, 'FillBuffer'), (13, 'stream=0x1');"
)
NEW = (
    _COMMON
    + "CREATE TABLE rocpd_ustring (id integer PRIMARY KEY AUTOINCREMENT, string varchar(4096));"
    "CREATE TABLE rocpd_api (id integer PRIMARY KEY AUTOINCREMENT, pid integer, tid integer, "
    "start integer, end integer, apiName_id bigint, category_id bigint, domain_id bigint, "
    "args_id bigint);"
    "CREATE TABLE rocpd_kernelapi (api_ptr_id bigint PRIMARY KEY, stream text, gridX integer, "
    "gridY integer, gridZ integer, workgroupX integer, workgroupY integer, workgroupZ integer, "
    "groupSegmentSize integer, privateSegmentSize integer, kernelName_id bigint);"
    "CREATE TABLE rocpd_copyapi (api_ptr_id bigint PRIMARY KEY, stream varchar(18), size integer, "
    "width integer, height integer, kind integer, dst varchar, src varchar, dstDevice integer, "
    "srcDevice integer, sync bool, pinned bool);"
    "CREATE TABLE rocpd_monitor (id integer PRIMARY KEY, deviceType varchar, value varchar);"
    "INSERT INTO rocpd_monitor VALUES (1, 'gpu', '55'), (2, 'gpu', '56');"
    "CREATE TABLE rocpd_counter (id integer PRIMARY KEY, value real, op_id bigint, name_id bigint);"
    "INSERT INTO rocpd_string VALUES (14, 'SQ_WAVES');"
    "INSERT INTO rocpd_counter VALUES (1, 16.5, 1, 14), (2, 3, 2, 14), (3, 7, 99, 14);"
    "INSERT INTO rocpd_metadata VALUES (1, 'schema_version', '2');"
    "INSERT INTO rocpd_ustring VALUES (1, ''), (2, 'my range'), (3, 'stream=0x1');"
    "INSERT INTO rocpd_api VALUES (1, 70, 71, 100, 400, 4, 1, 1, 2), "
    "(2, 70, 71, 110, 120, 2, 1, 1, 3), (3, 70, 71, 130, 140, 9, 1, 1, 3), "
    "(4, 70, 71, 150, 160, 3, 1, 1, 1), (5, 70, 71, 170, 180, 11, 1, 1, 1);"
    "INSERT INTO rocpd_kernelapi VALUES (2, '0x1', 8, 2, 1, 64, 1, 1, 512, 16, 7), "
    "(3, '0x1', 1025, 1, 1, 256, 1, 1, 0, 0, 7);"
    "INSERT INTO rocpd_copyapi VALUES (4, '0x1', 4096, 0, 0, 1, '0xa', '0xb', 1, 0, 0, 1);"
    "INSERT INTO rocpd_op VALUES (1, 2, 0, 0, 125, 145, 7, 5), (2, 2, 0, 0, 150, 155, 1, 5), "
    "(3, 2, 1, 0, 165, 175, 1, 6), (4, 2, 0, 0, 190, 191, 1, 8), (5, 2, 0, 0, 200, 203, 1, 12);"
    "INSERT INTO rocpd_api_ops VALUES (1, 2, 1), (2, 3, 2), (3, 4, 3), (4, 5, 5);"
)
OLD = (
    _COMMON
    + "CREATE TABLE rocpd_api (id integer PRIMARY KEY AUTOINCREMENT, pid integer, tid integer, "
    "start integer, end integer, apiName_id integer, args_id integer);"
    "CREATE TABLE rocpd_kernelop (op_ptr_id integer PRIMARY KEY, gridX integer, gridY integer, "
    "gridz integer, workgroupX integer, workgroupY integer, workgroupZ integer, "
    "groupSegmentSize integer, privateSegmentSize integer, codeObject_id integer, "
    "kernelName_id integer);"
    "CREATE TABLE rocpd_kernelcodeobject (id integer PRIMARY KEY, vgpr integer, sgpr integer);"
    "CREATE TABLE rocpd_copyop (op_ptr_id integer PRIMARY KEY, size integer, src integer, "
    "dst integer, sync bool, pinned bool);"
    "INSERT INTO rocpd_api VALUES (1, 70, 71, 110, 120, 2, 13), (2, 70, 71, 130, 140, 4, 10);"
    "INSERT INTO rocpd_op VALUES (1, 0, 0, 3, 125, 145, 1, 5), (2, 0, 0, 4, 150, 160, 1, 6);"
    "INSERT INTO rocpd_kernelop VALUES (1, 128, 1, 1, 64, 1, 1, 0, 0, 9, 7);"
    "INSERT INTO rocpd_kernelcodeobject VALUES (9, 32, 48);"
    "INSERT INTO rocpd_copyop VALUES (2, 77, 0, 0, 0, 0);"
    "INSERT INTO rocpd_api_ops VALUES (1, 1, 1);"
)


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Iterator[duckdb.DuckDBPyConnection]:
    folder = tmp_path_factory.mktemp("rpd")
    for name, statements in (("new", NEW), ("old", OLD)):
        with closing(sqlite3.connect(folder / f"{name}.rpd")) as file:
            file.executescript(statements)
    connection = imported([folder / "new.rpd", folder / "old.rpd"], folder / "w.duckdb")
    yield connection
    connection.close()


def rows(db: duckdb.DuckDBPyConnection, table: str, columns: str, trace: str) -> list[Any]:
    return db.execute(
        f"SELECT {columns} FROM {table} AS x JOIN trace AS t ON t.id = x.trace_id "
        f"WHERE t.name = '{trace}' ORDER BY ALL"
    ).fetchall()


def test_it_is_known_by_its_tables() -> None:
    assert sniff(b"SQLite format 3\0 rocpd_api rocpd_op", "a") > 96
    assert sniff(b"SQLite format 3\0 rocpd_region", "a") == 0


@pytest.mark.integration
def test_what_ran_is_said_by_the_call_or_by_the_operation(db: duckdb.DuckDBPyConnection) -> None:
    columns = "x.kind, x.name, dur, grid_x, block_x, bytes, direction, registers_per_thread"
    kernel = "void k<int>(a)"
    assert rows(db, "gpu_op", columns, "new") == [
        ("kernel", kernel, 5, 5, 256, None, None, None),  # of 1025 work-items
        ("kernel", kernel, 20, 8, 64, None, None, None),
        ("memcpy", "CopyHostToDevice", 10, None, None, 4096, "HtoD", None),
        ("memset", "FillBuffer", 3, None, None, None, None, None),
    ]
    assert rows(db, "gpu_op", columns, "old") == [
        ("kernel", kernel, 20, 2, 64, None, None, 32),
        ("memcpy", "CopyHostToDevice", 10, None, None, 77, "HtoD", None),
    ]


def test_work_is_linked_to_its_call_and_lies_on_its_queue(db: duckdb.DuckDBPyConnection) -> None:
    linked = (
        "(SELECT s.name FROM slice AS s WHERE s.id = x.from_id), "
        "(SELECT s.dur FROM slice AS s WHERE s.id = x.to_id)"
    )
    assert rows(db, "link", linked, "new' AND x.kind = 'launch") == [
        ("hipExtModuleLaunchKernel", 5), ("hipLaunchKernel", 20), ("hipMemcpyAsync", 10),
        ("hipMemset", 3),
    ]  # fmt: skip
    assert rows(db, "track", "x.name, stream", "new' AND x.kind = 'stream") == [
        ("queue 0", 0), ("queue 1", 1)
    ]  # fmt: skip
    assert rows(db, "device", "ordinal, vendor", "new") == [(2, "AMD")]


def test_counters_are_of_their_work(db: duckdb.DuckDBPyConnection) -> None:
    work = "(SELECT dur FROM slice AS s WHERE s.id = x.slice_id)"
    assert rows(db, "metric", f"x.name, value, {work}, match_status", "new") == [
        ("SQ_WAVES", 3.0, 5, "source"), ("SQ_WAVES", 7.0, None, "none"),
        ("SQ_WAVES", 16.5, 20, "source"),
    ]  # fmt: skip


def test_markers_are_ranges_and_arguments_are_kept(db: duckdb.DuckDBPyConnection) -> None:
    assert rows(db, "annotation", "x.name, dur", "new") == [("my range", 300)]
    assert rows(db, "annotation", "x.name, dur", "old") == [("my range", 10)]
    for trace in ("new", "old"):
        assert rows(
            db, "slice", "args_json ->> '$.args'", f"{trace}' AND x.name = 'hipLaunchKernel"
        ) == [("stream=0x1",)]


def test_other_work_is_a_slice_and_other_tables_are_counted(db: duckdb.DuckDBPyConnection) -> None:
    assert rows(db, "slice", "x.name, category", "new' AND x.category = 'device_other") == [
        ("Barrier", "device_other")
    ]
    assert rows(db, "import_stat", "detail, value", "new' AND x.name = 'unused") == [
        ("table rocpd_monitor: not part of the timeline", 2)
    ]
