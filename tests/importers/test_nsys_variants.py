"""Exports of Nsight Systems as versions, settings and other programs vary them; all made here."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import duckdb
import pytest

from tests.support.gpu_profiles import error, imported

_STRINGS = (
    "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT NOT NULL);"
    "INSERT INTO StringIds VALUES (1, 'gemm'), (2, 'void gemm<float>(int)'), "
    "(3, 'cudaLaunchKernel_v7000'), (4, 'cuLaunchKernel'), (5, 'MPI_Send'), (6, 'acc_wait');"
)
_KERNEL = (
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, deviceId INT, contextId INT, "
    "streamId INT, correlationId INT, globalPid INT, demangledName INT, shortName INT);"
)
_CALL = (
    "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT, end INT, eventClass INT, globalTid INT, "
    "correlationId INT, nameId INT, returnValue INT);"
)


def global_id(pid: int, tid: int = 0) -> int:
    return 1 << 48 | pid << 24 | tid


def _two_processes() -> str:
    """Each sees one GPU, which CUDA numbers 0 in both; their correlation ids are alike."""
    rows = "".join(
        f"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL "
        f"VALUES ({start + 60}, {start + 90}, 0, 1, 7, 5, {global_id(pid)}, 2, 1);"
        f"INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME "
        f"VALUES ({start}, {start + 9}, 0, {global_id(pid, pid)}, 5, 3, 0);"
        for pid, start in ((10, 100), (20, 130))
    )
    return (
        _STRINGS + _KERNEL + _CALL + rows + "CREATE TABLE TARGET_INFO_GPU (id INT, name TEXT, "
        "uuid TEXT); INSERT INTO TARGET_INFO_GPU VALUES (0, 'H100', 'aa'), (3, 'H100', 'dd');"
        "CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INT, cudaId INT, pid INT, uuid TEXT);"
        "INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (0, 0, 10, 'aa'), (3, 0, 20, 'dd');"
    )


def _nvtx_types() -> str:
    thread = global_id(7, 7)
    ranges = (
        (59, 5),
        (60, 15),
        (34, None),
        (70, 35),
        (71, 45),
        (65, None),
        (None, 65),
        (None, None),
    )
    rows = "".join(
        f"INSERT INTO NVTX_EVENTS VALUES ({10 * n}, {end or 'NULL'}, {kind or 'NULL'}, "
        f"'range {n}', {thread});"
        for n, (kind, end) in enumerate(ranges)
    )
    return (
        "CREATE TABLE NVTX_EVENTS (start INT, end INT, eventType INT, text TEXT, globalTid INT);"
        + rows
        + f"INSERT INTO NVTX_EVENTS VALUES (100, -1, 59, 'open', {thread}), "
        f"(110, 0, 60, 'open too', {thread}), (0, NULL, 99, 'my stream', {thread}), "
        f"(0, NULL, 1000, 'of a later version', {thread});"
    )


EXPORTS = {
    # As test data of other tools: no packed ids, no classes, no StringIds for a name.
    "plain": _STRINGS
    + "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, streamId INT, deviceId INT, "
    "correlationId INT, demangledName INT);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT, end INT, nameId INT, correlationId INT, "
    f"globalTid INT); INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (10, 20, 3, 9, "
    f"{global_id(42, 43)}); INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (30, 50, 7, 0, 9, 2), "
    "(60, 65, 7, 0, 10, 77);",
    "nameless": "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, deviceId INT);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (5, 9, 0);",
    "two_processes": _two_processes(),
    "nvtx": _nvtx_types(),
    "libraries": _STRINGS
    + "CREATE TABLE MPI_P2P_EVENTS (start INT, end INT, globalTid INT, textId INT, commHandle INT, "
    "tag INT, remoteRank INT, size INT);"
    f"INSERT INTO MPI_P2P_EVENTS VALUES (1, 4, {global_id(5, 5)}, 5, 1, 2, 3, 400);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_OPENACC_OTHER (start INT, end INT, nameId INT, "
    "eventClass INT, globalTid INT, lineNo INT);"
    f"INSERT INTO CUPTI_ACTIVITY_KIND_OPENACC_OTHER VALUES (5, 9, 6, 48, {global_id(5, 5)}, 17);"
    "CREATE TABLE CUDA_GRAPH_NODE_EVENTS (start INT, end INT, nameId INT, globalTid INT, "
    "graphNodeId INT, originalGraphNodeId INT);"
    f"INSERT INTO CUDA_GRAPH_NODE_EVENTS VALUES (2, 3, 4, {global_id(5, 5)}, 8, 7);"
    "CREATE TABLE GPU_CONTEXT_SWITCH_EVENTS (tag INT, timestamp INT, gpuId INT);"
    "INSERT INTO GPU_CONTEXT_SWITCH_EVENTS VALUES (1, 2, 0), (8, 3, 0);"
    "CREATE TABLE OF_A_LATER_VERSION (value TEXT); INSERT INTO OF_A_LATER_VERSION VALUES ('x');"
    "CREATE TABLE KEYED (id INT PRIMARY KEY) WITHOUT ROWID; INSERT INTO KEYED VALUES (1);",
}


def export(folder: Path, name: str, statements: str) -> Path:
    path = folder / f"{name}.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(statements)
    return path


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Iterator[duckdb.DuckDBPyConnection]:
    folder = tmp_path_factory.mktemp("nsys_variants")
    files = [export(folder, name, statements) for name, statements in EXPORTS.items()]
    with closing(imported(files, folder / "w.duckdb")) as connection:
        yield connection


def rows(db: duckdb.DuckDBPyConnection, case: str, sql: str) -> list[tuple[object, ...]]:
    return db.execute(sql, {"t": list(EXPORTS).index(case) + 1}).fetchall()


@pytest.mark.slow
def test_work_that_names_no_process_is_of_the_only_one_that_made_calls(
    db: duckdb.DuckDBPyConnection,
) -> None:
    assert rows(db, "plain", "SELECT name, pid FROM process WHERE trace_id = $t") == [
        (None, 42)
    ] and rows(
        db, "plain",
        "SELECT f.name, g.name FROM link AS k JOIN slice AS f ON f.id = k.from_id "
        "JOIN gpu_op AS g ON g.slice_id = k.to_id WHERE k.trace_id = $t AND k.kind = 'launch'",
    ) == [("cudaLaunchKernel", "void gemm<float>(int)")]  # fmt: skip


@pytest.mark.slow
def test_kernels_without_a_name_are_kernels_and_reported(db: duckdb.DuckDBPyConnection) -> None:
    assert rows(db, "nameless", "SELECT name, dur FROM gpu_op WHERE trace_id = $t") == [
        ("kernel", 4)
    ]
    for case in ("plain", "nameless"):
        assert rows(
            db, case, "SELECT count FROM import_problem WHERE trace_id = $t AND kind = 'unnamed'"
        ) == [(1,)]  # fmt: skip


@pytest.mark.slow
def test_a_gpu_is_one_device_whatever_number_a_process_sees_it_by(
    db: duckdb.DuckDBPyConnection,
) -> None:
    assert rows(
        db, "two_processes",
        "SELECT p.pid, d.ordinal, d.uuid, t.name FROM gpu_op AS g JOIN device AS d "
        "ON d.id = g.device_id JOIN track AS t ON t.id = g.track_id "
        "JOIN process AS p ON p.id = t.process_id WHERE g.trace_id = $t ORDER BY ALL",
    ) == [(10, 0, "aa", "stream 7"), (20, 3, "dd", "stream 7")]  # fmt: skip


def test_correlation_ids_are_of_their_process(db: duckdb.DuckDBPyConnection) -> None:
    assert rows(
        db, "two_processes",
        "SELECT f.ts, g.ts FROM link AS k JOIN slice AS f ON f.id = k.from_id "
        "JOIN slice AS g ON g.id = k.to_id WHERE k.trace_id = $t AND k.kind = 'launch' "
        "ORDER BY ALL",
    ) == [(0, 60), (30, 90)]  # fmt: skip


def test_nvtx_events_of_all_types_are_told_apart(db: duckdb.DuckDBPyConnection) -> None:
    assert rows(
        db, "nvtx", "SELECT name, style, dur FROM annotation WHERE trace_id = $t ORDER BY name"
    ) == [
        ("open", "push_pop", -1), ("open too", "start_end", -1),
        ("range 0", "push_pop", 5), ("range 1", "start_end", 5), ("range 2", "mark", 0),
        ("range 3", "push_pop", 5), ("range 4", "start_end", 5), ("range 5", "mark", 0),
        ("range 6", "push_pop", 5), ("range 7", "mark", 0),
    ]  # fmt: skip
    assert rows(
        db, "nvtx",
        "SELECT detail, value FROM import_stat WHERE trace_id = $t AND name = 'unused' "
        "ORDER BY ALL",
    ) == [
        ("NVTX records of an unknown type", 1),
        ("NVTX records that name domains, categories and threads", 1),
    ]  # fmt: skip


def test_calls_of_libraries_lie_on_their_threads(db: duckdb.DuckDBPyConnection) -> None:
    assert rows(
        db, "libraries", "SELECT category, name, dur, args_json FROM slice WHERE trace_id = $t "
        "ORDER BY ts, dur DESC",
    ) == [
        ("mpi", "MPI_Send", 3, '{"tag":2,"remoteRank":3,"size":400,"commHandle":1}'),
        ("cuda_graph", "cuLaunchKernel", 1, '{"graphNodeId":8,"originalGraphNodeId":7}'),
        ("openacc", "acc_wait", 4, '{"lineNo":17}'),
    ]  # fmt: skip


def test_what_is_not_on_the_timeline_is_counted_table_by_table(
    db: duckdb.DuckDBPyConnection,
) -> None:
    assert rows(
        db, "libraries",
        "SELECT detail, value FROM import_stat WHERE trace_id = $t AND name = 'unused' "
        "ORDER BY ALL",
    ) == [
        ("table GPU_CONTEXT_SWITCH_EVENTS: not part of the timeline", 2),
        ("table OF_A_LATER_VERSION: not part of the timeline", 1),
    ]  # fmt: skip
    assert rows(
        db, "libraries", "SELECT kind, count, example FROM import_problem WHERE trace_id = $t"
    ) == [("unreadable_table", 1, "KEYED")]  # fmt: skip


def test_another_programs_database_is_refused_whatever_it_is_called(tmp_path: Path) -> None:
    path = export(tmp_path, "places", "CREATE TABLE moz_places (id INTEGER PRIMARY KEY, url TEXT)")
    for name in ("places.sqlite", "places.db", "places"):
        message = error(path.rename(tmp_path / name), tmp_path / "w.duckdb")
        assert "without tables of Nsight Systems" in str(message)
        path = tmp_path / name


@pytest.mark.integration
def test_reports_of_the_ranks_of_a_program_are_one_run(tmp_path: Path) -> None:
    folder = tmp_path / "job"
    folder.mkdir()
    for rank in (0, 1):
        export(
            folder, f"report_{rank}", EXPORTS["nameless"]
            + "CREATE TABLE MPI_RANKS (globalTid INT, rank INT);"
            f"INSERT INTO MPI_RANKS VALUES ({global_id(rank + 5, 1)}, {rank});",
        )  # fmt: skip
    with closing(imported([folder], tmp_path / "w.duckdb")) as connection:
        found = connection.execute("SELECT run_id, rank FROM trace ORDER BY rank").fetchall()
    assert found == [(1, 0), (1, 1)]
