"""CSV files of rocprofv3 (ROCprofiler-SDK), one a kind of record; those of a process together.

They are `<process>_<kind>_trace.csv`, `<process>_counter_collection.csv` and
`<process>_agent_info.csv` in one folder; with `-o NAME` the name takes the process's place. What a
file holds is recognised by its header, as columns come and go between releases.
Columns: rocprofiler-sdk, source/docs/data and source/lib/output/generateCSV.cpp.
"""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import PurePosixPath

from tw_importers import gpu_activity
from tw_importers.gpu_activity.csv_table import column_name, headings
from tw_importers.rocprofv3_csv.read import group_of, read, read_capture
from warehouse.ingest.importer import NESTING, Capture, Captures, FileImporter, Listing, Part

_FOLDER = files(__package__)
_TRACE = re.compile(
    r"(?:(?P<of>.*?)_)?(?P<kind>kernel|memory_copy|memory_allocation|scratch_memory"
    r"|(?:hip|hsa|hip_runtime|hip_compiler|marker|rccl|rocdecode|rocjpeg|ompt|spm)"
    r"|(?:hip_runtime|hip_compiler|(?!cuda)[a-z]+)_api)_trace\.csv"  # `nsys stats` has cuda_api
)
_OTHER = re.compile(
    r"(?:(?P<of>.*?)_)?(?P<kind>counter_collection|agent_info|pc_sampling_[a-z_]+"
    r"|(?:kernel|memory_copy|memory_allocation|scratch_memory|domain"
    r"|(?:hip|hsa|marker|rccl|rocdecode|rocjpeg)(?:_api)?)_stats)\.csv"
)


def find(listing: Listing) -> list[Capture]:
    """The files of a folder that begin alike; where there is nothing but summaries, none."""
    captures: dict[tuple[str, str], list[Part]] = {}
    for name in sorted(listing.names):
        path = PurePosixPath(name)
        found = _TRACE.fullmatch(path.name) or _OTHER.fullmatch(path.name)
        if found:
            folder = "" if str(path.parent) == "." else str(path.parent)
            part = Part(path.name, found["kind"])
            captures.setdefault((folder, found["of"] or ""), []).append(part)
    return [
        Capture(folder, tuple(parts))
        for (folder, _), parts in sorted(captures.items())
        if any(_has_records(part.role) for part in parts)
    ]


def _has_records(role: str) -> bool:
    return role != "agent_info" and not role.endswith("_stats") and not role.startswith("pc_")


def sniff(head: bytes, name: str) -> int:
    """Certain with the columns of one of the kinds of files."""
    group = group_of({column_name(heading) for heading in headings(head)})
    return 0 if group is None else 92


ROCPROFV3_CSV = FileImporter(
    name="rocprofv3_csv",
    title="rocprofv3's CSV files: kernel, copy, API, marker, memory traces and counters",
    version=2,
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
    captures=Captures(find, read_capture),
)
