"""Streams a snapshot's segments, blocks, history and stacks into scratch tables.

Out: `segment`, `block`, `entry` (of the history), `frame` (of stacks), `history` (which list of
entries is which device's), `annotation` and `not_used`. Equal stacks are stored once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from tw_importers.pickled.plain import as_json
from tw_importers.pickled.unpickle import Unpickler
from warehouse.errors import CorruptTrace
from warehouse.ingest.importer import ByteReader, Scratch, TraceFacts

if TYPE_CHECKING:
    import pyarrow.parquet as pq

_BATCH_ROWS = 16_384
_INT64 = range(-(1 << 63), 1 << 63)
_ADDRESS = range(1 << 64)


def _schema(integers: str, texts: str, addresses: str = "") -> pa.Schema:
    return pa.schema(
        [(name, pa.int64()) for name in integers.split()]
        + [(name, pa.string()) for name in texts.split()]
        + [(name, pa.uint64()) for name in addresses.split()]
    )


SCHEMAS = {
    "segment": _schema(
        "segment_n device total_size allocated_size active_size requested_size stream stack_n",
        "segment_type segment_pool_id is_expandable extra", "address"
    ),
    "block": _schema("block_n segment_n size requested_size stack_n", "state extra", "address"),
    "entry": _schema("seq list_n size stream time_us stack_n", "action extra", "addr"),
    "frame": _schema("stack_n depth line", "filename name extra"),
    "history": _schema("list_n device", ""),
    "annotation": _schema("seq device time_us", "stage name extra"),
    "not_used": _schema("n", "reason"),
}  # fmt: skip

#: Of each schema, by id(): what fits a column of numbers; None: a text. Looked up for every value.
_RANGES = {
    id(schema): {
        column.name: None if pa.types.is_string(column.type)
        else _INT64 if pa.types.is_int64(column.type) else _ADDRESS
        for column in schema
    }
    for schema in SCHEMAS.values()
}  # fmt: skip


class _Stack(int):
    """Number of a stack, in the memo instead of the list of its calls."""


class _Call(int):
    """Number of a call, in the memo instead of its dict."""


@dataclass
class _Table:
    """Rows on their way to a Parquet file."""

    writer: pq.ParquetWriter
    rows: list[dict[str, Any]] = field(default_factory=list)
    n: int = 0

    def add(self, row: dict[str, Any]) -> None:
        self.rows.append(row)
        self.n += 1
        if len(self.rows) >= _BATCH_ROWS:
            self.flush()

    def flush(self) -> None:
        schema = self.writer.schema
        self.writer.write_batch(pa.RecordBatch.from_pylist(self.rows, schema=schema))
        self.rows = []


def read(reader: ByteReader, scratch: Scratch) -> TraceFacts:
    """Reads the pickle without running any of it; see `unpickle` for what is refused."""
    import pyarrow.parquet as pq  # loading it would cost every import of any kind

    tables = {
        name: _Table(pq.ParquetWriter(scratch.path(name), schema, compression="snappy"))
        for name, schema in SCHEMAS.items()
    }
    try:
        metadata = _Snapshot(tables).read(reader)
        for table in tables.values():
            table.flush()
    finally:
        for table in tables.values():
            table.writer.close()
    for name in tables:
        target = scratch.path(name).replace("'", "''")
        scratch.connection.execute(f"CREATE VIEW {name} AS FROM read_parquet('{target}')")
    return TraceFacts(format="memory_snapshot", metadata_json=as_json(metadata))


class _Snapshot:
    """The state of reading one snapshot. Rows are created one by one, in order of the pickle."""

    def __init__(self, tables: dict[str, _Table]) -> None:
        self._tables = tables
        self._lists: list[list[Any]] = []  # of entries, one for each device, held for their id()
        self._list_n: dict[int, int] = {}
        self._calls: dict[tuple[Any, ...], _Call] = {}
        self._call_of: list[tuple[Any, ...]] = []
        self._stacks: dict[tuple[int, ...], _Stack] = {}
        self._not_used: Counter[str] = Counter()

    def read(self, reader: ByteReader) -> dict[str, Any]:
        """Writes the tables; returns the other values of the snapshot, by key."""
        self._unpickler = Unpickler(reader, self._take)
        root = self._unpickler.load()
        if not isinstance(root, dict):
            root = {"segments": root}
        segments, traces = root.pop("segments", None), root.pop("device_traces", None)
        if not isinstance(segments, list) and not isinstance(traces, list):
            raise CorruptTrace(
                "not a memory snapshot: the pickle has neither segments nor device_traces",
                hint="Record one with torch.cuda.memory._dump_snapshot.",
            )
        self._histories(traces)
        self._annotations(root.pop("external_annotations", None))
        self._not_used["invalid segments"] += len(segments or ())
        for reason, n in self._not_used.items():
            if n:
                self._tables["not_used"].add({"reason": reason, "n": n})
        return root

    def _histories(self, traces: Any) -> None:
        """The lists of entries by device: the first is that of device 0."""
        for device, entries in enumerate(traces if isinstance(traces, list) else ()):
            list_n = self._list_n.get(id(entries))
            if list_n is not None:
                self._tables["history"].add({"list_n": list_n, "device": device})
            if isinstance(entries, list):
                self._not_used["invalid entries"] += len(entries)

    def _take(self, target: list[Any], items: list[Any]) -> bool:
        """Turns entries of the history and segments into rows, and lets go of them."""
        first = items[0]
        if type(first) is not dict:
            return False
        if "action" in first:
            list_n = self._number(target)
            for entry in items:
                self._entry(entry, list_n)
        elif "blocks" in first and "total_size" in first:
            for segment in items:
                self._segment(segment)
        else:
            return False
        return True

    def _number(self, entries: list[Any]) -> int:
        if id(entries) not in self._list_n:
            self._list_n[id(entries)] = len(self._lists)
            self._lists.append(entries)
        return self._list_n[id(entries)]

    def _entry(self, entry: Any, list_n: int) -> None:
        if type(entry) is not dict or "action" not in entry:
            self._not_used["invalid entries"] += 1
            return
        table = self._tables["entry"]
        frames = entry.pop("frames", None)
        row = {"seq": table.n, "list_n": list_n, "stack_n": self._stack(frames)}
        table.add({**row, **_columns(entry, SCHEMAS["entry"], row)})
        self._unpickler.forget(entry)

    def _segment(self, segment: Any) -> None:
        if type(segment) is not dict:
            self._not_used["invalid segments"] += 1
            return
        table, blocks = self._tables["segment"], segment.pop("blocks", None)
        row = {"segment_n": table.n, "stack_n": self._stack(segment.pop("frames", None))}
        for block in blocks if type(blocks) is list else ():
            self._block(block, table.n)
        self._unpickler.forget(blocks)
        table.add({**row, **_columns(segment, SCHEMAS["segment"], row)})
        self._unpickler.forget(segment)

    def _block(self, block: Any, segment_n: int) -> None:
        if type(block) is not dict:
            self._not_used["invalid blocks"] += 1
            return
        frames = block.pop("frames", None)
        history = block.get("history")
        if type(history) is list and history and type(history[0]) is dict:  # before torch 2.1
            frames = frames or history[0].get("frames")
            block.setdefault("requested_size", history[0].get("real_size"))
            del block["history"]
        table = self._tables["block"]
        row = {"block_n": table.n, "segment_n": segment_n, "stack_n": self._stack(frames)}
        table.add({**row, **_columns(block, SCHEMAS["block"], row)})
        self._unpickler.forget(block)

    def _stack(self, frames: Any) -> int | None:
        """Number of a stack, the same for equal ones; its calls are written when it is new."""
        if type(frames) is _Stack:
            return frames
        if type(frames) is not list or not frames:
            return None
        key = tuple(call for frame in frames if (call := self._call(frame)) is not None)
        stack = self._stacks.get(key)
        if stack is None:
            stack = self._stacks[key] = _Stack(len(self._stacks))
            for depth, call in enumerate(key):
                filename, line, name, extra = self._call_of[call]
                self._tables["frame"].add(
                    {"stack_n": stack, "depth": depth, "line": line, "filename": filename,
                     "name": name, "extra": extra}
                )  # fmt: skip
        self._unpickler.forget(frames, stack)
        return stack

    def _call(self, frame: Any) -> int | None:
        if type(frame) is _Call:
            return frame
        if type(frame) is not dict:
            return None
        columns = _columns(frame, SCHEMAS["frame"], ())
        key = tuple(columns.get(name) for name in ("filename", "line", "name", "extra"))
        call = self._calls.get(key)
        if call is None:
            call = self._calls[key] = _Call(len(self._calls))
            self._call_of.append(key)
        self._unpickler.forget(frame, call)
        return call

    def _annotations(self, annotations: Any) -> None:
        table = self._tables["annotation"]
        for each in annotations if type(annotations) is list else ():
            if type(each) is dict:
                table.add({**_columns(each, SCHEMAS["annotation"], ()), "seq": table.n})
            else:
                self._not_used["invalid annotations"] += 1


def _columns(source: dict[Any, Any], schema: pa.Schema, taken: Iterable[str]) -> dict[str, Any]:
    """The values that have a column and fit it; all others are kept as JSON in `extra`."""
    found: dict[str, Any] = {}
    extra: dict[str, Any] = {}
    ranges = _RANGES[id(schema)]
    for key, value in source.items():
        name = str(key)
        if name not in ranges or name in taken or name == "extra":
            extra[name] = value
            continue
        fitting = ranges[name]
        if fitting is None:
            found[name] = _text(value)
        elif type(value) is int and value in fitting:
            found[name] = value
        elif value is not None:
            extra[name] = value
    if extra:
        found["extra"] = as_json(extra)
    return found


def _text(value: Any) -> str | None:
    """A text as it is, a pool's (0, 1) as 0.1, a truth value as JSON has it."""
    if value is None or type(value) is str:
        return value
    if type(value) is tuple and all(type(each) is int for each in value):
        return ".".join(map(str, value))
    return as_json(value)
