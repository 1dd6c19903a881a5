"""rocprof v1 and v2, and rocprofiler-compute: tables of dispatches with their counters, as CSV.

rocprof writes `results.csv`, one line a dispatch: properties, counters, and with `--timestamp on`
times. rocprofiler-compute's workloads (`timestamps.csv`, `pmc_perf.csv`, `sysinfo.csv`) are the
same in more files: times in one, counters in another, and the machine in a third.
The JSON of rocprof is Trace Event JSON, which the importer `chrome` reads.
Columns: rocprofiler, doc/rocprof.md; rocprofiler-compute, src/utils/parser.py.
"""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import PurePosixPath

from tw_importers import gpu_activity
from tw_importers.gpu_activity.csv_table import headings
from tw_importers.rocprof.read import OPTIONS, is_dispatches, is_summary, read, read_capture
from warehouse.ingest.importer import NESTING, Capture, Captures, FileImporter, Listing, Part

_FOLDER = files(__package__)
_FILE = re.compile(r"(?:(?P<of>.*)_)?(?P<kind>timestamps|pmc_perf|sysinfo|pmc_dispatch_info)\.csv")


def find(listing: Listing) -> list[Capture]:
    """Workloads of rocprofiler-compute: times, or counters, and the files beside them."""
    captures: dict[tuple[str, str], list[Part]] = {}
    for name in sorted(listing.names):
        path = PurePosixPath(name)
        if found := _FILE.fullmatch(path.name):
            folder = "" if str(path.parent) == "." else str(path.parent)
            part = Part(path.name, found["kind"])
            captures.setdefault((folder, found["of"] or ""), []).append(part)
    return [
        Capture(folder, tuple(parts))
        for (folder, _), parts in sorted(captures.items())
        if {part.role for part in parts} & {"timestamps", "pmc_perf"}
    ]


def sniff(head: bytes, name: str) -> int:
    """Certain with a kernel's name, its sizes, and a number or times."""
    found = headings(head)
    return 88 if is_dispatches(found) or is_summary(found) else 0


ROCPROF = FileImporter(
    name="rocprof",
    title="rocprof v1 and v2 (results.csv) and rocprofiler-compute's workloads, as CSV",
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
    options=OPTIONS,
)
