"""Streams the lists of numbers a memory timeline is made of into scratch tables.

Out: `row` (seq, time, action, bytes, category) of the raw form; of the other one `moment` (seq,
time) and `size` (seq, category, bytes). The tables of the form a file has not are empty.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NoReturn

import msgspec
import numpy as np
import pyarrow as pa

from warehouse.errors import CorruptTrace
from warehouse.ingest import batches
from warehouse.ingest.importer import ByteReader, Problem, Scratch, TraceFacts

_BLOCK = 1 << 20
_MAX_ROW = 1 << 24  # bytes without the end of a list: not a timeline
_WIDTH = 4  # time, action, bytes, category
_N_SIZES = 9  # a zero to stack from, and one for each category
Numbers = np.ndarray[tuple[int, int], np.dtype[np.int64]]


@dataclass
class _Text:
    """The unread text of the file: `rest`, from byte `offset` on, then the reader."""

    reader: ByteReader
    is_strict: bool
    rest: bytes = b""
    offset: int = 0
    is_ended: bool = False
    problems: list[Problem] = field(default_factory=list)

    def more(self) -> bool:
        """Reads a block; False at the end of the file."""
        block = self.reader.read(_BLOCK)
        self.rest += block
        self.is_ended = self.is_ended or not block
        return bool(block)

    def skip(self, pattern: bytes) -> bool:
        """Passes over what the pattern matches here, blanks before it included."""
        while True:
            found = re.match(rb"\s*" + pattern, self.rest)
            if found and (found.end() < len(self.rest) or self.is_ended):
                self.drop(found.end())
                return True
            if len(self.rest) > 64 or not self.more():
                return False

    def drop(self, n: int) -> None:
        self.rest, self.offset = self.rest[n:], self.offset + n

    def cut(self) -> None:
        """The file ends within a list: what came before counts, unless reading strictly."""
        if self.is_strict:
            self.refuse("truncated: the list ends early", self.offset)
        meaning = "the list ends early; the entries before were read"
        end = self.offset + len(self.rest)
        self.problems.append(Problem("truncated", meaning, 1, end, severity="error"))

    def refuse(self, message: str, offset: int) -> NoReturn:
        raise CorruptTrace(
            f"{message} at byte {offset}",
            hint="Export it again with export_memory_timeline.",
            offset=offset,
        )


def read(reader: ByteReader, scratch: Scratch) -> TraceFacts:
    """Reads either form; what follows a cut or the end of the list is not used."""
    text = _Text(reader, scratch.is_strict)
    if not text.skip(rb"\["):
        text.refuse("expected a list", 0)
    is_raw = _looks_raw(text)
    _table(scratch, "row", _WIDTH, _lists(text, _WIDTH) if is_raw else iter(()))
    _table(scratch, "moment", 1, iter(()) if is_raw else _times(text))
    sizes = iter(()) if is_raw else _sizes(text)
    _table(scratch, "size", _N_SIZES, sizes)
    facts = TraceFacts(format="memory_timeline", format_version="raw" if is_raw else "by category")
    facts.problems = text.problems
    return facts


def _looks_raw(text: _Text) -> bool:
    """Whether the first inner list is a row of the raw form; an empty document is one, too."""
    while b"]" not in text.rest and len(text.rest) < _BLOCK and text.more():
        pass
    first = re.match(rb"\s*\[([^\[\]]*)\]\s*(,\s*\[\s*\[)?", text.rest)
    if first is None:
        return not text.rest.lstrip().startswith(b"[")
    return first[1].count(b",") == _WIDTH - 1 and first[2] is None


def _times(text: _Text) -> Iterator[Numbers]:
    """The first list of the form by category, as rows of one number, some thousands at a time."""
    if not text.skip(rb"\["):
        text.refuse("expected a list of times", text.offset)
    while (end := text.rest.find(b"]")) < 0:
        comma = text.rest.rfind(b",")
        if comma >= 0:
            yield _numbers(text, text.rest[:comma], 1)
            text.drop(comma + 1)
        if not text.more():
            text.cut()
            text.drop(len(text.rest))
            return
    yield _numbers(text, text.rest[:end], 1)
    text.drop(end + 1)


def _sizes(text: _Text) -> Iterator[Numbers]:
    """The second list of that form; nothing where the file ended before it."""
    if text.skip(rb",\s*\["):
        yield from _lists(text, _N_SIZES)
    elif not text.problems:
        text.cut()


def _lists(text: _Text, width: int) -> Iterator[Numbers]:
    """The lists of numbers up to the bracket that ends the list of them."""
    while True:
        # A list before a comma, or before the closing bracket, is whole.
        last = max(text.rest.rfind(b"],"), -1)
        if last >= 0:
            yield _numbers(text, text.rest[: last + 1], width)
            text.drop(last + 2)
        if len(text.rest) > _MAX_ROW:
            text.refuse("expected a list of numbers", text.offset)
        if not text.more():
            break
    closing = re.search(rb"\]\s*\]", text.rest)
    if closing:
        yield _numbers(text, text.rest[: closing.start() + 1], width)
        text.drop(closing.end())
    elif not re.match(rb"\s*\]", text.rest):
        yield _numbers(text, text.rest[: text.rest.rfind(b"]") + 1], width)
        text.cut()


def _numbers(text: _Text, part: bytes, width: int) -> Numbers:
    """Rows of `width` integers; raises CorruptTrace at the first other row."""
    kind = int if width == 1 else list[int]
    try:
        rows = msgspec.json.decode(b"[" + part + b"]", type=list[kind])  # type: ignore[valid-type]
        numbers = np.array(rows, np.int64).reshape(len(rows), -1 if rows else width)
    except (msgspec.DecodeError, ValueError, OverflowError):
        numbers = np.empty((1, 0), np.int64)
    if len(numbers) and numbers.shape[1] != width:
        text.refuse(f"expected {width} whole numbers", text.offset + _first_bad(part, width))
    return numbers.reshape(-1, width)


def _first_bad(part: bytes, width: int) -> int:
    """Where, in lists that could not be read, the first bad one begins."""
    good = re.compile(rb"\s*,?\s*\[" + rb",".join([rb"\s*-?\d{1,18}\s*"] * width) + rb"\]")
    at = 0
    while width > 1 and (found := good.match(part, at)):
        at = found.end()
    return at


def _table(scratch: Scratch, name: str, width: int, parts: Iterator[Numbers]) -> None:
    """Writes rows of numbers as a table with the columns seq, c0, c1, ..."""
    schema = pa.schema([("seq", pa.int64()), *((f"c{n}", pa.int64()) for n in range(width))])
    statement = f"CREATE TABLE {name} AS FROM numbers"
    batches.run(scratch.connection, statement, "numbers", schema, _batches(parts, schema))


def _batches(parts: Iterator[Numbers], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    seq = 0
    for part in parts:
        columns = [np.arange(seq, seq + len(part)), *part.T]
        seq += len(part)
        # From buffers, because pa.array() of a NumPy array imports pandas where there is one.
        yield pa.RecordBatch.from_arrays(
            [
                pa.Array.from_buffers(
                    pa.int64(), len(part), [None, pa.py_buffer(np.ascontiguousarray(c))]
                )
                for c in columns
            ],
            schema=schema,
        )
