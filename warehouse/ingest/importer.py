"""The contract between the warehouse and an importer: bytes in, rows of core tables out.

An importer registers a `FileImporter` or a `CaptureImporter` under the entry-point group
`trace_warehouse.importers`. It has three parts:

- `sniff` (files) or `Captures.find` (captures) recognises what it can read;
- `read` streams the content into raw tables, Parquet files in a scratch folder, deriving nothing;
- SQL scripts give the rows their meaning. `prepare` scripts run in the scratch database without any
  lock on the warehouse and leave more scratch tables; `normalize` scripts run inside the
  transaction and insert into the core tables.

`prepare` scripts see the current database as `scratch`; the nesting pass runs between them where
`NESTING` is listed, from the table `entry` to the table `nest` (see nesting.py), as may functions
of the scratch connection that compute what SQL cannot express. `normalize`
scripts see `scratch.…` beside the core tables, and these DuckDB variables: `trace_id`, `first_id`
(= trace_id << 32, to which an ordinal is added to form an id) and `metadata_json`.

After `prepare` the scratch database must hold:

- `event`: one row for each record, or node of a graph;
- `origin (first_ns, last_ns)`: the times of ts = 0 and of the end of the timeline in the source;
- `unused (reason, n)`: records that became no row, counted;
- `problem (kind, severity, count, meaning)`: defects of the content, read as `Problem` is.

Every record must be stored, merged or unused; the commit checks this (see conservation.py). Where
records and rows are not one to one, these tables are needed as well:

- `record_count (source, n)`: number of records, where `event` does not have one row for each;
- `merged (reason, n)`: records that became part of the row of another record;
- `derived (table_name, n)`: rows of `Importer.record_tables` beyond one for each record.
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
#: A step of `Importer.prepare` in Python, on the connection of the scratch database.
PreparePass = Callable[["duckdb.DuckDBPyConnection"], None]
ENTRY_POINT_GROUP = "trace_warehouse.importers"
_COPY_BYTES = 1 << 20
SNIFF_BYTES = 64 << 10  # length of the head that `sniff` and `Listing.head` see
Severity = Literal["note", "warning", "error"]
#: Core tables with one row for each stored record, unless an importer declares others.
RECORD_TABLES: Final = (
    "slice", "counter", "flow_point", "graph_node", "memory_segment", "memory_block",
)  # fmt: skip


class ByteReader(Protocol):
    """A stream of decompressed bytes: `read(n)` gives at most n, b'' at the end."""

    def read(self, size: int, /) -> bytes: ...


@runtime_checkable
class FileReader(ByteReader, Protocol):
    """A stream whose content may be stored uncompressed in a file."""

    def file(self) -> Path | None:
        """The uncompressed file, which then counts as read completely; None if there is none."""
        ...


@dataclass(frozen=True)
class Part:
    """A file of a capture: its name relative to the capture's folder, with `/`, and its role there.

    A name that begins with `../` is that of a file beside the folder.
    """

    name: str
    role: str  # a word for source_file.role
    is_shared: bool = False  # the file may be part of further captures


@dataclass(frozen=True)
class Job:
    """What the layout of the folders says about a capture of one job; files may say it, too."""

    id: str  # equal for all captures of the job, unique to the job
    member: str = ""  # name of the capture in the job, such as host0/1
    rank: int | None = None
    world_size: int | None = None


@dataclass(frozen=True)
class Capture:
    """Files that form one trace; their names are relative to `folder`."""

    folder: str  # relative to the searched folder or archive; "" for that itself
    parts: tuple[Part, ...]
    job: Job | None = None
    ignored: tuple[str, ...] = ()  # files that belong to the capture, but are not read


class Listing(Protocol):
    """The files below a folder, or in an archive, among which captures are searched."""

    @property
    def names(self) -> Sequence[str]:
        """Names relative to the folder or archive, with `/`."""
        ...

    def head(self, name: str) -> bytes:
        """The first 64 KiB of a file, decompressed; b'' if it cannot be read."""
        ...


class Parts(Protocol):
    """The files of one capture, readable in any order."""

    @property
    def parts(self) -> Sequence[Part]:
        """All files, in the order returned by `Captures.find`."""
        ...

    @property
    def folder_name(self) -> str:
        """The name of their folder, without its parents."""
        ...

    @property
    def job(self) -> Job | None:
        """The job of the capture, if `Captures.find` returned one."""
        ...

    def read(self, name: str) -> bytes:
        """All of a file's content, decompressed; raises TraceError when it cannot be read."""
        ...

    def open(self, name: str) -> AbstractContextManager[ByteReader]:
        """The same as a stream, for files that may be large."""
        ...


@dataclass(frozen=True)
class Problem:
    """One kind of defect in a source: a row of import_problem.

    "error": content was lost; "warning": content was repaired or may be wrong; "note": unusual but
    valid. A row of the scratch table `problem` becomes one as well.
    """

    kind: str  # a short snake_case name, the same for every file
    meaning: str  # one clause for the user: what is wrong and what was done
    count: int
    offset: int | None = None  # of the first, in bytes of the decompressed source
    example: str | None = ""
    severity: Severity = "warning"


@dataclass
class TraceFacts:
    """What a source declares about itself; None where it declares nothing."""

    format: str  # the value of trace.format
    format_version: str | None = None
    metadata_json: str | None = None  # the document without its events, verbatim
    rank: int | None = None
    world_size: int | None = None
    job_id: str | None = None  # equal in all files of one job, unique to the job
    backend: str | None = None  # of the communication library: nccl, gloo, ...
    host_name: str | None = None
    pid: int | None = None  # of the recording process; given by graphs, to find their timeline
    source_base_ns: int = 0  # what the file's times are relative to, nanoseconds since the epoch
    ts_style: str | None = None  # how the file prints its times: fixed3, shortest_float, shortest
    dur_style: str | None = None
    problems: list[Problem] = field(default_factory=list)
    summary: str | None = None  # one clause on what was found, for the user
    #: Further rows of import_stat: (name, detail, value, unit).
    stats: list[tuple[str, str | None, float, str]] = field(default_factory=list)


