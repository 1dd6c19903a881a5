"""Loads the tables of an nvprof database into scratch tables, by the names of their columns."""

from __future__ import annotations

import json
from importlib.resources import files

import pyarrow as pa
from pyarrow import csv

from tw_importers.gpu_activity import replayed
from tw_importers.sqlite_tables import BLOB, INTEGER, TEXT, Database, Kind, open_database
from warehouse.errors import CorruptTrace
from warehouse.ingest.importer import ByteReader, Scratch, TraceFacts

_PREFIX = "CUPTI_ACTIVITY_KIND_"
_KERNEL = (
    "_id_ registersPerThread start end completed deviceId contextId streamId gridX gridY gridZ "
    "blockX blockY blockZ staticSharedMemory dynamicSharedMemory localMemoryPerThread "
    "localMemoryTotal correlationId gridId name queued submitted launchType graphNodeId graphId"
)
_COPY = (
    "_id_ copyKind srcKind dstKind flags bytes start end deviceId contextId streamId "
    "correlationId runtimeCorrelationId graphNodeId graphId"
)
_CALL = "_id_ cbid start end processId threadId correlationId returnValue"
#: Scratch table -> table of the file, its columns of integers, and its blobs.
_TABLES: dict[str, tuple[str, str, str]] = {
    "concurrent_kernel": ("CONCURRENT_KERNEL", _KERNEL, ""),
    "serial_kernel": ("KERNEL", _KERNEL, ""),
    "memcpy": ("MEMCPY", _COPY, ""),
    "peer_memcpy": (
        "MEMCPY2", _COPY + " srcDeviceId srcContextId dstDeviceId dstContextId", "",
    ),
    "memset": (
        "MEMSET",
        "_id_ value bytes start end deviceId contextId streamId correlationId memoryKind "
        "graphNodeId graphId",
        "",
    ),
    "runtime_call": ("RUNTIME", _CALL, ""),
    "driver_call": ("DRIVER", _CALL, ""),
    "gpu": (
        "DEVICE",
        "_id_ globalMemoryBandwidth globalMemorySize l2CacheSize numThreadsPerWarp coreClockRate "
        "numMultiprocessors maxWarpsPerMultiprocessor computeCapabilityMajor "
        "computeCapabilityMinor id name",
        "uuid",
    ),
    "context": ("CONTEXT", "_id_ contextId deviceId computeApiKind nullStreamId", ""),
    "marker": ("MARKER", "_id_ flags timestamp id objectKind name domain", "objectId"),
    "overhead": ("OVERHEAD", "_id_ overheadKind objectKind start end", "objectId"),
    "wait": (
        "SYNCHRONIZATION",
        "_id_ type start end correlationId contextId streamId cudaEventId",
        "",
    ),
    "managed": (
        "UNIFIED_MEMORY_COUNTER",
        "_id_ counterKind value start end timestamp address srcId dstId deviceId processId flags",
        "",
    ),
    "object_name": ("NAME", "_id_ objectKind name", "objectId"),
}  # fmt: skip
_SMALL = {"ENVIRONMENT", "STREAM", "MARKER_DATA", "SOURCE_LOCATOR", "DEVICE_ATTRIBUTE", "MODULE"}


def read(reader: ByteReader, scratch: Scratch) -> TraceFacts:
    """Loads the tables; raises TraceError if it is not a database of nvprof."""
    with open_database(reader, scratch) as database:
        if "StringTable" not in database.tables:
            raise CorruptTrace(
                "not an nvprof database: table StringTable not found",
                hint="The file may be truncated, or written by Nsight Systems.",
            )
        for target, (name, integers, blobs) in _TABLES.items():
            kinds: dict[str, Kind] = dict.fromkeys(integers.split(), INTEGER)
            kinds |= dict.fromkeys(blobs.split(), BLOB)
            database.load(scratch, target, _PREFIX + name, kinds)
        database.load(scratch, "string", "StringTable", {"_id_": INTEGER, "value": TEXT})
        _load_names(scratch)
        _load_unread(scratch, database)
        versions = [row["version"] for row in database.rows("Version", {"version": INTEGER})]
        replay = replayed.metadata([], scratch.options)
        return TraceFacts(
            format="nvprof",
            format_version=str(versions[0]) if versions else None,
            metadata_json=json.dumps(replay) if replay else None,
            problems=database.problems,
        )


def _load_names(scratch: Scratch) -> None:
    """The table `function_name`: api, cbid, name."""
    names = csv.read_csv(pa.py_buffer((files(__package__) / "cbid.csv").read_bytes()))
    scratch.connection.register("names", names)
    scratch.connection.execute("CREATE TABLE function_name AS FROM names")
    scratch.connection.unregister("names")


def _load_unread(scratch: Scratch, database: Database) -> None:
    """The table `unread`: how many rows the tables have that mean nothing on a timeline."""
    scratch.connection.execute("CREATE TABLE unread (name VARCHAR, n BIGINT)")
    read_tables = {name for name, _, _ in _TABLES.values()} | _SMALL
    for table in database.tables:
        if table.startswith(_PREFIX) and table.removeprefix(_PREFIX) not in read_tables:
            n = sum(batch.num_rows for batch in database.batches(table, {"_id_": INTEGER}))
            scratch.connection.execute("INSERT INTO unread VALUES (?, ?)", [table, n])
