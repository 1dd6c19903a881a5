"""A SQLite file as an importer meets it: which tables it has, and their columns as Arrow."""

from __future__ import annotations

import mmap
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Final

import numpy as np
import pyarrow as pa

from tw_importers.sqlite_tables.pages import MAGIC, Damage, Numbers, Pages
from tw_importers.sqlite_tables.records import ARROW, Kind, Rows, columns, varints
from tw_importers.sqlite_tables.schema import Table, table
from warehouse.errors import CorruptTrace, TraceError
from warehouse.ingest import batches
from warehouse.ingest.importer import ByteReader, DiskUse, Problem, Scratch, Severity

INTEGER: Final[Kind] = "integer"
REAL: Final[Kind] = "real"
TEXT: Final[Kind] = "text"
BLOB: Final[Kind] = "blob"
_ROWS = 1 << 15  # rows at once: what is computed of a column stays in the processor's cache
_PENDING, _SHARED, _SHARED_BYTES = 0x40000000, 0x40000002, 510  # SQLite's locks of a file
_VIRTUAL = re.compile(r"\s*CREATE\s+VIRTUAL\s", re.IGNORECASE)
_MEANINGS = {
    "truncated": "pages are missing at the end of the SQLite file; the remaining pages were read",
    "damaged_page": "pages that do not belong to their table; their rows are lost",
    "damaged_row": "rows that extend beyond their page; they are lost",
    "mistyped_value": "values that are not of their column's type; they are NULL",
}

#: Of importers that read SQLite: `open_database` copies what is compressed.
DISK_USE = DiskUse(peak=0.0, stored=0.0, copies_compressed=True)


def _severity(kind: str) -> Severity:
    return "warning" if kind == "mistyped_value" else "error"


def is_sqlite(head: bytes) -> bool:
    """Whether a file begins as SQLite 3 databases do."""
    return head.startswith(MAGIC)


def open_database(reader: ByteReader, scratch: Scratch) -> Database:
    """The database in a stream; raises TraceError where a writer has not finished with it.

    A file that is stored as it is, is read where it lies; what is compressed or in an archive is
    copied to the scratch folder first.
    """
    return Database(scratch.file_of(reader), is_strict=scratch.is_strict)


