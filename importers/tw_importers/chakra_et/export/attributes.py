"""Encodes attributes of Chakra nodes as protobuf, from columns or from imported JSON.

AttributeProto: name 1, doc_string 2, and one of thirty members for the value. A member is written
even when it is zero, because it says which kind the value has.
"""

from __future__ import annotations

import base64
import struct
from collections.abc import Callable
from typing import Any, Final

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from warehouse.export import wire

_ATTRIBUTE: Final = b"\x52"  # Node.attr
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
#: Kind of value -> (number of its member, wire type, encoder of a value). The list of a kind has
#: the next number.
_KINDS: Final[dict[str, tuple[int, int, Callable[[Any], bytes]]]] = {
    "double": (3, _FIXED64, lambda v: struct.pack("<d", float(v))),
    "float": (5, _FIXED32, lambda v: struct.pack("<f", float(v))),
    "int32": (7, _VARINT, wire.varint),
    "int64": (9, _VARINT, wire.varint),
    "uint32": (11, _VARINT, wire.varint),
    "uint64": (13, _VARINT, wire.varint),
    "sint32": (15, _VARINT, lambda v: wire.varint(v << 1 ^ v >> 63)),
    "sint64": (17, _VARINT, lambda v: wire.varint(v << 1 ^ v >> 63)),
    "fixed32": (19, _FIXED32, lambda v: struct.pack("<I", v)),
    "fixed64": (21, _FIXED64, lambda v: struct.pack("<Q", v)),
    "sfixed32": (23, _FIXED32, lambda v: struct.pack("<i", v)),
    "sfixed64": (25, _FIXED64, lambda v: struct.pack("<q", v)),
    "bool": (27, _VARINT, lambda v: b"\x01" if v else b"\x00"),
    "string": (29, _BYTES, lambda v: _with_length(v.encode())),
    "bytes": (31, _BYTES, lambda v: _with_length(base64.b64decode(v))),
}
_MOST_KEPT = 1 << 17  # attributes that are remembered
_LIST = "_list"


def _with_length(data: bytes) -> bytes:
    return wire.varint(len(data)) + data


def column(name: str, kind: str, values: pa.Array) -> wire.Column:
    """Encodes an attribute per row, empty for null, from integers, texts or booleans."""
    number, wire_type, _ = _KINDS[kind]
    head = b"\x0a" + _with_length(name.encode()) + wire.varint(number << 3 | wire_type)
    if wire_type == _BYTES:
        distinct = values.dictionary_encode()
        texts = distinct.dictionary.cast(pa.large_binary())
        encoded = wire.length_prefixed(_ATTRIBUTE, wire.length_prefixed(head, texts))
        return encoded.take(distinct.indices)
    numbers = pc.fill_null(values.cast(pa.uint64() if kind == "uint64" else pa.int64()), 0)
    words = numbers.to_numpy(zero_copy_only=False).view(np.uint64)
    encoded = wire.length_prefixed(_ATTRIBUTE, wire.join(head, wire.varints(words)))
    return pc.if_else(values.is_valid(), encoded, None) if values.null_count else encoded


class _Attribute(msgspec.Struct):
    name: str = ""
    doc_string: str = ""
    type: str | None = None
    value: Any = None


class FromJson:
    """Encodes imported lists of attributes, each distinct attribute once."""

    def __init__(self) -> None:
        self._split = msgspec.json.Decoder(list[msgspec.Raw]).decode
        self._known: dict[bytes, bytes] = {}

    def fields(self, documents: pa.Array) -> wire.Column:
        """Encodes the attributes of each row, a JSON list of {name, type, value}."""
        if len(self._known) > _MOST_KEPT:
            self._known.clear()
        # A loop over rows: nine of ten attribute texts repeat earlier rows.
        return wire.literals(
            [
                None if each is None else b"".join(map(self._field, self._split(each)))
                for each in documents.to_pylist()
            ]
        )

    def _field(self, raw: msgspec.Raw) -> bytes:
        key = bytes(raw)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = _ATTRIBUTE + _with_length(message(key))
        return found


def message(document: bytes | str) -> bytes:
    """Encodes one attribute from JSON as a message."""
    attribute = msgspec.json.decode(document, type=_Attribute)
    out = b"\x0a" + _with_length(attribute.name.encode()) if attribute.name else b""
    if attribute.doc_string:
        out += b"\x12" + _with_length(attribute.doc_string.encode())
    return out if attribute.type is None else out + _member(attribute.type, attribute.value)


def _member(kind: str, value: Any) -> bytes:
    number, wire_type, written = _KINDS[kind.removesuffix(_LIST)]
    if not kind.endswith(_LIST):
        return wire.varint(number << 3 | wire_type) + written(value)
    if wire_type == _BYTES:
        values = b"".join(b"\x0a" + written(each) for each in value)
    else:
        packed = b"".join(map(written, value))
        values = b"\x0a" + _with_length(packed) if packed else b""
    return wire.varint(number + 1 << 3 | _BYTES) + _with_length(values)


class _Other(msgspec.Struct):
    field: int
    wire_type: int
    value: int | str


def others(documents: pa.Array) -> wire.Column:
    """Encodes fields that were unknown at import; most rows have none."""
    return wire.literals(
        [
            None if each is None else b"".join(
                map(_other, msgspec.json.decode(each, type=list[_Other]))
            )
            for each in documents.to_pylist()
        ]
    )  # fmt: skip


def _other(other: _Other) -> bytes:
    key = wire.varint(other.field << 3 | other.wire_type)
    if isinstance(other.value, str):
        return key + _with_length(base64.b64decode(other.value))
    if other.wire_type == _VARINT:
        return key + wire.varint(other.value)
    return key + struct.pack("<I" if other.wire_type == _FIXED32 else "<Q", other.value)
