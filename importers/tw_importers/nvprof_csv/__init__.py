"""nvprof's CSV: what `nvprof --csv --print-gpu-trace` and `--print-api-trace` print.

Lines of the tool and of the program come before a table, and there may be one for each process;
under its header stands a line of units, which differ from run to run and from column to column.
Columns are found by their names.
"""

from __future__ import annotations

import re
from importlib.resources import files

from tw_importers import gpu_activity
from tw_importers.nvprof_csv.read import read
from warehouse.ingest.importer import NESTING, FileImporter

_FOLDER = files(__package__)
_TABLE = re.compile(
    rb'^"?(?:Start"?,"?Duration"?,|(?:Type"?,"?)?Time\(%\)"?,"?Time|Device"?,"?Kernel"?,)',
    re.MULTILINE,
)
_RESULT = re.compile(rb"^={2,}(?:\d+={2,})? Profiling result:", re.MULTILINE)


def sniff(head: bytes, name: str) -> int:
    """Certain with the header of a trace or a summary; likely with nvprof's line above it."""
    # Without these words the expressions would look at each place of binary files.
    has_table = b"Duration" in head or b"Time(%)" in head or b"Kernel" in head
    if has_table and _TABLE.search(head):
        return 93
    return 60 if b"Profiling result:" in head and _RESULT.search(head) else 0


NVPROF_CSV = FileImporter(
    name="nvprof_csv",
    title="nvprof's CSV: nvprof --csv --print-gpu-trace or --print-api-trace",
    version=4,
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
)
