"""Reads the statistics of a step into raw tables: one row for each execution of an operation.

Out: `node`, `output`, `allocation`, `thread_name`. Messages are decoded one by one, as
protobuf gives one value at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Final

import pyarrow as pa

from tw_importers.protobuf.wire import corrupt, fields, varint
from tw_importers.tf_run_metadata.messages import TYPES, messages
from warehouse.errors import CorruptTrace
from warehouse.ingest.importer import ByteReader, Scratch, TraceFacts

_LENGTH_DELIMITED: Final = 2
_STEP_STATS, _DEVICES, _DEVICE_NAME, _NODES, _THREAD_NAMES = 1, 1, 1, 2, 3
_GRAPHS: Final = {3: "partition_graphs", 4: "function_graphs", 2: "cost_graph"}
_NODE = pa.schema(
    [
        ("seq", pa.int64()),
        ("device", pa.string()),
        ("name", pa.string()),
        ("label", pa.string()),
        ("thread_id", pa.int64()),
        ("start_ns", pa.int64()),
        ("op_start_ns", pa.int64()),  # relative to start_ns, as are the next two
        ("op_end_ns", pa.int64()),
        ("end_ns", pa.int64()),
        ("scheduled_ns", pa.int64()),
        ("lane_n", pa.int64()),
    ]
)
_OUTPUT = pa.schema(
    [
        ("seq", pa.int64()),
        ("slot", pa.int64()),
        ("type", pa.string()),
        ("shape", pa.list_(pa.int64())),
        ("bytes", pa.int64()),
        ("allocator", pa.string()),
    ]
)
_ALLOCATION = pa.schema(
    [
        ("seq", pa.int64()),
        ("n", pa.int64()),
        ("allocator", pa.string()),
        ("at_ns", pa.int64()),
        ("bytes", pa.int64()),
        ("bytes_in_use", pa.int64()),
    ]
)
_THREAD_NAME = pa.schema(
    [("device", pa.string()), ("thread_id", pa.int64()), ("name", pa.string())]
)


def sniff(head: bytes, name: str) -> int:
    """Likely when the first field is statistics of a device that has the name of one."""
    data = memoryview(head)
    with suppress(CorruptTrace):
        at = 0
        for _ in ("step_stats", "dev_stats"):
            if head[at : at + 1] != b"\x0a":  # field 1, length-delimited
                return 0
            _, at = varint(data, at + 1, len(data))
        for field in fields(data, at, len(data)):
            text = head[field.value : field.end]
            return 97 if field.number == 1 and text.startswith((b"/job:", b"/device:")) else 0
    return 0


def read(reader: ByteReader, scratch: Scratch) -> TraceFacts:
    """Reads a whole file. Raises CorruptTrace, with the offset, for what is no RunMetadata."""
    parts = []
    while block := reader.read(1 << 20):
        parts.append(block)
    step = _Step(memoryview(b"".join(parts)))
    step.read()
    step.store(scratch)
    return TraceFacts(format="tf_run_metadata", problems=[])


class _Step:
    """The rows of a file."""

    def __init__(self, data: memoryview) -> None:
        self._data = data
        self._nodes: list[dict[str, Any]] = []
        self._outputs: list[dict[str, Any]] = []
        self._allocations: list[dict[str, Any]] = []
        self._threads: list[dict[str, Any]] = []
        self._n_graphs = 0

    def read(self) -> None:
        for field in fields(self._data, 0, len(self._data)):
            if field.wire_type != _LENGTH_DELIMITED or field.number > max(_GRAPHS) + 1:
                raise corrupt(field.start, f"field {field.number} is not one of RunMetadata")
            if field.number == _STEP_STATS:
                for device in fields(self._data, field.value, field.end):
                    if device.number == _DEVICES:
                        self._device(device.value, device.end)
            elif field.number in _GRAPHS:
                self._n_graphs += 1

    def _device(self, start: int, end: int) -> None:
        name, nodes = "", []
        for field in fields(self._data, start, end):
            place = (field.value, field.end)
            if field.number == _DEVICE_NAME:
                name = bytes(self._data[field.value : field.end]).decode(errors="replace")
            elif field.number == _NODES:
                nodes.append(place)
            elif field.number == _THREAD_NAMES:
                entry = messages().decode("ThreadName", self._data, *place)
                self._threads.append(
                    {"device": name, "thread_id": entry.key, "name": _text(entry.value)}
                )
        for place in nodes:
            self._node(name, messages().decode("Node", self._data, *place))

    def _node(self, device: str, node: Any) -> None:
        """Times are those in nanoseconds, if recorded."""
        seq = len(self._nodes)
        unit, scale = ("nanos", 1) if node.all_start_nanos else ("micros", 1000)

        def time(what: str) -> int | None:
            return _in_range(getattr(node, f"{what}_{unit}") * scale)

        self._nodes.append(
            {
                "seq": seq,
                "device": device,
                "name": _text(node.node_name),
                "label": _text(node.timeline_label),
                "thread_id": node.thread_id,
                "start_ns": time("all_start") or None,
                "op_start_ns": time("op_start_rel"),
                "op_end_ns": time("op_end_rel"),
                "end_ns": time("all_end_rel"),
                "scheduled_ns": time("scheduled") or None,
            }
        )
        self._outputs += _outputs(seq, node)
        self._allocations += _allocations(seq, node)

    def store(self, scratch: Scratch) -> None:
        """Writes the raw tables."""
        self._lay_out()
        connection = scratch.connection
        for name, schema, rows in (
            ("node", _NODE, self._nodes),
            ("output", _OUTPUT, self._outputs),
            ("allocation", _ALLOCATION, self._allocations),
            ("thread_name", _THREAD_NAME, self._threads),
        ):
            connection.register("rows", pa.Table.from_pylist(rows, schema))
            connection.execute(f"CREATE TABLE {name} AS FROM rows")
            connection.unregister("rows")
        connection.execute("CREATE TABLE unread AS SELECT ?::BIGINT AS n", [self._n_graphs])

    def _lay_out(self) -> None:
        """Puts operations of a device that overlap into lanes, the first that is free.

        A loop, because each place depends on those before it.
        """
        ends: dict[str, list[int]] = {}
        for node in sorted(self._nodes, key=lambda each: each["start_ns"] or 0):
            start = node["start_ns"] or 0
            lanes = ends.setdefault(node["device"], [])
            lane = next((n for n, end in enumerate(lanes) if end <= start), len(lanes))
            lanes[lane : lane + 1] = [start + max(node["end_ns"] or 0, 0)]
            node["lane_n"] = lane


def _outputs(seq: int, node: Any) -> Iterator[dict[str, Any]]:
    for each in node.output:
        tensor = each.tensor
        known = tensor.HasField("shape") and not tensor.shape.is_unknown
        yield {
            "seq": seq,
            "slot": each.slot,
            "type": TYPES[tensor.dtype] if tensor.dtype < len(TYPES) else str(tensor.dtype),
            "shape": [dim.size for dim in tensor.shape.dim] if known else None,
            "bytes": tensor.allocation.requested_bytes,
            "allocator": _text(tensor.allocation.allocator_name) or None,
        }


def _allocations(seq: int, node: Any) -> Iterator[dict[str, Any]]:
    for memory in node.memory:
        for n, record in enumerate(memory.records):
            yield {
                "seq": seq,
                "n": n,
                "allocator": _text(memory.allocator_name),
                "at_ns": _in_range(record.alloc_micros * 1000),
                "bytes": record.alloc_bytes,
                "bytes_in_use": memory.bytes_in_use or None,
            }


def _in_range(number: int) -> int | None:
    return number if -(1 << 63) <= number < 1 << 63 else None


def _text(value: bytes) -> str:
    return value.decode(errors="replace")
