"""Writes the CSV files of tensorflow-profiler: stats, latencies, and performance counters.

`stats.csv` is that of trace_analysis, `latencies.csv` of operations_latency_analysis,
`perfcounters_rcp.csv` of perfcounters_analysis and `pc_stats.csv` of
perfcounters_interception_analysis; times of day are in UTC.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tw_importers.ctf.export import load
from warehouse.errors import ExportError
from warehouse.files import whole_file, whole_folder

if TYPE_CHECKING:
    import duckdb

_MODULES = ("sessions", "operations", "cuda_kernels")
_SKIPPED = 2  # sessions at the begin: initialisation, and the first run on a device
_LATEST_SESSION = 9  # of latencies.csv
_NODE = re.compile(r'^\s*(name|input): *"?([^"\n]*)"?', re.MULTILINE)
_Rows = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class WrittenFile:
    name: str
    n_rows: int


def export_tables(
    connection: duckdb.DuckDBPyConnection, path: Path, graph: str | None
) -> list[WrittenFile]:
    """Writes the files that the traces in the scope have rows for."""
    profile = _one_trace(connection, "step", "sessions (session_start and session_end)")
    counted = _one_trace(connection, "slice", "hardware counters", "category = 'parameters'")
    if profile is None:
        raise ExportError(
            "no trace in the scope has sessions of TensorFlow",
            hint="Choose a run with --run; `tw query traces` lists them.",
        )
    written = []
    with whole_folder(path) as folder:
        for name, lines in _files(connection, profile, counted, graph):
            n_rows = 0
            with whole_file(folder / name) as file:
                for line in lines:
                    file.write(f"{line}\n".encode())
                    n_rows += 1
            written.append(WrittenFile(name, n_rows))
    return written


def _one_trace(
    connection: duckdb.DuckDBPyConnection, table: str, what: str, condition: str = "true"
) -> int | None:
    found = connection.execute(
        f"SELECT DISTINCT trace_id FROM {table} WHERE {condition} ORDER BY 1"
    ).fetchall()
    if len(found) > 1:
        raise ExportError(
            f"{len(found)} traces in the scope have {what}", hint="Choose one with --trace."
        )
    return int(found[0][0]) if found else None


def _files(
    connection: duckdb.DuckDBPyConnection, profile: int, counted: int | None, graph: str | None
) -> Iterator[tuple[str, Iterator[str]]]:
    yield "stats.csv", _stats(connection, profile)
    if graph is not None:
        yield "latencies.csv", _latencies(connection, profile, _inputs(Path(graph)))
    cells = connection.execute(
        "SELECT slice_id, event_text FROM source_event WHERE trace_id = ? AND phase = 'rcp' "
        "AND slice_id IS NOT NULL ORDER BY id",
        [profile],
    ).fetchall()
    if cells:
        yield "perfcounters_rcp.csv", _rcp(_rows(connection, "kernel", profile), dict(cells))
    if counted is not None:
        kernels = _rows(connection, "kernel", profile)
        yield "pc_stats.csv", _counters(kernels, _rows(connection, "counter", counted))


def _rows(
    connection: duckdb.DuckDBPyConnection, script: str, trace_id: int, **more: str
) -> list[dict[str, Any]]:
    cursor = connection.execute(load(script), {"trace_id": trace_id, **more})
    names = [column[0] for column in cursor.description or ()]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def _stats(connection: duckdb.DuckDBPyConnection, trace_id: int) -> Iterator[str]:
    yield "begin_timestamp;end_timestamp;name;duration;session"
    for module in _MODULES:
        rows = _rows(connection, "interval", trace_id, module=module)
        yield from _module(module, [row for row in rows if row["session"] > _SKIPPED])


def _module(module: str, rows: _Rows) -> Iterator[str]:
    yield from (f"MODULE;{module}", "", "")
    means: dict[str, tuple[float, int]] = {}
    for row in sorted(rows, key=lambda row: -row["dur_ns"]):
        yield ";".join(str(row[k]) for k in ("begin_ns", "end_ns", "name", "dur_ns", "session"))
        means[row["name"]] = _mean(*means.get(row["name"], (0, 0)), row["dur_ns"])
    yield ""
    for name in sorted(means, key=means.__getitem__, reverse=True):
        yield f";;{name};{means[name][0]};{means[name][1]}"
    yield from ("", "", "")


def _mean(mean: float, count: int, duration: int) -> tuple[float, int]:
    """Mean and count with another duration, rounded at each; the first one remains whole."""
    return ((mean * count + duration) / (count + 1) if count else duration), count + 1


def _inputs(path: Path) -> dict[str, list[str]]:
    """The inputs of each node of a graph in text format, in the order of the file.

    Names of inputs are as written: that tool finds no operation for `^name` and `name:1`.
    """
    try:
        text = path.read_text(errors="replace")
    except OSError as error:
        raise ExportError(f"{path} cannot be read: {error.strerror}") from None
    found: dict[str, list[str]] = {}
    node: list[str] = []
    for kind, name in _NODE.findall(text):
        if kind == "name":
            node = found.setdefault(name, [])
        else:
            node.append(name)
    return found


def _latencies(
    connection: duckdb.DuckDBPyConnection, trace_id: int, inputs: Mapping[str, Sequence[str]]
) -> Iterator[str]:
    sessions: dict[int, dict[str, dict[str, Any]]] = {}
    for row in _rows(connection, "operation", trace_id):
        sessions.setdefault(row["session"], {})[row["name"]] = row
    yield "session id;operation;latency;nb inputs"
    for session in range(_SKIPPED + 1, _LATEST_SESSION + 1):
        found = list(_waits(sessions.get(session, {}), inputs))
        for latency, name, n_inputs in sorted(found, key=lambda each: -each[0]):
            yield f"{session};{name};{latency};{n_inputs}"
        yield ""


def _waits(
    operations: Mapping[str, Mapping[str, Any]], inputs: Mapping[str, Sequence[str]]
) -> Iterator[tuple[int, str, int]]:
    """Time of each operation between its last input and its start."""
    for name, sources in inputs.items():
        if name not in operations or operations[name]["begin_ts"] is None:
            continue
        ends = [
            operations[each]["end_ts"]
            for each in sources
            if each in operations and operations[each]["end_ts"] is not None
        ]
        if ends:
            yield max(0, operations[name]["begin_ts"] - max(ends)), name, len(sources)


def _rcp(kernels: _Rows, cells: Mapping[int, str]) -> Iterator[str]:
    for kernel in kernels:
        if kernel["slice_id"] not in cells:
            continue
        ns = kernel["begin_ns"]
        day = datetime.fromtimestamp(ns // 10**9, UTC).strftime("%Y-%m-%d %H:%M:%S")
        where = f"{kernel['session_index']}|{kernel['index_inside']}"
        number = kernel["n"] if kernel["session_index"] >= 0 else -1
        rest = "|".join(json.loads(cells[kernel["slice_id"]])[1:])
        yield f"{where}|{number}|{ns}|{day}.{ns % 10**9:09} | {kernel['name']}|{rest}"


def _counters(kernels: _Rows, dispatches: _Rows) -> Iterator[str]:
    if len(kernels) != len(dispatches):
        raise ExportError(
            f"the traces have {len(kernels)} kernels and counters of {len(dispatches)} dispatches",
            hint="Record both with the same program and input.",
        )
    names = (dispatches[0]["names"] or []) if dispatches else []
    sizes = ("workgroup_size", "grid_size", "static_group_segment_size", "private_segment_size")
    yield ";".join(
        ["index", "timestamp", "kernel name", "session", "index in session", *sizes, *names]
    )
    for kernel, dispatch in zip(kernels, dispatches, strict=True):
        values = json.loads(dispatch["args_json"])
        place = (kernel["n"], kernel["begin_ns"], kernel["name"], kernel["n_begun"])
        cells = [*place, kernel["index_since_end"], *(values.get(each) for each in sizes)]
        yield ";".join(map(str, [*cells, *(dispatch["texts"] or [])]))
