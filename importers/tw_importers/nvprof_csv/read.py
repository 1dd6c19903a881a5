"""Streams a table nvprof printed into the scratch view `line`, its units into the table `unit`."""

from __future__ import annotations

from tw_importers.gpu_activity.csv_table import Text, column_name, split_line, stage, view
from warehouse.errors import CorruptTrace, UnknownFormat
from warehouse.importer import ByteReader, Scratch, TraceFacts

COLUMNS = (
    "start", "duration", "gridx", "gridy", "gridz", "blockx", "blocky", "blockz",
    "registersperthread", "staticsmem", "dynamicsmem", "size", "throughput", "srcmemtype",
    "dstmemtype", "device", "context", "stream", "name", "correlationid",
)  # fmt: skip
#: Nanoseconds, or bytes, of one; nvprof's kilobyte has 1024.
UNITS = {
    "s": 1_000_000_000, "ms": 1_000_000, "us": 1000, "ns": 1,
    "b": 1, "kb": 1 << 10, "mb": 1 << 20, "gb": 1 << 30,
}  # fmt: skip
_MAX_LINES_BEFORE = 100_000  # what the profiled program may have printed
_HINT = "Record with `nvprof --csv --print-gpu-trace --log-file FILE`, or with `nvprof -o FILE`."


def read(reader: ByteReader, scratch: Scratch) -> TraceFacts:
    """Reads the first table in the text; raises TraceError where there is none with times."""
    text = Text(reader, "the file")
    headings = _header(text)
    columns = [column_name(heading) for heading in headings]
    units = split_line(text.line() or b"")
    scales = {
        column: UNITS[unit.strip().lower()]
        for column, unit in zip(columns, units, strict=False)
        if unit.strip().lower() in UNITS
    }
    if not {"start", "duration"} <= scales.keys():
        raise CorruptTrace(
            f"line {text.n_lines} has no units of time, which follow the header", hint=_HINT
        )
    table = stage(text, scratch, "table", headings)
    view(scratch, "line", COLUMNS, [table])
    known = ", ".join(f"{scales.get(column, 1)}::BIGINT AS {column}" for column in COLUMNS)
    scratch.connection.execute(f"CREATE TABLE unit AS SELECT {known}")
    return TraceFacts(format="nvprof", format_version="csv", problems=table.problems)


def _header(text: Text) -> list[str]:
    """The header of the trace; what stands above it is passed over."""
    while (line := text.line()) is not None and text.n_lines < _MAX_LINES_BEFORE:
        headings = split_line(line) if line.startswith((b'"', b"Start", b"Type")) else []
        names = {column_name(heading) for heading in headings}
        if names >= {"start", "duration", "name"}:
            return headings
        if names >= {"type", "time(%)", "calls"}:
            raise UnknownFormat(
                "it holds nvprof's sums over a whole run, nothing with a time", hint=_HINT
            )
    raise UnknownFormat("it holds no table of nvprof's as CSV", hint=_HINT)
