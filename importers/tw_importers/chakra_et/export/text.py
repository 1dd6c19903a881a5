"""Encodes inputs and outputs of nodes like Chakra's converter: Python's text of JSON lists.

`IOInfo` has three texts, and consumers read them as Python wrote them: [[37, 38, 0, 4, 4, 'cpu'],
True, None]. What such a text is, only Python's own str() says exactly, so rows are a loop here;
each distinct text is worked on once. A value that is a JSON text, not a list, is that text itself.
"""

from __future__ import annotations

import json
from functools import cache

import msgspec
import pyarrow as pa

from warehouse.export import wire

_MOST_KEPT = 1 << 15  # texts that are remembered


class _Io(msgspec.Struct):
    values: msgspec.Raw = msgspec.Raw(b'""')
    shapes: msgspec.Raw = msgspec.Raw(b'""')
    types: msgspec.Raw = msgspec.Raw(b'""')


class Texts:
    """Encodes inputs or outputs; caches shapes and types, which repeat."""

    def __init__(self) -> None:
        self._decode = msgspec.json.Decoder(_Io).decode
        self._any = msgspec.json.Decoder().decode
        self._length = cache(wire.varint)
        self._shapes: dict[bytes, bytes] = {}
        self._types: dict[bytes, bytes] = {}

    def io_fields(self, tag: bytes, documents: pa.Array) -> wire.Column:
        """Encodes a field of `Node` per JSON document, empty for null."""
        distinct = documents.dictionary_encode()
        encoded = [
            None if each is None else self._io_field(tag, each)
            for each in distinct.dictionary.to_pylist()
        ]
        for texts in (self._shapes, self._types):
            if len(texts) > _MOST_KEPT:
                texts.clear()
        return wire.literals(encoded).take(distinct.indices)

    def _io_field(self, tag: bytes, document: str) -> bytes:
        io = self._decode(document)
        key = bytes(io.shapes)
        shapes = self._shapes.get(key)
        if shapes is None:
            shapes = self._shapes[key] = self._text_field(b"\x12", key)
        key = bytes(io.types)
        types = self._types.get(key)
        if types is None:
            types = self._types[key] = self._text_field(b"\x1a", key)
        body = self._text_field(b"\x0a", io.values) + shapes + types
        return tag + self._length(len(body)) + body

    def _text_field(self, tag: bytes, raw: bytes | msgspec.Raw) -> bytes:
        """Encodes Python's text of a JSON value as a field, empty for an empty text."""
        try:
            text = str(self._any(raw)).encode()
        except msgspec.DecodeError:  # NaN, and integers beyond 64 bits
            text = str(json.loads(bytes(raw))).encode()
        return tag + self._length(len(text)) + text if text else b""
