"""Splits a stream of length-delimited protobuf messages without decoding them."""

from __future__ import annotations

from collections.abc import Iterator

from warehouse.errors import CorruptTrace
from warehouse.ingest.importer import ByteReader

_BLOCK = 1 << 20
_MAX_MESSAGE = 256 << 20  # nodes have kilobytes
_LONGEST_VARINT = 10


def frames(reader: ByteReader) -> Iterator[tuple[int, bytes]]:
    """Each message with the offset its length stands at; memory is that of a block and a message.

    Raises CorruptTrace, with the offset, for a length that is not a varint or exceeds the file.
    """
    data, base, at = b"", 0, 0
    while True:
        if len(data) - at < _LONGEST_VARINT:
            data, base, at = _more(reader, data[at:], _LONGEST_VARINT), base + at, 0
            if not data:
                return
        size, begin = length_at(data, at, base)
        end = begin + size
        if end > len(data):
            rest = _more(reader, data[begin:], size)
            if len(rest) < size:
                raise corrupt(
                    base + at, f"the message is {size:,} bytes long, and {len(rest):,} are left"
                )
            yield base + at, rest[:size]
            data, base, at = rest[size:], base + end, 0
        else:
            yield base + at, data[begin:end]
            at = end


def length_at(data: bytes, at: int, base: int = 0) -> tuple[int, int]:
    """The length that stands at `at`, and where its message begins; `base` is the offset of data.

    Raises CorruptTrace if it is not a varint, or exceeds the size of any message.
    """
    size = shift = 0
    for place in range(at, min(at + _LONGEST_VARINT, len(data))):
        byte = data[place]
        size |= (byte & 0x7F) << shift
        if byte < 0x80:
            if size > _MAX_MESSAGE:
                raise corrupt(base + at, f"a message of {size:,} bytes is longer than any node")
            return size, place + 1
        shift += 7
    cut = len(data) - at < _LONGEST_VARINT
    why = (
        "truncated: the file ends inside the length of a message"
        if cut
        else "invalid message length: expected a varint"
    )
    raise corrupt(base + at, why)


def corrupt(offset: int, why: str) -> CorruptTrace:
    """The error for what goes wrong at an offset."""
    return CorruptTrace(
        f"{why}, at byte {offset:,}",
        hint="The file is damaged or truncated. Copy or record it again.",
        offset=offset,
    )


def _more(reader: ByteReader, start: bytes, size: int) -> bytes:
    """`start` and what follows it, until it has `size` bytes or the stream ends."""
    parts, missing = [start], size - len(start)
    while missing > 0 and (block := reader.read(max(missing, _BLOCK))):
        parts.append(block)
        missing -= len(block)
    return b"".join(parts)
