"""Recognises a GraphDef by its first node."""

from __future__ import annotations

import re
from contextlib import suppress

from tw_importers.protobuf.wire import fields, varint
from warehouse.errors import CorruptTrace

_TEXT = re.compile(
    rb"""(?:\xef\xbb\xbf)?(?:\s|\#[^\n]*\n)*node\s*:?\s*[{<]\s*(?:name|op)\s*:\s*["']"""
)
_OP = re.compile(rb"[A-Za-z_][\w>.]*")
_NAME, _OP_NUMBER = 1, 2


def is_text(head: bytes) -> bool:
    """Whether a file begins as a graph in the text format."""
    return _TEXT.match(head) is not None


def sniff(head: bytes, name: str) -> int:
    """Certain when the first field is a node with a name and an operation."""
    if is_text(head):
        return 97
    if head[:1] != b"\x0a":  # field 1, length-delimited
        return 0
    data = memoryview(head)
    with suppress(CorruptTrace):
        _, begin = varint(data, 1, len(data))
        found = fields(data, begin, len(data))
        first, second = next(found, None), next(found, None)
        if first is None or second is None or (first.number, second.number) != (_NAME, _OP_NUMBER):
            return 0
        is_name = bytes(data[first.value : first.end]).isascii() and first.wire_type == 2
        is_op = second.wire_type == 2 and _OP.fullmatch(data[second.value : second.end])
        return 95 if is_name and is_op else 0
    return 0
