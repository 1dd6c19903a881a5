"""Streams the CSV files of a rocprofv3 capture into scratch views, one for each kind of record."""

from __future__ import annotations

import re

from tw_importers.gpu_activity.csv_table import CsvTable, Text, column_name, split_line, stage, view
from warehouse.errors import CorruptTrace, UnknownFormat
from warehouse.ingest.importer import ByteReader, Parts, Problem, Scratch, TraceFacts

_TIMES = ("starttimestamp", "endtimestamp")
_REGISTERS = ("ldsblocksize", "scratchsize", "vgprcount", "accumvgprcount", "sgprcount")
#: Columns of each kind of record; the first ones identify it.
GROUPS: dict[str, tuple[int, tuple[str, ...]]] = {
    "counter": (2, (
        "countername", "countervalue", "correlationid", "dispatchid", "agentid", "queueid",
        "processid", "threadid", "gridsize", "kernelid", "kernelname", "workgroupsize",
        *_REGISTERS, *_TIMES, "guid",
    )),
    "kernel": (2, (
        "kernelname", "workgroupsizex", "workgroupsizey", "workgroupsizez", "gridsizex",
        "gridsizey", "gridsizez", "kind", "agentid", "queueid", "streamid", "threadid",
        "dispatchid", "kernelid", "correlationid", "privatesegmentsize", "groupsegmentsize",
        *_REGISTERS, *_TIMES, "guid",
    )),
    "copy": (2, (
        "direction", "sourceagentid", "destinationagentid", "kind", "streamid", "correlationid",
        "copysize", *_TIMES, "guid",
    )),
    "api": (2, ("domain", "function", "processid", "threadid", "correlationid", *_TIMES, "guid")),
    "allocation": (2, (
        "allocationsize", "address", "kind", "operation", "agentid", "correlationid", *_TIMES,
        "guid",
    )),
    "scratch_use": (2, (
        "allocflags", "operation", "kind", "agentid", "queueid", "threadid", "allocationsize",
        *_TIMES, "guid",
    )),
    "pc_sample": (2, ("sampletimestamp", "instruction")),
    "agent": (2, (
        "agenttype", "nodeid", "logicalnodeid", "cucount", "maxengineclkfcompute", "name",
        "vendorname", "productname", "modelname", "uuid",
    )),
}  # fmt: skip
_SUMMARY = {"name", "calls", "totaldurationns", "averagens", "percentage"}
_HINT = "Import the trace files of the same rocprofv3 run: --kernel-trace, --hip-trace, ..."
_PROCESS = re.compile(r"(\d+)_")


def group_of(columns: set[str]) -> str | None:
    """The kind of record a file with these columns holds; `summary` for sums; None for neither."""
    if columns >= _SUMMARY:
        return "summary"
    for group, (n_telling, names) in GROUPS.items():
        if columns.issuperset(names[:n_telling]):
            return group
    return None


def read(reader: ByteReader, scratch: Scratch) -> TraceFacts:
    """Reads a single file."""
    group, table = _stage(Text(reader, "the file"), scratch, "file")
    if group == "summary" or table is None:
        raise UnknownFormat(
            "only summaries found, no records with times",
            hint=_HINT,
        )
    if group in ("agent", "pc_sample"):
        raise UnknownFormat(
            "only a list of devices found"
            if group == "agent"
            else "only program counter samples found",
            hint=_HINT,
        )
    return _finish(scratch, {group: [table]}, None, 0)


def read_capture(parts: Parts, scratch: Scratch) -> TraceFacts:
    """Reads all files of a process but those of sums, which follow from the others."""
    tables: dict[str, list[CsvTable]] = {}
    n_summaries = 0
    for n, part in enumerate(parts.parts):
        if part.role.endswith("_stats"):
            n_summaries += 1
            continue
        with parts.open(part.name) as stream:
            group, table = _stage(Text(stream, part.name), scratch, f"file{n}")
        if table is None:
            n_summaries += 1
        else:
            tables.setdefault(group, []).append(table)
    process = _PROCESS.match(parts.parts[0].name)
    return _finish(scratch, tables, process[1] if process else None, n_summaries)


def _stage(text: Text, scratch: Scratch, name: str) -> tuple[str, CsvTable | None]:
    """The kind of a file's records, and its table; an empty file is one of sums."""
    header = text.line()
    if header is None:
        return "summary", None
    headings = split_line(header)
    group = group_of({column_name(heading) for heading in headings})
    if group == "summary":
        return group, None
    if group is None:
        raise CorruptTrace(
            f"{text.label}: line 1 is not the header of a rocprofv3 file",
            hint="The header may be edited or truncated.",
        )
    return group, stage(text, scratch, name, headings)


def _finish(
    scratch: Scratch, tables: dict[str, list[CsvTable]], process: str | None, n_summaries: int
) -> TraceFacts:
    for group, (_, columns) in GROUPS.items():
        view(scratch, f"{group}_line", columns, tables.get(group, []))
    connection = scratch.connection
    connection.execute("CREATE TABLE capture AS SELECT $p::VARCHAR AS process, $n::BIGINT AS n", {
        "p": process, "n": n_summaries
    })  # fmt: skip
    problems: list[Problem] = [
        problem for group in tables.values() for table in group for problem in table.problems
    ]
    found = {column for group in tables.values() for table in group for column in table.columns}
    return TraceFacts(
        format="rocprofv3",
        format_version="csv from rocpd" if "guid" in found else "csv",
        problems=problems,
    )
