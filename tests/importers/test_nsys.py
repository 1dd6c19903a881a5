"""Exports of Nsight Systems: what of them is in the warehouse, and what must never be."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.conftest import Tw
from tests.support.nsys_cases import CASES, number
from tw_importers.nsys.read import sniff
from warehouse.errors import TraceError
from warehouse.ingest import pipeline


def one(connection: duckdb.DuckDBPyConnection, sql: str, case: str) -> Any:
    row = connection.execute(sql, {"t": number(case)}).fetchone()
    assert row is not None
    return row[0] if len(row) == 1 else row


def test_the_files_are_known_by_their_content(data_dir: Path) -> None:
    for case in CASES.values():
        with (data_dir / "gpu" / case).open("rb") as file:
            assert sniff(file.read(64 << 10), "some.db") == 95


def test_kernels_and_copies_of_a_real_capture_are_all_there(
    nsys: duckdb.DuckDBPyConnection,
) -> None:
    assert one(
        nsys, "SELECT count(*), sum(dur), min(ts), max(ts + dur) FROM gpu_op "
        "WHERE trace_id = $t AND kind = 'kernel'", "cloverleaf",
    )[:2] == (1312, 294_404_540)  # fmt: skip
    assert nsys.execute(
        "SELECT direction, count(*), sum(bytes), sum(dur) FROM gpu_op "
        "WHERE trace_id = 1 AND kind = 'memcpy' GROUP BY ALL ORDER BY ALL"
    ).fetchall() == [("DtoH", 25, 51_200, 44_638), ("HtoD", 254, 225_065_752, 9_346_285)]
    assert one(
        nsys, "SELECT t.base_ns - t.source_base_ns + min(ts) FROM gpu_op "
        "JOIN trace AS t ON t.id = trace_id WHERE trace_id = $t AND gpu_op.kind = 'kernel' "
        "GROUP BY t.base_ns, t.source_base_ns", "cloverleaf",
    ) == 533_338_240  # fmt: skip


def test_a_wait_is_called_what_the_call_waited_for(nsys: duckdb.DuckDBPyConnection) -> None:
    # The export labels all of them "Event sync"; the calls are cudaDeviceSynchronize.
    assert one(
        nsys, "SELECT any_value(sync_kind), count(*) FROM gpu_op "
        "WHERE trace_id = $t AND kind = 'sync'", "cloverleaf",
    ) == ("Context Sync", 1312)  # fmt: skip
    assert one(
        nsys, "SELECT count FROM import_problem WHERE trace_id = $t AND kind = 'sync_label'",
        "cloverleaf",
    ) == 1312  # fmt: skip


@pytest.mark.parametrize(
    ("case", "n_kernels"), [("cloverleaf", 1312), ("saxpy", 5), ("replay", 18)]
)
def test_every_kernel_has_one_call_that_launched_it(
    nsys: duckdb.DuckDBPyConnection, case: str, n_kernels: int
) -> None:
    assert one(
        nsys, "SELECT count(*), count(DISTINCT k.to_id), count(DISTINCT k.from_id) FROM link AS k "
        "JOIN gpu_op AS g ON g.slice_id = k.to_id "
        "WHERE k.trace_id = $t AND k.kind = 'launch' AND g.kind = 'kernel'", case,
    ) == (n_kernels,) * 3  # fmt: skip


def test_calls_recorded_again_with_a_backtrace_are_kept_apart(
    nsys: duckdb.DuckDBPyConnection,
) -> None:
    assert one(nsys, "SELECT count(*) FROM launch WHERE trace_id = $t", "saxpy") == 95 - 38
    assert one(
        nsys, "SELECT count(*), count(DISTINCT track_id), any_value(k.kind) FROM slice AS s "
        "JOIN track AS k ON k.id = s.track_id "
        "WHERE s.trace_id = $t AND s.category = 'cuda_backtrace'", "saxpy",
    ) == (38, 1, "async")  # fmt: skip


def test_versions_are_cut_from_the_names_of_calls_but_not_lost(
    nsys: duckdb.DuckDBPyConnection,
) -> None:
    assert one(
        nsys, "SELECT count(*), any_value(s.args_json) FROM launch AS l JOIN slice AS s "
        "ON s.id = l.slice_id WHERE l.trace_id = $t AND l.name = 'cudaMemcpy'", "saxpy",
    ) == (15, '{"name":"cudaMemcpy_v3020"}')  # fmt: skip
    assert "cuMemAlloc_v2" in {
        name for (name,) in nsys.execute("SELECT name FROM launch WHERE trace_id = 5").fetchall()
    }


def test_ranges_have_their_domain_style_and_category(nsys: duckdb.DuckDBPyConnection) -> None:
    rows = nsys.execute(
        "SELECT name, domain, style, category, count(*) FROM annotation WHERE trace_id = 3 "
        "GROUP BY ALL ORDER BY ALL"
    ).fetchall()
    assert ("iter0", "tw.demo", "push_pop", "loop", 2) in rows
    assert ("startend range", None, "start_end", None, 1) in rows
    assert ("inner", None, "push_pop", None, 4) in rows
    assert one(nsys, "SELECT count(*) FROM annotation WHERE trace_id = $t", "saxpy") == 22


def test_the_device_of_an_activity_is_cudas_number(nsys: duckdb.DuckDBPyConnection) -> None:
    assert one(
        nsys, "SELECT d.ordinal, d.uuid, d.n_compute_units FROM gpu_op AS g JOIN device AS d "
        "ON d.id = g.device_id WHERE g.trace_id = $t LIMIT 1", "cloverleaf",
    ) == (0, one(nsys, "SELECT uuid FROM device WHERE trace_id = $t "
                 "AND (properties_json ->> 'id')::BIGINT = 3", "cloverleaf"), 108)  # fmt: skip


def test_metrics_of_a_gpu_are_counters(nsys: duckdb.DuckDBPyConnection) -> None:
    assert nsys.execute(
        "SELECT k.name, k.unit, count(*) FROM counter AS c JOIN track AS k ON k.id = c.track_id "
        "WHERE c.trace_id = 5 GROUP BY ALL ORDER BY ALL"
    ).fetchall() == [
        ("DRAM Read Bandwidth", "Throughput %", 23),
        ("DRAM Write Bandwidth", "Throughput %", 23),
        ("GPC Clock Frequency", "MHz", 23),
        ("SM Active", "Throughput %", 23),
    ]  # fmt: skip


def test_warnings_of_the_profiler_are_problems_of_the_import(
    nsys: duckdb.DuckDBPyConnection,
) -> None:
    rows = nsys.execute(
        "SELECT meaning FROM import_problem WHERE trace_id = 1 AND kind = 'profiler_warning'"
    ).fetchall()
    assert len(rows) == 4
    assert any("CUDA driver version (12.0) is not supported" in text for (text,) in rows)


def all_texts(db: Path) -> str:
    with closing(duckdb.connect(str(db), read_only=True)) as connection:
        tables = connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()
        return "\n".join(
            str(connection.execute(f'SELECT * FROM "{table}"').fetchall()) for (table,) in tables
        )


@pytest.mark.integration
def test_environment_command_line_and_other_processes_stay_out_unless_asked_for(
    data_dir: Path, tmp_path: Path, tw: Tw
) -> None:
    source = tmp_path / "a.sqlite"
    shutil.copy(data_dir / "gpu" / CASES["replay"], source)
    source.chmod(0o644)
    with closing(sqlite3.connect(source)) as export:
        export.executescript(
            "INSERT INTO META_DATA_CAPTURE VALUES ('PROCESS_0:ENVIRONMENT_VARIABLE', 'KEY=s3cret');"
            "INSERT INTO META_DATA_CAPTURE VALUES ('PROCESS_0:ARGUMENT_7', '--key=s3cret');"
            "INSERT INTO PROCESSES VALUES (281474976710656, 1, 's3cret process');"
            "DROP TABLE IF EXISTS TARGET_INFO_SYSTEM_ENV;"
            "CREATE TABLE TARGET_INFO_SYSTEM_ENV (name TEXT, value TEXT);"
            "INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES ('DeviceEnvironment', 's3cret');"
            "DROP TABLE IF EXISTS ProcessStreams;"
            "CREATE TABLE ProcessStreams (globalPid INTEGER, filenameId INTEGER, contentId INT);"
            "INSERT INTO StringIds VALUES (9999, 's3cret output');"
            "INSERT INTO ProcessStreams VALUES (1, 9999, 9999);"
        )
    assert pipeline.import_paths([source], db=tmp_path / "w.duckdb")[0].error is None
    assert "s3cret" not in all_texts(tmp_path / "w.duckdb")
    assert tw("import", "--with-environment", source, "--db", tmp_path / "v.duckdb").code == 0
    assert "KEY=s3cret" in all_texts(tmp_path / "v.duckdb")


def test_a_database_of_something_else_is_refused_by_a_sentence(tmp_path: Path) -> None:
    source = tmp_path / "a.sqlite"
    with closing(sqlite3.connect(source)) as other:
        other.execute("CREATE TABLE a (n INTEGER)")
    (outcome,) = pipeline.import_paths([source], db=tmp_path / "w.duckdb")
    assert isinstance(outcome.error, TraceError)
    assert "without tables of Nsight Systems" in outcome.error.message
