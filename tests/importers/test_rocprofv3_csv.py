"""rocprofv3's CSV files: the vendor's own examples, and what they leave open, written here."""

from __future__ import annotations

import csv
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.support.gpu_profiles import error, imported, write
from tests.support.sharing import has_tier, slow

API = "Domain,Function,Process_Id,Thread_Id,Correlation_Id,Start_Timestamp,End_Timestamp\n"
KERNEL = (
    "Kind,Agent_Id,Queue_Id,Stream_Id,Thread_Id,Dispatch_Id,Kernel_Id,Kernel_Name,Correlation_Id,"
    "Start_Timestamp,End_Timestamp,LDS_Block_Size,Scratch_Size,VGPR_Count,Accum_VGPR_Count,"
    "SGPR_Count,Workgroup_Size_X,Workgroup_Size_Y,Workgroup_Size_Z,Grid_Size_X,Grid_Size_Y,"
    "Grid_Size_Z\n"
)
#: Releases of autumn 2024: integer agents, other names for memory, no stream and no registers.
OLD_KERNEL = (
    "Kind,Agent_Id,Queue_Id,Kernel_Id,Kernel_Name,Correlation_Id,Start_Timestamp,End_Timestamp,"
    "Private_Segment_Size,Group_Segment_Size,Workgroup_Size_X,Workgroup_Size_Y,Workgroup_Size_Z,"
    "Grid_Size_X,Grid_Size_Y,Grid_Size_Z\n"
)
COUNTER = (
    "Correlation_Id,Dispatch_Id,Agent_Id,Queue_Id,Process_Id,Thread_Id,Grid_Size,Kernel_Name,"
    "Workgroup_Size,LDS_Block_Size,Scratch_Size,VGPR_Count,SGPR_Count,Counter_Name,Counter_Value"
)
AGENT = (
    "Node_Id,Logical_Node_Id,Agent_Type,Cu_Count,Max_Engine_Clk_Fcompute,Name,Vendor_Name,"
    "Product_Name,Model_Name\n"
)
ALLOCATION = (
    "Kind,Operation,Agent_Id,Allocation_Size,Address,Correlation_Id,Start_Timestamp,End_Timestamp\n"
)
OURS = {
    "whole": {
        "77_hip_api_trace.csv": API
        + "HIP_RUNTIME_API,hipLaunchKernel,77,78,5,100,150\n"
        + "HIP_RUNTIME_API,hipMemcpyAsync,77,78,6,200,230\n",
        "77_hsa_api_trace.csv": API + "HSA_CORE_API,hsa_queue_create,77,78,4,90,95\n",
        "77_kernel_trace.csv": KERNEL
        + 'KERNEL_DISPATCH,Agent 1,3,0,78,1,9,"void k<int, 2>(a)",5,160,190,512,0,32,4,48,'
        + "256,2,1,1025,2,1\n",
        "77_memory_copy_trace.csv": "Kind,Direction,Source_Agent_Id,Destination_Agent_Id,"
        "Correlation_Id,Start_Timestamp,End_Timestamp\n"
        "MEMORY_COPY,MEMORY_COPY_DEVICE_TO_HOST,Agent 1,Agent 0,6,210,260\n",
        "77_counter_collection.csv": COUNTER
        + ",Start_Timestamp,End_Timestamp\n"
        + '5,1,Agent 1,3,77,78,2050,"void k<int, 2>(a)",512,512,0,32,48,SQ_WAVES,33.5,160,190\n',
        "77_memory_allocation_trace.csv": ALLOCATION
        + "M,MEMORY_ALLOCATION_ALLOCATE,Agent 1,4096,0x10,1,10,20\n"
        + "M,MEMORY_ALLOCATION_FREE,,0,0x10,2,300,310\n",
        "77_agent_info.csv": AGENT
        + "0,0,CPU,0,0,cpu,CPU,A Host,\n1,1,GPU,104,1700,gfx90a,AMD,AMD Instinct MI250X,\n",
        "77_domain_stats.csv": "Name,Calls,TotalDurationNs,AverageNs,Percentage\n"
        "HIP_API,2,80,40,100\n",
    },
    "old": {"kernel_trace.csv": OLD_KERNEL + "K,2,1,1,k,1,10,30,64,128,64,1,1,64,1,1\n"},
    "counters_only": {"1_counter_collection.csv": COUNTER + "\n5,1,4,3,7,7,640,k,64,0,0,8,16,A,1\n"
        "5,1,4,3,7,7,640,k,64,0,0,8,16,B,2\n"},
    "two_processes": {
        f"{pid}_{kind}.csv": text
        for pid in (11, 12)
        for kind, text in (
            ("hip_api_trace", f"{API}HIP_RUNTIME_API,hipLaunch,{pid},{pid},1,{pid},{pid + 5}\n"),
            ("kernel_trace", KERNEL + f"K,Agent 1,1,0,{pid},1,1,k,1,{pid + 9},{pid + 19},0,0,8,0,8,"
             "64,1,1,64,1,1\n"),
        )
    },
    # --agent-index=type-relative, counters over time, samples, and an API of a later release.
    "numbered": {
        "9_kernel_trace.csv": KERNEL
        + "K,GPU 1,1,0,9,5,1,k,1,100,140,0,0,8,0,8,64,1,1,64,1,1\n",
        "9_memory_copy_trace.csv": "Kind,Direction,Source_Agent_Id,Destination_Agent_Id,"
        "Correlation_Id,Start_Timestamp,End_Timestamp\n"
        "MEMORY_COPY,MEMORY_COPY_HOST_TO_DEVICE,CPU 1,GPU 1,6,50,60\n",
        "9_memory_allocation_trace.csv": ALLOCATION
        + "M,MEMORY_ALLOCATION_ALLOCATE,CPU 1,64,0x20,1,10,20\n"
        + "M,MEMORY_ALLOCATION_ALLOCATE,GPU 1,32,0x30,2,21,22\n",
        "9_agent_info.csv": AGENT + "0,0,CPU,0,0,cpu,CPU,Host,\n1,1,CPU,0,0,cpu,CPU,Host,\n"
        "4,2,GPU,104,1,gfx,AMD,First,\n7,3,GPU,104,1,gfx,AMD,Second,\n",
        "9_spm_trace.csv": "Dispatch_Id,Counter_Name,Counter_Value\n5,SQ_BUSY,77\n",
        "9_pc_sampling_host_trap.csv": "Sample_Timestamp,Exec_Mask,Dispatch_Id,Instruction,"
        "Instruction_Comment,Correlation_Id\n105,1,5,v_add,x.cpp:3,1\n110,1,5,v_mul,,1\n",
        "9_rocshmem_api_trace.csv": API + "ROCSHMEM_API,put,9,9,8,10,12\n",
    },
    "damaged": {"kernel_trace.csv": OLD_KERNEL + "K,2,1,1,k,1,10,30,0,0,64,1,1,64,1,1\nK,2,1,1,k\n"
        "K,2,1,1,k,1,x,30,0,0,64,1,1,64,1,1\nK,2,1,1,k,1,50,40,0,0,64,1,1,64,1,1\n"},
}  # fmt: skip


