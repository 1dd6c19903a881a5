"""Loads the tables of a rocpd database into scratch tables, those of all recordings in it."""

from __future__ import annotations

import json
import re

from tw_importers.gpu_activity import replayed
from tw_importers.sqlite_tables import INTEGER, REAL, TEXT, Database, Kind, open_database
from warehouse.errors import CorruptTrace, TraceError
from warehouse.ingest.importer import ByteReader, Scratch, TraceFacts

OPTIONS = replayed.OPTIONS | {
    "with_environment": "1: keep the command lines of the recorded programs, too"
}
_NAME = re.compile(r"(rocpd_[a-z_]+?)((?:_[0-9a-fA-F]{8}(?:_[0-9a-fA-F]{4}){3}_[0-9a-fA-F]{12})?)")
_SIZES = "workgroup_size_x workgroup_size_y workgroup_size_z grid_size_x grid_size_y grid_size_z"
#: Table -> its columns of integers, texts and reals.
_TABLES: dict[str, tuple[str, str, str]] = {
    "rocpd_metadata": ("id", "tag value", ""),
    "rocpd_string": ("id", "string", ""),
    "rocpd_info_node": ("id", "machine_id hostname", ""),
    "rocpd_info_process": ("id nid pid", "command environment", ""),
    "rocpd_info_thread": ("id pid tid", "name", ""),
    "rocpd_info_agent": (
        "id nid pid absolute_index", "type uuid name product_name vendor_name extdata", "",
    ),
    "rocpd_info_queue": ("id", "name", ""),
    "rocpd_info_pmc": ("id agent_id", "name symbol units", ""),
    # What schema 4 keeps apart: times (4.0), places, and categories.
    "rocpd_timestamp": ("id value", "", ""),
    "rocpd_track": ("id nid pid tid agent_id queue_id stream_id", "", ""),
    "rocpd_info_category": ("id", "name", ""),
    "rocpd_info_kernel_symbol": (
        "id group_segment_size sgpr_count arch_vgpr_count accum_vgpr_count",
        "kernel_name display_name",
        "",
    ),
    "rocpd_event": ("id category_id stack_id parent_stack_id correlation_id", "", ""),
    "rocpd_arg": ("id event_id position", "name value", ""),
    "rocpd_pmc_event": ("id event_id pmc_id sample_id", "", "value"),
    "rocpd_region": ("id pid tid start end name_id event_id track_id start_id end_id", "", ""),
    "rocpd_sample": ("id event_id", "", ""),
    "rocpd_kernel_dispatch": (
        "id pid tid agent_id kernel_id dispatch_id queue_id stream_id start end "
        f"private_segment_size group_segment_size region_name_id event_id {_SIZES} "
        "graph_exec_id graph_node_id track_id start_id end_id",
        "",
        "",
    ),
    "rocpd_memory_copy": (
        "id pid tid start end name_id dst_agent_id src_agent_id size queue_id stream_id event_id "
        "graph_exec_id graph_node_id track_id start_id end_id",
        "",
        "",
    ),
    "rocpd_memory_allocate": (
        "id pid tid agent_id start end address size queue_id stream_id event_id track_id start_id "
        "end_id",
        "type level",
        "",
    ),
}  # fmt: skip


def read(reader: ByteReader, scratch: Scratch) -> TraceFacts:
    """Loads the tables; raises TraceError for schemas of another kind than 3 and 4."""
    with open_database(reader, scratch) as database:
        found = _physical(database)
        if "rocpd_kernel_dispatch" not in found and "rocpd_region" not in found:
            raise CorruptTrace(
                "not a rocpd database: neither rocpd_kernel_dispatch nor rocpd_region found",
                hint="The file may be truncated. If it only holds views, import their files.",
            )
        for base, columns in _TABLES.items():
            _load(scratch, database, base, found.get(base, []), columns)
        _load_unread(scratch, database, found)
        version = _version(scratch)
        _check(database, found, version)
        command = _command(scratch)
        keeps = scratch.options.get("with_environment", "").lower() in ("yes", "true", "1")
        if not keeps:
            scratch.connection.execute(
                "UPDATE rocpd_info_process SET command = NULL, environment = NULL"
            )
        return TraceFacts(
            format="rocpd",
            format_version=version,
            host_name=_host(scratch),
            metadata_json=json.dumps(
                {"recordings": sorted({s for _, s in _all(found)})}
                | replayed.metadata(command, scratch.options)
            ),
            problems=database.problems,
        )


