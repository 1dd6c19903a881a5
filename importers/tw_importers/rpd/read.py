"""Loads the tables of an RPD database into scratch tables, by the names of their columns."""

from __future__ import annotations

from tw_importers.sqlite_tables import INTEGER, REAL, TEXT, Database, Kind, open_database
from warehouse.errors import CorruptTrace
from warehouse.ingest.importer import ByteReader, Scratch, TraceFacts

_GRID = "gridX gridY gridZ workgroupX workgroupY workgroupZ groupSegmentSize privateSegmentSize"
#: Table -> its columns of integers, and of texts.
_TABLES: dict[str, tuple[str, str]] = {
    "rocpd_metadata": ("id", "tag value"),
    "rocpd_string": ("id", "string"),
    "rocpd_ustring": ("id", "string"),
    "rocpd_api": ("id pid tid start end apiName_id category_id domain_id args_id", ""),
    "rocpd_op": ("id gpuId queueId sequenceId start end description_id opType_id", ""),
    "rocpd_api_ops": ("id api_id op_id", ""),
    # What was launched and copied: of the call in schema 2, of the operation in schema 1.
    "rocpd_kernelapi": (f"api_ptr_id kernelName_id {_GRID}", "stream"),
    "rocpd_copyapi": ("api_ptr_id size kind sync pinned dstDevice srcDevice", "stream"),
    "rocpd_kernelop": (f"op_ptr_id kernelName_id codeObject_id {_GRID}", ""),
    "rocpd_copyop": ("op_ptr_id size sync pinned", ""),
    "rocpd_kernelcodeobject": ("id vgpr sgpr", ""),
    "rocpd_counter": ("id op_id name_id", ""),
}
_REALS = {"rocpd_counter": "value"}
_SILENT = {"rocpd_op_inputSignals", "rocpd_barrierop"}  # dependencies between device work


def read(reader: ByteReader, scratch: Scratch) -> TraceFacts:
    """Loads the tables; raises CorruptTrace where the two that matter are missing."""
    with open_database(reader, scratch) as database:
        if not {"rocpd_api", "rocpd_op"} <= set(database.tables):
            raise CorruptTrace(
                "not a rocmProfileData database: tables rocpd_api and rocpd_op not found",
                hint="The file may be truncated, or written by rocprofv3.",
            )
        for table, (integers, texts) in _TABLES.items():
            kinds: dict[str, Kind] = dict.fromkeys(integers.split(), INTEGER)
            kinds |= dict.fromkeys(texts.split(), TEXT)
            kinds |= dict.fromkeys(_REALS.get(table, "").split(), REAL)
            database.load(scratch, table, table, kinds)
        _load_unread(scratch, database)
        return TraceFacts(
            format="rpd", format_version=_version(scratch), problems=database.problems
        )


def _version(scratch: Scratch) -> str | None:
    row = scratch.connection.execute(
        "SELECT max(value) FROM rocpd_metadata WHERE tag = 'schema_version'"
    ).fetchone()
    return row[0] if row else None


def _load_unread(scratch: Scratch, database: Database) -> None:
    """The table `unread`: how many rows the tables have that mean nothing on a timeline here."""
    scratch.connection.execute("CREATE TABLE unread (name VARCHAR, n BIGINT)")
    for table in sorted(database.tables.keys() - _TABLES.keys() - _SILENT):
        if table.startswith("rocpd_") and (n := database.count(table)):
            scratch.connection.execute("INSERT INTO unread VALUES (?, ?)", [table, n])
