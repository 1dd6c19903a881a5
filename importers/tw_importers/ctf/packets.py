"""Reads a data stream file packet by packet, and checks what the packets state of themselves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tw_importers.ctf.scalar import Decoder, Truncated
from tw_importers.ctf.tree import (
    CONTENT_SIZE,
    DISCARDED,
    END_TIME,
    MAGIC,
    PACKET_SIZE,
    SEQUENCE,
    STREAM,
    STREAM_CLASS,
    TIME,
    UUID,
    StreamClass,
    Trace,
)
from warehouse.errors import CorruptTrace
from warehouse.ingest.importer import ByteReader

_MAGIC = 0xC1FC1FC1
_HEAD = 1 << 12  # bytes that hold the header and context of most packets
_MAX_HEAD = 1 << 20
_READ = 1 << 20
_MAX_PACKET = 1 << 30  # bytes


@dataclass
class Packet:
    """A packet and the bytes of it that are there."""

    data: bytes
    offset: int  # in the file
    stream: StreamClass
    first_bit: int  # of its events
    content_bits: int  # that are there
    size: int  # bytes it states to have; without has_size the most there may be
    is_cut: bool  # the file ends before it
    begin: int | None = None
    end: int | None = None
    discarded: int | None = None
    sequence: int | None = None
    stream_id: int | None = None  # else its file is a stream
    scopes: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    has_size: bool = True  # else it extends to the end of the file

    @property
    def cpu(self) -> int | None:
        value = self.scopes["packet-context"].get("cpu_id")
        return value if isinstance(value, int) and value < 1 << 31 else None


class _Buffer:
    """The bytes of a file that are not used yet."""

    def __init__(self, reader: ByteReader) -> None:
        self._reader, self._rest, self.offset, self._is_at_end = reader, b"", 0, False

    def peek(self, n: int) -> bytes:
        """At least n bytes, if the file has as many."""
        blocks = [self._rest]
        have = len(self._rest)
        while have < n and not self._is_at_end:
            block = self._reader.read(_READ)
            self._is_at_end = not block
            blocks.append(block)
            have += len(block)
        self._rest = blocks[0] if len(blocks) == 1 else b"".join(blocks)
        return self._rest

    def take(self, n: int) -> bytes:
        found = self.peek(n)[:n]
        self._rest = self._rest[len(found) :]
        self.offset += len(found)
        return found


def packets(reader: ByteReader, trace: Trace) -> Iterator[Packet]:
    """Returns the packets of a file; raises CorruptTrace with the offset of an invalid one."""
    buffer = _Buffer(reader)
    while head := buffer.peek(_HEAD):
        offset = buffer.offset
        try:
            packet = _described(buffer, head, trace)
        except CorruptTrace as error:
            inside = error.offset or 0
            raise CorruptTrace(error.message, hint=error.hint, offset=offset + inside) from None
        packet.data = buffer.take(packet.size)
        available = len(packet.data) * 8
        packet.is_cut = packet.has_size and len(packet.data) < packet.size
        packet.content_bits = min(packet.content_bits, available)
        packet.first_bit = min(packet.first_bit, packet.content_bits)
        packet.offset = offset
        yield packet


def _described(buffer: _Buffer, head: bytes, trace: Trace) -> Packet:
    """Decodes header and context of the next packet, of more bytes if they do not suffice."""
    n_bytes = len(head)
    while True:
        try:
            return _decoded(head, trace)
        except Truncated:
            n_bytes *= 4
            longer = buffer.peek(n_bytes) if n_bytes <= _MAX_HEAD else head
            if len(longer) == len(head):
                break
            head = longer
    _check_magic(head, trace)
    nothing = StreamClass(0)
    return Packet(b"", 0, nothing, 0, 0, len(head) + 1, True, scopes={"packet-context": {}})


def _check_magic(head: bytes, trace: Trace) -> None:
    """A file that ends in the header of a packet may not be a data stream at all."""
    members = trace.packet_header.members
    if members and MAGIC in getattr(members[0][1], "roles", ()) and len(head) >= 4:
        decoder = Decoder(head, 0, 32)
        decoder.scope("packet-header", type(trace.packet_header)((members[0],)))
        if decoder.roles.get(MAGIC) != _MAGIC:
            raise CorruptTrace("a packet has no valid magic", offset=0)


def _decoded(head: bytes, trace: Trace) -> Packet:
    decoder = Decoder(head, 0, len(head) * 8)
    decoder.scope("packet-header", trace.packet_header)
    roles = decoder.roles
    if roles.get(MAGIC, _MAGIC) != _MAGIC:
        raise CorruptTrace("a packet has no valid magic", offset=0)
    if trace.uuid is not None and roles.get(UUID, trace.uuid) != trace.uuid:
        raise CorruptTrace("a packet has the UUID of another trace", offset=0)
    number = roles.get(STREAM_CLASS, 0 if 0 in trace.streams else min(trace.streams))
    stream = trace.streams.get(number)
    if stream is None:
        raise CorruptTrace(
            f"a packet belongs to stream {number}, which the metadata does not declare", offset=0
        )
    decoder.roles = {}
    decoder.scope("packet-context", stream.packet_context)
    context = decoder.roles
    size = context.get(PACKET_SIZE)
    content = context.get(CONTENT_SIZE, size)
    if content == 0 and size:  # never completed: nothing of it is valid
        content = decoder.position
    packet = Packet(
        b"", 0, stream, decoder.position,
        _MAX_PACKET * 8 if content is None else content,
        _MAX_PACKET if size is None else -(-size // 8),
        False, context.get(TIME), context.get(END_TIME), context.get(DISCARDED),
        context.get(SEQUENCE), roles.get(STREAM), decoder.scopes, size is not None,
    )  # fmt: skip
    if size is not None:
        _check_sizes(packet)
    return packet


def _check_sizes(packet: Packet) -> None:
    n_content = packet.content_bits
    if not packet.first_bit <= n_content <= packet.size * 8:
        raise CorruptTrace(
            f"a packet states {n_content} bits of content, {packet.size * 8} bits of size, and its "
            f"header has {packet.first_bit}",
            offset=0,
        )
    if packet.size > _MAX_PACKET:
        raise CorruptTrace(
            f"a packet has {packet.size} bytes; at most {_MAX_PACKET} can be read", offset=0
        )
