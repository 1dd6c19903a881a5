"""Reads the metadata file of a CTF trace, in any of its three forms."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from warehouse.errors import CorruptTrace

if TYPE_CHECKING:
    from tw_importers.ctf.tree import Trace

_MAGIC = 0x75D11D57
_HEADER = 37  # bytes of the header of a packet of metadata
_SIGNATURE = b"/* CTF 1."
_BOM = b"\xef\xbb\xbf"
MAX_BYTES = 64 << 20


def looks_like(head: bytes) -> bool:
    """Whether a file begins as metadata of CTF does."""
    text = head.removeprefix(_BOM).lstrip()
    return (
        _order(head) is not None
        or text.startswith(_SIGNATURE)
        or (text.startswith(b"\x1e") and b'"preamble"' in head[:4096])
    )


def read(content: bytes) -> Trace:
    """Returns the type tree of a trace; raises CorruptTrace with an offset in the text."""
    # Loaded here, because every import looks for metadata.
    from tw_importers.ctf import json_metadata, tsdl

    if len(content) > MAX_BYTES:
        raise CorruptTrace(
            f"the metadata has {len(content)} bytes; at most {MAX_BYTES} can be read"
        )
    order = _order(content)
    if order is not None:
        content = _unpacked(content, order)
    if content.lstrip().startswith(b"\x1e"):
        trace = json_metadata.parse(content)
    elif content.removeprefix(_BOM).lstrip().startswith(_SIGNATURE):
        trace = tsdl.parse(content.removeprefix(_BOM).decode(errors="replace"))
    else:
        raise CorruptTrace("the metadata is not of CTF 1.8 or 2", offset=0)
    if not trace.streams:
        raise CorruptTrace("the metadata declares no stream", offset=len(content))
    return trace


def _order(content: bytes) -> str | None:
    """The byte order of packets of metadata, None for plain text."""
    magic = _MAGIC.to_bytes(4, "little")
    return {magic: "<", magic[::-1]: ">"}.get(content[:4])


def _unpacked(content: bytes, order: str) -> bytes:
    texts, position = [], 0
    while position < len(content):
        if len(content) - position < _HEADER:
            raise CorruptTrace("the metadata is cut off in the header of a packet", offset=position)
        magic, content_bits, packet_bits = struct.unpack_from(f"{order}I20xII", content, position)
        compression, encryption = content[position + 32], content[position + 33]
        if magic != _MAGIC:
            raise CorruptTrace("a packet of the metadata has no valid magic", offset=position)
        if compression or encryption:
            raise CorruptTrace("the metadata is compressed or encrypted", offset=position)
        n_content, n_packet = content_bits // 8, packet_bits // 8
        if not _HEADER <= n_content <= n_packet or position + n_content > len(content):
            raise CorruptTrace(
                f"a packet of the metadata has {n_content} of {n_packet} bytes, "
                f"{len(content) - position} bytes are left of the file",
                offset=position,
            )
        texts.append(content[position + _HEADER : position + n_content])
        position += n_packet
    return b"".join(texts)
