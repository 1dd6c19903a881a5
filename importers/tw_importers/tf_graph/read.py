"""Reads the nodes of a graph into the raw table `node`, one row each; the same of both encodings.

Attributes are JSON: a list of {name, type, value}. Type is the field of AttrValue: s (a text), i,
f, b, type, shape (null: of unknown rank), tensor (its type and shape), func (its name),
placeholder, or list. Nodes are decoded one by one, as both encodings give one value at a time.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator
from typing import Any, Final

import msgspec
import pyarrow as pa

from tw_importers.protobuf.declared import ONE
from tw_importers.protobuf.wire import corrupt, fields
from tw_importers.tf_graph import text
from tw_importers.tf_graph.certainty import is_text
from tw_importers.tf_graph.messages import messages, type_of_number, type_of_word
from tw_importers.tf_graph.text import Message
from warehouse.ingest import batches
from warehouse.ingest.importer import ByteReader, Scratch, TraceFacts

_NODES, _LIBRARY, _OTHERS = 1, 2, (3, 4, 5)
_NODE = pa.schema([
    ("seq", pa.int64()), ("name", pa.string()), ("op", pa.string()), ("device", pa.string()),
    ("inputs", pa.list_(pa.string())), ("attributes", pa.string()),
])  # fmt: skip
_BATCH_ROWS: Final = 1 << 14
_Row = dict[str, Any]


def read(reader: ByteReader, scratch: Scratch) -> TraceFacts:
    """Reads a whole file. Raises CorruptTrace, with the offset, for what is no GraphDef."""
    blocks = []
    while block := reader.read(1 << 20):
        blocks.append(block)
    content = b"".join(blocks)
    graph = _Graph(content)
    connection = scratch.connection
    batches.run(connection, "CREATE TABLE node AS FROM rows", "rows", _NODE, graph.batches())
    connection.execute("CREATE TABLE library AS SELECT ?::BIGINT AS n", [graph.n_functions])
    return TraceFacts(format="tf_graph", format_version="binary" if graph.is_binary else "text")


class _Graph:
    """The nodes of a file, and how many functions it has beside them."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self.is_binary = content[:1] == b"\x0a" and not is_text(content[:4096])
        self.n_functions = 0

    def batches(self) -> Iterator[pa.RecordBatch]:
        """The rows of `node`."""
        rows: list[_Row] = []
        for n, row in enumerate(self._of_bytes() if self.is_binary else self._of_text()):
            rows.append({"seq": n, **row})
            if len(rows) == _BATCH_ROWS:
                yield pa.RecordBatch.from_pylist(rows, _NODE)
                rows = []
        yield pa.RecordBatch.from_pylist(rows, _NODE)

    def _of_bytes(self) -> Iterator[_Row]:
        data = memoryview(self._content)
        for field in fields(data, 0, len(data)):
            if field.number == _NODES and field.wire_type == 2:
                yield _decoded(messages().decode("Node", data, field.value, field.end))
            elif field.number == _LIBRARY and field.wire_type == 2:
                library = messages().decode("Library", data, field.value, field.end)
                self.n_functions += len(library.function)
            elif field.number not in _OTHERS:
                raise corrupt(field.start, f"field {field.number} is not one of GraphDef")

    def _of_text(self) -> Iterator[_Row]:
        for name, value in text.fields(self._content):
            if name == "node" and isinstance(value, dict):
                yield _written(value)
            elif name == "library" and isinstance(value, dict):
                self.n_functions += len(value.get("function", ()))


def _decoded(node: Any) -> _Row:
    attributes = [
        {"name": _text(entry.key), **_value(entry.value, entry.value.WhichOneof(ONE))}
        for entry in node.attr
    ]
    return _row(
        _text(node.name), _text(node.op), _text(node.device), map(_text, node.input), attributes
    )


