"""Writes random profiles as exports of Nsight Systems and as rocpd databases.

Each piece of device work has a mark, its place in the profile counted from 1: the first dimension
of a kernel's grid, the bytes of a copy or memset, the number of a graph.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from tests.support.random_profile import Profile, Range, Stream, Work

_NO_STREAM = 4294967295
_TABLES = {"kernel": "KERNEL", "memcpy": "MEMCPY", "memset": "MEMSET", "graph": "GRAPH_TRACE"}
_GUID = "0000aaaa_bbbb_7ccc_8ddd_000000000001"
_COPY_NAMES = {
    1: "MEMORY_COPY_HOST_TO_DEVICE", 2: "MEMORY_COPY_DEVICE_TO_HOST",
    8: "MEMORY_COPY_DEVICE_TO_DEVICE",
}  # fmt: skip
Rows = list[dict[str, Any]]


def write_nsys(profile: Profile, path: Path) -> Path:
    """As `nsys export --type sqlite` does, with the tables and columns that have values."""
    texts = _Texts()
    tables: dict[str, Rows] = {
        "CUPTI_ACTIVITY_KIND_RUNTIME": [
            {"start": call.start, "end": call.end, "globalTid": _global(call.pid, call.tid),
             "correlationId": call.correlation, "nameId": texts.number(call.name),
             "eventClass": 0, "returnValue": 0}
            for call in profile.recorded_calls
        ],
        "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION": [
            {"start": call.start, "end": call.end, "globalPid": _global(call.pid),
             "correlationId": call.correlation, **_place(call.waits_for[0]),
             **({} if call.wait_kind == "stream" else {"streamId": _NO_STREAM}),
             "syncType": 3 if call.wait_kind == "stream" else 4}
            for call in profile.recorded_calls if call.has_record
        ],
        "NVTX_EVENTS": [
            *(_nvtx(each) for each in profile.ranges),
            *({"start": 0, "eventType": 75, "domainId": 1, "text": "lib", "globalTid": tid}
              for tid in sorted({_global(each.pid, each.pid) for each in profile.ranges})),
        ],
        "PROFILER_OVERHEAD": [
            {"start": each.start, "end": each.end, "globalTid": _global(each.pid, each.tid),
             "nameId": texts.number(each.name)}
            for each in profile.overheads
        ],
    }  # fmt: skip
    for kind, name in _TABLES.items():
        tables[f"CUPTI_ACTIVITY_KIND_{name}"] = [
            {"start": work.start, "end": work.end, "globalPid": _global(work.stream.pid),
             "correlationId": work.call.correlation, **_place(work.stream),
             **_DETAILS[kind](work, 1 + n, texts)}
            for n, work in enumerate(profile.works) if work.kind == kind
        ]  # fmt: skip
    tables["StringIds"] = [{"id": n, "value": text} for text, n in texts.numbers.items()]
    return _write(path, tables)


class _Texts:
    """Numbers of texts, in the order of use."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def number(self, text: str) -> int:
        return self.numbers.setdefault(text, len(self.numbers) + 1)


def _kernel_details(work: Work, mark: int, texts: _Texts) -> dict[str, Any]:
    name = texts.number(work.name)
    return {"demangledName": name, "shortName": name, "gridX": mark, "gridY": 1, "gridZ": 1,
            "blockX": 32, "blockY": 1, "blockZ": 1, "graphId": work.graph,
            "graphNodeId": None if work.graph is None else 1}  # fmt: skip


def _copy_details(work: Work, mark: int, _: _Texts) -> dict[str, Any]:
    destination = 0 if work.is_pageable else 1
    return {"bytes": mark, "copyKind": work.direction, "srcKind": 2, "dstKind": destination}


def _memset_details(work: Work, mark: int, _: _Texts) -> dict[str, Any]:
    return {"bytes": mark, "value": 0, "memKind": 2}


def _graph_details(work: Work, mark: int, _: _Texts) -> dict[str, Any]:
    return {"graphId": mark}


_DETAILS: dict[str, Callable[[Work, int, _Texts], dict[str, Any]]] = {
    "kernel": _kernel_details, "memcpy": _copy_details, "memset": _memset_details,
    "graph": _graph_details,
}  # fmt: skip


def _global(pid: int, tid: int = 0) -> int:
    return 1 << 48 | pid << 24 | tid


def _place(stream: Stream) -> dict[str, int]:
    return {"deviceId": stream.device, "contextId": stream.context, "streamId": stream.number}


def _nvtx(each: Range) -> dict[str, Any]:
    return {
        "start": each.start, "end": each.end, "text": each.name, "textId": None,
        "domainId": each.domain,
        "eventType": 59 if each.style == "push_pop" else 60,
        "globalTid": _global(each.pid, each.tid),
        "endGlobalTid": None if each.end_tid is None else _global(each.pid, each.end_tid),
    }  # fmt: skip


