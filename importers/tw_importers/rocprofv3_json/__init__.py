"""rocprofv3's JSON: one document for all processes, with the names of its numeric codes.

Root `rocprofiler-sdk-tool`, a list with an object for each process. Numbers of kinds and operations
differ between releases; what they mean is in the document's own `strings`.
Format: rocprofiler-sdk, source/docs/how-to/using-rocprofv3.rst, "JSON output schema".
"""

from __future__ import annotations

from importlib.resources import files

from tw_importers import gpu_activity
from tw_importers.rocprofv3_json.read import OPTIONS, ROOT, read
from tw_importers.trace_event.split import HeadSearch
from warehouse.ingest.importer import NESTING, FileImporter

_FOLDER = files(__package__)


def sniff(head: bytes, name: str) -> int:
    """Certain with the root's key."""
    text = bytearray(head.lstrip(b"\xef\xbb\xbf \t\r\n"))
    return 97 if text[:1] == b"{" and HeadSearch(ROOT).go_on(text) is not None else 0


ROCPROFV3_JSON = FileImporter(
    name="rocprofv3_json",
    title="rocprofv3's JSON output: kernels, copies, calls, markers, memory and counters",
    version=1,
    sniff=sniff,
    read=read,
    prepare=(
        gpu_activity.MACROS,
        gpu_activity.TABLES,
        _FOLDER / "gather.sql",
        gpu_activity.PREPARE,
        NESTING,
    ),
    normalize=(gpu_activity.MACROS, gpu_activity.NORMALIZE),
    record_tables=gpu_activity.RECORD_TABLES,
    options=OPTIONS,
)
