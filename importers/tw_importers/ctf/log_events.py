"""Events of device work that HCC's log states, as if a tracer had recorded them.

The classes are those that tensorflow-profiler adds to a trace: `hcTracer:kernel_log_begin`, ...
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from tw_importers.ctf.side_files import LogRecord

#: The thread that tensorflow-profiler gives such events.
THREAD = 181818
_CLASSES = {"kernel": "kernel_log", "barrier": "barrier_log", "copy": "async_memcpy_log",
            "copyslo": "async_memcpyslo_log"}  # fmt: skip
_CATEGORIES = {"kernel": "hc_kernel", "barrier": "hc_barrier", "copy": "hc_copy",
               "copyslo": "hc_copy"}  # fmt: skip
NAMES = [f"hcTracer:{name}_{step}" for name in _CLASSES.values() for step in ("begin", "end")]
_MEGABYTE = 1024**2


def events(records: Sequence[LogRecord]) -> Iterator[tuple[str, int, str, dict[str, Any]]]:
    """Class, time, name and payload of the begin and end of each record."""
    for record in records:
        for step, time in (("begin", record.start), ("end", record.end)):
            payload = _payload(record, step, time)
            name = f"hcTracer:{_CLASSES[record.kind]}_{step}"
            yield name, time, payload["name"], payload


_FIELDS: dict[str, dict[str, Any]] = {
    "text": {"type": "string"},
    "time": {"type": "integer", "size": 64},
    "bytes": {"type": "integer", "size": 64, "signed": True},
    "number": {"type": "float", "size": 64},
}
_KINDS = {"timestamp": "time", "size_bytes": "bytes", "size_megabytes": "number",
          "throughput": "number"}  # fmt: skip


def fields_of(name: str) -> dict[str, Any]:
    """The fields of a class, as `fields.described` gives them for those of a trace."""
    kind = next(key for key, text in _CLASSES.items() if name.startswith(f"hcTracer:{text}_"))
    record = LogRecord(kind, "", 0, 0, "")
    payload = _payload(record, name.rpartition("_")[2], 0)
    members = [{"name": key, **_FIELDS[_KINDS.get(key, "text")]} for key in payload]
    vtid = {"name": "vtid", "type": "integer", "size": 32, "signed": True}
    return {"context": [vtid], "payload": members}


def _payload(record: LogRecord, step: str, time: int) -> dict[str, Any]:
    found: dict[str, Any] = {"cat": _CATEGORIES[record.kind], "timestamp": time}
    found["name"] = "barrier" if record.kind == "barrier" else record.name
    if record.kind == "kernel":
        found["tf_name"] = ""
    if record.kind in ("kernel", "barrier"):
        found["id"] = record.id
    elif step == "begin":
        n_bytes, dur = record.n_bytes or 0, record.end - record.start
        found["size_bytes"] = n_bytes
        found["size_megabytes"] = n_bytes / _MEGABYTE
        found["throughput"] = n_bytes / dur * 1000**2 / _MEGABYTE if dur > 0 else 0.0
    return found


def as_text(payload: dict[str, Any]) -> str:
    return json.dumps(payload, ensure_ascii=False, separators=(",", ":"))
