"""Reports as queries: equal to what the scripts of `nsys stats` print of the same files.

`oracle…/*.csv` are theirs, of version 2023.4.4. Where these are wrong, a test says so.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.support.nsys_cases import CASES, number
from warehouse.library import library
from warehouse.query import execute

Row = dict[str, Any]
LIBRARY = library.load()
ORACLES = {
    "cloverleaf": "nsys_real_a100_cloverleaf/oracle",
    "saxpy": "nsys_real_a100_saxpy/oracle",
    "cpu": "nsys_real_cpu/oracle_3.7.2",
    "replay": "nsys_replay_synthetic/oracle_replay_full",
    "range": "nsys_replay_synthetic/oracle_replay_capture_range",
}
#: Header of a script's column, without its unit -> column of the query.
STATISTICS = {
    "Avg": "mean_{}", "Med": "median_{}", "Min": "min_{}", "Max": "max_{}", "StdDev": "stddev_{}",
    "_Q1": "q1_{}", "_Q3": "q3_{}",
}  # fmt: skip
TIMES = {
    "Time": "time_share", "Total Time": "total_ns", "Instances": "n_instances",
    "Num Calls": "n_calls", "Count": "n_ops", "Category": "category", "Style": "style",
    **{header: column.format("ns") for header, column in STATISTICS.items()},
}  # fmt: skip
SIZES = {
    "Total": "total_bytes", "Count": "n_ops", "Operation": "operation",
    **{header: column.format("bytes") for header, column in STATISTICS.items()},
}  # fmt: skip
KERNEL = {**TIMES, "Name": "kernel", "GridXYZ": "grid", "BlockXYZ": "block"}
CALL, OPERATION, RANGE = (
    {**TIMES, header: column}
    for header, column in (("Name", "call"), ("Operation", "operation"), ("Range", "range_name"))
)
GPU_TRACE = {
    "Start": "start_ns", "Duration": "dur_ns", "CorrId": "correlation_id", "GrdX": "grid_x",
    "GrdY": "grid_y", "GrdZ": "grid_z", "BlkX": "block_x", "BlkY": "block_y", "BlkZ": "block_z",
    "Reg/Trd": "registers_per_thread", "StcSMem": "static_shared_memory_bytes",
    "DymSMem": "dynamic_shared_memory_bytes", "Bytes": "bytes", "Throughput": "bytes_per_s",
    "SrcMemKd": "source_memory_kind", "DstMemKd": "destination_memory_kind", "Device": "gpu",
    "Ctx": "context_id", "GreenCtx": "green_context_id", "Strm": "stream", "Name": "operation",
}  # fmt: skip
API_TRACE = {
    "Start": "start_ns", "Duration": "dur_ns", "Name": "call", "Result": "result",
    "CorrID": "correlation_id", "Pid": "pid", "Tid": "tid", "T-Pri": "thread_priority",
    "Thread Name": "thread_name",
}  # fmt: skip
EXEC_TRACE = {
    "API Start": "call_start_ns", "API Dur": "call_ns", "Queue Start": "queue_start_ns",
    "Queue Dur": "queue_ns", "Kernel Start": "kernel_start_ns", "Kernel Dur": "kernel_ns",
    "Total Dur": "whole_ns", "PID": "pid", "TID": "tid", "DevId": "device", "API Function": "call",
    "GridXYZ": "grid", "BlockXYZ": "block", "Kernel Name": "kernel",
}  # fmt: skip
EXEC_SUM = {
    "PID": "pid", "TID": "tid", "DevId": "device", "Count": "n_instances", "QCount": "n_queued",
    "API Name": "call", "Kernel Name": "kernel",
    **{
        f"{letter}{header}": f"{what}_{STATISTICS[header].format('ns')}"
        for letter, what in (("T", "whole"), ("A", "call"), ("Q", "queue"), ("K", "kernel"))
        for header in ("Avg", "Med", "Min", "Max", "StdDev")
    },
}  # fmt: skip
PUSHPOP_TRACE = {
    "Start": "start_ns", "End": "end_ns", "Duration": "dur_ns", "DurChild": "child_ns",
    "DurNonChild": "self_ns", "Name": "range_name", "PID": "pid", "TID": "tid", "Lvl": "level",
    "NumChild": "n_children", "RangeId": "range", "ParentId": "parent", "RangeStack": "stack",
    "NameTree": "name_tree",
}  # fmt: skip
RANGE_KERNELS = {
    **TIMES, "NVTX Range": "range_name", "PID": "pid", "TID": "tid", "NVTX Inst": "n_ranges",
    "Kern Inst": "n_kernels", "Kernel Name": "kernel",
}  # fmt: skip
PROJECTION = {
    "Name": "range_name", "Projected Start": "projected_start_ns",
    "Projected Duration": "projected_ns", "Orig Start": "range_start_ns",
    "Orig Duration": "range_ns", "Style": "style", "PID": "pid", "TID": "tid",
    "NumGPUOps": "n_calls", "Lvl": "level", "NumChild": "n_children", "RangeId": "range",
    "ParentId": "parent", "RangeStack": "stack",
}  # fmt: skip
PROJECTION_SUM = {
    "Range": "range_name", "Style": "style", "Total Proj Time": "total_projected_ns",
    "Total Range Time": "total_range_ns", "Range Instances": "n_instances",
    "Total GPU Ops": "n_calls", "Avg GPU Ops": "n_calls_mean",
    "Avg Range Lvl": "level_mean", "Avg Num Child": "n_children_mean",
    **{f"Proj {h}": STATISTICS[h].format("ns") for h in ("Avg", "Med", "Min", "Max", "StdDev")},
}  # fmt: skip
MANAGED = {
    "Total HtoD Migration Size": "host_to_device_bytes",
    "Total DtoH Migration Size": "device_to_host_bytes",
    "Total CPU Page Faults": "n_cpu_page_faults", "Total GPU PageFaults": "n_gpu_page_faults",
    "Minimum Virtual Address": "min_virtual_address",
    "Maximum Virtual Address": "max_virtual_address",
}  # fmt: skip
#: Name of the oracle's file -> the query, its parameters, what its columns are.
REPORTS: dict[str, tuple[str, dict[str, str], dict[str, str]]] = {
    "cuda_gpu_kern_sum": ("cuda_gpu_kern_sum", {}, KERNEL),
    "cuda_gpu_kern_sum_base": ("cuda_gpu_kern_sum", {"name": "base"}, KERNEL),
    "cuda_gpu_kern_gb_sum": ("cuda_gpu_kern_gb_sum", {}, KERNEL),
    "cuda_api_sum": ("cuda_api_sum", {}, CALL),
    "osrt_sum": ("osrt_sum", {}, CALL),
    "cuda_gpu_mem_time_sum": ("cuda_gpu_mem_time_sum", {}, OPERATION),
    "cuda_gpu_mem_size_sum": ("cuda_gpu_mem_size_sum", {}, SIZES),
    "cuda_gpu_sum": ("cuda_gpu_sum", {}, OPERATION),
    "cuda_api_gpu_sum": ("cuda_api_gpu_sum", {}, OPERATION),
    "cuda_gpu_trace": ("cuda_gpu_trace", {}, GPU_TRACE),
    "cuda_api_trace": ("cuda_api_trace", {}, API_TRACE),
    "cuda_kern_exec_trace": ("cuda_kern_exec_trace", {}, EXEC_TRACE),
    "cuda_kern_exec_sum": ("cuda_kern_exec_sum", {}, EXEC_SUM),
    "nvtx_sum": ("nvtx_sum", {}, RANGE),
    "nvtx_pushpop_sum": ("nvtx_pushpop_sum", {}, RANGE),
    "nvtx_startend_sum": ("nvtx_startend_sum", {}, RANGE),
    "nvtx_pushpop_trace": ("nvtx_pushpop_trace", {}, PUSHPOP_TRACE),
    "nvtx_kern_sum": ("nvtx_kern_sum", {}, RANGE_KERNELS),
    "nvtx_gpu_proj_sum": ("nvtx_gpu_proj_sum", {}, PROJECTION_SUM),
    "nvtx_gpu_proj_trace": ("nvtx_gpu_proj_trace", {}, PROJECTION),
    "um_total_sum": ("um_total_sum", {}, MANAGED),
}
#: What counts calls that were recorded twice, once with a backtrace, as two.
COUNTS_TWICE = {
    ("saxpy", report)
    for report in (
        "cuda_api_sum", "cuda_api_trace", "cuda_kern_exec_sum", "cuda_kern_exec_trace",
        "nvtx_kern_sum",
    )
}  # fmt: skip
STYLES = {"PushPop": "push_pop", "StartEnd": "start_end"}


def oracle_files() -> Iterable[tuple[str, str]]:
    """Every case and report; listed, so that one that is missing is noticed."""
    gpu = ["cuda_gpu_kern_sum", "cuda_gpu_kern_sum_base", "cuda_gpu_kern_gb_sum", "cuda_api_sum"]
    moved = ["cuda_gpu_mem_time_sum", "cuda_gpu_mem_size_sum", "osrt_sum"]
    traces = ["cuda_gpu_trace", "cuda_api_trace", "cuda_kern_exec_trace"]
    ranges = ["nvtx_sum", "nvtx_pushpop_sum", "nvtx_pushpop_trace"]
    projected = ["nvtx_gpu_proj_sum", "nvtx_gpu_proj_trace", "nvtx_kern_sum"]
    sums = ["cuda_gpu_sum", "cuda_api_gpu_sum", "cuda_kern_exec_sum"]
    found = {
        "cloverleaf": [*gpu, *moved, *traces],
        "saxpy": [*gpu, *traces[1:], "cuda_kern_exec_sum", *ranges, *projected, "um_total_sum"],
        "cpu": [*ranges, "nvtx_startend_sum", "osrt_sum", "um_total_sum"],
        "replay": [*gpu, *moved, *traces, *ranges, *projected, *sums],
        "range": [*gpu, *moved, *traces, *sums, *projected[1:]],
    }
    return [(case, report) for case, reports in found.items() for report in reports]


@pytest.fixture(scope="module")
def answer(nsys: duckdb.DuckDBPyConnection) -> Callable[[str, str, dict[str, str]], list[Row]]:
    """Runs a query; its rows of one case, with texts and times as the scripts print them."""
    done: dict[tuple[str, str], list[Row]] = {}

    def ask(case: str, query: str, parameters: dict[str, str]) -> list[Row]:
        key = (query, str(parameters))
        if key not in done:
            table = execute.run(nsys, query, parameters, library=LIBRARY).table()
            done[key] = table.to_pylist()
        trace_id = number(case)
        first = nsys.execute(
            f"SELECT base_ns - source_base_ns FROM trace WHERE id = {trace_id}"
        ).fetchall()[0][0]
        return [as_printed(row, first) for row in done[key] if row["trace_id"] == trace_id]

    return ask


def as_printed(row: Row, first: int) -> Row:
    shown = dict(row)
    for column in [c for c in row if c.endswith(("start_ns", "end_ns")) and row[c] is not None]:
        shown[column] = row[column] + first
    for what in ("grid", "block"):
        if row.get(f"{what}_x") is not None:
            shown[what] = " ".join(f"{row[f'{what}_{axis}']:4}" for axis in "xyz")
    if "device_name" in row:
        shown["gpu"] = f"{row['device_name']} ({row['device']})"
    return shown


def expected(data_dir: Path, case: str, report: str, columns: dict[str, str]) -> list[Row]:
    folder = data_dir / "gpu" / ORACLES[case]
    (file,) = [*folder.glob(f"{report}.csv"), *folder.glob(f"{report}.first20.csv")]
    with file.open(newline="") as text:
        rows = list(csv.DictReader(text))
    return [
        {columns[header.partition(":")[0]]: value for header, value in row.items()} for row in rows
    ]


def agrees(column: str, printed: str, value: Any, row: Row) -> bool:
    """Whether a value is what was printed: rounded, in percent, or spelled otherwise."""
    if value is None or printed == "":
        return value is None and printed == ""
    if column == "time_share":
        return bool(abs(100 * value - float(printed)) <= 0.0501)
    if column == "style":
        return bool(value == STYLES[printed])
    if column in ("grid", "block"):
        return str(value).split() == printed.split()
    if column == "bytes_per_s":  # bytes times whole operations a second
        return bool(int(printed) == row["bytes"] * (10**9 // row["dur_ns"]))
    if isinstance(value, float):
        return abs(value - float(printed)) <= 0.0501
    return str(value) == printed


def same(ours: Row, theirs: Row) -> bool:
    return all(
        agrees(column, printed, ours[column], ours)
        for column, printed in theirs.items()
        if column not in ("range", "parent", "stack")
    )


def matched(ours: list[Row], theirs: list[Row]) -> None:
    """Each row of the one is a row of the other; equal ranks may come in another order."""
    left = list(ours)
    for row in theirs:
        found = next((each for each in left if same(each, row)), None)
        if found is None:
            near = [each for each in ours if sum(str(each.get(k)) == v for k, v in row.items()) > 2]
            pytest.fail(f"not among ours: {row}\nnear it: {near[:2]}")
        left.remove(found)
    assert left == []


@pytest.mark.parametrize(
    ("case", "report"), [each for each in oracle_files() if each not in COUNTS_TWICE]
)
def test_a_query_has_the_rows_of_the_report(
    data_dir: Path, answer: Callable[..., list[Row]], case: str, report: str
) -> None:
    query, parameters, columns = REPORTS[report]
    theirs = expected(data_dir, case, report, columns)
    ours = answer(case, query, parameters)
    matched(ours[: len(theirs)] if len(theirs) == 20 else ours, theirs)


@pytest.mark.parametrize(
    ("report", "n_theirs", "n_ours"),
    [("cuda_kern_exec_trace", 10, 5), ("cuda_api_trace", 95, 57), ("cuda_api_sum", 11, 7)],
)
def test_calls_recorded_again_with_a_backtrace_are_one_row(
    data_dir: Path, answer: Callable[..., list[Row]], report: str, n_theirs: int, n_ours: int
) -> None:
    """The scripts print a row for the call and one for its backtrace: 10 kernels for 5."""
    query, parameters, columns = REPORTS[report]
    columns = {**columns, "Time": "their_share"}  # of a sum that is too large
    theirs = expected(data_dir, "saxpy", report, columns)
    ours = [{**row, "their_share": None} for row in answer("saxpy", query, parameters)]
    assert (len(theirs), len(ours)) == (n_theirs, n_ours)
    theirs = [{**row, "their_share": ""} if "their_share" in row else row for row in theirs]
    matched(ours, [row for row in theirs if any(same(each, row) for each in ours)])


def test_sums_of_such_calls_are_of_one_each(answer: Callable[..., list[Row]]) -> None:
    """The scripts print 10 kernels, and 177,146,960 ns for kernels in ranges."""
    (kernel,) = answer("saxpy", "cuda_kern_exec_sum", {})
    assert (kernel["n_instances"], kernel["n_queued"]) == (5, 3)
    assert kernel["kernel_mean_ns"] == 17_714_696.0
    (in_range,) = answer("saxpy", "nvtx_kern_sum", {})
    assert (in_range["n_kernels"], in_range["total_ns"]) == (5, 88_573_480)


def test_every_case_and_every_report_is_compared(data_dir: Path) -> None:
    files = {
        (case, file.name.partition(".")[0])
        for case, folder in ORACLES.items()
        for file in (data_dir / "gpu" / folder).glob("*.csv")
    }
    assert files == set(oracle_files())
    assert set(CASES) >= set(ORACLES)
