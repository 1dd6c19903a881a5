"""Reads a trace into raw tables: events, values of counters, flows and descriptions of tracks.

Out: `event`, `sample`, `hop` (Parquet files), `used_track`, `described` and `named` (tracks.py),
and `packet_count`, the packets that are no events by what they hold. Times are those of the clock
of the trace. Packets are decoded one by one, so that memory is bounded.
"""

from __future__ import annotations

from collections import Counter
from contextlib import ExitStack
from mmap import ACCESS_READ, mmap
from typing import Any, Final

import pyarrow as pa
from google.protobuf.message import DecodeError

from tw_importers.perfetto.clocks import MONOTONIC, Clocks, key_of
from tw_importers.perfetto.events import TABLES, EventReader
from tw_importers.perfetto.packets import content_of, packets
from tw_importers.perfetto.sequences import CLEARED, NEEDS_STATE, Sequence
from tw_importers.perfetto.tracks import Tracks
from tw_importers.perfetto.typed_fields import TypedFields, descriptors_in
from tw_importers.protobuf.wire import corrupt
from warehouse.arrow import leave_pandas_unloaded
from warehouse.errors import CorruptTrace
from warehouse.ingest.importer import ByteReader, Problem, Scratch, TraceFacts

_BATCH_ROWS: Final = 1 << 16
_DESCRIPTION = "descriptions of tracks, clocks and interned texts"
_WITHOUT_STATE = "events without the interned texts they need"
_WITHOUT_CLOCK = "events of clocks that no snapshot relates to the trace's"


def read(reader: ByteReader, scratch: Scratch) -> TraceFacts:
    """Reads one file. Raises CorruptTrace, with the offset, for what is no trace or is cut.

    With `--lenient` the packets before that are read.
    """
    leave_pandas_unloaded()
    path = scratch.file_of(reader)
    if not path.stat().st_size:
        raise CorruptTrace("invalid Perfetto trace: the file is empty", offset=0)
    trace = _Trace(scratch)
    with (
        path.open("rb") as file,
        mmap(file.fileno(), 0, access=ACCESS_READ) as content,
        memoryview(content) as data,
    ):
        trace.read(data)
    return trace.facts()


