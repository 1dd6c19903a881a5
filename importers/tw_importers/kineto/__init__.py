"""Kineto: the traces PyTorch's profiler writes, on CUDA, ROCm, MTIA and CPU.

Format: Trace Event JSON whose categories and arguments are those of libkineto
(https://github.com/pytorch/kineto, output_json.cpp).
"""

from __future__ import annotations

import re
from contextlib import suppress
from importlib.resources import files
from typing import Any

import msgspec

from tw_importers.trace_event import read as trace_event
from tw_importers.trace_event import together
from warehouse.ingest.importer import (
    NESTING,
    ByteReader,
    FileImporter,
    InParts,
    Scratch,
    TraceFacts,
)

_FOLDER = files(__package__)
_MACROS = _FOLDER / "macros.sql"
_KEYS = {
    "distributedInfo", "schemaVersion", "group_trace_id", "host_name", "baseTimeNanoseconds"
}  # fmt: skip
# Keys that identify Kineto in the first bytes; categories and arguments are all that some tools
# keep, perhaps of kernels alone.
_SIGNS = re.compile(
    rb'"(?:schemaVersion|deviceProperties|baseTimeNanoseconds|distributedInfo|record_shapes)"\s*:'
    rb'|"cat"\s*:\s*"(?:cpu_op|python_function|cuda_runtime|cuda_driver|xpu_runtime|gpu_memcpy'
    rb'|gpu_memset|user_annotation|gpu_user_annotation|Operator)"'
    rb'|"(?:[Ee]xternal id|registers per thread)"\s*:'
)


def sniff(head: bytes, name: str) -> int:
    """Certain with a sign of libkineto among JSON events, else 0."""
    text = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    if text[:1] not in (b"{", b"["):
        return 0
    if b'"nodes"' in head and b'"traceEvents"' not in head:
        return 0  # an execution trace shares some of Kineto's keys
    return 90 if _SIGNS.search(head) else 0


def read(reader: ByteReader, scratch: Scratch) -> TraceFacts:
    """Reads the events to scratch, and rank, job and clock base from the metadata."""
    facts = trace_event.read_document(reader, scratch, "kineto")
    _describe(facts)
    return facts


def _read_together(scratch: Scratch) -> together.Documents | None:
    return together.read_together(scratch, "kineto", _describe)


def _read_metadata(metadata_json: str | None) -> dict[str, Any]:
    """The metadata that is used; values that cannot be decoded are ignored."""
    try:
        metadata = msgspec.json.decode(metadata_json or "{}", type=dict[str, msgspec.Raw])
    except msgspec.DecodeError:
        return {}
    values = {}
    for key in _KEYS & metadata.keys():
        with suppress(msgspec.DecodeError, RecursionError):
            values[key] = msgspec.json.decode(metadata[key])
    return values


def _describe(facts: TraceFacts) -> None:
    metadata = _read_metadata(facts.metadata_json)
    distributed = metadata.get("distributedInfo")
    if isinstance(distributed, dict):
        facts.rank = _integer(distributed.get("rank"))
        facts.world_size = _integer(distributed.get("world_size"))
        facts.backend = _text(distributed.get("backend"))
    facts.format_version = _text(metadata.get("schemaVersion"))
    facts.job_id = _text(metadata.get("group_trace_id"))
    facts.host_name = _text(metadata.get("host_name"))
    facts.source_base_ns = _integer(metadata.get("baseTimeNanoseconds")) or 0


def _integer(value: object) -> int | None:
    try:
        number = int(str(value))
    except ValueError:
        return None
    return number if abs(number) < 1 << 62 else None


def _text(value: object) -> str | None:
    return None if value is None else str(value)


KINETO = FileImporter(
    name="kineto",
    title="PyTorch profiler traces (Kineto JSON), CUDA, ROCm, MTIA and CPU",
    version=9,
    generic_stems=("kineto",),
    capture_folder="capture_traces",  # as vLLM and SGLang name it
    sniff=sniff,
    disk_use=trace_event.DISK_USE,
    read=read,
    read_together=_read_together,
    prepare=(
        trace_event.MACROS,
        _MACROS,
        *trace_event.PREPARE,
        _FOLDER / "prepare.sql",
        NESTING,
        trace_event.BIND,
    ),
    normalize=(
        trace_event.MACROS,
        _MACROS,
        *trace_event.NORMALIZE,
        InParts(_FOLDER / "details.sql", "sorted_span"),
        _FOLDER / "normalize.sql",
    ),
)
