"""Reads files beside a trace that options name: HCC's log, counters of the Radeon Compute Profiler
(RCP), and names of CUPTI's callbacks.

They are rows of `source_file` as well, with the role `option NAME`.
"""

from __future__ import annotations

import csv
import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from warehouse.errors import CorruptTrace, TraceError

_MAX_BYTES = 1 << 30
_COPY_SIZE = re.compile(r"(\d+) bytes")
_COLUMN = re.compile(r"^(Method|ExecutionOrder)$")
_ESCAPES = (("&nbsp;", " "), ("&comma;", ","))
_HIGHEST = 1 << 63


@dataclass(frozen=True)
class SideFile:
    """A file that an option names."""

    option: str
    path: Path
    content: bytes

    @property
    def text(self) -> str:
        return self.content.decode(errors="replace")

    def row(self) -> tuple[object, ...]:
        digest = hashlib.sha256(self.content).hexdigest()
        return f"option {self.option}", str(self.path.resolve()), len(self.content), digest


def load(option: str, name: str) -> SideFile:
    """Reads the file of an option."""
    path = Path(name)
    try:
        with path.open("rb") as stream:
            content = stream.read(_MAX_BYTES + 1)
    except OSError as error:
        raise TraceError(
            f"{name}, named by --option {option}, cannot be read: {error.strerror}"
        ) from None
    if len(content) > _MAX_BYTES:
        raise TraceError(f"{name}, named by --option {option}, has more than {_MAX_BYTES} bytes")
    return SideFile(option, path, content)


@dataclass(frozen=True)
class LogRecord:
    """A line of HCC's log; times in ns of the monotonic clock."""

    kind: str  # kernel, barrier, copy or copyslo
    name: str
    start: int
    end: int
    id: str  # #device.queue.sequence
    depends_on: tuple[str, ...] = ()
    n_bytes: int | None = None


def log_records(text: str) -> tuple[list[LogRecord], int]:
    """The records of a log, and the number of lines that begin as a record but are not one."""
    found, n_broken = [], 0
    for line in text.splitlines():  # line by line: of each kind there are other fields
        if line[:7] != "profile":
            continue
        record = _log_record(line)
        if record is None:
            n_broken += 1
        else:
            found.append(record)
    return found, n_broken


def _log_record(line: str) -> LogRecord | None:
    fields = [part.strip(" \t") for part in line.split(";")]
    kind = fields[0].partition(":")[2].strip()
    if kind not in ("kernel", "barrier", "copy", "copyslo") or len(fields) < 5:
        return None
    if not (fields[3].isdecimal() and fields[4].isdecimal()):
        return None
    start, end = int(fields[3]), int(fields[4])
    if max(start, end) >= _HIGHEST:
        return None
    rest = " ".join(fields[5:])
    identity = re.search(r"#\d+\.\d+\.\d+", rest)
    depends = re.search(r"deps=([#\d.,]*)", rest)
    size = _COPY_SIZE.search(rest)
    return LogRecord(
        kind,
        fields[1],
        start,
        end,
        identity[0] if identity else "",
        tuple(each for each in depends[1].split(",") if each) if depends else (),
        int(size[1]) if size and len(size[1]) < 19 else None,
    )


@dataclass(frozen=True)
class CounterTable:
    """The dispatches of an RCP file, in their order."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]

    def numbers(self) -> Iterator[tuple[int, str, float]]:
        """The place of a dispatch, the name and value of each of its counters."""
        for n, row in enumerate(self.rows):
            for name, value in zip(self.columns[2:], row[2:], strict=True):
                try:
                    yield n, name, float(value)
                except ValueError:
                    continue  # sizes of the grid, as texts

    def names(self) -> list[str]:
        """Names of kernels, without the device's behind the last underscore."""
        return [_plain(row[0]).rpartition("_")[0] or _plain(row[0]) for row in self.rows]


def _plain(text: str) -> str:
    for escape, character in _ESCAPES:
        text = text.replace(escape, character)
    return text


def counters(file: SideFile) -> CounterTable:
    """Parses an RCP file: comments, a line of columns, and a line for each dispatch."""
    separator, lines = ",", file.text.splitlines()
    first = 0
    while first < len(lines) and lines[first].startswith("#"):
        key, _, value = lines[first].lstrip("# ").partition("=")
        if key.strip() == "ListSeparator" and value.strip():
            separator = value.strip()[0]
        first += 1
    if first == len(lines):
        raise _invalid(file, first, "has no line of columns")
    columns = lines[first].split(separator)
    if not _COLUMN.match(columns[0]):
        raise _invalid(file, first + 1, "does not begin with the column Method")
    rows = []
    for n, line in enumerate(lines[first + 1 :], first + 2):
        cells = line.split(separator)
        if line and len(cells) != len(columns):
            raise _invalid(file, n, f"has {len(cells)} cells, for {len(columns)} columns")
        rows += [cells] if line else []
    return CounterTable(columns, rows)


def functions(file: SideFile) -> list[tuple[str, int, str]]:
    """Kind, id and name of CUPTI's functions."""
    found = []
    for n, row in enumerate(csv.reader(file.text.splitlines()), 1):
        if (n == 1 and row[:3] == ["kind", "id", "name"]) or not row:
            continue
        if len(row) < 3 or row[0] not in ("runtime", "driver") or not row[1].isdecimal():
            raise _invalid(file, n, "is not kind, id and name")
        found.append((row[0], int(row[1]), row[2]))
    return found


def _invalid(file: SideFile, line: int, what: str) -> CorruptTrace:
    return CorruptTrace(
        f"{file.path}, named by --option {file.option}: line {line} {what}",
        hint="Name the file that the tool wrote.",
    )
