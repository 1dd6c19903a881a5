"""Streams tables of dispatches into scratch views; counter columns are recognised by name."""

from __future__ import annotations

import json
from collections.abc import Sequence

from tw_importers.gpu_activity.csv_table import CsvTable, Text, column_name, split_line, stage, view
from warehouse.errors import CorruptTrace, UnknownFormat
from warehouse.ingest.importer import ByteReader, Parts, Scratch, TraceFacts

OPTIONS = {"with_environment": "1: keep the command line of the recorded program, too"}
#: Column -> its names in releases of rocprof, lower case, without separators.
COLUMNS = {
    "number": ("index", "dispatchid"),
    "kernel": ("kernelname",),
    "gpu": ("gpuid",),
    "queue": ("queueid",),
    "queue_index": ("queueindex",),
    "pid": ("pid",),
    "tid": ("tid",),
    "work_items": ("grd", "gridsize"),
    "workgroup": ("wgr", "workgroupsize"),
    "lds": ("lds", "ldsperworkgroup"),
    "scratch_bytes": ("scr", "scratchperworkitem"),
    "vgpr": ("archvgpr", "vgpr"),
    "accum_vgpr": ("accumvgpr",),
    "sgpr": ("sgpr",),
    "wave_size": ("wavesize",),
    "signal": ("sig",),
    "object": ("obj",),
    "dispatched": ("dispatchns",),
    "start": ("beginns", "starttimestamp"),
    "end": ("endns", "endtimestamp"),
    "completed": ("completens",),
    "duration": ("durationns",),
    "correlation": ("correlationid",),
    "kernel_id": ("kernelid",),
    "barriers": ("fbar",),
}
_MACHINE = (
    "hostname", "gpumodel", "gpuarch", "cupergpu", "maxsclk", "hbmbw", "command", "workloadname",
    "rocmversion",
)  # fmt: skip


def is_dispatches(headings: Sequence[str]) -> bool:
    """Whether these are the columns of a table of dispatches."""
    found = _roles([column_name(heading) for heading in headings])
    return "kernel" in found and "number" in found and ("gpu" in found or "work_items" in found)


def is_summary(headings: Sequence[str]) -> bool:
    """Whether these are the columns of a table of sums (`results.stats.csv`)."""
    names = {column_name(heading) for heading in headings}
    return names >= {"name", "calls", "totaldurationns", "averagens", "percentage"}


def read(reader: ByteReader, scratch: Scratch) -> TraceFacts:
    """Reads a single file."""
    table = _stage(Text(reader, "the file"), scratch, "file0")
    if table is None:
        raise UnknownFormat(
            "only summaries found, no dispatch with times",
            hint="Import results.csv, recorded with `rocprof --timestamp on`, or results.json.",
        )
    return _finish(scratch, [table], [])


def read_capture(parts: Parts, scratch: Scratch) -> TraceFacts:
    """Reads a workload: files with times come first, counters are put to their dispatches."""
    tables: list[CsvTable] = []
    machine: list[CsvTable] = []
    order = {"timestamps": 0, "pmc_perf": 1}
    for n, part in enumerate(sorted(parts.parts, key=lambda part: order.get(part.role, 2))):
        with parts.open(part.name) as stream:
            text = Text(stream, part.name)
            if part.role in order:
                table = _stage(text, scratch, f"file{n}")
                if table is not None:
                    tables.append(table)
            elif part.role == "sysinfo" and (header := text.line()):
                machine.append(stage(text, scratch, f"file{n}", split_line(header)))
    return _finish(scratch, tables, machine)


def _stage(text: Text, scratch: Scratch, name: str) -> CsvTable | None:
    headings = split_line(text.line() or b"")
    if is_summary(headings):
        return None
    if not is_dispatches(headings):
        raise CorruptTrace(
            f"{text.label}: line 1 is not the header of a dispatch table",
            hint="The header may be edited or truncated.",
        )
    return stage(text, scratch, name, headings)


def _roles(columns: Sequence[str]) -> dict[str, str]:
    """Our names of the recognised columns -> those in the file."""
    return {
        role: name
        for role, names in COLUMNS.items()
        if (name := next((name for name in names if name in columns), None)) is not None
    }


def _finish(scratch: Scratch, tables: list[CsvTable], machine: list[CsvTable]) -> TraceFacts:
    _dispatches(scratch, tables)
    _counters(scratch, tables)
    view(scratch, "machine", _MACHINE, machine)
    ((host,),) = scratch.connection.execute("SELECT any_value(hostname) FROM machine").fetchall()
    return TraceFacts(
        format="rocprof",
        format_version="rocprofiler-compute" if machine or len(tables) > 1 else "csv",
        host_name=host,
        metadata_json=_metadata(scratch),
        problems=[problem for table in [*tables, *machine] for problem in table.problems],
    )


def _metadata(scratch: Scratch) -> str | None:
    keeps = scratch.options.get("with_environment", "").lower() in ("yes", "true", "1")
    rows = scratch.connection.execute("SELECT command FROM machine").fetchall() if keeps else []
    return json.dumps({"command": rows[0][0]}) if rows else None


def _dispatches(scratch: Scratch, tables: Sequence[CsvTable]) -> None:
    """The view `dispatch`: source, seq and recognised columns of all tables, under our names."""
    parts = []
    for n, table in enumerate(tables):
        roles = _roles(table.columns)
        columns = ", ".join(
            f'"{roles[role]}" AS "{role}"' if role in roles else f'NULL::VARCHAR AS "{role}"'
            for role in COLUMNS
        )
        parts.append(f"SELECT {n} AS source, seq, {columns} FROM {_file(scratch, table)}")
    scratch.connection.execute(f"CREATE VIEW dispatch AS {' UNION ALL '.join(parts)}")


def _counters(scratch: Scratch, tables: Sequence[CsvTable]) -> None:
    """The table `counter_value` (source, seq, name, value): all other columns."""
    connection = scratch.connection
    connection.execute(
        "CREATE TABLE counter_value (source INTEGER, seq BIGINT, name VARCHAR, value VARCHAR)"
    )
    named = {name for names in COLUMNS.values() for name in names}
    for n, table in enumerate(tables):
        names = _names({c: h for c, h in table.headings.items() if c not in named and h.strip()})
        if not names:
            continue
        columns = ", ".join(f'"{column}" AS "{name}"' for column, name in names.items())
        connection.execute(
            f"INSERT INTO counter_value SELECT {n}, line, name, value FROM "
            f"(UNPIVOT (SELECT seq AS line, {columns} FROM {_file(scratch, table)}) "
            "ON COLUMNS(* EXCLUDE (line)) INTO NAME name VALUE value)"
        )


def _names(headings: dict[str, str]) -> dict[str, str]:
    """Headings as names of columns, made different where they are alike."""
    found: dict[str, str] = {}
    for column, heading in headings.items():
        name = heading.strip().replace('"', "'")
        is_taken = name.lower() in {"line", *(each.lower() for each in found.values())}
        found[column] = f"{name} ({column})" if is_taken else name
    return found


def _file(scratch: Scratch, table: CsvTable) -> str:
    return "read_parquet('{}')".format(scratch.path(table.name).replace("'", "''"))
