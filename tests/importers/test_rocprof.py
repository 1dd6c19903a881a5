"""rocprof's and rocprofiler-compute's tables of dispatches: real workloads, and ours."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.support.gpu_profiles import error, imported, write
from warehouse.ingest import pipeline

HEADER = (
    "Index,KernelName,gpu-id,queue-id,queue-index,pid,tid,grd,wgr,lds,scr,arch_vgpr,accum_vgpr,"
    "sgpr,wave_size,sig,obj"
)
OURS = {
    "v1": {
        "results.csv": f"{HEADER},SQ_WAVES,FETCH_SIZE,DispatchNs,BeginNs,EndNs,CompleteNs\n"
        '0,"k<int, 2>(a) [clone .kd]",0,1,0,9,9,1025,256,512,0,8,4,16,64,0x0,0x7f,17,1.5,'
        '90,100,130,140\n'
        '1,"k<int, 2>(a) [clone .kd]",0,1,2,9,9,256,256,512,0,8,4,16,64,0x0,0x7f,4,,'
        '190,200,210,220\n'
    },
    # Older releases: other names of registers, no times, one column of counters.
    "old": {
        "results.csv": "Index,KernelName,gpu-id,queue-id,pid,tid,grd,wgr,lds,scr,vgpr,sgpr,sig,obj,"
        'SQ_WAVES\n0,"k",0,1,9,9,64,64,0,0,24,16,0x0,0x1,2\n'
    },
    # rocprofv2, and rocprofiler-compute on top of rocprofv3: numbers that are no counters.
    "v2": {
        "results_9.csv": "Dispatch_ID,GPU_ID,Queue_ID,PID,TID,GRD,WGR,LDS,SCR,Arch_VGPR,ACCUM_VGPR,"
        "SGPR,Wave_Size,SIG,OBJ,Kernel_Name,Start_Timestamp,End_Timestamp,Correlation_ID,Kernel_ID,"
        "fbar,SQ_WAVES\n"
        '0,0,0,7,7,2048,256,0,0,8,0,16,64,0x0,0x1,"k(int)",100,200,41,3,6,8.000000\n'
    },
    "workload": {
        "timestamps.csv": "Dispatch_ID,GPU_ID,Queue_ID,PID,TID,Grid_Size,Workgroup_Size,"
        "LDS_Per_Workgroup,Arch_VGPR,Kernel_Name,Start_Timestamp,End_Timestamp\n"
        "0,2,1,10,10,64,64,0,4,k,100,110\n1,2,1,10,10,64,64,0,4,k,120,135\n",
        "pmc_perf.csv": "Dispatch_ID,GPU_ID,PID,Grid_Size,Workgroup_Size,Kernel_Name,TCC_HIT[0],"
        "TCC_HIT[1],Note\n0,2,11,64,64,k,5,6,x\n1,2,11,64,64,k,7.25,8,x\n",
        "sysinfo.csv": "workload_name,command,hostname,gpu_model,cu_per_gpu,max_sclk,hbm_bw\n"
        "w,./secret,h,MI9,100,1700,1638.4\n",
    },
}  # fmt: skip


@pytest.fixture(scope="module")
def db(
    data_dir: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[duckdb.DuckDBPyConnection]:
    folder = tmp_path_factory.mktemp("rocprof")
    real = data_dir / "gpu" / "rocprofiler_compute" / "MI200_timestamps.csv"
    connection = imported([real, *write(folder / "ours", OURS)], folder / "w.duckdb")
    yield connection
    connection.close()


def rows(db: duckdb.DuckDBPyConnection, table: str, columns: str, part: str) -> list[Any]:
    """Of the trace one of whose files has this in its path."""
    return db.execute(
        f"SELECT {columns} FROM {table} AS x WHERE trace_id IN "
        f"(SELECT trace_id FROM source_file WHERE contains(path, '{part}')) ORDER BY ALL"
    ).fetchall()


def test_a_real_workload_has_its_dispatches_and_its_machine(
    db: duckdb.DuckDBPyConnection, data_dir: Path
) -> None:
    file = data_dir / "gpu" / "rocprofiler_compute" / "MI200_timestamps.csv"
    with file.open() as lines:
        expected = sorted(
            (
                line["Kernel_Name"],
                int(line["End_Timestamp"]) - int(line["Start_Timestamp"]),
                int(line["Start_Timestamp"]) - int(line["DispatchNs"]),
                int(line["Grid_Size"]) // int(line["Workgroup_Size"]),
                int(line["Arch_VGPR"]),
                int(line["queue-id"]),
            )
            for line in csv.DictReader(lines)
        )
    columns = "name, dur, queued_ns, grid_x, registers_per_thread, stream"
    assert rows(db, "gpu_op", columns, "MI200_timestamps") == expected
    columns = "name, ordinal, n_compute_units, clock_hz, peak_bytes_per_s"
    assert rows(db, "device", columns, "MI200_timestamps") == [("MI200", 2, 104, 1.7e9, 1.6384e12)]


def test_a_named_file_of_a_workload_stands_for_all_of_it(db: duckdb.DuckDBPyConnection) -> None:
    assert rows(db, "source_file", "role", "MI200_timestamps") == [
        ("pmc_dispatch_info",), ("sysinfo",), ("timestamps",)
    ]  # fmt: skip


def test_workloads_of_one_folder_are_named_apart(tmp_path: Path) -> None:
    times = OURS["workload"]["timestamps.csv"]
    write(tmp_path, {"w": {"A_timestamps.csv": times, "B_timestamps.csv": times.replace("k", "l")}})

    found = pipeline.import_paths([tmp_path / "w"], db=tmp_path / "w.duckdb")

    assert [outcome.source.label for outcome in found] == [
        f"{tmp_path}/w (A_timestamps.csv)", f"{tmp_path}/w (B_timestamps.csv)"
    ]  # fmt: skip


def test_lines_of_rocprof_are_dispatches_with_counters(db: duckdb.DuckDBPyConnection) -> None:
    columns = "name, ts, dur, grid_x, block_x, shared_memory_bytes, queued_ns"
    assert rows(db, "gpu_op", columns, "/v1/") == [
        ("k<int, 2>(a) [clone .kd]", 0, 30, 5, 256, 512, 10),
        ("k<int, 2>(a) [clone .kd]", 100, 10, 1, 256, 512, 10),
    ]
    assert rows(db, "metric", "ordinal, name, value, slice_id IS NOT NULL", "/v1/") == [
        (0, "FETCH_SIZE", 1.5, True),
        (0, "SQ_WAVES", 17.0, True),
        (1, "SQ_WAVES", 4.0, True),
    ]


def test_without_times_there_are_counters_and_what_to_record(db: duckdb.DuckDBPyConnection) -> None:
    assert rows(db, "gpu_op", "name", "/old/") == []
    assert rows(db, "metric", "name, value, match_status", "/old/") == [("SQ_WAVES", 2.0, "none")]
    ((kind, meaning),) = rows(db, "import_problem", "kind, meaning", "/old/")
    assert kind == "no_timestamps" and "--timestamp on" in meaning


def test_counters_of_other_passes_belong_to_the_same_dispatches(
    db: duckdb.DuckDBPyConnection,
) -> None:
    found = db.execute(
        "SELECT s.dur, m.name, m.value FROM metric AS m JOIN slice AS s ON s.id = m.slice_id "
        "WHERE m.trace_id IN (SELECT trace_id FROM source_file "
        "WHERE contains(path, '/workload/')) ORDER BY ALL"
    ).fetchall()
    assert found == [
        (10, "TCC_HIT[0]", 5.0),
        (10, "TCC_HIT[1]", 6.0),
        (15, "TCC_HIT[0]", 7.25),
        (15, "TCC_HIT[1]", 8.0),
    ]
    assert rows(db, "process", "pid", "/workload/") == [(10,)]


def test_the_command_line_of_a_workload_stays_out(db: duckdb.DuckDBPyConnection) -> None:
    for (table,) in db.execute("SELECT table_name FROM duckdb_tables()").fetchall():
        found = db.execute(
            f"SELECT count(*) FROM {table} AS x WHERE contains(x::VARCHAR, 'secret')"
        )
        assert (table, found.fetchone()) == (table, (0,))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("Name,Calls,TotalDurationNs,AverageNs,Percentage\nk,1,2,2,100\n", "only summaries found"),
    ],
)
def test_what_has_no_dispatches_is_refused(tmp_path: Path, text: str, sentence: str) -> None:
    (tmp_path / "results.stats.csv").write_text(text)
    found = error(tmp_path / "results.stats.csv", tmp_path / "w.duckdb")
    assert sentence in found.message and "results.stats.csv" in found.message and found.hint


def test_the_json_of_rocprof_is_read_as_trace_events(tmp_path: Path) -> None:
    (tmp_path / "results.json").write_text(
        '{"traceEvents":[{},{"args":{"name":"GPU0"},"ph":"M","pid":6,"name":"process_name"},'
        '{"ph":"X","name":"k","pid":6,"tid":0,"ts":"10","dur":"5","args":{"BeginNs":"10000"}}\n'
        ',{"ts":1,"ph":"s","cat":"DataFlow","id":1,"pid":2,"tid":1,"name":"dep"}]}'
    )
    found = imported([tmp_path / "results.json"], tmp_path / "w.duckdb")
    assert found.execute("SELECT name FROM slice").fetchall() == [("k",)]


def test_numbers_of_a_dispatch_are_not_taken_for_counters(db: duckdb.DuckDBPyConnection) -> None:
    assert rows(db, "metric", "x.name, value", "results_9") == [("SQ_WAVES", 8.0)]
    assert rows(db, "gpu_op", "x.name, grid_x, dur, correlation_id", "results_9") == [
        ("k(int)", 8, 100, 41)
    ]
    numbers = "args_json ->> '$.kernel_id', args_json ->> '$.fbar'"
    assert rows(db, "slice", numbers, "results_9") == [("3", "6")]
