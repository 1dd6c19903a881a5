"""Reads the tables of an export into the scratch database, and its metadata."""

from __future__ import annotations

import json
import re

from tw_importers.gpu_activity import replayed
from tw_importers.nsys import configurations
from tw_importers.nsys.tables import (
    CATEGORIES,
    DESCRIPTIONS,
    DETAILS,
    MODELS,
    OF_A_LAUNCH,
    TABLES,
)
from tw_importers.sqlite_tables import INTEGER, TEXT, Database, Kind, is_sqlite, open_database
from warehouse.errors import UnknownFormat
from warehouse.ingest import batches
from warehouse.ingest.importer import ByteReader, Problem, Scratch, TraceFacts

#: Names of tables that are in every export, as they stand in the file's first pages.
_SIGNS = (b"CUPTI_ACTIVITY_KIND_", b"TARGET_INFO_", b"ENUM_NSYS_EVENT_TYPE", b"StringIds")
_NEWEST = (3, 25)
_TIMES = ("start", "end", "timestamp")
_EARLIEST_NS, _LATEST_NS = -(10**18), 4 * 10**18  # 1938 to 2096; differences fit into 64 bits
_PAIR: dict[str, Kind] = {"name": TEXT, "value": TEXT}


def sniff(head: bytes, name: str) -> int:
    """Certain of SQLite files with Nsight's tables.

    Tables are exported when they have rows, so that a large file's may be described far behind what
    is seen here: any other SQLite file might be one.
    """
    if not is_sqlite(head):
        return 0
    if b"StringIds" in head and sum(sign in head for sign in _SIGNS) > 1:
        return 95
    return 20 if name.lower().endswith(".sqlite") else 1


def read(reader: ByteReader, scratch: Scratch) -> TraceFacts:
    """Reads all supported tables; raises TraceError if it is not an export of Nsight Systems."""
    with open_database(reader, scratch) as database:
        _check(database)
        for target, (table, columns) in TABLES.items():
            if target == "kernel":
                configurations.load(database, scratch, table, columns, OF_A_LAUNCH)
            else:
                database.load(scratch, target, table, columns)
        _load_threads(database, scratch)
        _load_gpus(database, scratch)
        _count_unread(database, scratch)
        _remove_invalid_times(scratch)
        facts = _describe(database, scratch)
        facts.problems += database.problems
    return facts


def _check(database: Database) -> None:
    """Raises UnknownFormat for databases without any table of an export."""
    events = {table for table, _ in TABLES.values()} | set(CATEGORIES)
    if not events & set(database.tables):
        raise UnknownFormat(
            "a SQLite database without tables of Nsight Systems",
            hint="Export a report with `nsys export --type sqlite REPORT`. "
            "For rocprof, import results.csv or results.json instead of results.db.",
        )


def _is_thread_table(database: Database, table: str) -> bool:
    columns = set(database.columns(table))
    return {"start", "end", "globalTid"} < columns and bool({"nameId", "textId"} & columns)


def _thread_tables(database: Database) -> list[str]:
    loaded = {table for table, _ in TABLES.values()}
    return [t for t in sorted(database.tables) if t not in loaded and _is_thread_table(database, t)]


def _category(table: str) -> str:
    """The category of a table without its own: that of its programming model, or its name."""
    names = (name for start, name in MODELS.items() if table.startswith(start))
    return next(names, table.lower())


def _load_threads(database: Database, scratch: Scratch) -> None:
    """All tables of what host threads did, in one: `thread_event`."""
    columns: dict[str, Kind] = {"start": INTEGER, "end": INTEGER, "globalTid": INTEGER, **DETAILS}
    types = ", ".join(f'"{column}" BIGINT' for column in columns)
    connection = scratch.connection
    connection.execute(f"CREATE TABLE thread_event (category VARCHAR, {types})")
    for table in _thread_tables(database):
        category = CATEGORIES.get(table) or _category(table)
        rows = database.batches(table, columns)
        batches.run(
            connection, "INSERT INTO thread_event SELECT ?, * FROM sqlite_rows", "sqlite_rows",
            rows.schema, rows, [category],
        )  # fmt: skip


def _remove_invalid_times(scratch: Scratch) -> None:
    """Sets times that no clock shows to NULL, and counts them in `invalid_time`."""
    connection = scratch.connection
    connection.execute("CREATE TABLE invalid_time (n BIGINT)")
    timed = {target: [name for name in _TIMES if name in kinds] for target, (_, kinds) in
             TABLES.items()} | {"thread_event": ["start", "end"]}  # fmt: skip
    for table, columns in timed.items():
        for column in columns:
            is_invalid = f'"{column}" NOT BETWEEN {_EARLIEST_NS} AND {_LATEST_NS}'
            connection.execute(
                f"INSERT INTO invalid_time SELECT count(*) FROM {table} WHERE {is_invalid}"
            )
            connection.execute(f'UPDATE {table} SET "{column}" = NULL WHERE {is_invalid}')


