"""How surely a file is a Perfetto trace, by its first bytes."""

from __future__ import annotations

from tw_importers.protobuf.wire import fields, varint
from warehouse.errors import CorruptTrace

_SUFFIXES = (".pftrace", ".perfetto-trace", ".perfetto")
_PACKET = b"\x0a"  # Trace.packet
#: Wire types of fields that most packets have, by number (trace_packet.proto).
_USUAL = {
    3: 0, 8: 0, 10: 0, 13: 0, 41: 0, 42: 0, 58: 0, 79: 0, 87: 0,
    1: 2, 2: 2, 6: 2, 9: 2, 11: 2, 12: 2, 33: 2, 35: 2, 36: 2, 43: 2, 44: 2, 45: 2, 50: 2, 59: 2,
    60: 2, 89: 2,
}  # fmt: skip
_MOST_PACKETS = 4  # that are looked at


def sniff(head: bytes, name: str) -> int:
    """Certain when the first packets have nothing but fields that most packets have.

    Files that only begin like protobuf are a trace by their name.
    """
    if not head.startswith(_PACKET):
        return 0
    if _has_usual_packets(memoryview(head)):
        return 90
    return 40 if name.lower().removesuffix(".gz").endswith(_SUFFIXES) else 0


def _has_usual_packets(data: memoryview) -> bool:
    at = n_fields = 0
    try:
        for _ in range(_MOST_PACKETS):
            if data[at : at + 1] != _PACKET:
                break
            size, begin = varint(data, at + 1, len(data))
            if begin + size > len(data):
                break
            for field in fields(data, begin, begin + size):
                n_fields += 1
                if _USUAL.get(field.number) != field.wire_type:
                    return False
            at = begin + size
    except CorruptTrace:
        return False
    return n_fields > 0