LIKE_OURS = {
    "hip_trace", "hsa_api_trace", "rocpd-to-csv", "memory_copy_trace", "memory_allocation_trace"
}  # fmt: skip


@pytest.fixture(scope="module")
def db(
    data_dir: Path, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[duckdb.DuckDBPyConnection]:
    """The vendor's examples, each in a folder of its own as they are of many programs, and ours.

    Files of the kinds that ours has are imported only for tests of the tier `slow`.
    """
    left_out = set() if has_tier(request, "slow") else LIKE_OURS
    folder = tmp_path_factory.mktemp("rocprofv3")
    paths = write(folder / "ours", OURS)
    for file in sorted((data_dir / "gpu" / "rocprofv3_csv").glob("*.csv")):
        if "stats" not in file.name and file.stem not in left_out:
            (folder / file.stem).mkdir()
            paths.append(Path(shutil.copy(file, folder / file.stem)))
    connection = imported(paths, folder / "w.duckdb")
    yield connection
    connection.close()


def rows(db: duckdb.DuckDBPyConnection, table: str, columns: str, trace: str) -> list[Any]:
    return db.execute(
        f"SELECT {columns} FROM {table} AS x JOIN trace AS t ON t.id = x.trace_id "
        "WHERE t.name = ? ORDER BY ALL",
        [trace],
    ).fetchall()


def lines(data_dir: Path, name: str) -> list[dict[str, str]]:
    with (data_dir / "gpu" / "rocprofv3_csv" / name).open() as file:
        return list(csv.DictReader(file))


def test_kernels_are_those_of_the_vendors_example(
    db: duckdb.DuckDBPyConnection, data_dir: Path
) -> None:
    expected = sorted(
        (
            int(line["Start_Timestamp"]),
            int(line["End_Timestamp"]) - int(line["Start_Timestamp"]),
            line["Kernel_Name"],
            int(line["Queue_Id"]),
            int(line["Grid_Size_X"]) // 64,
            1024,
            64,
            int(line["VGPR_Count"]),
            int(line["Correlation_Id"]),
        )
        for line in lines(data_dir, "kernel_trace.csv")
    )
    columns = (
        "base_ns + ts, dur, x.name, stream, grid_x, grid_y, block_x, registers_per_thread, "
        "correlation_id"
    )
    assert rows(db, "gpu_op", columns, "kernel_trace") == expected


@pytest.mark.parametrize(
    ("file", "table"),
    [
        slow("hip_trace", "launch"),
        slow("hsa_api_trace", "launch"),
        slow("rocpd-to-csv", "launch"),
        ("marker_api_trace", "annotation"),
        ("rccl_trace", "slice"),
        slow("memory_copy_trace", "gpu_op"),
        slow("memory_allocation_trace", "memory_event"),
        ("scratch_memory_trace", "slice"),
    ],
)
def test_every_line_of_the_vendors_examples_is_there_when_it_was(
    db: duckdb.DuckDBPyConnection, data_dir: Path, file: str, table: str
) -> None:
    expected = sorted(
        (
            line.get("Function") or line.get("Direction") or line["Operation"],
            int(line["Start_Timestamp"]),
            int(line["End_Timestamp"]) - int(line["Start_Timestamp"]),
        )
        for line in lines(data_dir, f"{file}.csv")
    )
    found = db.execute(
        f"SELECT s.name, t.base_ns + s.ts, s.dur FROM {table} AS x "
        f"JOIN slice AS s ON s.id = x.{'id' if table == 'slice' else 'slice_id'} "
        "JOIN trace AS t ON t.id = s.trace_id WHERE t.name = ? ORDER BY ALL",
        [file],
    ).fetchall()
    assert found == expected


def test_calls_of_rccl_that_move_data_are_collectives(db: duckdb.DuckDBPyConnection) -> None:
    assert rows(db, "collective", "DISTINCT x.name, side, x.kind", "rccl_trace") == [
        ("ncclAllReduce", "host", "allreduce")
    ]


def test_counters_belong_to_the_dispatch_they_were_measured_over(
    db: duckdb.DuckDBPyConnection, data_dir: Path
) -> None:
    found = db.execute(
        "SELECT s.name, s.dur, m.name, m.value, m.ordinal FROM metric AS m "
        "JOIN slice AS s ON s.id = m.slice_id JOIN trace AS t ON t.id = m.trace_id "
        "WHERE t.name = 'counter_collection' ORDER BY m.ordinal"
    ).fetchall()
    assert found == [
        (
            line["Kernel_Name"],
            int(line["End_Timestamp"]) - int(line["Start_Timestamp"]),
            line["Counter_Name"],
            float(line["Counter_Value"]),
            int(line["Dispatch_Id"]),
        )
        for line in lines(data_dir, "counter_collection.csv")
    ]


def test_files_of_one_process_are_one_capture(db: duckdb.DuckDBPyConnection) -> None:
    assert rows(db, "gpu_op", "x.kind, ts, dur, direction, grid_x, grid_y, block_y", "whole") == [
        ("kernel", 150, 30, None, 5, 1, 2),  # 1025 work-items in groups of 256 are five blocks
        ("memcpy", 200, 50, "DtoH", None, None, None),
    ]
    assert rows(db, "source_file", "role", "whole") == sorted(
        (role,)
        for role in (
            "agent_info", "counter_collection", "domain_stats", "hip_api", "hsa_api", "kernel",
            "memory_allocation", "memory_copy",
        )
    )  # fmt: skip
    assert rows(db, "process", "pid", "whole") == [(77,)]
    sums = ("summary files", 1.0)
    assert sums in rows(db, "import_stat", "detail, value", "whole")


def test_a_call_is_linked_to_what_it_caused(db: duckdb.DuckDBPyConnection) -> None:
    found = db.execute(
        "SELECT a.name, b.name FROM link AS l JOIN slice AS a ON a.id = l.from_id "
        "JOIN slice AS b ON b.id = l.to_id JOIN trace AS t ON t.id = l.trace_id "
        "WHERE t.name = 'whole' AND l.kind = 'launch' ORDER BY ALL"
    ).fetchall()
    assert found == [
        ("hipLaunchKernel", "void k<int, 2>(a)"),
        ("hipMemcpyAsync", "MEMORY_COPY_DEVICE_TO_HOST"),
    ]


def test_a_counter_names_the_kernel_the_trace_has_already(db: duckdb.DuckDBPyConnection) -> None:
    assert rows(db, "metric", "x.name, value, match_status", "whole") == [
        ("SQ_WAVES", 33.5, "source")
    ]
    assert rows(db, "gpu_op", "count(*)", "whole") == [(2,)]


def test_a_release_gives_back_what_was_allocated_there(db: duckdb.DuckDBPyConnection) -> None:
    columns = "ts, bytes, address, device_kind, device_ordinal"
    assert rows(db, "memory_event", columns, "whole") == [
        (0, 4096, 16, "hip", 1),
        (290, -4096, 16, "hip", 1),
    ]


def test_agents_are_devices_with_their_model(db: duckdb.DuckDBPyConnection) -> None:
    columns = "x.kind, ordinal, x.name, vendor, n_compute_units, clock_hz"
    assert rows(db, "device", columns, "whole") == [
        ("cpu", 0, "A Host", None, 0, None),
        ("gpu", 1, "AMD Instinct MI250X", "AMD", 104, 1.7e9),
    ]


def test_the_columns_of_2024_mean_the_same(db: duckdb.DuckDBPyConnection) -> None:
    columns = "dur, grid_x, block_x, shared_memory_bytes, registers_per_thread"
    assert rows(db, "gpu_op", columns, "old") == [(20, 1, 64, 128, None)]


def test_counters_without_times_are_kept_and_belong_to_no_slice(
    db: duckdb.DuckDBPyConnection,
) -> None:
    assert rows(
        db, "metric", "x.name, value, ordinal, slice_id, match_status", "counters_only"
    ) == [
        ("A", 1.0, 1, None, "none"),
        ("B", 2.0, 1, None, "none"),
    ]
    assert [kind for (kind,) in rows(db, "import_problem", "x.kind", "counters_only")] == [
        "no_timestamps"
    ]
    ((text,),) = rows(db, "source_event", "event_text", "counters_only")
    assert '"kernel_name":"k"' in text


def test_processes_of_one_folder_are_traces_of_their_own(db: duckdb.DuckDBPyConnection) -> None:
    found = db.execute(
        "SELECT DISTINCT p.pid, x.n FROM process AS p JOIN source_file AS f USING (trace_id) "
        "JOIN (SELECT trace_id, count(*) AS n FROM link GROUP BY trace_id) AS x USING (trace_id) "
        "WHERE contains(f.path, '/two_processes/') ORDER BY ALL"
    ).fetchall()
    assert found == [(11, 1), (12, 1)]


def test_damaged_lines_are_counted_and_the_others_kept(db: duckdb.DuckDBPyConnection) -> None:
    assert rows(db, "import_problem", "x.kind, count", "damaged") == [
        ("negative_duration", 1),
        ("no_usable_time", 1),
        ("unreadable_line", 1),
    ]
    assert rows(db, "gpu_op", "dur", "damaged") == [(-10,), (20,)]


def test_sums_alone_are_refused_with_what_to_import(data_dir: Path, tmp_path: Path) -> None:
    source = data_dir / "gpu" / "rocprofv3_csv" / "hip_api_stats.csv"
    alone = Path(shutil.copy(source, tmp_path / "hip_api_stats.csv"))
    found = error(alone, tmp_path / "w.duckdb")
    assert "only summaries found" in found.message and "--kernel-trace" in str(found.hint)


def test_agents_may_be_numbered_in_each_kind(db: duckdb.DuckDBPyConnection) -> None:
    assert rows(db, "device", "x.kind, ordinal, x.name", "numbered") == [
        ("cpu", 0, "Host"), ("cpu", 1, "Host"), ("gpu", 4, "First"), ("gpu", 7, "Second"),
    ]  # fmt: skip
    of_device = "(SELECT d.name FROM device AS d WHERE d.id = x.device_id)"
    assert rows(db, "gpu_op", f"x.kind, {of_device}", "numbered") == [
        ("kernel", "Second"), ("memcpy", "Second"),
    ]  # fmt: skip
    assert rows(db, "memory_event", "bytes, device_kind, device_ordinal", "numbered") == [
        (32, "hip", 7), (64, "cpu", -1),
    ]  # fmt: skip


def test_counters_over_time_name_the_dispatch_alone_and_samples_are_counted(
    db: duckdb.DuckDBPyConnection,
) -> None:
    of_slice = "(SELECT s.name FROM slice AS s WHERE s.id = x.slice_id)"
    assert rows(db, "metric", f"x.name, value, {of_slice}", "numbered") == [("SQ_BUSY", 77.0, "k")]
    assert rows(db, "import_stat", "detail, value", "numbered") and (
        "program counter samples", 2.0
    ) in rows(db, "import_stat", "detail, value", "numbered")  # fmt: skip
    assert rows(db, "slice", "category, x.name, dur", "numbered")[-1] == ("rocshmem_api", "put", 2)


@pytest.mark.integration
def test_a_capture_in_utf16_is_the_same_trace(tmp_path: Path) -> None:
    paths = write(tmp_path, {"narrow": OURS["whole"], "wide": OURS["whole"]})
    for file in (tmp_path / "wide").iterdir():
        file.write_bytes(file.read_text().encode("utf-16"))

    with imported(paths, tmp_path / "w.duckdb") as connection:
        sql = "SELECT name, category, ts, dur, args_json FROM slice WHERE trace_id = ? ORDER BY ALL"
        narrow, wide = (connection.execute(sql, [n]).fetchall() for n in (1, 2))

    assert narrow == wide
    assert len(narrow) > 3
