"""The contract between the warehouse and an importer: bytes in, typed raw tables out.

An importer lives in its own folder and registers one `Importer` under the entry-point group
`trace_warehouse.importers`. It has three parts:

- `sniff` looks at the first bytes of a file and says how sure it is that the file is its own;
- `read` streams the file into raw tables, Parquet files in a scratch folder, deriving nothing;
- SQL scripts give the meaning. `prepare` scripts run in the scratch database without any lock on
  the warehouse and leave more scratch tables; `normalize` scripts run inside the transaction and
  insert into the core tables.

Where several files together are one trace, `captures` says which (`Captures.find`, by their names
alone) and reads them (`Captures.read`); all else is the same.

`prepare` scripts see the current database as `scratch`; between them the nesting pass runs
wherever `NESTING` stands, from the table `entry` to the table `nest` (see nesting.py).
`normalize` scripts see `scratch.…` beside the core tables, and these DuckDB variables:
`trace_id`, `first_id` (= trace_id << 32, to which an ordinal is added to make an id) and
`metadata_json`. For the record of the import the scratch database must hold in the end:

- `event`: one row a record, or node of a graph, read;
- `origin (first_ns, last_ns)`: the file's times of ts = 0 and of the end of the timeline;
- `unused (reason, n)`: records that made nothing, counted;
- `problem (kind, severity, count, meaning)`: what is odd about the content.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, Protocol, runtime_checkable

if TYPE_CHECKING:
    import duckdb

#: Stands in `Importer.prepare` where the nesting pass is to run.
NESTING: Final = "nesting"
ENTRY_POINT_GROUP = "trace_warehouse.importers"
_COPY_BYTES = 1 << 20
SNIFF_BYTES = 64 << 10  # how much of a file's beginning `sniff` gets to see


class ByteReader(Protocol):
    """A stream of decompressed bytes: `read(n)` gives at most n, b'' at the end."""

    def read(self, size: int, /) -> bytes: ...


@runtime_checkable
class FileReader(ByteReader, Protocol):
    """A stream whose content may lie in a file as it is."""

    def file(self) -> Path | None:
        """That file, of which all counts as read; None where there is none."""
        ...


@dataclass(frozen=True)
class Part:
    """A file of a capture: its name below the capture's folder, with `/`, and its role there."""

    name: str
    role: str  # a word for source_file.role


@dataclass(frozen=True)
class Capture:
    """Files that together are one trace; their names are relative to `folder`."""

    folder: str  # relative to where the names came from; "" for that place itself
    parts: tuple[Part, ...]


class Parts(Protocol):
    """The files of one capture, to be read in any order."""

    @property
    def parts(self) -> Sequence[Part]:
        """All of them, in the order `Captures.find` gave them."""
        ...

    @property
    def folder_name(self) -> str:
        """The name of the folder they are in, without what is above it."""
        ...

    def read(self, name: str) -> bytes:
        """All of a file's content, decompressed; raises TraceError when it cannot be read."""
        ...

    def open(self, name: str) -> AbstractContextManager[ByteReader]:
        """The same as a stream, for files that may be large."""
        ...


@dataclass(frozen=True)
class Problem:
    """One kind of defect in a source: how often, where first, an example, and what was done."""

    kind: str  # a short snake_case name, the same for every file
    meaning: str  # one clause for the user: what was wrong and what was done
    count: int
    offset: int | None = None  # of the first, in bytes of the decompressed source
    example: str = ""


@dataclass
class TraceFacts:
    """What a source says about itself; everything the file does not say stays None."""

    format: str  # the value of trace.format
    format_version: str | None = None
    metadata_json: str | None = None  # the document without its events, verbatim
    rank: int | None = None
    world_size: int | None = None
    job_id: str | None = None  # equal in all files of one job, unique to the job
    backend: str | None = None  # of the communication library: nccl, gloo, ...
    host_name: str | None = None
    pid: int | None = None  # of the process that recorded it; told by graphs, to find its timeline
    source_base_ns: int = 0  # what the file's times are relative to, nanoseconds since the epoch
    ts_style: str | None = None  # how the file prints its times: fixed3, shortest_float, shortest
    dur_style: str | None = None
    problems: list[Problem] = field(default_factory=list)


@dataclass
class Scratch:
    """Where one source is decoded: a folder for Parquet files and a database `scratch` in it."""

    folder: Path
    connection: duckdb.DuckDBPyConnection
    is_strict: bool = False  # refuse what would otherwise be repaired
    is_lenient: bool = False  # keep what is whole of what would otherwise be refused
    options: Mapping[str, str] = field(default_factory=dict)  # those of Importer.options, as given
    stays_open: bool = False  # the commit has this connection, so it sees what is registered on it

    def path(self, table: str) -> str:
        """The Parquet file of a scratch table."""
        return str(self.folder / f"{table}.parquet")

    def file_of(self, reader: ByteReader) -> Path:
        """The content as a file, for formats that are not read from front to back.

        Where it is stored as it is, that file; else a copy in the scratch folder.
        """
        path = reader.file() if isinstance(reader, FileReader) else None
        if path is None:
            path = self.folder / "source"
            with path.open("wb") as copy:
                while block := reader.read(_COPY_BYTES):
                    copy.write(block)
        return path


@dataclass(frozen=True)
class Captures:
    """How an importer knows and reads traces that are made of several files.

    `find` gets the names of all files below a folder, or in an archive, relative to it and with
    `/`, and returns the captures among them; it must not depend on what else lies there. `read`
    is what `Importer.read` is for single files.
    """

    find: Callable[[Sequence[str]], Iterable[Capture]]
    read: Callable[[Parts, Scratch], TraceFacts]


@dataclass(frozen=True)
class Importer:
    """One backend's way from bytes to core tables."""

    name: str
    title: str  # one line for `tw formats NAME`
    version: int  # stored with each trace; raise it when the same file would import differently
    sniff: Callable[[bytes, str], int]  # (first bytes, file name) -> 0 not mine .. 100 certainly
    read: Callable[[ByteReader, Scratch], TraceFacts]
    prepare: Sequence[Traversable | Literal["nesting"]] = ()
    normalize: Sequence[Traversable] = ()
    kind: Literal["timeline", "graph"] = "timeline"  # a graph has nothing on a timeline
    captures: Captures | None = None
    options: Mapping[str, str] = field(default_factory=dict)  # `--option NAME=...` -> what it does