def _load_gpus(database: Database, scratch: Scratch) -> None:
    """The GPUs of the machine, with all their properties as JSON."""
    name = "TARGET_INFO_GPU"
    texts = {"name", "busLocation", "uuid", "chipName"}
    kinds: dict[str, Kind] = {
        column: TEXT if column in texts else INTEGER
        for column in database.columns(name)
        if column not in ("ctxswDevPath", "ctrlDevPath")
    }
    connection = scratch.connection
    connection.execute("CREATE TABLE gpu (properties JSON)")
    for row in database.rows(name, kinds):  # a handful
        values = {key: value for key, value in row.items() if value is not None}
        connection.execute("INSERT INTO gpu VALUES (?)", [json.dumps(values)])


def _count_unread(database: Database, scratch: Scratch) -> None:
    """Rows of tables that make nothing of the timeline: `unread` (table_name, n)."""
    read_ones = {table for table, _ in TABLES.values()} | set(_thread_tables(database))
    scratch.connection.execute("CREATE TABLE unread (table_name VARCHAR, n BIGINT)")
    for table in sorted(set(database.tables) - read_ones - DESCRIPTIONS):
        if not table.startswith(("ENUM_", "TARGET_INFO_")) and (n := database.count(table)):
            scratch.connection.execute("INSERT INTO unread VALUES (?, ?)", [table, n])


def _describe(database: Database, scratch: Scratch) -> TraceFacts:
    exported = _pairs(database, "META_DATA_EXPORT") + _pairs(database, "EXPORT_META_DATA")
    export = dict(exported)
    captured = _pairs(database, "META_DATA_CAPTURE")
    facts = TraceFacts(
        format="nsys",
        format_version=export.get("EXPORT_SCHEMA_VERSION"),
        host_name=dict(captured).get("DEVICE_DISPLAY_NAME"),
        metadata_json=_metadata(database, exported, captured, scratch),
        source_base_ns=_base_ns(database, export),
        rank=_rank(scratch),
    )
    if (version := _version(facts.format_version)) and version > _NEWEST:
        newest = ".".join(map(str, _NEWEST))
        version_text = f"schema {facts.format_version} is newer than {newest}"
        meaning = f"{version_text}; unrecognised tables and columns were skipped"
        facts.problems.append(Problem("newer_schema", meaning, 1))
    return facts


def _rank(scratch: Scratch) -> int | None:
    """The rank in MPI of what was recorded, where it was one."""
    ranks = scratch.connection.execute(
        "SELECT DISTINCT rank FROM mpi_rank WHERE rank BETWEEN 0 AND 2147483647"
    ).fetchall()
    return int(ranks[0][0]) if len(ranks) == 1 else None


def _pairs(database: Database, table: str) -> list[tuple[str, str]]:
    rows = database.rows(table, _PAIR)
    return [(str(row["name"]), str(row["value"])) for row in rows if row["name"] is not None]


def _metadata(
    database: Database,
    exported: list[tuple[str, str]],
    captured: list[tuple[str, str]],
    scratch: Scratch,
) -> str:
    """Metadata of the export; of the capture only the trace settings, unless all is requested."""
    kept = [pair for pair in captured if pair[0].startswith("CAPTURE_")]
    metadata: dict[str, object] = {"export": exported, "capture": kept}
    metadata |= replayed.metadata(_command(captured), scratch.options)
    if scratch.options.get("with_environment", "0").lower() not in ("0", "no", "false", ""):
        metadata["capture"] = captured
        metadata["environment"] = _pairs(database, "TARGET_INFO_SYSTEM_ENV")
    return json.dumps(metadata)


def _command(captured: list[tuple[str, str]]) -> list[str]:
    """The words of the command that was recorded, of which only file names of a replay are kept."""
    words = {name: value for name, value in captured if name.startswith("PROCESS_0:")}
    numbered = {
        int(match[1]): value
        for name, value in words.items()
        if (match := re.fullmatch(r"PROCESS_0:ARGUMENT_(\d{1,9})", name))
    }
    return [words.get("PROCESS_0:COMMAND", ""), *(numbered[n] for n in sorted(numbered))]


def _base_ns(database: Database, export: dict[str, str]) -> int:
    """Zero of the times in the export, in ns since 1970; 0 if they are absolute, or if unknown."""
    if export.get("EXPORT_PARAM_TIME_NORMALIZE") == "true":
        return 0
    starts = database.rows("TARGET_INFO_SESSION_START_TIME", {"utcEpochNs": INTEGER})
    start = starts[0]["utcEpochNs"] if starts else None
    shift = export.get("EXPORT_PARAM_TIME_SHIFT", "0")
    if not isinstance(start, int):
        return 0
    return start - (int(shift) if shift.lstrip("-").isdecimal() and len(shift) < 20 else 0)


def _version(text: str | None) -> tuple[int, int] | None:
    parts = (text or "").split(".")
    if len(parts) < 2 or not all(part.isdecimal() and len(part) < 9 for part in parts[:2]):
        return None
    return int(parts[0]), int(parts[1])
