"""Writes traces as CTF 1.8, for Trace Compass and babeltrace2.

Events are at the time of what they record, on a clock that counts from 1970, and kernels have the
name of their operation in `tf_name`: what tensorflow-profiler's scripts make of a trace. Each
processor has a stream.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tw_importers.ctf.export import load, tsdl
from tw_importers.ctf.export.packing import Packer
from warehouse.errors import ExportError
from warehouse.files import file_stem, whole_file, whole_folder

if TYPE_CHECKING:
    import duckdb

_BATCH_ROWS = 20_000
_PACKET_BYTES = 256 << 10


@dataclass
class WrittenTrace:
    path: Path
    n_events: int
    n_streams: int


def export_trace(connection: duckdb.DuckDBPyConnection, path: Path) -> list[WrittenTrace]:
    """Writes a folder for each trace in the scope that has recorded events."""
    traces = connection.execute(
        "SELECT id, name, host_name, metadata_json, base_ns FROM trace WHERE id IN ("
        "SELECT DISTINCT trace_id FROM event_class) ORDER BY id"
    ).fetchall()
    if not traces:
        raise ExportError(
            "no trace in the scope has recorded events",
            hint="Only traces that were imported from CTF can be written as CTF.",
        )
    written = []
    with whole_folder(path) as folder:
        for trace in traces:
            # Below the folder, in which the manifest is: readers take all files for streams.
            inside = file_stem(f"{trace[1]}_{trace[0]}" if len(traces) > 1 else trace[1])
            target = folder / inside
            target.mkdir(exist_ok=True)
            found = _Trace(connection, *trace).write(target)
            written.append(WrittenTrace(path / inside, *found))
    return written


class _Trace:
    """One trace: its classes, and its events by processor."""

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        trace_id: int,
        name: str,
        host: str | None,
        metadata: str | None,
        base_ns: int,
    ) -> None:
        self._connection, self._id, self._base = connection, trace_id, base_ns
        (sha,) = connection.execute(
            "SELECT min(sha256) FROM source_file WHERE trace_id = ?", [trace_id]
        ).fetchall()[0]
        self._uuid = bytes.fromhex(sha)[:16]
        self._environment = _environment(metadata, name, host)
        rows = connection.execute(
            "SELECT id, name, attributes_json, fields_json FROM event_class WHERE trace_id = ? "
            "ORDER BY id",
            [trace_id],
        ).fetchall()
        self._classes = [
            tsdl.Class(n, name, json.loads(attributes or "{}"), json.loads(fields))
            for n, (_, name, attributes, fields) in enumerate(rows)
        ]
        self._packers = {
            row[0]: Packer(each) for row, each in zip(rows, self._classes, strict=True)
        }

    def write(self, folder: Path) -> tuple[int, int]:
        """Returns the numbers of events and of streams."""
        cpus = self._connection.execute(
            "SELECT cpu, count(*) FROM recorded_event WHERE trace_id = ? "
            "AND slice_id IN (SELECT id FROM slice) GROUP BY cpu ORDER BY cpu",
            [self._id],
        ).fetchall()
        with whole_file(folder / "metadata") as file:
            file.write(tsdl.metadata(self._uuid, self._environment, self._classes).encode())
        for cpu, _ in cpus:
            name = "stream" if cpu is None else f"stream_{cpu}"
            with whole_file(folder / name) as file:
                for packet in self._packets(cpu):
                    file.write(packet)
        return sum(n for _, n in cpus), len(cpus)

    def _packets(self, cpu: int | None) -> Iterator[bytes]:
        losses = self._connection.execute(
            "SELECT to_ts, n_events FROM event_loss WHERE trace_id = ? "
            "AND cpu IS NOT DISTINCT FROM ? AND slice_id IN (SELECT id FROM slice) ORDER BY to_ts",
            [self._id, cpu],
        ).fetchall()
        events: list[bytes] = []
        size, begin, end = 0, 0, 0
        # A loop over events: they differ in length, and a packet contains as many as fit.
        for ts, class_id, text, context in self._events(cpu):
            if size > _PACKET_BYTES:
                yield self._packet(cpu, events, begin, end, losses)
                events, size = [], 0
            if not events:
                begin = ts
            event = self._packers[class_id].event(ts, json.loads(context), json.loads(text))
            events.append(event)
            size, end = size + len(event), ts
        if events:
            # Events can be lost after the last that was recorded.
            end = max(end, *(self._base + to_ts for to_ts, _ in losses)) if losses else end
            yield self._packet(cpu, events, begin, end, losses)

    def _packet(
        self, cpu: int | None, events: Sequence[bytes], begin: int, end: int,
        losses: Sequence[tuple[int, int]],
    ) -> bytes:  # fmt: skip
        lost = sum(n for to_ts, n in losses if self._base + to_ts <= end)
        return tsdl.packet(self._uuid, cpu, b"".join(events), (begin, end), lost)

    def _events(self, cpu: int | None) -> Iterator[tuple[int, int, str, str]]:
        arguments = {"trace_id": self._id, "cpu": cpu}
        reader = self._connection.execute(load("event"), arguments)
        while rows := reader.fetchmany(_BATCH_ROWS):
            yield from rows


def _environment(metadata: str | None, name: str, host: str | None) -> Mapping[str, Any]:
    """The environment of the first trace, without entries that would identify it as from LTTng."""
    traces = json.loads(metadata or "{}").get("traces") or [{}]
    environment = dict(traces[0].get("environment", {}))
    for key in ("tracer_buffering_scheme", "tracer_buffering_id"):
        environment.pop(key, None)
    return {"trace_name": name, **environment, "hostname": host or ""}
