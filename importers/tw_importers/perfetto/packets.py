"""Walks over the packets of a trace, also over compressed ones.

Format: protos/perfetto/trace/trace.proto; compressed packets are traces themselves.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from functools import cache
from typing import Any

from google.protobuf.message import DecodeError
from google.protobuf.unknown_fields import UnknownFieldSet

from tw_importers.perfetto.messages import messages
from tw_importers.protobuf.wire import corrupt, fields

_PACKET = 0x0A  # Trace.packet: field 1, length-delimited
_ZSTD = b"\x28\xb5\x2f\xfd"
_MOST_NESTED = 4  # compressed packets in compressed packets


def packets(data: memoryview, depth: int = 0) -> Iterator[tuple[int, Any]]:
    """Yields the packets, messages of type Packet, each with its offset in the file.

    Raises CorruptTrace, with the offset, where the file is cut or no trace.
    """
    parse = messages().new("Packet").FromString
    for start, begin, end in _places(data):
        try:
            packet = parse(data[begin:end])
        except DecodeError:
            raise corrupt(start, "a packet cannot be decoded") from None
        if not packet.compressed:
            yield start, packet
            continue
        with memoryview(_decompressed(packet.compressed, start, depth)) as inner:
            for _, each in packets(inner, depth + 1):
                yield start, each


def _places(data: memoryview) -> Iterator[tuple[int, int, int]]:
    """Yields where packets start, and where their content begins and ends.

    Sizes of two bytes are read here, all others in wire.py: a call for each would take as long as
    decoding the packets.
    """
    at, after = 0, len(data)
    while at + 2 < after:
        begin, size = at + 3, data[at + 1]
        if size < 0x80:
            begin = at + 2
        elif (high := data[at + 2]) < 0x80:
            size += (high << 7) - 0x80
        else:
            size = after
        if data[at] == _PACKET and begin + size <= after:
            yield at, begin, (end := begin + size)
        else:
            field = next(fields(data, at, after))
            end = field.end
            if data[at] == _PACKET:  # later versions may add fields beside packets
                yield at, field.value, end
        at = end
    if at < after:
        yield from ((each.start, each.value, each.end) for each in fields(data, at, after))


def _decompressed(content: bytes, offset: int, depth: int) -> bytes:
    if depth >= _MOST_NESTED:
        raise corrupt(offset, "compressed packets are nested too deeply")
    try:
        return zlib.decompress(content)
    except zlib.error:
        with_zstd = content.startswith(_ZSTD)  # which trace_processor does not read either
        why = "are compressed with zstd, not deflate" if with_zstd else "cannot be decompressed"
        raise corrupt(offset, f"packets {why}") from None


def content_of(packet: Any) -> str:
    """The name in trace_packet.proto of the content of a packet that is not read."""
    for field in UnknownFieldSet(packet):
        if field.field_number not in _FIELDS_OF_ALL:
            return _names().get(field.field_number, f"field {field.field_number}")
    return "nothing"


_FIELDS_OF_ALL = (3, 79, 87, 98)  # trusted_uid, trusted_pid, first_packet_on_sequence, machine_id


@cache
def _names() -> dict[int, str]:
    from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import TracePacket

    return {field.number: field.name for field in TracePacket.DESCRIPTOR.fields}
