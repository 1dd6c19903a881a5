"""How surely a file is a Chakra execution trace, by its first bytes."""

from __future__ import annotations

from google.protobuf.message import DecodeError

from tw_importers.chakra_et.frames import length_at
from tw_importers.chakra_et.messages import is_foreign, message, not_declared
from tw_importers.chakra_et.workload import is_workload
from warehouse.errors import CorruptTrace


def certainty(head: bytes) -> int:
    """Certain with global metadata and behind it a node, or as JSON with the list of nodes; less so
    with metadata alone."""
    if is_workload(head):
        return 95
    try:
        metadata, rest = _first(head)
        parsed = message("GlobalMetadata").FromString(metadata)
        names = [message("AttributeProto").FromString(each).name for each in parsed.attr]
        if not_declared(parsed) or not all(each.isascii() for each in [*names, parsed.version]):
            return 0
        if not rest:
            return 70 if metadata else 0
        node = message("Node").FromString(_first(rest)[0])
        return 95 if node.name and not is_foreign(node, not_declared(node)) else 0
    except (CorruptTrace, DecodeError):
        return 0


def _first(data: bytes) -> tuple[bytes, bytes]:
    """The first message and what follows it."""
    size, begin = length_at(data, 0)
    if begin + size > len(data):
        raise DecodeError
    return data[begin : begin + size], data[begin + size :]
