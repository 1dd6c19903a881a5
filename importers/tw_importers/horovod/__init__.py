"""Horovod's timeline: negotiation and stages of each collective, by tensor.

Format: Trace Event JSON whose processes are tensors (github.com/horovod/horovod, timeline.cc); a
program that was stopped leaves the array open.
"""

from __future__ import annotations

import re
from importlib.resources import files

from tw_importers.trace_event import read as trace_event
from warehouse.ingest.importer import NESTING, ByteReader, FileImporter, Scratch, TraceFacts

_FOLDER = files(__package__)
_MACROS = _FOLDER / "macros.sql"
_SIGNS = re.compile(
    rb'"start_time_since_epoch_in_micros"\s*:|"name"\s*:\s*"(?:'
    rb"NEGOTIATE_[A-Z]+|MEMCPY_(?:IN|OUT)_FUSION_BUFFER|WAIT_FOR_(?:OTHER_TENSOR_)?DATA"
    rb'|(?i:horovod)_?[a-z]*\.[^"]*)"'
)
_START = """
SELECT TRY_CAST(json_extract_string(args, '$.start_time_since_epoch_in_micros') AS BIGINT)
FROM event
WHERE ph = 'M' AND contains(args, 'start_time_since_epoch_in_micros')
LIMIT 1
"""


def sniff(head: bytes, name: str) -> int:
    """Likely with stages or tensors of Horovod among JSON events, else 0."""
    text = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    if not text.startswith((b"[", b"{")) or b'"ph"' not in head:
        return 0
    return 75 if _SIGNS.search(head) else 0


def read(reader: ByteReader, scratch: Scratch) -> TraceFacts:
    """Reads the events to scratch, and when the recording began, if it says so."""
    facts = trace_event.read_document(reader, scratch, "horovod")
    for (micros,) in scratch.connection.execute(_START).fetchall():
        facts.source_base_ns = (micros or 0) * 1000
    return facts


HOROVOD = FileImporter(
    name="horovod",
    title="Horovod's timeline: negotiation and stages of collectives, by tensor",
    version=2,
    generic_stems=("comm", "timeline"),
    sniff=sniff,
    read=read,
    prepare=(
        trace_event.MACROS,
        _MACROS,
        *trace_event.PREPARE,
        _FOLDER / "prepare.sql",
        NESTING,
        trace_event.BIND,
    ),
    normalize=(trace_event.MACROS, _MACROS, *trace_event.NORMALIZE, _FOLDER / "normalize.sql"),
)
