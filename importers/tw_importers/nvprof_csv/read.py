"""Streams the tables nvprof printed into the scratch view `line`; their units into `unit`.

A file may hold several: one of each process, or sums after a trace.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from tw_importers.gpu_activity.csv_table import (
    CsvTable,
    Text,
    column_name,
    split_line,
    stage,
    view,
)
from warehouse.errors import CorruptTrace, UnknownFormat
from warehouse.ingest.importer import ByteReader, Problem, Scratch, TraceFacts

COLUMNS = (
    "start", "duration", "gridx", "gridy", "gridz", "blockx", "blocky", "blockz",
    "registersperthread", "staticsmem", "dynamicsmem", "size", "throughput", "srcmemtype",
    "dstmemtype", "device", "context", "stream", "name", "correlationid", "srcdev", "dstdev",
    "unifiedmemory", "virtualaddress",
)  # fmt: skip
#: Nanoseconds, or bytes, of one; nvprof's kilobyte has 1024.
UNITS = {
    "s": 1_000_000_000, "ms": 1_000_000, "us": 1000, "ns": 1,
    "b": 1, "kb": 1 << 10, "mb": 1 << 20, "gb": 1 << 30,
}  # fmt: skip
_MAX_LINES_BEFORE = 100_000  # output of the profiled program
_MAX_TABLES = 1000
_HINT = "Record with `nvprof --csv --print-gpu-trace --log-file FILE`, or with `nvprof -o FILE`."
#: Messages of nvprof between tables, and the headers of its tables.
_NEXT = re.compile(
    rb'^(?:={2,}|"?(?:Start"?,"?Duration|Type"?,"?Time\(%\)|Time\(%\)"?,"?Time|Device"?,"))',
    re.MULTILINE,
)
_WARNING = re.compile(rb"^={2,}(?:\d+==|=+) (Warning|Error): (.*)")
_RESULT = re.compile(rb"^==(\d+)== .*(?:Profiling|Event|Metric) result:")


@dataclass
class _Tables(Text):
    """The text, table by table: it seems to end where the next table or a word of nvprof begins."""

    after: bytes = b""  # what follows the table, of what was read ahead
    is_over: bool = False

    def read(self, size: int = -1) -> bytes:
        if self.is_over:
            given, self.waiting = self.waiting, b""
            return given
        data = super().read(size)
        end = data.rfind(b"\n") + 1
        if end:  # whole lines
            data, self.waiting = data[:end], data[end:] + self.waiting
        if found := _NEXT.search(data):
            self.is_over = True
            self.after = data[found.start() :] + self.waiting
            self.waiting = b""
            return data[: found.start()]
        return data

    def go_on(self) -> None:
        """Leaves the rest of the table, up to what comes after it."""
        while not self.is_over and self.read():
            pass
        self.waiting, self.after, self.is_over = self.after, b"", False


@dataclass
class _Content:
    """The tables with times, their scales and processes; what else the file holds."""

    tables: list[CsvTable] = field(default_factory=list)
    scales: list[dict[str, int]] = field(default_factory=list)
    processes: list[str | None] = field(default_factory=list)
    n_sums: int = 0  # tables without times
    warnings: list[str] = field(default_factory=list)
    n_lost: int = 0  # rows behind a word of nvprof's in the middle of a table


def read(reader: ByteReader, scratch: Scratch) -> TraceFacts:
    """Reads all tables in the text; raises TraceError if none has times."""
    text = _Tables(reader, "the file")
    found = _Content()
    process: str | None = None
    n_before = 0
    while len(found.tables) < _MAX_TABLES and (line := text.line()) is not None:
        if match := _RESULT.match(line):
            process = match[1].decode()
        elif match := _WARNING.match(line):
            found.warnings.append(match[2].decode(errors="replace"))
        names = {column_name(heading) for heading in _headings(line)}
        if names >= {"start", "duration", "name"}:
            _stage(text, scratch, found, _headings(line))
            found.processes.append(process)
            text.go_on()
        elif {"time(%)", "calls"} <= names or {"device", "kernel"} <= names:
            found.n_sums += 1
            text.go_on()
        elif found.tables:
            found.n_lost += line[:1].isdigit()
        elif (n_before := n_before + 1) > _MAX_LINES_BEFORE:
            break
    if not found.tables:
        raise UnknownFormat(
            "only nvprof summaries found, no trace with times"
            if found.n_sums
            else "no nvprof CSV table found",
            hint=_HINT,
        )
    return _finish(scratch, found)


def _headings(line: bytes) -> list[str]:
    if not line.startswith((b'"', b"Start", b"Type", b"Time(%)", b"Device")):
        return []
    return split_line(line)


def _stage(text: _Tables, scratch: Scratch, found: _Content, headings: Sequence[str]) -> None:
    columns = [column_name(heading) for heading in headings]
    units = split_line(text.line() or b"")
    scales = {
        column: UNITS[unit.strip().lower()]
        for column, unit in zip(columns, units, strict=False)
        if unit.strip().lower() in UNITS
    }
    if not {"start", "duration"} <= scales.keys():
        raise CorruptTrace(
            f"line {text.n_lines} lacks time units: expected a line of units after the header",
            hint=_HINT,
        )
    found.tables.append(stage(text, scratch, f"table{len(found.tables)}", headings))
    found.scales.append(scales)


def _finish(scratch: Scratch, found: _Content) -> TraceFacts:
    """Makes the views and tables that gather.sql reads."""
    view(scratch, "line", COLUMNS, found.tables)
    connection = scratch.connection
    scales = ", ".join(f"{column} BIGINT" for column in COLUMNS)
    connection.execute(f"CREATE TABLE unit (source INTEGER, process VARCHAR, {scales})")
    for n, (process, scale) in enumerate(zip(found.processes, found.scales, strict=True)):
        marks = ", ".join("?" * (2 + len(COLUMNS)))
        values = [n, process, *(scale.get(column, 1) for column in COLUMNS)]
        connection.execute(f"INSERT INTO unit VALUES ({marks})", values)
    connection.execute("CREATE TABLE summary_count AS SELECT ?::BIGINT AS n_sums", [found.n_sums])
    problems = [problem for table in found.tables for problem in table.problems]
    if found.warnings:
        meaning = "warnings printed by nvprof"
        problems.append(
            Problem("profiler_warning", meaning, len(found.warnings), None, found.warnings[0][:500])
        )
    if found.n_lost:
        meaning = "lines of a table after a message of nvprof, skipped"
        problems.append(Problem("unreadable_line", meaning, found.n_lost, severity="error"))
    return TraceFacts(format="nvprof", format_version="csv", problems=problems)
