"""rocmProfileData: the SQLite databases (`.rpd`) of rpd_tracer, of its schemas 1 and 2.

An API call and what a queue of a GPU did are rows of tables of their own, joined by a third; what a
kernel or a copy was, is recorded with the call in schema 2, with the operation in schema 1.
Tables: ROCm/rocmProfileData, rocpd_python/rocpd/schema_data.
"""

from __future__ import annotations

from importlib.resources import files

from tw_importers import gpu_activity
from tw_importers.rpd.read import read
from tw_importers.sqlite_tables import DISK_USE, is_sqlite
from warehouse.ingest.importer import NESTING, FileImporter

_FOLDER = files(__package__)


def sniff(head: bytes, name: str) -> int:
    """Certain with the names of its tables."""
    return 97 if is_sqlite(head) and b"rocpd_api" in head and b"rocpd_op" in head else 0


RPD = FileImporter(
    name="rpd",
    title="rocmProfileData's SQLite databases (.rpd): HIP calls, kernels, copies, markers",
    version=2,
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
)
