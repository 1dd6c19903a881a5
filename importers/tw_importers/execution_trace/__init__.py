"""Execution traces: the graphs PyTorch's ExecutionTraceObserver records, and Chakra's linked ones.

A JSON object with a header and a list `nodes`. Up to schema 1.0.1 a node is flat, afterwards it has
`inputs`, `outputs` and a list of attributes; Chakra's linker adds times and dependencies to it.
Writer: torch/csrc/profiler/standalone/execution_trace_observer.cpp.
"""

from __future__ import annotations

import re
from importlib.resources import files

from tw_importers import graph
from tw_importers.execution_trace.read import read
from tw_importers.trace_event.split import HeadSearch
from warehouse.ingest.importer import FileImporter

_FOLDER = files(__package__)
_SCHEMA = re.compile(rb'"schema"\s*:\s*"\d')
_NODE = re.compile(rb'"(?:ctrl_deps|rf_id|op_schema|fw_parent)"')
#: File names: etplus.<rank>.json as exports of several ranks have them, or those of Chakra traces.
_RANK_PATTERN = r"(?:(?<=etplus)\.(?=\d+\.json)|\.(?=\d+\.et))(\d+)\.(?:json|et)(?:\.gz)?"


def sniff(head: bytes, name: str) -> int:
    """Certain with a list of nodes that have what only these have; likely with a schema alone."""
    text = bytearray(head.lstrip(b"\xef\xbb\xbf \t\r\n"))
    if text[:1] != b"{" or (b'"traceEvents"' in head and b'"ctrl_deps"' not in head):
        return 0
    if HeadSearch(b"nodes").go_on(text) is None:
        return 0
    return 95 if _NODE.search(head) else 60 if _SCHEMA.search(head) else 0


EXECUTION_TRACE = FileImporter(
    name="execution_trace",
    title="PyTorch execution traces (JSON), plain or linked with device work (Chakra's ET+)",
    version=4,
    sniff=sniff,
    read=read,
    prepare=(graph.PREPARE, _FOLDER / "prepare.sql"),
    normalize=(_FOLDER / "normalize.sql", graph.NORMALIZE),
    kind="graph",
    rank_pattern=_RANK_PATTERN,
)
