"""Reads an XSpace into raw tables: planes, lines, names of events, and events.

Out: `plane`, `line`, `event_name`, `instruction` and `record`; statistics are members of a JSON
object, `"name":1` with commas between. Events are decoded in pieces of a line, so that memory is
bounded.
"""

from __future__ import annotations

import base64
import math
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any, Final

import msgspec
import pyarrow as pa
from google.protobuf.message import DecodeError

from tw_importers.protobuf.declared import ONE
from tw_importers.protobuf.wire import corrupt, fields, pieces
from tw_importers.xplane.messages import messages
from tw_importers.xplane.modules import PLANE as MODULES_PLANE
from tw_importers.xplane.modules import Modules
from warehouse.errors import CorruptTrace
from warehouse.ingest.importer import ByteReader, Parts, Problem, Scratch, TraceFacts

_PIECE_BYTES: Final = 4 << 20
_BATCH_ROWS: Final = 1 << 16
_MOST_KNOWN: Final = 1 << 16  # statistics that are remembered
_LONGEST_KNOWN: Final = 256  # bytes of one
_LONGEST_KEPT: Final = 4096  # bytes of a value of type bytes; of longer ones the size is kept
_XSPACE = {1: "planes", 2: "errors", 3: "warnings", 4: "hostnames"}
_PLANE_NAME, _PLANE_LINE, _PLANE_EVENTS, _PLANE_STATS, _PLANE_STAT = 2, 3, 4, 5, 6
RECORD = pa.schema(
    [
        ("seq", pa.int64()),
        ("line_n", pa.int32()),
        ("metadata_id", pa.int64()),
        ("offset_ps", pa.int64()),
        ("dur_ps", pa.int64()),
        ("n_occurrences", pa.int64()),
        ("stats", pa.string()),
    ]
)
_PLANE = pa.schema([("plane_n", pa.int32()), ("name", pa.string()), ("stats", pa.string())])
_LINE = pa.schema(
    [
        ("line_n", pa.int32()),
        ("plane_n", pa.int32()),
        ("id", pa.int64()),
        ("name", pa.string()),
        ("timestamp_ns", pa.int64()),
    ]
)
_EVENT_NAME = pa.schema(
    [
        ("plane_n", pa.int32()),
        ("metadata_id", pa.int64()),
        ("name", pa.string()),
        ("display_name", pa.string()),
        ("stats", pa.string()),
    ]
)


def read(reader: ByteReader, scratch: Scratch) -> TraceFacts:
    """Reads one file. Raises CorruptTrace, with the offset, for what is no XSpace."""
    path = scratch.file_of(reader)
    if not path.stat().st_size:
        raise CorruptTrace("invalid XPlane: the file is empty", offset=0)
    with path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as content:
        data = memoryview(content)
        try:
            space = _Space(data, scratch)
            space.read()
        finally:
            data.release()
    return space.facts()


def read_capture(parts: Parts, scratch: Scratch) -> TraceFacts:
    """Reads the file of one host."""
    (part,) = parts.parts
    try:
        with parts.open(part.name) as reader:
            facts = read(reader, scratch)
    except CorruptTrace as error:
        message = f"{part.name}: {error.message}"
        raise CorruptTrace(message, hint=error.hint, offset=error.offset) from None
    facts.host_name = facts.host_name or Path(part.name).name.partition(".")[0]
    if parts.job is not None:
        facts.job_id = parts.job.id
    return facts