@dataclass
class Scratch:
    """Where a source is decoded: a folder for Parquet files with the database `scratch` in it."""

    folder: Path
    connection: duckdb.DuckDBPyConnection
    is_strict: bool = False  # refuse content that would otherwise be repaired
    is_lenient: bool = False  # import the intact parts of content that is refused
    options: Mapping[str, str] = field(default_factory=dict)  # those of Importer.options, as text
    stays_open: bool = False  # the commit uses this connection, with the objects registered on it

    def path(self, table: str) -> str:
        """The Parquet file of a scratch table."""
        return str(self.folder / f"{table}.parquet")

    def file_of(self, reader: ByteReader) -> Path:
        """The content as a file, for formats that are not read from front to back.

        The file itself if it is stored uncompressed, else a copy in the scratch folder.
        """
        path = reader.file() if isinstance(reader, FileReader) else None
        if path is None:
            path = self.folder / "source"
            with path.open("wb") as copy:
                while block := reader.read(_COPY_BYTES):
                    copy.write(block)
        return path


class NotTogether(Exception):
    """A source, or what it holds, has to be imported on its own."""


class Together(Protocol):
    """Reads several small sources into the same scratch tables: each becomes a trace.

    Traces count from 0 (trace_n). Scratch tables have, in place of ordinals of one trace, those of
    trace n from n << 32 on (`seq` of `event`, for one); `origin`, `unused`, `problem`, `merged` and
    `derived` have a column `trace_n`. The variables `trace_id` and `first_id` are those of the
    first trace, and the ids of the others follow.
    """

    def add(self, reader: ByteReader, /) -> TraceFacts:
        """Reads the next source; where it raises, it adds nothing. Raises NotTogether for a source
        that is too large, or has no records. `finish` may complete what does not name the trace."""
        ...

    def finish(self) -> None:
        """Creates the scratch tables, after the last source."""
        ...


@dataclass(frozen=True)
class Captures:
    """How an importer finds and reads traces that consist of several files.

    `find` returns the captures among the files of a folder or archive. It should go by names and
    read heads only where names do not suffice. `read` gets the files of one capture.
    """

    find: Callable[[Listing], Iterable[Capture]]
    read: Callable[[Parts, Scratch], TraceFacts]
    #: Whether an archive of this name, with these members (None: it cannot be read), is a file of a
    #: capture itself. All others are opened, and their members take their place.
    keeps_archive: Callable[[str, Sequence[str] | None], bool] | None = None
    #: Globs below the folder of a single file that the user names: where its capture is searched.
    beside: Sequence[str] = ("*",)


@dataclass(frozen=True)
class InParts:
    """A `normalize` script that inserts the rows of a large scratch table part by part.

    It runs once for each part; the variables `first_row` and `last_row` are its rowids. A part is
    sorted in memory, where sorting all rows at once would write most of them to disk. Parts have
    `n_rows` rows, by default `commit.PART_ROWS`; the last one has all rows that follow. Neighbours
    on the same table run part by part, one after the other.
    """

    script: Traversable
    table: str
    n_rows: int | None = None


@dataclass(frozen=True)
class DiskUse:
    """What importing large files takes on disk, to refuse what has no room: the least measured.

    Bytes for each byte of content that is not white space; 0 where nothing was measured.
    """

    peak: float  # scratch tables, and the rows of the warehouse beside them
    stored: float  # what stays in the warehouse
    copies_compressed: bool = False  # compressed files are copied to scratch (`Scratch.file_of`)


@dataclass(frozen=True, kw_only=True)
class Importer:
    """Common fields of importers; an importer is a `FileImporter` or a `CaptureImporter`.

    `tables` are scripts with the DDL of the importer's own detail tables (see detail_tables.py).
    """

    name: str
    title: str  # one line for `tw formats NAME`
    version: int  # stored with each trace; raise it when the same file would import differently
    prepare: Sequence[Traversable | Literal["nesting"] | PreparePass] = ()
    normalize: Sequence[Traversable | InParts] = ()
    kind: Literal["timeline", "graph"] = "timeline"  # a graph has nothing on a timeline
    captures: Captures | None = None
    options: Mapping[str, str] = field(default_factory=dict)  # `--option NAME=...` -> description
    record_tables: Sequence[str] = RECORD_TABLES
    tables: Sequence[Traversable] = ()
    rank_pattern: str | None = None  # of file names <run><match>, where group 1 is the rank
    generic_stems: tuple[str, ...] = ()  # file stems, in lower case, that do not identify a run
    #: A folder beside traces with recordings of how the graphs were captured that they replay.
    capture_folder: str | None = None
    disk_use: DiskUse | None = None  # None: no import is refused for lack of space


@dataclass(frozen=True, kw_only=True)
class FileImporter(Importer):
    """Imports single files, and captures where `captures` is given."""

    sniff: Callable[[bytes, str], int]  # (first bytes, file name) -> certainty, 0 to 100
    read: Callable[[ByteReader, Scratch], TraceFacts]
    #: Reads several small files at once, which is faster; returns None where it cannot be done.
    read_together: Callable[[Scratch], Together | None] | None = None


@dataclass(frozen=True, kw_only=True)
class CaptureImporter(Importer):
    """Imports captures only: a single file of one has no meaning by itself."""

    captures: Captures


AnyImporter = FileImporter | CaptureImporter
