"""Chrome: any Trace Event JSON file, object or array form, whoever wrote it.

TensorFlow's timeline, viztracer and Perfetto's JSON export are read this way.
"""

from __future__ import annotations

import re
from importlib.resources import files

from tw_importers.trace_event import read as trace_event
from tw_importers.trace_event import together
from warehouse.ingest.importer import NESTING, ByteReader, FileImporter, Scratch, TraceFacts

_MACROS = files(__package__) / "macros.sql"
_EVENT = re.compile(rb'"ph"\s*:\s*"')


def sniff(head: bytes, name: str) -> int:
    """Likely when JSON events, or the key of their array, are among the first bytes."""
    text = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    if text.startswith(b"{") and b'"traceEvents"' in head:
        return 60
    if text.startswith((b"[", b"{")) and _EVENT.search(head):
        return 50
    return 5 if re.match(rb"\[\s*\]?\s*\Z", text) else 0


def read(reader: ByteReader, scratch: Scratch) -> TraceFacts:
    """Reads the events to scratch; such files declare neither ranks nor clocks."""
    return trace_event.read_document(reader, scratch, "chrome")


def _read_together(scratch: Scratch) -> together.Documents | None:
    return together.read_together(scratch, "chrome", lambda facts: None)


CHROME = FileImporter(
    name="chrome",
    title="Trace Event JSON of any origin (TensorFlow timeline, viztracer, ...)",
    version=6,
    generic_stems=("kineto",),
    sniff=sniff,
    disk_use=trace_event.DISK_USE,
    read=read,
    read_together=_read_together,
    prepare=(trace_event.MACROS, _MACROS, *trace_event.PREPARE, NESTING, trace_event.BIND),
    normalize=(trace_event.MACROS, _MACROS, *trace_event.NORMALIZE),
)
