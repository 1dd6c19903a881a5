"""Writes the timelines in scope as a Perfetto trace (protobuf).

Mapping:

- slices: a begin and an end packet, in ns; instants (phase i, I, R, n, T, p): an instant packet; a
  slice of duration 0 stays a slice;
- unfinished slices (dur -1): a begin packet only, which trace_processor shows as dur -1;
- slices of negative duration: duration 0, with the duration as argument `tw.dur_ns`;
- slices that overlap without nesting: lanes beside their track (module tracks, lanes);
- arguments: debug annotations; links of the default set: flows; counters: counter tracks;
- host ranges of GPU profilers: slices on tracks beside each stream they launched work on
  (`ranges.py`);
- slices that the presentation of a format adds, such as the iterations of a replay: tracks above
  the streams;
- critical paths of predictions and of their measured runs: a track for each trace, with flows;
- rows of queries that are asked for: slices or counters on tracks of their own; findings: instants;
- times: `trace.base_ns + ts`, plus the clock offset of the trace if known.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
import pyarrow as pa

from warehouse.errors import ExportError
from warehouse.export import presentation, wire
from warehouse.export.perfetto import arguments, load, packets, query_tracks, ranges, tracks
from warehouse.export.perfetto.interning import InternedStrings, VerbatimStrings
from warehouse.export.perfetto.lanes import assign as assign_lanes
from warehouse.export.perfetto.ordering import (
    BEGIN,
    END,
    POINT,
    Events,
    concatenate,
    is_settled,
    order,
)
from warehouse.export.perfetto.parts import PART_ROWS
from warehouse.export.perfetto.slices import PIECE_ROWS, SliceReader
from warehouse.files import whole_file
from warehouse.query import scope

if TYPE_CHECKING:
    import duckdb

    from warehouse.export.perfetto.query_tracks import QueryTrack
    from warehouse.export.presentation import Presentation

_BATCH_ROWS = 65_536
_PIECES_AHEAD = PART_ROWS // PIECE_ROWS  # so that one part is read while another is encoded
_MAX_INTERNED_BYTES = 64 << 20
_FLOW_COLUMNS = {
    "starts": packets.FLOW_IDS,
    "open_ends": packets.FLOW_IDS,
    "ends": packets.TERMINATING_FLOW_IDS,
    "late_ends": packets.TERMINATING_FLOW_IDS,
}


@dataclass
class PerfettoSummary:
    """Counts of written rows, and of differences from the warehouse."""

    n_slices: int = 0
    n_counter_values: int = 0
    n_flows: int = 0
    n_tracks: int = 0
    n_ranges: int = 0  # host ranges projected onto streams
    n_added: int = 0  # slices added by presentations
    n_of_queries: int = 0  # slices of queries that are drawn, and findings
    n_findings: int = 0
    n_on_path: int = 0  # slices added on tracks of critical paths
    n_on_extra_lanes: int = 0  # slices that overlap without nesting
    n_unfinished: int = 0  # written without an end
    n_negative: int = 0  # written with duration 0
    n_reversed_flows: int = 0  # their target ends before their source begins
    n_outside: int = 0  # slices of the same traces outside the scope
    n_null_values: int = 0  # counter values that are not numbers: omitted
    unaligned_traces: tuple[str, ...] = ()  # of several traces, those without clock offset
    moved_ns: int = 0  # added to all times because the earliest was negative


def export_perfetto(
    connection: duckdb.DuckDBPyConnection,
    path: Path,
    *,
    with_args: bool = True,
    with_flows: bool = True,
    with_interning: bool | None = None,
    query_tracks: Sequence[QueryTrack] = (),
) -> PerfettoSummary:
    """Writes the rows in scope to one `.pftrace` file.

    With interning a name is written once and referenced by number. Without, the file is several
    times larger, but readers of single packets can use it. The default is interning, unless the
    presentation of a format in scope differs. Raises ExportError when there is nothing to write or
    the file cannot be written.
    """
    import duckdb

    try:
        presentations = presentation.prepare(connection)
        connection.execute(load("traces"))
        with whole_file(path) as file:
            if with_interning is None:
                with_interning = all(each.is_interned for each in presentations.values())
            request = _Request(presentations, with_args, with_flows, with_interning, query_tracks)
            return _Export(connection, file, request).run()
    except duckdb.Error as error:
        raise ExportError(f"cannot read the timeline: {str(error).splitlines()[0]}") from error


@dataclass(frozen=True)
class _Request:
    presentations: dict[str, Presentation]
    with_args: bool
    with_flows: bool
    with_interning: bool
    query_tracks: Sequence[QueryTrack]


class _Export:
    def __init__(
        self, connection: duckdb.DuckDBPyConnection, file: BinaryIO, request: _Request
    ) -> None:
        self.connection = connection
        self.file = file
        self.presentations = request.presentations
        self.with_args = request.with_args
        self.with_flows = request.with_flows
        self.query_tracks = request.query_tracks
        self.written = PerfettoSummary()
        kind = InternedStrings if request.with_interning else VerbatimStrings
        self.names = kind("event_names")
        self.categories = kind("event_categories")
        self.keys = kind("debug_annotation_names")
        self.interned = [self.categories, self.names, self.keys]
        self.sequence = 1

    def run(self) -> PerfettoSummary:
        self._check_traces()
        stored = scope.stored(self.connection).removesuffix(".")
        self.written.n_ranges = ranges.project(self.connection)
        self.written.n_added = ranges.add_slices(self.connection, self.presentations.values())
        self.written.n_on_path = ranges.add_paths(self.connection)
        if self.query_tracks:
            self.written.n_of_queries = query_tracks.add(self.connection, self.query_tracks)
            self.written.n_findings = self._one(
                "SELECT count(*) FROM query_track_slice WHERE category = 'finding'"
            )
        extra_lanes, self.written.n_on_extra_lanes = assign_lanes(self.connection, stored)
        self._prepare_flows()
        self.stored_arguments = (
            presentation.arguments(self.connection, self.presentations) if self.with_args else []
        )
        counters = [
            counter
            for each in self.presentations.values()
            if each.counters is not None
            for counter in each.counters(self.connection)
        ]
        self.plan = tracks.plan(self.connection, extra_lanes, counters)
        self.written.n_tracks = self.plan.n_tracks
        self.n_uuids = 1 + max(d.uuid for d in self.plan.descriptors)
        self.fields = packets.Tracks.upto(self.n_uuids)
        self.track_ids = np.array(sorted(self.plan.uuids), np.int64)
        self.first_uuids = np.array([self.plan.uuids[int(i)] for i in self.track_ids], np.int64)
        self._write_head()
        self._write_slices()
        self.written.n_slices -= (
            self.written.n_ranges
            + self.written.n_added
            + self.written.n_on_path
            + self.written.n_of_queries
        )
        self._write_counters()
        n_stored = self._one(
            f"SELECT count(*) FROM {stored}.slice"
            " WHERE trace_id IN (SELECT trace_id FROM export_trace)"
        )
        self.written.n_outside = n_stored - self.written.n_slices
        return self.written

    def _one(self, query: str) -> Any:
        # Fetch all rows: an open result would block the connection.
        return self.connection.execute(query).fetchall()[0][0]

    def _check_traces(self) -> None:
        rows = self.connection.execute(
            "SELECT run_name || '/' || name, is_aligned FROM export_trace ORDER BY trace_id"
        ).fetchall()
        if not self._one("SELECT count(*) FROM track"):
            raise ExportError(
                "nothing to export: the traces in scope have no timeline",
                hint="`tw runs` lists the contents of the warehouse.",
            )
        if len(rows) > 1:
            self.written.unaligned_traces = tuple(name for name, known in rows if not known)
        earliest = self._one("""
            SELECT coalesce(min(ts + shift_ns), 0)
            FROM (SELECT trace_id, ts FROM slice UNION ALL SELECT trace_id, ts FROM counter)
            JOIN export_trace USING (trace_id)
        """)
        self.written.moved_ns = max(0, -earliest)  # timestamps are unsigned

    def _prepare_flows(self) -> None:
        if not self.with_flows:
            return
        self.connection.execute(load("arrows"))
        self.written.n_flows = self._one("SELECT count(*) FROM export_arrow")
        self.written.n_reversed_flows = self._one(
            "SELECT count(*) FROM export_arrow WHERE is_open AND NOT is_tie"
        )
        self.with_flows = self.written.n_flows > 0

    def _write_head(self) -> None:
        self.file.write(packets.opening(self.sequence))
        for descriptor in self.plan.descriptors:
            self.file.write(packets.descriptor(descriptor))

    def _write_slices(self) -> None:
        waiting: list[Events] = []
        for piece, is_end in _ahead(self._slices().pieces(), _PIECES_AHEAD):
            waiting += self._events(piece)
            self.written.n_slices += piece.num_rows
            if is_end:
                waiting = [self._write_settled(concatenate(waiting))]
        self._write_definitions()
        self._write_events(concatenate(waiting))

    def _write_settled(self, events: Events) -> Events:
        """Writes the events that no later slice precedes; returns the others."""
        self._write_definitions()
        settled = is_settled(events, self.last_lane, self.last_time)
        self._write_events(events.take(np.flatnonzero(settled)))
        return events.take(np.flatnonzero(~settled))

    def _write_definitions(self) -> None:
        self.file.write(packets.definitions(self.sequence, self.interned))
        if sum(kind.n_bytes for kind in self.interned) > _MAX_INTERNED_BYTES:
            self._begin_sequence()

    def _begin_sequence(self) -> None:
        """Starts a sequence without interned strings; packets that wait keep their sequence."""
        self.sequence += 1
        for kind in self.interned:
            kind.forget()
        self.file.write(packets.opening(self.sequence))

    def _write_events(self, events: Events) -> None:
        if len(events):
            self.file.write(wire.contents(events.packets.take(pa.array(order(events)))))

    def _slices(self) -> SliceReader:
        return SliceReader(
            self.connection,
            lift_ns=self.written.moved_ns,
            has_lanes=self.written.n_on_extra_lanes > 0,
            has_arrows=self.with_flows,
            has_args=self.with_args,
            stored_arguments=self.stored_arguments,
        )

    def _uuids(self, batch: Any) -> packets.Numbers:
        ids = batch["track_id"].to_numpy()
        uuids: packets.Numbers = self.first_uuids[np.searchsorted(self.track_ids, ids)]
        return uuids

    def _events(self, batch: Any) -> list[Events]:
        """Returns the begin, end and instant packets of a batch, and records its last position."""
        uuids = self._uuids(batch) + batch["lane"].to_numpy()
        times, durs = batch["ts"].to_numpy(), batch["dur"].to_numpy()
        is_instant = batch["is_instant"].to_numpy(zero_copy_only=False)
        ordinals = np.arange(len(times), dtype=np.int64) + self.written.n_slices
        track = self.fields.of(uuids)
        is_deferred = batch["is_deferred"].to_numpy(zero_copy_only=False)
        lanes = uuids + is_deferred * self.n_uuids  # sorts deferred slices behind all others
        self.last_lane, self.last_time = int(lanes[-1]), int(times[-1])
        self.written.n_unfinished += int((durs == -1).sum())
        self.written.n_negative += int((durs < -1).sum())

        is_long = (durs > 0) | (durs == -1)
        begins = self._begins(batch, times, is_instant, track)
        end_times = times + np.maximum(durs, 0)
        ends = packets.ends(self.sequence, end_times, track, self._flows(batch, ["late_ends"]))
        if not is_long.all():
            is_bare = pa.array(~is_long & ~is_instant)
            no_packet = pa.scalar(None, pa.large_binary())
            begins = wire.join(begins, pa.compute.if_else(is_bare, ends, no_packet))
        kinds = np.where(is_long, BEGIN, POINT)
        ended = np.flatnonzero(durs > 0)
        return [
            Events(lanes, times, kinds, ordinals, begins),
            Events(lanes, end_times, np.full(len(times), END), ordinals, ends).take(ended),
        ]

    def _begins(
        self, batch: Any, times: packets.Numbers, is_instant: Any, track: wire.Column
    ) -> wire.Column:
        return packets.begins(
            self.sequence,
            times,
            np.where(is_instant, packets.INSTANT, packets.SLICE_BEGIN),
            track,
            _interned(batch["category"], self.categories, b"\x18"),
            _interned(batch["name"], self.names, b"\x50"),
            self._annotations(batch),
            self._flows(batch, ["starts", "open_ends", "ends"]),
        )

    def _annotations(self, batch: Any) -> list[wire.Column]:
        if not self.with_args:
            return []
        recorded = []
        if batch["args_text"].null_count < len(batch):
            keys, values = batch["arg_keys"], batch["arg_values"]
            recorded = [arguments.encode(keys, values, batch["args_text"], self.keys)]
        for n, (encoder, _) in enumerate(self.stored_arguments):
            recorded += encoder.encode(_columns_of(batch, f"{n}:"), self.keys)
        return recorded

    def _flows(self, batch: Any, columns: list[str]) -> list[wire.Column]:
        if not self.with_flows:
            return []
        return [
            packets.flow_fields(batch[name], _FLOW_COLUMNS[name])
            for name in columns
            if batch[name].null_count < len(batch[name])
        ]

    def _write_counters(self) -> None:
        self.written.n_null_values = self._one("SELECT count(*) FROM counter WHERE value IS NULL")
        stored = [each.counter_values for each in self.presentations.values()]
        drawn = [load("query_values")] if self.query_tracks else []
        for query in [load("counters"), *(each for each in stored if each), *drawn]:
            lifted = query.replace("{lift_ns}", str(self.written.moved_ns))
            reader = self.connection.sql(lifted).to_arrow_reader(_BATCH_ROWS)
            for batch in _ahead(reader):
                if batch.num_rows:
                    track = self.fields.of(self._uuids(batch))
                    values = batch["value"].to_numpy()
                    times = batch["ts"].to_numpy()
                    encoded = packets.counters(self.sequence, times, track, values)
                    self.file.write(wire.contents(encoded))
                    self.written.n_counter_values += batch.num_rows


def _ahead(batches: Iterable[Any], n_ahead: int = 1) -> Iterator[Any]:
    """Yields the batches; the next `n_ahead` are computed while the last is encoded."""
    coming = iter(batches)
    with ThreadPoolExecutor(max_workers=1) as worker:
        following = deque(worker.submit(next, coming, None) for _ in range(n_ahead))
        try:
            while (batch := following.popleft().result()) is not None:
                following.append(worker.submit(next, coming, None))
                yield batch
        finally:
            worker.shutdown(cancel_futures=True)


def _columns_of(batch: Any, prefix: str) -> Any:
    """Returns the columns whose names have a prefix, without the prefix."""
    names = [name for name in batch.schema.names if name.startswith(prefix)]
    return pa.RecordBatch.from_arrays(
        [batch[name] for name in names], names=[name.removeprefix(prefix) for name in names]
    )


def _interned(texts: Any, kind: InternedStrings, tag: bytes) -> wire.Column:
    distinct = texts.cast(pa.large_binary()).dictionary_encode()
    return kind.fields(distinct.dictionary, tag).take(distinct.indices)
