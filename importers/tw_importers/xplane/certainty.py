"""How surely a file is an XPlane profile, by its first bytes."""

from __future__ import annotations

from tw_importers.protobuf.wire import fields, varint
from warehouse.errors import CorruptTrace

_PLANE_NAME = 2
_SIGNS = (b"/host:", b"/device:", b"Task Environment", b"Host CPUs", b"Syscalls")


def sniff(head: bytes, name: str) -> int:
    """Certain when the first field is a plane whose name is one that profilers write."""
    data = memoryview(head)
    if head[:1] != b"\x0a":  # field 1, length-delimited
        return 0
    try:
        _, begin = varint(data, 1, len(data))
        for field in fields(data, begin, len(data)):
            if field.number == _PLANE_NAME:
                return 99 if head[field.value : field.end].startswith(_SIGNS) else 0
    except CorruptTrace:
        pass
    return 0
