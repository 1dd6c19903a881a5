"""Kineto traces of other accelerators and of kernels alone: what lies on the device."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tw_importers.kineto import sniff
from warehouse.ingest.pipeline import import_paths
from warehouse.store import database

Row = tuple[Any, ...]
#: Names as libkineto's plug-in for XPU writes them; a process is 5, a device 0.
XPU = [
    ("cpu_op", "c10d::allreduce_", 5, 6, 100, 50, {"External id": 1}),
    ("collective_comm", "xccl::allreduce", 5, 7, 105, 40, {"Communicator_id": 3}),
    ("xpu_runtime", "urEnqueueKernelLaunch", 5, 6, 110, 5, {"External id": 1, "correlation": 7}),
    ("kernel", "gemm_kernel", 0, 1, 130, 10, {"device": 0, "sycl queue": 1, "correlation": 7}),
    ("gpu_memcpy", "Memcpy M2D (MEMORY(Unknown) -> DEVICE)", 0, 1, 141, 2, {"bytes": 4096}),
    ("gpu_memcpy", "Memcpy D2H (DEVICE -> HOST)", 0, 1, 144, 2, {"bytes": 8}),
    ("gpu_memcpy", "Memcpy S2D (SHARED -> DEVICE)", 0, 1, 147, 2, {"bytes": 8}),
]
#: A device whose collectives have a category of their own, and kernels of RCCL's MSCCL.
OTHER = [
    ("cpu_op", "c10d::allreduce_", 5, 6, 100, 50, {"External id": 1}),
    ("collective_comm", "allreduce", 2, 9, 105, 40, {"device": 2, "stream": 9}),
    ("kernel", "mscclKernel_Sum_half_LL_false", 2, 4, 150, 10, {"device": 2, "stream": 4}),
]


def rows(folder: Path, events: list[Any], *queries: str) -> list[list[Row]]:
    """Returns rows of a trace of events: (category, name, pid, tid, ts, dur, args)."""
    keys = ("cat", "name", "pid", "tid", "ts", "dur", "args")
    document = {
        "schemaVersion": 1,
        "traceEvents": [{"ph": "X", **dict(zip(keys, each, strict=True))} for each in events],
    }
    (folder / "t.json").write_text(json.dumps(document))
    (outcome,) = import_paths([folder / "t.json"], db=folder / "w.duckdb")
    assert outcome.error is None
    with database.Reader(folder / "w.duckdb") as reader:
        return [reader.connection.execute(query).fetchall() for query in queries]


TRACKS = "SELECT kind, name FROM track ORDER BY ALL"
DEVICES = "SELECT ordinal FROM device ORDER BY ALL"
WORK = "SELECT name, class, direction, stream FROM gpu_op ORDER BY ts"
COLLECTIVES = "SELECT name, side, kind FROM collective ORDER BY ts"


def test_collectives_of_xpu_are_calls_of_a_thread(tmp_path: Path) -> None:
    tracks, devices, work, collectives = rows(tmp_path, XPU, TRACKS, DEVICES, WORK, COLLECTIVES)

    assert tracks == [("stream", "stream 1"), ("thread", "thread 6"), ("thread", "thread 7")]
    assert devices == [(0,)]
    assert [name for name, *_ in work] == [name for _, name, pid, *_ in XPU if pid == 0]
    assert collectives == [("xccl::allreduce", "host", "allreduce")]


def test_copies_of_xpu_have_directions(tmp_path: Path) -> None:
    (work,) = rows(tmp_path, XPU, WORK)

    assert [direction for _, _, direction, _ in work] == [None, "HtoD", "DtoH", None]


def test_other_collectives_and_kernels_of_msccl_are_communication_of_the_device(
    tmp_path: Path,
) -> None:
    devices, work, collectives = rows(tmp_path, OTHER, DEVICES, WORK, COLLECTIVES)

    assert devices == [(2,)]
    assert work == [
        ("allreduce", "communication", None, 9),
        ("mscclKernel_Sum_half_LL_false", "communication", None, 4),
    ]
    assert [(name, side) for name, side, _ in collectives] == [
        ("allreduce", "device"), ("mscclKernel_Sum_half_LL_false", "device"),
    ]  # fmt: skip


def test_kernels_alone_are_a_trace_of_kineto() -> None:
    text = b'[{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1,"dur":2,"args":{"%b":3}}]'

    keys = (b"External id", b"registers per thread", b"stream")
    assert [sniff(text % key, "x.json") > 0 for key in keys] == [True, True, False]