def _value(value: Any, kind: str | None) -> _Row:
    if kind is None:
        return {"type": None, "value": None}
    content = getattr(value, kind)
    if kind != "list":
        return {"type": kind, "value": _READ[kind](content)}
    found = [_READ[field.name](each) for field, values in content.ListFields() for each in values]
    return {"type": "list", "value": found}


def _written(node: Message) -> _Row:
    attributes = []
    for entry in node.get("attr", ()):
        if isinstance(entry, dict):
            value = _one(entry, "value", {})
            kind, values = next(iter(value.items()), (None, [])) if isinstance(value, dict) else (
                None, [])  # fmt: skip
            attributes.append({"name": _string(_one(entry, "key", b"")), **_parsed(kind, values)})
    name, op, device = (_string(_one(node, key, b"")) for key in ("name", "op", "device"))
    return _row(name, op, device, map(_string, node.get("input", ())), attributes)


def _parsed(kind: str | None, values: list[str | bytes | Message]) -> _Row:
    value = values[-1] if values else None
    if kind == "list":
        members = value.items() if isinstance(value, dict) else ()
        found = [_PARSE[key](each) for key, some in members if key in _PARSE for each in some]
        return {"type": kind, "value": found}
    if kind not in _PARSE:
        return {"type": kind, "value": None}
    return {"type": kind, "value": _PARSE[kind](value)}


def _row(name: str, op: str, device: str, inputs: Any, attributes: list[_Row]) -> _Row:
    attributes.sort(key=lambda each: str(each["name"]))
    return {
        "name": name,
        "op": op,
        "device": device or None,
        "inputs": list(inputs),
        "attributes": msgspec.json.encode(attributes).decode(),
    }


def _one(message: Message, name: str, default: Any) -> Any:
    values = message.get(name)
    return values[-1] if values else default


def _text(value: bytes) -> str:
    return value.decode(errors="replace")


def _string(value: Any) -> str:
    """A value of the text format as text."""
    return _text(value) if isinstance(value, bytes) else str(value)


def _float(value: float) -> float | str:
    """JSON has no numbers that are not finite; their names are texts."""
    return value if math.isfinite(value) else str(value)


def _integer(word: Any) -> Any:
    """A whole number of the text format; what is none stays a text."""
    try:
        return int(str(word), 0)
    except ValueError:
        return _string(word)


def _real(word: Any) -> Any:
    """A number of the text format, of 32 bits as protobuf stores it; what is none stays a text."""
    try:
        return _float(struct.unpack("<f", struct.pack("<f", float(str(word))))[0])
    except (ValueError, OverflowError):
        return _string(word)


def _shape(value: Any) -> list[int] | None:
    return None if value.unknown_rank else [dim.size for dim in value.dim]


def _shape_of_text(value: Any) -> list[Any] | None:
    if not isinstance(value, dict) or _one(value, "unknown_rank", "false") in ("true", "1", "t"):
        return None
    dims = value.get("dim", ())
    return [_integer(_one(dim, "size", "0")) for dim in dims if isinstance(dim, dict)]


def _tensor_of_text(value: Any) -> _Row:
    found = value if isinstance(value, dict) else {}
    return {
        "type": type_of_word(_string(_one(found, "dtype", "0"))),
        "shape": _shape_of_text(_one(found, "tensor_shape", {})),
    }


_READ: Final[dict[str, Any]] = {
    "s": _text, "placeholder": _text, "i": int, "f": _float, "b": bool, "type": type_of_number,
    "shape": _shape, "func": lambda value: _text(value.name),
    "tensor": lambda value: {
        "type": type_of_number(value.dtype), "shape": _shape(value.tensor_shape)
    },
}  # fmt: skip
_PARSE: Final[dict[str, Any]] = {
    "s": _string, "placeholder": _string, "i": _integer,
    "f": _real, "b": lambda word: word in ("true", "True", "t", "1"),
    "type": lambda word: type_of_word(_string(word)), "shape": _shape_of_text,
    "func": lambda value: _string(_one(value, "name", b"")) if isinstance(value, dict) else "",
    "tensor": _tensor_of_text,
}  # fmt: skip
