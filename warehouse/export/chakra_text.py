"""Inputs and outputs of nodes in the form Chakra's converter writes: Python's text of JSON lists.

`IOInfo` has three texts, and consumers read them as Python wrote them: [[37, 38, 0, 4, 4, 'cpu'],
True, None]. What such a text is, only Python's own str() says exactly, so rows are a loop here;
each distinct text is worked on once. A value that is a JSON text, not a list, is that text itself.
"""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pyarrow as pa

from warehouse.export import wire

_MOST_KEPT = 1 << 15  # texts that are remembered


class _Io(msgspec.Struct):
    values: msgspec.Raw = msgspec.Raw(b'""')
    shapes: msgspec.Raw = msgspec.Raw(b'""')
    types: msgspec.Raw = msgspec.Raw(b'""')


class Texts:
    """Encodes inputs or outputs; remembers shapes and types, which repeat."""

    def __init__(self) -> None:
        self._decode = msgspec.json.Decoder(_Io).decode
        self._any = msgspec.json.Decoder().decode
        self._known: dict[bytes, bytes] = {}

    def io_fields(self, tag: bytes, documents: pa.Array) -> wire.Column:
        """A field of `Node` for each JSON document; nothing for a null."""
        distinct = documents.dictionary_encode()
        encoded = [
            None if each is None else self._io_field(tag, each)
            for each in distinct.dictionary.to_pylist()
        ]
        if len(self._known) > _MOST_KEPT:
            self._known.clear()
        return wire.literals(encoded).take(distinct.indices)

    def _io_field(self, tag: bytes, document: str) -> bytes:
        io = self._decode(document)
        body = b"".join(
            (
                _text_field(b"\x0a", self._python(io.values)),
                _text_field(b"\x12", self._remembered(io.shapes)),
                _text_field(b"\x1a", self._remembered(io.types)),
            )
        )
        return tag + wire.varint(len(body)) + body

    def _remembered(self, raw: msgspec.Raw) -> bytes:
        key = bytes(raw)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._python(raw)
        return found

    def _python(self, raw: msgspec.Raw) -> bytes:
        """What Python writes for a JSON value."""
        try:
            value: Any = self._any(raw)
        except msgspec.DecodeError:  # NaN, and integers beyond 64 bits
            value = json.loads(bytes(raw))
        return str(value).encode()


def _text_field(tag: bytes, text: bytes) -> bytes:
    return tag + wire.varint(len(text)) + text if text else b""
