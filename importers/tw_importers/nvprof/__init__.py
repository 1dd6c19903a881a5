"""nvprof's databases: the SQLite files `nvprof -o` writes (`.nvvp`, `.nvprof`).

The version of their layout is of little use: tools wrote the same one with different columns.
So columns are found by name, and what a file lacks is NULL.
Tables: CUPTI's activity records, cupti_activity.h. Numbers of API functions are named from
cbid.csv: CUPTI's, of CUDA 13.0, which keeps those of all releases; without versions, as nvprof
prints them.
"""

from __future__ import annotations

from importlib.resources import files

from tw_importers import gpu_activity
from tw_importers.gpu_activity import replayed
from tw_importers.nvprof.read import read
from tw_importers.sqlite_tables import DISK_USE, is_sqlite
from warehouse.ingest.importer import NESTING, FileImporter

_FOLDER = files(__package__)


def sniff(head: bytes, name: str) -> int:
    """Certain with CUPTI's tables and nvprof's table of strings; likely by the file's name."""
    if not is_sqlite(head):
        return 0
    if b"CUPTI_ACTIVITY_KIND_" in head and b"StringTable" in head:
        return 95
    return 30 if name.endswith((".nvvp", ".nvprof")) else 0


NVPROF = FileImporter(
    name="nvprof",
    title="nvprof's SQLite databases (nvprof -o): kernels, copies, API calls, NVTX ranges",
    version=4,
    sniff=sniff,
    disk_use=DISK_USE,
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
    options=replayed.OPTIONS,
)