class _Space:
    """The state of reading one file: rows of small tables, and the writer of events."""

    def __init__(self, data: memoryview, scratch: Scratch) -> None:
        self._data, self._scratch = data, scratch
        self._texts: dict[str, list[str]] = {name: [] for name in _XSPACE.values()}
        self._planes: list[dict[str, Any]] = []
        self._lines: list[dict[str, Any]] = []
        self._names: list[dict[str, Any]] = []
        self._columns: dict[str, list[Any]] = {name: [] for name in RECORD.names}
        self._n_events = 0
        self._without_name = Counter[str]()
        self._modules = Modules()

    def read(self) -> None:
        """Reads all planes and writes the raw tables."""
        import pyarrow.parquet as pq  # loading it would cost every import of any kind

        path = self._scratch.path("record")
        with closing(pq.ParquetWriter(path, RECORD, compression="snappy")) as writer:
            for field in fields(self._data, 0, len(self._data)):
                what = _XSPACE.get(field.number)
                if what == "planes":
                    for batch in self._plane(field.value, field.end):
                        writer.write_batch(batch)
                elif what is not None:
                    self._texts[what].append(_text(self._bytes(field.value, field.end)))
            writer.write_batch(self._batch())
        connection = self._scratch.connection
        literal = path.replace("'", "''")
        connection.execute(f"CREATE VIEW record AS FROM read_parquet('{literal}')")
        tables = ((_PLANE, self._planes), (_LINE, self._lines), (_EVENT_NAME, self._names))
        for name, (schema, rows) in zip(("plane", "line", "event_name"), tables, strict=True):
            connection.register("rows", pa.Table.from_pylist(rows, schema))
            connection.execute(f"CREATE TABLE {name} AS FROM rows")
            connection.unregister("rows")
        connection.register("rows", self._modules.table())
        connection.execute("CREATE TABLE instruction AS FROM rows")
        connection.unregister("rows")

    def _plane(self, start: int, end: int) -> Iterator[pa.RecordBatch]:
        """The events of a plane, read last: their names come behind them."""
        plane_n, plane = len(self._planes), _Plane(self._without_name)
        name, entries, stats, lines = "", [], [], []
        for field in fields(self._data, start, end):
            place = (field.value, field.end)
            if field.number == _PLANE_NAME:
                name = _text(self._bytes(*place))
            elif field.number == _PLANE_LINE:
                lines.append(place)
            elif field.number == _PLANE_EVENTS:
                entries.append(self._message("EventEntry", *place))
            elif field.number == _PLANE_STATS:
                plane.add(self._message("StatEntry", *place))
            elif field.number == _PLANE_STAT:
                stats.append(self._message("Statistic", *place))
        self._planes.append({"plane_n": plane_n, "name": name, "stats": plane.members(stats)})
        for entry in entries:
            self._names.append(
                {
                    "plane_n": plane_n,
                    "metadata_id": entry.key,
                    "name": _text(entry.value.name),
                    "display_name": _text(entry.value.display_name) or None,
                    "stats": plane.members(entry.value.stats),
                }
            )
        if name == MODULES_PLANE:
            self._modules.add(entries, plane.names)
        for place in lines:
            yield from self._line(plane_n, plane, *place)

    def _line(self, plane_n: int, plane: _Plane, start: int, end: int) -> Iterator[pa.RecordBatch]:
        row: dict[str, Any] = {"line_n": len(self._lines), "plane_n": plane_n}
        self._lines.append(row)
        texts: dict[str, str] = {}
        for place in pieces(self._data, start, end, _PIECE_BYTES):
            line = self._message("Line", *place)
            for field, value in line.ListFields():
                if field.name in ("id", "timestamp_ns"):
                    row[field.name] = value
                elif field.name in ("name", "display_name"):
                    texts[field.name] = _text(value)
            try:
                self._take(row["line_n"], plane, line.events)
            except DecodeError:
                raise corrupt(place[0], "a statistic of an event cannot be decoded") from None
            if len(self._columns["seq"]) >= _BATCH_ROWS:
                yield self._batch()
        row["name"] = texts.get("display_name") or texts.get("name")
        row.setdefault("id", 0)
        row.setdefault("timestamp_ns", 0)

    def _take(self, line_n: int, plane: _Plane, events: Any) -> None:
        """Adds the rows of some events. Loops, because protobuf gives one value at a time."""
        events = list(events)  # each pass over what protobuf holds would create them again
        n, members, columns = len(events), plane.encoded, self._columns
        columns["seq"] += range(self._n_events, self._n_events + n)
        columns["line_n"] += [line_n] * n
        columns["metadata_id"] += [event.metadata_id for event in events]
        columns["offset_ps"] += [event.offset_ps for event in events]
        columns["dur_ps"] += [event.duration_ps for event in events]
        columns["n_occurrences"] += [
            event.num_occurrences if event.HasField("num_occurrences") else None for event in events
        ]
        columns["stats"] += [members(event.stats) for event in events]
        self._n_events += n

    def _batch(self) -> pa.RecordBatch:
        """The rows taken since the last batch."""
        batch = pa.record_batch(self._columns, schema=RECORD)
        self._columns = {name: [] for name in RECORD.names}
        return batch

    def _message(self, name: str, start: int, end: int) -> Any:
        return messages().decode(name, self._data, start, end)

    def _bytes(self, start: int, end: int) -> bytes:
        return bytes(self._data[start:end])

    def facts(self) -> TraceFacts:
        """The facts that the file declares, and the problems of reading it."""
        hosts = self._texts["hostnames"]
        return TraceFacts(
            format="xplane",
            host_name=hosts[0] if len(hosts) == 1 else None,
            metadata_json=msgspec.json.encode(self._texts).decode(),
            source_base_ns=self._start_ns(),
            problems=list(self._problems()),
        )

    def _start_ns(self) -> int:
        """When the profile began, which times are relative to; 0: times are absolute."""
        for plane in self._planes:
            if plane["name"] == "Task Environment" and plane["stats"]:
                start = msgspec.json.decode(f"{{{plane['stats']}}}").get("profile_start_time")
                return start if isinstance(start, int) and 0 < start < 1 << 62 else 0
        return 0

    def _problems(self) -> Iterator[Problem]:
        for kind, what in (("errors", "error"), ("warnings", "warning")):
            if texts := self._texts[kind]:
                yield Problem(
                    f"profiler_{what}",
                    f"{kind} that the profiler recorded",
                    len(texts),
                    example=texts[0],
                    severity="note" if what == "warning" else "warning",
                )
        for where, count in self._without_name.items():
            yield Problem("unknown_name", f"{where}, kept under their numbers", count)
        if damaged := self._modules.n_damaged:
            yield Problem("damaged", "compiled modules that cannot be decoded", damaged)


