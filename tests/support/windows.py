"""Summaries over disjoint time windows, whose sums must be those of the whole trace.

`SUMS` names, for each summary, the columns that identify a row, and those that are sums of
durations or lengths of unions of intervals. `lost` compares their totals over some windows with
those without a window. `cuts` chooses windows, at and beside borders of slices.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import duckdb

from tests.support.randomtrace import LIBRARY
from warehouse.library.installed import Macros
from warehouse.query import execute, scope
from warehouse.query.selection import Scope

Totals = dict[tuple[Any, ...], tuple[int, ...]]

_NAMED = ("trace_id", "name")
_DEVICE = ("trace_id", "device_id")
_STREAM = (*_DEVICE, "stream")
_HOST = ("self_ns", "total_ns")

#: Columns of keys, columns of sums, and parameters other than the default.
SUMS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...], Mapping[str, object]]] = {
    "breakdown": (_DEVICE, ("span_ns", "compute_ns", "exposed_communication_ns",
                            "exposed_memory_ns", "idle_ns"), {}),
    "kernel_breakdown": ((*_DEVICE, "classes"), ("total_ns",), {}),
    "kernel_summary": ((*_DEVICE, "name", "class"), ("total_ns",), {"top": None}),
    "kernel_category_summary": ((*_DEVICE, "kernel_category"), ("total_ns",), {}),
    "xla_op_summary": ((*_DEVICE, "hlo_module", "program_id", "hlo_op"), ("total_ns",),
                       {"top": None}),
    "overlap": (_DEVICE, ("compute_ns", "communication_ns", "overlap_ns",
                          "exposed_communication_ns", "memory_overlap_ns"), {}),
    "utilization": (_DEVICE, ("span_ns", "busy_ns", "compute_ns", "communication_ns",
                              "memory_ns"), {}),
    "utilization_by_stream": (_STREAM, ("busy_ns",), {}),
    "utilization_over_time": ((*_DEVICE, "bucket_start_ns"), ("covered_ns", "busy_ns"), {}),
    "exposed_communication_over_time": ((*_DEVICE, "bucket_start_ns"),
                                        ("communication_ns", "exposed_communication_ns"), {}),
    "cuda_api_gpu_sum": (("trace_id", "category", "operation"), ("total_ns",), {}),
    "cuda_api_sum": (("trace_id", "call"), ("total_ns",), {}),
    "cuda_gpu_kern_gb_sum": (("trace_id", "kernel"), ("total_ns",), {}),
    "cuda_gpu_kern_sum": (("trace_id", "kernel"), ("total_ns",), {"nvtx_name": True}),
    "cuda_gpu_mem_time_sum": (("trace_id", "operation"), ("total_ns",), {}),
    "cuda_gpu_sum": (("trace_id", "operation"), ("total_ns",), {}),
    "nvtx_sum": (("trace_id", "range_name"), ("total_ns",), {}),
    "nvtx_pushpop_sum": (("trace_id", "range_name"), ("total_ns",), {}),
    "nvprof_summary": (("trace_id", "type", "name"), ("total_ns",), {}),
    "rocprof_stats": (("trace_id", "domain", "name"), ("total_ns",), {}),
    "top_kernels": (("trace_id", "device_id", "class"), ("total_ns",), {"top": 2}),
    "kernel_by_op": ((*_DEVICE, "top_op", "op", "name"), ("total_ns",), {}),
    "memcpy_bandwidth": ((*_DEVICE, "name", "size_class"), ("total_bytes", "total_ns"), {}),
    "memcpy_bandwidth_over_time": ((*_DEVICE, "kind", "direction", "bucket_start_ns"),
                                   ("active_ns",), {}),
    "op_summary": (_NAMED, (*_HOST, "self_device_ns", "total_device_ns"), {}),
    "op_module_summary": ((*_DEVICE, "op", "module"), ("total_ns",), {}),
    "compiled_work": ((*_DEVICE, "region", "graph", "graph_file", "op", "name", "kind",
                       "kernel_backend", "kernel_hash", "kernel_file", "settings"),
                      ("total_ns",), {}),
    "op_summary_by_shape": ((*_NAMED, "input_dims_json", "input_type_json"),
                            (*_HOST, "self_device_ns", "total_device_ns"), {}),
    "runtime_call_summary": (_NAMED, _HOST, {}),
    "thread_utilization": (("trace_id", "track_id"), ("busy_ns",), {}),
    "gpu_time_by_python_frame": (_NAMED, ("self_device_ns", "total_device_ns"), {"top": None}),
    "python_flame": (("trace_id", "path"), ("self_device_ns", "total_device_ns"), {}),
    "module_summary": (("trace_id", "class", "instance"),
                       (*_HOST, "self_device_ns", "total_device_ns", "self_backward_device_ns",
                        "total_backward_device_ns"), {"by_instance": True}),
    "module_tree": (("trace_id", "path"),
                    (*_HOST, "self_device_ns", "total_device_ns", "self_backward_device_ns",
                     "total_backward_device_ns"), {}),
    "idle_summary": ((*_STREAM, "cause"), ("idle_ns", "before_launch_ns", "blocked_ns",
                                           "in_launch_ns", "after_launch_ns"), {}),
    "idle_place": ((*_DEVICE, "cpu_op", "module", "python"), ("idle_ns",), {}),
    "queue_length_summary": (_STREAM, ("span_ns", "empty_ns", "full_ns"), {"full_length": 2}),
    "queue_length_over_time": ((*_STREAM, "bucket_start_ns"), ("covered_ns",), {}),
    "launch_summary": ((*_DEVICE, "call", "kind"), ("call_total_ns", "device_total_ns"), {}),
    "annotation_summary": ((*_NAMED, "is_step"), (*_HOST, "self_device_ns", "total_device_ns",
                                                  "busy_ns"), {}),
    "nvtx_gpu_proj_sum": (("trace_id", "range_name", "style"), ("total_projected_ns",), {}),
    "nvtx_kern_sum": (("trace_id", "range_name", "kernel"), ("total_ns",), {}),
    "kernel_delay_by_op": ((*_DEVICE, "op", "name"), ("total_ns",), {}),
    "counter_summary": (("trace_id", "track_id"), ("span_ns",), {}),
    "collective_bandwidth": (("trace_id", "side", "kind", "group_name"),
                             ("total_bytes", "total_ns"), {}),
    "communication_by_class": ((*_DEVICE, "side", "class"),
                               ("message_bytes", "communication_ns", "exposed_ns"), {}),
}  # fmt: skip

#: Queries whose rows are single things: a window chooses among them and changes none.
ROWS: Mapping[str, Mapping[str, object]] = {
    "allocation": {},
    "annotation_projection": {"by_stream": True},
    "cuda_api_trace": {},
    "cuda_gpu_trace": {},
    "cuda_kern_exec_trace": {},
    "idle_gap": {"top": None},
    "launch_latency": {"top": None},
    "collective_instance": {},
    "memory_category_timeline": {},
    "memory_timeline": {},
    "nvprof_gpu_trace": {},
    "nvtx_gpu_proj_trace": {},
    "nvtx_pushpop_trace": {},
    "overlap_by_step": {},
    "rank_imbalance": {},
    "step_summary": {},
}

#: Queries about time that are neither, and why.
OTHER: Mapping[str, str] = {
    "collective_hang": "dumps are read whole",
    "collective_mismatch": "dumps are read whole",
    "collective_progress": "dumps are read whole",
    "communication_by_size": "means of whole operations",
    "process_group_class": "groups of whole traces",
    "counter_by_op": "averages of counters",
    "counter_range": "one row for each range",
    "coverage": "shares of whole work in the window",
    "critical_path": "parts of one step, which is whole",
    "critical_path_summary": "parts of one step, which is whole",
    "cuda_api_sync": "the longest calls",
    "cuda_gpu_mem_size_sum": "bytes",
    "cuda_kern_exec_sum": "no column is a sum",
    "cuda_memcpy_async": "the longest copies",
    "cuda_memcpy_sync": "the longest copies",
    "cuda_memset_sync": "the longest calls",
    "gpu_gaps": "only work in the window counts",
    "gpu_time_util": "only work in the window counts",
    "inference_step": "random traces have no steps of engines",
    "kernel_sequence": "sequences of the work in the window",
    "mfu": "steps in the window, whole",
    "mpi_event_sum": "as osrt_sum, of other slices",
    "nvtx_startend_sum": "as nvtx_sum, of one style",
    "openacc_sum": "as osrt_sum, of other slices",
    "openmp_sum": "as osrt_sum, of other slices",
    "op_kernel_tree": "slices of one step, which is whole",
    "osrt_sum": "random traces have no calls of the operating system",
    "pace": "ranks are compared by the occurrences in the window",
    "duration_histogram": "counts of the occurrences in the window, whole",
    "pipeline_bubble": "steps in the window with all their work",
    "prefill_decode": "random traces have no steps of engines",
    "python_stack": "of one slice",
    "queue_length": "the state at the start of the window is a row of its own",
    "rank_clock": "clocks are those of whole traces",
    "rank_step": "steps in the window with all their work, waits of whole collectives",
    "rank_wait": "waits of whole collectives",
    "roofline": "operators in the window, whole",
    "slice_ancestors": "of one slice",
    "slice_children": "of one slice",
    "step_statistics": "statistics of the rows of step_summary",
    "straggler": "waits of whole collectives",
    "temporal_breakdown": "rows of breakdown and of step_summary",
    "um_total_sum": "bytes",
}


def totals(connection: duckdb.DuckDBPyConnection, query: str, installed: Macros) -> Totals:
    """The sums of a query in the scope, by key; rows whose sums are all 0 are left out."""
    keys, sums, parameters = SUMS[query]
    result = execute.run(connection, query, parameters, library=LIBRARY, installed=installed)
    found: Totals = defaultdict(lambda: (0,) * len(sums))
    for row in result.table().to_pylist():
        key = tuple(row[each] for each in keys)
        found[key] = tuple(a + (row[b] or 0) for a, b in zip(found[key], sums, strict=True))
    return {key: values for key, values in found.items() if any(values)}


def lost(
    connection: duckdb.DuckDBPyConnection,
    queries: Sequence[str],
    seen: Scope,
    borders: Sequence[int],
) -> list[str]:
    """Sums of queries that differ between a scope and its disjoint windows, one line each."""
    installed = Macros()
    scope.apply(connection, seen)
    whole = {query: totals(connection, query, installed) for query in queries}
    added: dict[str, Totals] = {query: {} for query in queries}
    for start, end in zip([None, *borders], [*borders, None], strict=True):
        scope.apply(connection, replace(seen, from_ns=start, to_ns=end, covers_all=False))
        for query in queries:
            for key, values in totals(connection, query, installed).items():
                before = added[query].get(key, (0,) * len(values))
                added[query][key] = tuple(a + b for a, b in zip(before, values, strict=True))
    return [
        f"{query} {key}: {whole[query].get(key)} in all, {added[query].get(key)} in windows"
        for query in queries
        for key in sorted({*whole[query], *added[query]}, key=repr)
        if whole[query].get(key) != added[query].get(key)
    ]


def changed(
    connection: duckdb.DuckDBPyConnection, query: str, seen: Scope, start: int, end: int
) -> list[dict[str, Any]]:
    """Rows of a query in a window that are not rows of it without one."""
    installed = Macros()
    found = []
    for each in (seen, replace(seen, from_ns=start, to_ns=end, covers_all=False)):
        scope.apply(connection, each)
        result = execute.run(connection, query, ROWS[query], library=LIBRARY, installed=installed)
        found.append(result.table().to_pylist())
    whole = {repr(row) for row in found[0]}
    return [row for row in found[1] if repr(row) not in whole]


def cuts(connection: duckdb.DuckDBPyConnection, seed: int, n: int) -> list[int]:
    """Up to n times, in order, most of them starts or ends of slices."""
    choice = random.Random(f"windows {seed}")
    times = [
        time
        for row in connection.execute(
            "SELECT ts, ts + greatest(dur, 0) FROM slice ORDER BY hash(id, ?) LIMIT 50", [seed]
        ).fetchall()
        for time in row
    ]
    chosen = {choice.choice(times) + choice.choice((0, 0, 1, -1, 500)) for _ in range(n)}
    return sorted(chosen)
