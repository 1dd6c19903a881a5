"""Nsight Systems: SQLite exports of its reports, schema 2.9 to 3.25, whatever tables they have.

Tables and their meaning: the exporter's schema reference in the Nsight Systems user guide. Exports
are written lazily, so any table may be missing; newer ones have more columns, which are passed
over.

Other profilers of GPUs fill the table of activities in `gpu_activity`. Exports have millions of
rows, and what an import of them takes is writing columns: some hundredths of a second each, for a
million rows. Here a record is written once as it is read, of kernels without what many launches
have in common, and once as it is stored; between the two only what orders slices is. The table of
activities has 35 columns and would be written in addition.
"""

from __future__ import annotations

from importlib.resources import files

from tw_importers.gpu_activity import MACROS, replayed
from tw_importers.nsys.read import read, sniff
from tw_importers.sqlite_tables import DISK_USE
from warehouse.ingest.importer import NESTING, FileImporter

_FOLDER = files(__package__)

NSYS = FileImporter(
    name="nsys",
    title="Nsight Systems reports, exported as SQLite (nsys export --type sqlite)",
    version=4,
    sniff=sniff,
    disk_use=DISK_USE,
    read=read,
    prepare=(
        MACROS,
        _FOLDER / "names.sql",
        _FOLDER / "owners.sql",
        _FOLDER / "tracks.sql",
        _FOLDER / "spans.sql",
        _FOLDER / "described.sql",
        _FOLDER / "account.sql",
        NESTING,
    ),
    normalize=(
        MACROS,
        _FOLDER / "normalize.sql",
    ),
    options={
        **replayed.OPTIONS,
        "with_environment": "1: keep command lines and environment variables of the capture too",
    },
)