class _Plane:
    """The names of a plane's statistics, and the JSON of their values."""

    def __init__(self, without_name: Counter[str]) -> None:
        self.names: dict[int, str] = {}
        self._keys: dict[int, str] = {}
        self._refs: dict[int, str] = {}
        self._without_name = without_name
        self._known: dict[bytes, str] = {}  # members by the bytes of their statistics
        self._parse = messages().new("Statistic").FromString

    def add(self, entry: Any) -> None:
        """Adds the name of a statistic, which is also a text that values refer to."""
        self.names[entry.key] = name = _text(entry.value.name)
        self._refs[entry.key] = encoded = _json(name)
        self._keys[entry.key] = f"{encoded}:"

    def members(self, stats: Any) -> str | None:
        """The members of an object of statistics; None without any."""
        return ",".join([self._member(each) for each in stats]) if stats else None

    def encoded(self, stats: Any) -> str | None:
        """The members of an object of encoded statistics; None without any.

        Each distinct one is decoded once: most name a device, a stream, or a line of source.
        """
        if not stats:
            return None
        known = self._known
        return ",".join([known.get(each) or self._decoded(each) for each in stats])

    def _decoded(self, content: bytes) -> str:
        if len(self._known) >= _MOST_KNOWN:
            self._known.clear()
        found = self._member(self._parse(content))
        if len(content) <= _LONGEST_KNOWN:
            self._known[content] = found
        return found

    def _member(self, stat: Any) -> str:
        key = self._keys.get(stat.metadata_id)
        if key is None:
            self._without_name["statistics without a name"] += 1
            key = self._keys[stat.metadata_id] = f'"statistic {stat.metadata_id}":'
        kind = stat.WhichOneof(ONE)
        if kind in ("int64", "uint64"):
            return f"{key}{getattr(stat, kind)}"
        if kind == "ref":
            text = self._refs.get(stat.ref)
            if text is None:
                self._without_name["values that refer to no text"] += 1
                text = self._refs[stat.ref] = f'"text {stat.ref}"'
            return key + text
        return key + _other(stat, kind)


def _other(stat: Any, kind: str | None) -> str:
    """The JSON of a value that is neither an integer nor a reference."""
    if kind is None:
        return "null"
    value = getattr(stat, kind)
    if kind == "double":
        return repr(value) if math.isfinite(value) else f'"{value}"'
    if kind == "text":
        return _json(_text(value))
    if len(value) > _LONGEST_KEPT:
        return f'{{"n_bytes":{len(value)}}}'
    return _json(base64.b64encode(value).decode())


def _text(value: bytes) -> str:
    return value.decode(errors="replace")


def _json(text: str) -> str:
    return msgspec.json.encode(text).decode()
