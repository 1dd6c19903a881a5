"""Compares the speed of Perfetto exports with building the trace from protobuf classes.

    python benchmarks/export_perfetto.py [N_SLICES]

Creates a warehouse of synthetic slices (five arguments each, a flow for each tenth), exports it
without and with arguments and flows, and writes the same packets with the protobuf classes, which
other tools use, in the same run. Prints slices per second, and the ratios.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb

from warehouse.export.perfetto.trace import export_perfetto
from warehouse.store import database

T = 1 << 32
_TARGETS = {"without arguments": 250_000, "with arguments and flows": 120_000}

_FILL = f"""
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'made', 'measured', now()::TIMESTAMP);
INSERT INTO trace (id, run_id, name, format, importer, importer_version, tw_version, imported_at,
                   base_ns, source_base_ns)
VALUES (1, 1, 'made', 'made', 'made', 1, '0', now()::TIMESTAMP, 1752829956000000000, 0);
INSERT INTO process (id, trace_id, pid, name) VALUES ({T}, 1, 1000, 'python');
INSERT INTO thread (id, trace_id, process_id, tid, name)
SELECT {T} + n, 1, {T}, 1000 + n, 'thread ' || n FROM range(8) AS r(n);
INSERT INTO track (id, trace_id, kind, name, process_id, thread_id)
SELECT {T} + n, 1, 'thread', 'thread ' || n, {T}, {T} + n FROM range(8) AS r(n);
INSERT INTO slice
SELECT
  {T} + n, 1, {T} + n % 8, 1000 * (n // 8), 900, 'cpu_op', 'aten::operator_' || n % 500, 0, NULL,
  'X',
  '{{"External id": ' || n || ', "Ev Idx": ' || 2 * n || ', "Name": "n' || n % 100
  || '", "Input Dims": [[' || n % 7 || ', 64], []], "ratio": ' || n % 1000 || '.25}}',
  NULL, true
FROM range($n) AS r(n);
INSERT INTO link
SELECT {T} + n // 10, 1, 1, {T} + n, {T} + n + 8, 'launch', 'made', 1, 'default', 'made', 1
FROM range(0, $n - 8, 10) AS r(n);
"""


def main() -> None:
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    with tempfile.TemporaryDirectory() as folder:
        db, out = Path(folder) / "made.duckdb", Path(folder) / "made.pftrace"
        make(db, n)
        with database.Reader(db) as reader:
            connection = reader.connection
            for title, rich in (("without arguments", False), ("with arguments and flows", True)):
                ours = rate(n, lambda r=rich: _export(connection, out, r))  # type: ignore[misc]
                peer = rate(n, lambda r=rich: by_classes(connection, out, r))  # type: ignore[misc]
                report(title, ours, peer)


def make(db: Path, n: int) -> None:
    database.create_empty(db)
    connection = duckdb.connect(str(db))
    for statement in _FILL.split(";\n"):
        if statement.strip():
            parameters = {"n": n} if "$n" in statement else None
            connection.execute(statement, parameters)
    connection.close()


def _export(connection: Any, out: Path, rich: bool) -> None:
    export_perfetto(connection, out, with_args=rich, with_flows=rich)


def rate(n: int, work: Callable[[], None]) -> float:
    start = time.perf_counter()
    work()
    return n / (time.perf_counter() - start)


def by_classes(connection: Any, out: Path, rich: bool) -> None:
    """The same slices, one message object at a time."""
    from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TracePacket, TrackEvent

    starts = dict(connection.execute("SELECT slice_out, id FROM flow").fetchall()) if rich else {}
    ends = dict(connection.execute("SELECT slice_in, id FROM flow").fetchall()) if rich else {}
    names: dict[str, int] = {}
    query = "SELECT id, track_id, ts, dur, name, args_json FROM slice ORDER BY track_id, ts"
    result = connection.execute(query)
    with open(out, "wb") as file:
        while rows := result.fetchmany(50_000):
            trace = Trace()
            for slice_id, track_id, ts, dur, name, args in rows:
                begin = TracePacket(timestamp=ts, trusted_packet_sequence_id=1, sequence_flags=2)
                event = begin.track_event
                event.type = TrackEvent.TYPE_SLICE_BEGIN
                event.track_uuid = track_id
                event.name_iid = names.setdefault(name, len(names) + 1)
                event.category_iids.append(1)
                if rich:
                    annotate(event, json.loads(args), names)
                    if slice_id in starts:
                        event.flow_ids.append(starts[slice_id])
                    if slice_id in ends:
                        event.terminating_flow_ids.append(ends[slice_id])
                end = TracePacket(timestamp=ts + dur, trusted_packet_sequence_id=1)
                end.sequence_flags = 2
                end.track_event.type = TrackEvent.TYPE_SLICE_END
                end.track_event.track_uuid = track_id
                trace.packet.extend((begin, end))
            file.write(trace.SerializeToString())


def annotate(event: Any, args: dict[str, Any], names: dict[str, int]) -> None:
    for key, value in args.items():
        annotation = event.debug_annotations.add(name_iid=names.setdefault(key, len(names) + 1))
        fill(annotation, value)


def fill(annotation: Any, value: Any) -> None:
    if isinstance(value, str):
        annotation.string_value = value
    elif isinstance(value, int):
        annotation.int_value = value
    elif isinstance(value, float):
        annotation.double_value = value
    elif value:
        for element in value:
            fill(annotation.array_values.add(), element)
    else:
        annotation.string_value = "[]"


def report(title: str, ours: float, peer: float) -> None:
    target = _TARGETS[title]
    print(  # noqa: T201
        f"{title:26} tw {ours:12,.0f} slices/s   classes {peer:10,.0f} slices/s   "
        f"ratio {ours / peer:5.1f}   target {target:,}: {'met' if ours >= target else 'MISSED'}"
    )


if __name__ == "__main__":
    main()
