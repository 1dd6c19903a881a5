"""Streams a CSV file with a header into a scratch table of texts; gives the columns no meaning."""

from __future__ import annotations

import codecs
import csv as python_csv
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import csv

from warehouse.errors import CorruptTrace
from warehouse.ingest import batches
from warehouse.ingest.importer import ByteReader, Problem, Scratch

_BLOCK = 4 << 20
#: Columns of few texts, each of them on many lines: kept as numbers of these. Any column may be.
_REPEATED = frozenset({"kernelname", "function", "name", "domain", "kind", "agentid", "device"})
_MAX_HEADER = 1 << 20  # bytes without a line end: not a table
_HINT = "The file may be truncated. Record or copy it again."


@dataclass
class CsvTable:
    """A CSV file in the scratch table `name`, and what its lines are called there."""

    name: str
    headings: dict[str, str]  # column -> heading, as the file writes it
    problems: list[Problem] = field(default_factory=list)

    @property
    def columns(self) -> list[str]:
        return list(self.headings)


@dataclass
class Text:
    """The text of a file: valid UTF-8, lines counted as far as they were taken off one by one."""

    reader: ByteReader
    label: str
    waiting: bytes = b""
    n_lines: int = 0  # taken off so far
    n_replaced: int = 0
    closed: bool = False  # asked by PyArrow
    last: bytes = b""  # the last line, while it has no line end
    is_at_end: bool = False
    _decoder: codecs.IncrementalDecoder = field(
        default_factory=lambda: codecs.getincrementaldecoder("utf-8")("replace")
    )

    def read(self, size: int = -1) -> bytes:
        """At most `size` bytes, b'' at the end."""
        if not self.waiting:
            self.waiting = self._valid(self.reader.read(size if size > 0 else _BLOCK))
        size = size if size > 0 else len(self.waiting)
        given, self.waiting = self.waiting[:size], self.waiting[size:]
        return given

    def line(self) -> bytes | None:
        """The next line without its end; None at the end of the file."""
        while b"\n" not in self.waiting:
            block = self._valid(self.reader.read(_BLOCK))
            if not block:
                break
            self.waiting += block
            if len(self.waiting) > _MAX_HEADER + _BLOCK and b"\n" not in self.waiting:
                raise CorruptTrace(f"{self.label}: line {self.n_lines + 1} has no line end")
        if not self.waiting:
            return None
        self.n_lines += 1
        given, _, self.waiting = self.waiting.partition(b"\n")
        return given.removesuffix(b"\r").removeprefix(codecs.BOM_UTF8)

    def end_problems(self, n_fields: int) -> list[Problem]:
        """Problems of a last line without line end; `n_fields` is 0 if no line can be complete."""
        if not self.is_at_end or not (last := self.last):
            return []
        is_whole = len(split_line(last)) == n_fields and not last.count(b'"') % 2
        example = last[:200].decode(errors="replace")
        if is_whole:
            meaning = f"{self.label}: the last line has no line end; its last value may be cut"
            return [Problem("no_line_end", meaning, 1, None, example)]
        meaning = f"{self.label}: the file ends inside a line"
        return [Problem("truncated", meaning, 1, None, example, "error")]

    def _valid(self, block: bytes) -> bytes:
        _, line_end, rest = block.rpartition(b"\n")
        self.last = rest if line_end else self.last[:_MAX_HEADER] + block
        self.is_at_end = not block
        if block.isascii() and not self._decoder.getstate()[0]:
            return block
        text = self._decoder.decode(block, final=not block)
        self.n_replaced += text.count("\N{REPLACEMENT CHARACTER}")
        return text.encode()


@dataclass
class _Lines:
    """Counts lines with another number of fields than the header has."""

    is_strict: bool
    first: int  # number of the line the table begins with
    n_bad: int = 0
    line: int | None = None
    example: str = ""

    def judge(self, row: Any) -> str:
        self.n_bad += 1
        if self.n_bad == 1:
            self.line = row.number + self.first - 1 if row.number else None
            self.example = f"line {self.line}: {str(row.text)[:200]}"
        return "error" if self.is_strict else "skip"


def column_name(heading: str) -> str:
    """Kernel_Name, KernelName, kernel-name and "Kernel Name" are one column: kernelname."""
    return re.sub(r"[^\w\[\]:%()]|_", "", heading.strip().lower())


def split_line(line: bytes) -> list[str]:
    """The fields of one line; empty if it is not text."""
    try:
        return next(python_csv.reader([line.decode(errors="replace")]), [])
    except python_csv.Error:
        return []


def headings(head: bytes) -> list[str]:
    """The fields of a file's first line; empty for JSON, whose single line may be long."""
    first = head.lstrip(codecs.BOM_UTF8).partition(b"\n")[0]
    return [] if first.lstrip().startswith((b"{", b"[")) else split_line(first)