class _Trace:
    """The state of reading one file."""

    def __init__(self, scratch: Scratch) -> None:
        self._scratch = scratch
        self._clocks, self._tracks = Clocks(), Tracks()
        self._data = memoryview(b"")
        self._events = EventReader(self._tracks, TypedFields(lambda: descriptors_in(self._data)))
        self._sequences: dict[int, Sequence] = {}
        self._merged, self._unused = Counter[str](), Counter[str]()
        self._problems: list[Problem] = []
        self._last_ns = 0
        self._n_losses = 0

    def read(self, data: memoryview) -> None:
        """Reads all packets and writes the raw tables."""
        import pyarrow.parquet as pq  # loading it would cost every import of any kind

        self._data = data
        with ExitStack() as files:
            writers = {
                name: files.enter_context(
                    pq.ParquetWriter(self._scratch.path(name), schema, compression="snappy")
                )
                for name, schema in TABLES.items()
            }
            self._read_packets(data, writers)
            self._write(writers)
        self._create_tables()

    def _read_packets(self, data: memoryview, writers: dict[str, Any]) -> None:
        try:
            for offset, packet in packets(data):
                try:
                    self._packet(packet)
                except DecodeError:
                    raise corrupt(offset, "an argument cannot be decoded") from None
                if self._events.n_rows >= _BATCH_ROWS:
                    self._write(writers)
        except CorruptTrace as error:
            if not self._scratch.is_lenient:
                hint = "Copy or record it again; --lenient imports the packets before."
                raise CorruptTrace(error.message, hint=hint, offset=error.offset) from None
            meaning = "the file is cut or damaged; packets from there on were not read"
            self._problems.append(
                Problem("damaged", meaning, 1, offset=error.offset, severity="error")
            )

    def _packet(self, packet: Any) -> None:
        sequence = self._sequences.get(packet.sequence)
        if sequence is None:
            sequence = self._sequences[packet.sequence] = Sequence(packet.sequence)
        has_state = self._update(sequence, packet)
        # Of all packets, since the next may be a difference to it; of snapshots it does not count.
        is_timed = packet.HasField("timestamp") and not packet.HasField("clocks")
        ns = self._packet_time(sequence, packet) if is_timed else None
        if packet.HasField("event"):
            self._event(sequence, packet, ns)
        elif self._describe(sequence, packet) or has_state or packet.flags:
            self._merged[_DESCRIPTION] += 1
        else:
            self._unused[f"packets of {content_of(packet)}"] += 1

    def _update(self, sequence: Sequence, packet: Any) -> bool:
        """Updates the state of the packet's sequence; whether it has anything of that kind."""
        if packet.dropped and sequence.has_state:
            sequence.has_state = False
            self._n_losses += 1
        if packet.cleared or packet.flags & CLEARED:
            sequence.clear()
            self._tracks.restart_counters(sequence.id)
        is_state = False
        if packet.HasField("defaults"):
            is_state = True
            sequence.set_defaults(packet.defaults)
        if packet.HasField("interned"):
            is_state = True
            sequence.intern(packet.interned)
        return is_state

    def _describe(self, sequence: Sequence, packet: Any) -> bool:
        """Stores the descriptors in a packet; returns whether it has any."""
        if packet.HasField("track"):
            self._tracks.describe(packet.track, sequence.id)
        elif packet.HasField("clocks"):
            self._clocks.add(packet.clocks, sequence.id)
        elif packet.HasField("thread"):
            sequence.thread = (packet.thread.pid, packet.thread.tid)
            sequence.us = packet.thread.reference_us
            self._tracks.name_thread(packet.thread)
        elif packet.HasField("process"):
            self._tracks.name_process(packet.process)
        elif packet.HasField("tree"):
            self._tracks.name_tree(packet.tree)
        else:
            return bool(packet.extensions)  # see TypedFields
        return True

    def _event(self, sequence: Sequence, packet: Any, packet_ns: int | None) -> None:
        if packet.flags & NEEDS_STATE and not sequence.has_state:
            self._unused[_WITHOUT_STATE] += 1
            return
        ns = packet_ns if packet.HasField("timestamp") else self._event_time(sequence, packet.event)
        if ns is None:
            self._unused[_WITHOUT_CLOCK] += 1
            return
        self._last_ns = max(self._last_ns, ns)
        self._events.add(sequence, packet.event, ns)

    def _packet_time(self, sequence: Sequence, packet: Any) -> int | None:
        """The timestamp of a packet, in ns of the trace's clock; None if that is not known."""
        clock = packet.clock or sequence.clock
        ns: int = packet.timestamp
        return self._clocks.trace_time(key_of(clock, sequence.id), ns) if clock else ns

    def _event_time(self, sequence: Sequence, event: Any) -> int:
        """When an event was whose packet has no timestamp, in ns of the trace's clock."""
        if event.HasField("delta_us"):
            sequence.us += event.delta_us
            return self._old_time(sequence.us)
        if event.HasField("absolute_us"):
            return self._old_time(event.absolute_us)
        return self._last_ns

    def _old_time(self, us: int) -> int:
        """A time that older events have, which is of MONOTONIC where a snapshot relates it."""
        ns = self._clocks.trace_time((0, MONOTONIC), us * 1000)
        return us * 1000 if ns is None else ns

    def _write(self, writers: dict[str, Any]) -> None:
        for name, batch in self._events.take().items():
            if batch.num_rows:
                writers[name].write_batch(batch)

    def _create_tables(self) -> None:
        connection = self._scratch.connection
        for name in TABLES:
            literal = self._scratch.path(name).replace("'", "''")
            connection.execute(f"CREATE VIEW {name} AS FROM read_parquet('{literal}')")
        counts = [("merged", reason, n) for reason, n in self._merged.items()]
        counts += [("unused", reason, n) for reason, n in self._unused.items()]
        tables = self._tracks.tables() | {"packet_count": _counts(counts)}
        for name, table in tables.items():
            connection.register("rows", table)
            connection.execute(f"CREATE TABLE {name} AS FROM rows")
            connection.unregister("rows")

    def facts(self) -> TraceFacts:
        """The facts that the file declares, and the problems of reading it."""
        return TraceFacts(
            format="perfetto",
            source_base_ns=self._clocks.epoch_ns(),
            problems=[*self._problems, *self._losses(), *self._events.problems()],
        )

    def _losses(self) -> list[Problem]:
        found = [
            Problem(
                "packets_lost",
                "times that the recorder lost packets of a sequence",
                self._n_losses,
                severity="error",
            ),
            Problem(
                "events_without_state",
                "events dropped: the texts they refer to were lost",
                self._unused[_WITHOUT_STATE],
                severity="error",
            ),
            Problem(
                "events_without_clock",
                "events dropped: no snapshot relates their clock to that of the trace",
                self._unused[_WITHOUT_CLOCK],
                severity="error",
            ),
        ]
        return [each for each in found if each.count]


def _counts(rows: list[tuple[str, str, int]]) -> pa.Table:
    schema = pa.schema([("what", pa.string()), ("reason", pa.string()), ("n", pa.int64())])
    names = schema.names
    return pa.Table.from_pylist([dict(zip(names, row, strict=True)) for row in rows], schema)