def write_rocpd(profile: Profile, path: Path) -> Path:
    """As `rocprofv3 --output-format rocpd` does: one recording of all processes."""
    texts = _Texts()
    api, marker = texts.number("HIP_RUNTIME_API"), texts.number("MARKER_CORE_RANGE_API")
    processes = sorted({work.stream.pid for work in profile.works} | {c.pid for c in profile.calls})
    threads = sorted(
        {(call.pid, call.tid) for call in profile.calls}
        | {(each.pid, each.tid) for each in profile.ranges}
        | {(pid, pid) for pid in processes}
    )
    number = {pid: n for n, pid in enumerate(processes, 1)}
    thread = {key: n for n, key in enumerate(threads, 1)}
    kernels = {name: n for n, name in enumerate(sorted({work.name for work in profile.works}))}
    events: Rows = []

    def event(category: int, stack: int | None) -> int:
        events.append({"id": len(events) + 1, "category_id": category, "stack_id": stack})
        return len(events)

    def where(pid: int, tid: int) -> dict[str, int]:
        return {"pid": number[pid], "tid": thread[pid, tid]}

    regions: Rows = [
        {**where(call.pid, call.tid), "start": call.start, "end": call.end,
         "name_id": texts.number(call.name), "event_id": event(api, call.correlation)}
        for call in profile.recorded_calls
    ] + [
        {**where(each.pid, each.tid), "start": each.start, "end": each.end,
         "name_id": texts.number(each.name), "event_id": event(marker, None)}
        for each in profile.ranges
    ]  # fmt: skip
    dispatches: Rows = [
        {**where(work.stream.pid, work.stream.pid), "agent_id": 2 + work.stream.device,
         "kernel_id": kernels[work.name], "workgroup_size_x": 1, "grid_size_x": 1 + n,
         "queue_id": work.stream.number, "start": work.start, "end": work.end,
         "event_id": event(api, work.call.correlation)}
        for n, work in enumerate(profile.works) if work.kind == "kernel"
    ]  # fmt: skip
    copies: Rows = [
        {**where(work.stream.pid, work.stream.pid), "dst_agent_id": 2 + work.stream.device,
         "src_agent_id": 1, "size": 1 + n, "stream_id": work.stream.number,
         "name_id": texts.number(_COPY_NAMES[work.direction or 1]),
         "start": work.start, "end": work.end, "event_id": event(api, work.call.correlation)}
        for n, work in enumerate(profile.works) if work.kind == "memcpy"
    ]  # fmt: skip
    tables: dict[str, Rows] = {
        "metadata": [{"id": 1, "tag": "schema_version", "value": "3"}],
        "info_node": [{"id": 1, "machine_id": "m", "hostname": "host"}],
        "info_process": [{"id": number[pid], "nid": 1, "pid": pid} for pid in processes],
        "info_thread": [
            {"id": n, "pid": number[pid], "tid": tid} for (pid, tid), n in thread.items()
        ],
        "info_agent": [
            {"id": n, "nid": 1, "type": "GPU" if n > 1 else "CPU", "absolute_index": n - 1}
            for n in (1, 2, 3)
        ],
        "info_kernel_symbol": [
            {"id": n, "display_name": name} for name, n in kernels.items()
        ],
        "string": [{"id": n, "string": text} for text, n in texts.numbers.items()],
        "event": events, "region": _numbered(regions),
        "kernel_dispatch": _numbered(dispatches), "memory_copy": _numbered(copies),
    }  # fmt: skip
    return _write(path, {f"rocpd_{name}_{_GUID}": rows for name, rows in tables.items()})


def _numbered(rows: Rows) -> Rows:
    return [{"id": n, **row} for n, row in enumerate(rows, 1)]


def _write(path: Path, tables: Mapping[str, Rows]) -> Path:
    """Tables with the columns that any of their rows has; without rows there is no table."""
    with closing(sqlite3.connect(path)) as connection:
        for table, rows in tables.items():
            columns = list(dict.fromkeys(name for row in rows for name in row))
            if columns:
                _fill(connection, table, columns, ([row.get(c) for c in columns] for row in rows))
        connection.commit()
    return path


def _fill(
    connection: sqlite3.Connection, table: str, columns: list[str], rows: Iterable[list[Any]]
) -> None:
    texts = ("value", "text", "tag", "machine_id", "hostname", "type", "display_name", "string")
    types = (f'"{name}" {"TEXT" if name in texts else "INTEGER"}' for name in columns)
    connection.execute(f'CREATE TABLE "{table}" ({", ".join(types)})')
    marks = ", ".join("?" * len(columns))
    connection.executemany(f'INSERT INTO "{table}" VALUES ({marks})', rows)