def _all(found: dict[str, list[tuple[str, str]]]) -> list[tuple[str, str]]:
    return [(name, suffix.lstrip("_")) for each in found.values() for name, suffix in each]


def _physical(database: Database) -> dict[str, list[tuple[str, str]]]:
    """The tables by base name: (name in the file, suffix of the recording)."""
    found: dict[str, list[tuple[str, str]]] = {}
    for name in database.tables:
        match = _NAME.fullmatch(name)
        if match:
            found.setdefault(match[1], []).append((name, match[2]))
    return found


def _load(
    scratch: Scratch,
    database: Database,
    base: str,
    tables: list[tuple[str, str]],
    columns: tuple[str, str, str],
) -> None:
    kinds: dict[str, Kind] = {"guid": TEXT}
    for names, kind in zip(columns, (INTEGER, TEXT, REAL), strict=True):
        kinds |= dict.fromkeys(names.split(), kind)
    if not tables:
        database.load(scratch, base, base, kinds)  # empty
    for n, (name, suffix) in enumerate(tables):
        part = base if not n else f"{base}_part"
        database.load(scratch, part, name, kinds)
        scratch.connection.execute(
            f"UPDATE {part} SET guid = $guid WHERE guid IS NULL", {"guid": suffix}
        )
        if n:
            scratch.connection.execute(f"INSERT INTO {base} FROM {part}; DROP TABLE {part}")


def _version(scratch: Scratch) -> str | None:
    row = scratch.connection.execute(
        "SELECT max(value) FROM rocpd_metadata WHERE tag = 'schema_version'"
    ).fetchone()
    return row[0] if row else None


def _host(scratch: Scratch) -> str | None:
    row = scratch.connection.execute(
        "SELECT any_value(hostname) FROM rocpd_info_node HAVING count(DISTINCT hostname) = 1"
    ).fetchone()
    return row[0] if row else None


def _command(scratch: Scratch) -> list[str]:
    """The words of the only command that was recorded."""
    row = scratch.connection.execute(
        "SELECT any_value(command) FROM rocpd_info_process HAVING count(DISTINCT command) = 1"
    ).fetchone()
    return replayed.of_text(row[0]) if row and row[0] else []


def _load_unread(
    scratch: Scratch, database: Database, found: dict[str, list[tuple[str, str]]]
) -> None:
    """The table `unread`: how many rows of events are in tables that make nothing of a timeline."""
    scratch.connection.execute("CREATE TABLE unread (name VARCHAR, n BIGINT)")
    for base in sorted(found.keys() - _TABLES.keys()):
        n = sum(database.count(name) for name, _ in found[base])
        if n and not base.startswith("rocpd_info_"):
            scratch.connection.execute("INSERT INTO unread VALUES (?, ?)", [base, n])


def _check(
    database: Database, found: dict[str, list[tuple[str, str]]], version: str | None
) -> None:
    for base in ("rocpd_kernel_dispatch", "rocpd_region"):
        for name, _ in found.get(base, []):
            columns = {column.lower() for column in database.columns(name)}
            if not {"start", "start_id"} & columns:
                raise TraceError(
                    f"unsupported rocpd schema {version or 'of an unknown version'}, whose "
                    f"{base} has neither start nor start_id",
                    hint="Convert it with `rocpd convert -f csv`, or record with "
                    "`rocprofv3 --output-format csv json`.",
                )