def stage(text: Text, scratch: Scratch, name: str, headings: Sequence[str]) -> CsvTable:
    """Writes the lines that follow to the table `name`: seq, and each of `headings` as a text.

    Empty fields are NULL. Raises CorruptTrace with the line if it is not CSV; lines of another
    width are skipped and counted, or raise CorruptTrace when reading strictly.
    """
    headings = headings or [""]  # of a line that is no CSV; PyArrow would take the next for one
    columns = _distinct(column_name(heading) for heading in headings)
    table = CsvTable(name, dict(zip(columns, headings, strict=True)))
    lines = _Lines(scratch.is_strict, text.n_lines + 1)
    is_header_only = text.is_at_end and not text.waiting
    batches.store(scratch, name, _schema(columns), _batches(text, columns, lines))
    ends = _end_problems(text, scratch, 0 if is_header_only else len(columns))
    # A line that the end of the file cuts is reported once.
    n_bad = max(0, lines.n_bad - sum(problem.kind == "truncated" for problem in ends))
    if n_bad:
        meaning = f"{text.label}: lines whose number of fields differs from the header, skipped"
        table.problems.append(
            Problem("unreadable_line", meaning, n_bad, None, lines.example, "error")
        )
    table.problems += ends
    if text.n_replaced:
        meaning = f"{text.label}: invalid UTF-8, replaced by U+FFFD"
        table.problems.append(Problem("invalid_utf8", meaning, text.n_replaced))
    return table


def _end_problems(text: Text, scratch: Scratch, n_fields: int) -> list[Problem]:
    """Problems of the end of a file; raises CorruptTrace instead if it is cut, and strict."""
    problems = text.end_problems(n_fields)
    for problem in problems:
        if scratch.is_strict and problem.severity == "error":
            raise CorruptTrace(problem.meaning, hint=_HINT)
    return problems


def _distinct(names: Iterable[str]) -> list[str]:
    found: list[str] = []
    for n, name in enumerate(names):
        name = name or f"column{n}"
        found.append(f"{name}_{n}" if name in found or name == "seq" else name)
    return found


def _batches(text: Text, columns: list[str], lines: _Lines) -> Iterator[pa.RecordBatch]:
    schema = _schema(columns)
    seq = 0
    try:
        for batch in _open(text, columns, lines):
            n = batch.num_rows
            numbers = pa.Array.from_buffers(
                pa.int64(), n, [None, pa.py_buffer(np.arange(seq, seq + n))]
            )
            seq += n
            yield pa.RecordBatch.from_arrays([numbers, *batch.columns], schema=schema)
    except pa.ArrowInvalid as error:
        raise _refusal(text.label, error, lines) from None


def _schema(columns: Iterable[str]) -> pa.Schema:
    return pa.schema([("seq", pa.int64()), *((column, _type(column)) for column in columns)])


def _type(column: str) -> pa.DataType:
    return pa.dictionary(pa.int32(), pa.string()) if column in _REPEATED else pa.string()


def _open(text: Text, columns: list[str], lines: _Lines) -> Iterable[pa.RecordBatch]:
    text.waiting = text.waiting or text.read(_BLOCK)
    if not text.waiting:  # PyArrow refuses a file without a line
        return ()
    opened: Iterable[pa.RecordBatch] = csv.open_csv(
        text,
        # Without threads, so that a bad line is reported with its number.
        read_options=csv.ReadOptions(use_threads=False, block_size=_BLOCK, column_names=columns),
        parse_options=csv.ParseOptions(newlines_in_values=True, invalid_row_handler=lines.judge),
        convert_options=csv.ConvertOptions(
            column_types={column: _type(column) for column in columns},
            strings_can_be_null=True,
            null_values=[""],
        ),
    )
    return opened


def _refusal(label: str, error: Exception, lines: _Lines) -> CorruptTrace:
    if lines.n_bad and lines.is_strict:
        what = f"line {lines.line} has a different number of fields than the header"
    else:
        what = f"invalid CSV: {str(error).splitlines()[0][:200]}"
    return CorruptTrace(f"{label}: {what}", hint=_HINT)


def view(scratch: Scratch, name: str, columns: Sequence[str], tables: Sequence[CsvTable]) -> None:
    """Makes the view `name` of those columns of some tables, and `source` for which of them a line
    is of; a column a file has not is NULL there."""
    parts = [
        "SELECT {} FROM read_parquet('{}')".format(
            ", ".join(
                [f"seq, {n} AS source"]
                + [
                    f'"{column}"' if column in table.columns else f'NULL::VARCHAR AS "{column}"'
                    for column in columns
                ]
            ),
            scratch.path(table.name).replace("'", "''"),
        )
        for n, table in enumerate(tables)
    ]
    nothing = ", ".join(f'NULL::VARCHAR AS "{column}"' for column in columns)
    empty = f"SELECT NULL::BIGINT AS seq, NULL::INTEGER AS source, {nothing} WHERE false"
    scratch.connection.execute(f"CREATE VIEW {name} AS {' UNION ALL '.join(parts) or empty}")
