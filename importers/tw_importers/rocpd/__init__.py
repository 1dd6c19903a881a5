"""rocpd: the SQLite databases rocprofv3 and rocprof-sys write by default, schemas 3 and 4.

The tables are called `<name>_<uuid>`, one set for each recording that was merged into the file;
views with the plain names stand for all of them. Here the tables are read, and rows are joined by
the recording's guid and their id. What schema 4 keeps apart is put together first.
Tables: rocprofiler-sdk, source/share/rocprofiler-sdk-rocpd/rocpd_tables.sql.
"""

from __future__ import annotations

from importlib.resources import files

from tw_importers import gpu_activity
from tw_importers.rocpd.read import OPTIONS, read
from tw_importers.sqlite_tables import DISK_USE, is_sqlite
from warehouse.ingest.importer import NESTING, FileImporter

_FOLDER = files(__package__)


def sniff(head: bytes, name: str) -> int:
    """Certain with the names of its tables."""
    return 96 if is_sqlite(head) and b"rocpd_" in head else 0


ROCPD = FileImporter(
    name="rocpd",
    title="rocpd databases of rocprofv3 and rocprof-sys (SQLite, schemas 3 and 4)",
    version=3,
    sniff=sniff,
    disk_use=DISK_USE,
    read=read,
    prepare=(
        gpu_activity.MACROS,
        gpu_activity.TABLES,
        _FOLDER / "layout.sql",
        _FOLDER / "gather.sql",
        gpu_activity.PREPARE,
        NESTING,
    ),
    normalize=(gpu_activity.MACROS, gpu_activity.NORMALIZE),
    record_tables=gpu_activity.RECORD_TABLES,
    options=OPTIONS,
)