class Database:
    """The tables of an open file; to be used with `with`."""

    def __init__(self, path: Path, *, is_strict: bool = False) -> None:
        self._file = _locked(path)
        try:
            if path.stat().st_size < len(MAGIC):
                raise CorruptTrace("truncated: the file ends inside the SQLite header", offset=0)
            self._map = mmap.mmap(self._file.fileno(), 0, access=mmap.ACCESS_READ)
            self._damage = Damage(is_strict)
            self._pages = Pages(np.frombuffer(self._map, dtype=np.uint8), self._damage)
            #: Tables stored as indexes are (WITHOUT ROWID), or defined in a way unknown here.
            self.unreadable: list[str] = []
            self.tables: Mapping[str, Table] = self._schema()
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Database:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()

    @property
    def problems(self) -> list[Problem]:
        """The damage found in the pages read so far."""
        damage = self._damage
        found = [
            Problem(kind, _MEANINGS[kind], count, damage.first[kind], severity=_severity(kind))
            for kind, count in damage.counts.items()
        ]
        if self.unreadable:
            names = ", ".join(self.unreadable)[:200]
            meaning = "tables whose rows are stored without rowids, not read"
            found.append(
                Problem("unreadable_table", meaning, len(self.unreadable), None, names, "error")
            )
        return found

    def _schema(self) -> dict[str, Table]:
        fields: dict[str, Kind] = {
            "type": "text",
            "name": "text",
            "rootpage": "integer",
            "sql": "text",
        }
        master = Table("sqlite_schema", 1, ("type", "name", "tbl_name", "rootpage", "sql"), None)
        found: dict[str, Table] = {}
        for batch in self._batches(master, fields):
            for row in batch.to_pylist():
                root, name = row["rootpage"], row["name"]
                if row["type"] == "table" and name and (root or 0) > 1 and row["sql"]:
                    found_table = table(name, root, row["sql"])
                    if found_table is not None:
                        found.setdefault(name, found_table)
                    elif not _VIRTUAL.match(row["sql"]):
                        self.unreadable.append(name)
        return found

    def columns(self, name: str) -> tuple[str, ...]:
        """The columns of a table; empty if it does not exist."""
        found_table = self.tables.get(name)
        return found_table.columns if found_table else ()

    def batches(self, name: str, kinds: Mapping[str, Kind]) -> pa.RecordBatchReader:
        """The requested columns of a table, read while consumed; once for each table.

        Columns the table lacks are NULL, a table the file lacks is empty. Names are matched as
        SQLite does, without regard to case.
        """
        found_table = self.tables.get(name)
        schema = pa.schema([(column, ARROW[kind]) for column, kind in kinds.items()])
        rows = self._batches(found_table, kinds) if found_table else iter(())
        return pa.RecordBatchReader.from_batches(schema, rows)

    def rows(self, name: str, kinds: Mapping[str, Kind]) -> list[dict[str, object]]:
        """All rows of a small table."""
        return [row for batch in self.batches(name, kinds) for row in batch.to_pylist()]

    def count(self, name: str) -> int:
        """The number of rows of a table; called instead of reading it."""
        found_table = self.tables.get(name)
        if found_table is None:
            return 0
        leaves = self._pages.leaves(found_table.root)
        return sum(
            len(self._pages.cells(leaves[first : first + _ROWS])[0])
            for first in range(0, len(leaves), _ROWS)
        )

    def load(self, scratch: Scratch, target: str, name: str, kinds: Mapping[str, Kind]) -> None:
        """Copies the requested columns of a table to a new table of the scratch database."""
        statement = f"CREATE TABLE {target} AS FROM sqlite_rows"
        rows = self.batches(name, kinds)
        batches.run(scratch.connection, statement, "sqlite_rows", rows.schema, rows)

    def _batches(self, found_table: Table, kinds: Mapping[str, Kind]) -> Iterator[pa.RecordBatch]:
        number = {column.lower(): n for n, column in reversed(list(enumerate(found_table.columns)))}
        fields = [(number.get(column.lower()), kind) for column, kind in kinds.items()]
        rowid_n = number[found_table.rowid_column.lower()] if found_table.rowid_column else None
        schema = pa.schema([(column, ARROW[kind]) for column, kind in kinds.items()])
        for rows in self._rows(found_table.root):
            found = columns(rows, fields, rowid_n, found_table.defaults)
            if not found.is_whole.all():
                lost = rows.start[~found.is_whole]
                self._damage.add("damaged_row", int(lost[0]), len(lost))
            if found.n_mistyped:
                self._damage.add("mistyped_value", int(rows.start[0]), found.n_mistyped)
            yield pa.RecordBatch.from_arrays(found.arrays, schema=schema)

    def _rows(self, root: int) -> Iterator[Rows]:
        """The rows of a table, some thousands at a time."""
        self._check_size()
        pages = self._pages
        leaves = pages.leaves(root)
        a_page = max(1, _ROWS // max(1, pages.size // 64))
        for first in range(0, len(leaves), a_page):
            self._check_size()
            if first % (a_page * 64) == 0:
                self._forget()
            cells, page = pages.cells(leaves[first : first + a_page])
            if len(cells):
                yield from self._complete(cells, page)

    def _check_size(self) -> None:
        """Raises CorruptTrace if the file has shrunk: reading the rest of the map would end the
        process. Programs that write with SQLite are kept out by its locks; others are not."""
        size = os.fstat(self._file.fileno()).st_size
        if size < len(self._map):
            raise CorruptTrace(
                f"another program cut the file to {size:,} bytes while it was read",
                hint="Import it again when nothing writes to it.",
                offset=size,
            )

    def _forget(self) -> None:
        """Tells the system that what was read need not stay in memory."""
        if hasattr(mmap, "MADV_DONTNEED"):
            self._map.madvise(mmap.MADV_DONTNEED)

    def _complete(self, cells: Numbers, page: Numbers) -> Iterator[Rows]:
        """Rows from their cells; those that go on in other pages are put together."""
        pages = self._pages
        total, n_total = varints(pages.data, cells)
        rowid, n_rowid = varints(pages.data, cells + n_total)
        start = cells + n_total + n_rowid
        local = _local_bytes(total, pages.usable)
        end = start + local + np.where(local < total, 4, 0)
        good = (total >= 0) & (end <= (page - 1) * pages.size + pages.usable)
        # Cells of one page that overlap would make much of a small file.
        crowded = np.bincount(page - page.min(), np.where(good, end - cells, 0)) > pages.size
        good &= ~crowded[page - page.min()]
        if not good.all():
            self._damage.add("damaged_row", int(cells[~good][0]), int((~good).sum()))
        spilled = np.flatnonzero(good & (local < total))
        if not len(spilled):
            yield Rows(pages.data, start[good], total[good], rowid[good], pages.encoding)
            return
        # One by one only those that spill: texts longer than a page.
        before = 0
        for n in [*spilled.tolist(), len(start)]:
            some = np.flatnonzero(good[before:n]) + before
            if len(some):
                yield Rows(pages.data, start[some], total[some], rowid[some], pages.encoding)
            before = n + 1
            if n < len(start) and (
                row := self._spilled(int(start[n]), int(local[n]), int(total[n]))
            ):
                data = np.frombuffer(row + bytes(8), dtype=np.uint8)
                whole = np.array([len(row)], dtype=np.int64)
                yield Rows(data, whole - whole, whole, rowid[n : n + 1], pages.encoding)

    def _spilled(self, start: int, n_local: int, n_total: int) -> bytes | None:
        data = self._pages.data
        link = int.from_bytes(data[start + n_local : start + n_local + 4].tobytes(), "big")
        rest = self._pages.overflow(link, n_total - n_local)
        if rest is None:
            self._damage.add("damaged_row", start)
            return None
        return data[start : start + n_local].tobytes() + rest


def _local_bytes(total: Numbers, usable: int) -> Numbers:
    """The number of payload bytes of a row that are in the leaf page itself."""
    most, least = usable - 35, (usable - 12) * 32 // 255 - 23
    kept = least + (total - least) % (usable - 4)
    return np.where(total <= most, total, np.where(kept <= most, kept, least))


def _waits(beside: Path) -> bool:
    """Whether a journal holds anything; one that is kept for the next transaction begins with 0."""
    with beside.open("rb") as file:
        return file.read(1) not in (b"", b"\0")


def _locked(path: Path) -> IO[bytes]:
    """The file, opened and locked for reading as SQLite does; raises TraceError where it waits."""
    for ending, what in (("-wal", "write-ahead log"), ("-journal", "journal")):
        beside = path.with_name(path.name + ending)
        if beside.is_file() and _waits(beside):
            raise TraceError(
                f"{path.name} has changes that are not in the file yet, but in its {what}",
                hint=f"End the program that writes it; then open and close it once with sqlite3, "
                f"or import without {beside.name}.",
            )
    file = path.open("rb")
    try:
        import fcntl
    except ImportError:  # Windows has no such locks
        return file
    try:
        fcntl.lockf(file, fcntl.LOCK_SH | fcntl.LOCK_NB, 1, _PENDING)
        fcntl.lockf(file, fcntl.LOCK_SH | fcntl.LOCK_NB, _SHARED_BYTES, _SHARED)
        fcntl.lockf(file, fcntl.LOCK_UN, 1, _PENDING)
    except BlockingIOError:
        file.close()
        raise TraceError(
            f"{path.name} is locked by a program that writes it",
            hint="Import it after that program has ended.",
        ) from None
    except OSError:  # a file system without locks
        pass
    return file
