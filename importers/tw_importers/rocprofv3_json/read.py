"""Streams a rocprofv3 document into the scratch tables `record` and `header`; types nothing.

`record` has the text of every element of every array (seq, process_n, section, text), `header` the
text of every other value (process_n, section, text).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa

from tw_importers.rocprofv3_json.walk import Records, Walker
from tw_importers.trace_event.repair import Damage, Repairer
from warehouse.ahead import ahead
from warehouse.errors import CorruptTrace
from warehouse.ingest import batches
from warehouse.ingest.importer import ByteReader, Scratch, TraceFacts

ROOT = b"rocprofiler-sdk-tool"
OPTIONS = {"with_environment": "1: keep the command lines of the recorded programs, too"}
_AHEAD = 3
_RECORD = pa.schema(
    [
        ("seq", pa.int64()),
        ("process_n", pa.int64()),
        ("section", pa.string()),
        ("text", pa.string()),
    ]
)
_HINT = "The file may be truncated. Record it again."


def read(reader: ByteReader, scratch: Scratch) -> TraceFacts:
    """Writes all records to scratch; returns the facts the document declares.

    Raises CorruptTrace if it is not such a document, or if it is damaged and read strictly.
    """
    repairer = Repairer(partial(Damage.refuse, records="records") if scratch.is_strict else None)
    walker = Walker(reader, repairer)
    headers: list[dict[str, Any]] = []
    _stage(scratch, ahead(_batches(walker, headers), _AHEAD))
    table = pa.Table.from_pylist(
        headers,
        pa.schema([("process_n", pa.int64()), ("section", pa.string()), ("text", pa.string())]),
    )
    scratch.connection.register("headers", table)
    scratch.connection.execute("CREATE TABLE header AS FROM headers")
    scratch.connection.unregister("headers")
    if walker.is_cut:
        if scratch.is_strict:
            raise CorruptTrace("truncated: the file ends inside its records", hint=_HINT)
        repairer.report("truncated", walker.offset, b"")
    return _facts(headers, scratch, repairer)


def _facts(headers: list[dict[str, Any]], scratch: Scratch, repairer: Repairer) -> TraceFacts:
    keeps = scratch.options.get("with_environment", "").lower() in ("yes", "true", "1")
    metadata_texts = [each["text"] for each in headers if each["section"] == "metadata"]
    processes = [_metadata(text, keeps) for text in metadata_texts]
    hosts = {
        str(node["hostname"])
        for process in processes
        if isinstance(node := process.get("node"), dict) and node.get("hostname")
    }
    return TraceFacts(
        format="rocprofv3",
        format_version="json",
        metadata_json=msgspec.json.encode({"processes": processes}).decode(),
        host_name=hosts.pop() if len(hosts) == 1 else None,
        problems=[damage.problem("records") for damage in repairer.problems.values()],
    )


def _metadata(text: str, keeps_environment: bool) -> dict[str, Any]:
    """Metadata of a process; command line and configuration, which have paths, on request."""
    with suppress(msgspec.DecodeError, RecursionError):
        metadata = msgspec.json.decode(text)
        if isinstance(metadata, dict):
            return {
                key: value
                for key, value in metadata.items()
                if keeps_environment or key in ("node", "pid", "init_time", "fini_time")
            }
    return {}


def _batches(walker: Walker, headers: list[dict[str, Any]]) -> Iterator[pa.RecordBatch]:
    seq = 0
    for records in walker:
        if records.is_list:
            yield _batch(records, seq)
            seq += len(records.texts)
        else:
            text = bytes(memoryview(records.texts[0])).decode(errors="replace")
            headers.append({"process_n": records.process, "section": records.section, "text": text})


def _batch(records: Records, first_seq: int) -> pa.RecordBatch:
    n = len(records.texts)
    offsets = np.zeros(n + 1, np.int32)
    np.cumsum(list(map(len, map(memoryview, records.texts))), out=offsets[1:])  # type: ignore[arg-type]
    text = pa.py_buffer(b"".join(records.texts))
    return pa.RecordBatch.from_arrays(
        [
            pa.Array.from_buffers(
                pa.int64(), n, [None, pa.py_buffer(np.arange(first_seq, first_seq + n))]
            ),
            pa.array([records.process] * n, pa.int64()),
            pa.array([records.section] * n, pa.string()),
            pa.Array.from_buffers(pa.string(), n, [None, pa.py_buffer(offsets), text]),
        ],
        schema=_RECORD,
    )


def _stage(scratch: Scratch, given: Iterator[pa.RecordBatch]) -> None:
    batches.store(scratch, "record", _RECORD, given)
    target = scratch.path("record").replace("'", "''")
    scratch.connection.execute(f"CREATE VIEW record AS FROM read_parquet('{target}')")
