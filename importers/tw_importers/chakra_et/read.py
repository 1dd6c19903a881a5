"""Streams the nodes of a Chakra trace into a raw table, and reads its metadata.

Out: `raw_node`, one row a node in the order of the file. Format: a stream of length-delimited
messages, first a GlobalMetadata, then a Node each (mlcommons/chakra, schema/protobuf/et_def.proto);
or the feeder's other form, a JSON object with the list `workload_graph`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec
import pyarrow as pa
from google.protobuf.message import DecodeError

from tw_importers.chakra_et.attributes import COLUMNS, Attributes
from tw_importers.chakra_et.frames import corrupt, frames
from tw_importers.chakra_et.messages import NODE_TYPES, is_foreign, message, not_declared
from tw_importers.chakra_et.order import Order
from tw_importers.chakra_et.python_text import json_of
from tw_importers.chakra_et.workload import Workload, is_workload
from warehouse.ingest.importer import ByteReader, Problem, Scratch, TraceFacts

_BATCH_ROWS = 8_192
_SNIFFED_BYTES = 1 << 16
_MOST_KEPT = 1 << 14  # texts that are remembered
_ARROW = {int: pa.int64(), str: pa.string(), bool: pa.bool_()}
SCHEMA = pa.schema(
    [
        ("seq", pa.int64()),
        ("id", pa.uint64()),
        ("name", pa.string()),
        ("type", pa.string()),
        ("ctrl_deps", pa.list_(pa.uint64())),
        ("data_deps", pa.list_(pa.uint64())),
        ("start_time_micros", pa.uint64()),
        ("duration_micros", pa.uint64()),
        ("inputs", pa.string()),
        ("outputs", pa.string()),
        ("attributes", pa.string()),
        ("others", pa.string()),
        *((name, _ARROW[kind]) for name, kind in COLUMNS.items()),
    ]
)
_ID, _DATA_DEPS = SCHEMA.get_field_index("id"), SCHEMA.get_field_index("data_deps")


def read(reader: ByteReader, scratch: Scratch) -> TraceFacts:
    """Reads the whole stream; refuses truncated messages and those of other schemas."""
    import pyarrow.parquet as pq  # loading it would cost every import of any kind

    head = reader.read(_SNIFFED_BYTES)
    ahead = _Again(head, reader)
    trace = _Workload(ahead) if is_workload(head) else _Trace(ahead)
    with pq.ParquetWriter(scratch.path("raw_node"), SCHEMA, compression="snappy") as writer:
        for _ in trace.nodes():
            if len(trace.rows) >= _BATCH_ROWS:
                writer.write_batch(trace.batch())
        writer.write_batch(trace.batch())
    path = scratch.path("raw_node").replace("'", "''")
    scratch.connection.execute(f"CREATE VIEW raw_node AS FROM read_parquet('{path}')")
    facts = trace.facts()
    if (circle := trace.order.problem(scratch.connection)) is not None:
        facts.problems.append(circle)
    return facts


class _Again:
    """A stream with its head put back in front."""

    def __init__(self, head: bytes, rest: ByteReader) -> None:
        self._head, self._rest = head, rest

    def read(self, size: int, /) -> bytes:
        found, self._head = self._head[:size], self._head[size:]
        return found or self._rest.read(size)


class _TextCache(NamedTuple):
    """Caches decoded inputs, outputs and names, which repeat from node to node."""

    io: dict[bytes, str]
    json: dict[bytes, str]
    name: dict[bytes, str]


class _Trace:
    """The state of reading one trace.

    Nodes are taken one by one, because protobuf's parser takes a message at a time.
    """

    def __init__(self, reader: ByteReader) -> None:
        self.metadata = ""
        self.rows: list[tuple[Any, ...]] = []
        self.order = Order()
        self._reader = reader
        self._version: str | None = None
        self._n_nodes = 0
        self._n_kept = 0
        self._first_kept: int | None = None
        self._attributes = Attributes()
        self._parse = message("Node").FromString
        self._parse_io = message("IOInfo").FromString
        self._cache = _TextCache({}, {}, {})

    def nodes(self) -> Iterator[None]:
        """Adds to `rows`, a message at a time."""
        for offset, encoded in frames(self._reader):
            try:
                self._take(encoded, offset)
            except DecodeError:
                what = "node" if self.metadata else "global metadata of a Chakra trace"
                raise corrupt(offset, f"invalid {what}") from None
            yield

    def _take(self, encoded: bytes, offset: int) -> None:
        """Reads one message; raises DecodeError if it is invalid."""
        if not self.metadata:
            self._take_metadata(encoded)
        else:
            self.rows.append(self._node(encoded, offset))
            self._n_nodes += 1

    def batch(self) -> pa.RecordBatch:
        """The rows since the last batch."""
        columns = list(zip(*self.rows, strict=True)) or [()] * len(SCHEMA)
        self.rows = []
        for texts in self._cache:
            if len(texts) > _MOST_KEPT:
                texts.clear()
        return pa.record_batch(
            [pa.array(c, f.type) for c, f in zip(columns, SCHEMA, strict=True)], schema=SCHEMA
        )

    def _take_metadata(self, encoded: bytes) -> None:
        parsed = message("GlobalMetadata").FromString(encoded)
        if not_declared(parsed):
            raise DecodeError
        attributes = [self._attributes.of(each) for each in parsed.attr]
        version = self._attributes.text(parsed.version)
        members = [f'"version":{_quoted(version)}'] if version else []
        members.append(f'"attr":[{",".join(each.json for each in attributes)}]')
        self.metadata = f"{{{','.join(members)}}}"
        schema = next((each.value for each in attributes if each.name == "schema"), None)
        self._version = version or (schema if isinstance(schema, str) else None)

    def _node(self, encoded: bytes, offset: int) -> tuple[Any, ...]:
        node = self._parse(encoded)
        found = [self._attributes.of(each) for each in node.attr]
        columns = {each.name: each.value for each in found if each.has_column}
        data_deps = list(node.data_deps)
        self.order.add(node.id, data_deps)
        return (
            self._n_nodes,
            node.id,
            self._remembered(self._cache.name, node.name, self._attributes.text),
            NODE_TYPES[node.type] if 0 <= node.type < len(NODE_TYPES) else str(node.type),
            list(node.ctrl_deps),
            data_deps,
            node.start_time_micros,
            node.duration_micros,
            self._values(node.inputs),
            self._values(node.outputs),
            f"[{','.join([each.json for each in found])}]",
            self._others(node, offset),
            *(columns.get(name) for name in COLUMNS),
        )

    def _others(self, node: Any, offset: int) -> str | None:
        """Fields that the schema does not define, as JSON. Raises DecodeError if not a node."""
        others = not_declared(node)
        if not others:
            return None
        if is_foreign(node, others):
            raise DecodeError
        self._n_kept += len(others)
        self._first_kept = offset if self._first_kept is None else self._first_kept
        return msgspec.json.encode(others).decode()

    def _values(self, parts: Any) -> str | None:
        """Inputs or outputs as JSON, or None."""
        if not parts:
            return None
        # A message that comes in several parts is what they are put together.
        encoded = parts[0] if len(parts) == 1 else b"".join(parts)
        return self._remembered(self._cache.io, encoded, self._decoded_io)

    def _decoded_io(self, encoded: bytes) -> str:
        io = self._parse_io(encoded)
        members = (("values", io.values), ("shapes", io.shapes), ("types", io.types))
        texts = ",".join(
            f'"{name}":{self._remembered(self._cache.json, text, self._decoded_list)}'
            for name, text in members
            if text
        )
        return f"{{{texts}}}"

    def _decoded_list(self, encoded: bytes) -> str:
        """A list as JSON; any other text as the JSON text that it is."""
        text = self._attributes.text(encoded)
        return json_of(text) or _quoted(text)

    @staticmethod
    def _remembered(cache: dict[bytes, str], encoded: bytes, decode: Any) -> str:
        found = cache.get(encoded)
        if found is None:
            found = cache[encoded] = decode(encoded)
        return found

    def facts(self) -> TraceFacts:
        """The metadata of the file, and the problems found in its bytes."""
        if not self.metadata:
            raise corrupt(0, "empty: no message found")
        kinds = (
            ("unknown_field", "fields that the Chakra schema does not define for nodes, kept",
             self._n_kept, self._first_kept),
            ("unknown_inner_field", "fields that the Chakra schema does not define for attributes",
             self._attributes.n_unknown, None),
            ("invalid_utf8", "strings with invalid UTF-8; invalid bytes replaced by U+FFFD",
             self._attributes.n_invalid, None),
        )  # fmt: skip
        return TraceFacts(
            format="chakra",
            format_version=self._version,
            metadata_json=self.metadata,
            problems=[Problem(kind, why, n, first) for kind, why, n, first in kinds if n],
        )


class _Workload(_Trace):
    """The same for a workload in JSON, which has no metadata."""

    def nodes(self) -> Iterator[None]:
        for row in Workload(self._reader):
            self.rows.append(row)
            self.order.add(row[_ID], row[_DATA_DEPS])
            yield

    def facts(self) -> TraceFacts:
        return TraceFacts(format="chakra", format_version="json", metadata_json='{"attr":[]}')


def _quoted(text: str) -> str:
    return msgspec.json.encode(text).decode()
