"""The part of an import that needs no warehouse: decodes one source into a scratch folder.

Runs in the importing process for one file and in worker processes for several. All results are in
the folder, from which the committing process takes them.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

import duckdb

from warehouse import arrow
from warehouse.errors import CorruptTrace, TraceError, UnknownFormat
from warehouse.ingest import conservation, damage, formats, nesting
from warehouse.ingest.conservation import Account
from warehouse.ingest.importer import (
    NESTING,
    AnyImporter,
    ByteReader,
    CaptureImporter,
    Importer,
    Job,
    Part,
    Problem,
    Scratch,
    TraceFacts,
)
from warehouse.ingest.sources import Source
from warehouse.ingest.streams import MAX_CONTENT_BYTES, TraceStream
from warehouse.ingest.text import is_text, utf8
from warehouse.store import database, statements

_LATEST_BASE_NS = 4 * 10**18  # the year 2096; leaves room for times relative to it
_READ_BYTES = 64 << 20  # of a file of a capture at once; most are smaller
#: Up to this size of content optimizing statements takes longer than it saves. Without it, small
#: files take up to a third less, but a trace of 0.9 M events took 127 instead of 8 CPU s.
_SMALL_BYTES = 512 << 10


@dataclass(frozen=True)
class Settings:
    """How to decode: the same for all sources of one import."""

    memory_limit: str = "700MB"
    threads: int = 2
    is_strict: bool = False
    max_bytes: int = MAX_CONTENT_BYTES
    is_lenient: bool = False
    options: tuple[tuple[str, str], ...] = ()  # of importers: name and value


@dataclass(frozen=True)
class SourceFile:
    """A file a source was read from: what becomes a row of source_file."""

    source: Source
    role: str
    sha256: str
    n_stored_bytes: int
    n_content_bytes: int


@dataclass
class DecodedSource:
    """A source in its scratch folder, ready to commit."""

    source: Source
    folder: Path
    importer_name: str
    files: tuple[SourceFile, ...]
    facts: TraceFacts
    account: Account
    damage: str | None = None  # what could not be read
    seconds: dict[str, float] = field(default_factory=dict)
    cpu_seconds: dict[str, float] = field(default_factory=dict)  # of all threads of the process
    #: The scratch database, where this process has it open still; whoever commits closes it.
    connection: duckdb.DuckDBPyConnection | None = field(default=None, repr=False, compare=False)

    def opened(self, settings: Settings) -> duckdb.DuckDBPyConnection:
        """The scratch database, opened if need be; the caller closes it."""
        connection, self.connection = self.connection, None
        return connection or scratch_connection(self.folder, settings)

    def widen(self, settings: Settings) -> None:
        """Raises the threads and memory of an open scratch database to those of a single one."""
        if self.connection is not None:
            self.connection.execute(
                f"SET threads = {settings.threads}; SET memory_limit = '{settings.memory_limit}'"
            )

    def close(self) -> None:
        """Closes the scratch database where nobody has come to take it."""
        if self.connection is not None:
            self.connection.close()
            self.connection = None

    @property
    def n_stored_bytes(self) -> int:
        return sum(file.n_stored_bytes for file in self.files)

    @property
    def n_content_bytes(self) -> int:
        return sum(file.n_content_bytes for file in self.files)


def scratch_connection(folder: Path, settings: Settings) -> duckdb.DuckDBPyConnection:
    """The scratch database of a folder as the current database `scratch`.

    It waits for no disk, as nobody reads it after a crash of the system. A warehouse that is
    attached for writing is synchronized, see `database.attach_for_writing`. The database keeps
    no cache of Parquet files, which would leave less memory for rows: the system has one.
    """
    connection = duckdb.connect(
        str(folder / "scratch.duckdb"),
        config={
            "memory_limit": settings.memory_limit,
            "threads": settings.threads,
            "temp_directory": str(folder / "spill"),
            "fsync_mode": "NONE",
            "enable_external_file_cache": False,
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
            "python_enable_replacements": False,
            **database.NO_WRONG_STATISTICS,
            **database.ASOF_BY_SORTING,
        },
    )
    connection.execute("SET enable_progress_bar = false")  # interactive Python draws it on stdout
    return connection


def discard(connection: duckdb.DuckDBPyConnection) -> None:
    """Closes a scratch database that will be deleted, without writing its last tables."""
    with suppress(duckdb.Error):  # of a database that failed on a full disk
        connection.execute("PRAGMA disable_checkpoint_on_shutdown")
    connection.close()


def decode(
    source: Source,
    sha256: Sequence[str],
    importer_name: str,
    folder: Path,
    settings: Settings,
    on_progress: Callable[[int], None] | None = None,
    *,
    keep_open: bool = False,
) -> DecodedSource:
    """Reads, types and nests one source in `folder`; on failure the folder is gone again.

    `sha256` is that of each of its files (`Source.files`). With `keep_open` the scratch database
    stays open for the commit, which this process then does: closing and opening it takes as long as
    decoding a small file.
    """
    arrow.leave_pandas_unloaded()
    importer = formats.by_name(importer_name)
    folder.mkdir(parents=True)
    try:
        connection = scratch_connection(folder, settings)
        try:
            options = {name: text for name, text in settings.options if name in importer.options}
            scratch = Scratch(
                folder, connection, settings.is_strict, settings.is_lenient, options, keep_open
            )
            decoded = _decode(source, sha256, importer, scratch, settings, on_progress)
        except BaseException:
            connection.close()
            raise
        if keep_open:
            decoded.connection = connection
        else:
            connection.close()
        return decoded
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _decode(
    source: Source,
    sha256: Sequence[str],
    importer: AnyImporter,
    scratch: Scratch,
    settings: Settings,
    on_progress: Callable[[int], None] | None,
) -> DecodedSource:
    started, cpu_started = time.perf_counter(), time.process_time()
    if source.parts:
        assert importer.captures is not None
        parts = _OpenParts(source, settings, on_progress)
        read = importer.captures.read
        facts = _named(source, lambda: read(parts, scratch))
        streams = [parts.streams.get(part.name) for part in source.parts]
    elif isinstance(importer, CaptureImporter):
        raise _not_a_capture(source)
    else:
        with source.open() as stored:
            stream = _stream(stored, source.label, settings, on_progress)
            stream.path = None if source.members else source.path
            text = utf8(stream)
            facts = _named(source, lambda: importer.read(text, scratch))
        streams = [stream]
    lost = _complete(facts, streams)
    if source.job is not None:
        _add_job(facts, source.job)
    was_read, cpu_was_read = time.perf_counter(), time.process_time()
    files = _files(source, importer.name, sha256, streams)
    is_small = sum(file.n_content_bytes for file in files) <= _SMALL_BYTES
    with _unoptimized(scratch.connection) if is_small else nullcontext():
        prepare(importer, scratch, facts)
    account = conservation.account(scratch.connection)
    return DecodedSource(
        source=source,
        folder=scratch.folder,
        importer_name=importer.name,
        files=files,
        facts=facts,
        account=account,
        damage=lost,
        seconds={"read": was_read - started, "prepare": time.perf_counter() - was_read},
        cpu_seconds={
            "read": cpu_was_read - cpu_started,
            "prepare": time.process_time() - cpu_was_read,
        },
    )


@contextmanager
def _unoptimized(connection: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """Runs statements as they are written."""
    connection.execute("PRAGMA disable_optimizer")
    try:
        yield
    finally:
        connection.execute("PRAGMA enable_optimizer")


def _add_job(facts: TraceFacts, job: Job) -> None:
    """Adds what the layout of the folders says to what the files say."""
    facts.job_id = facts.job_id or job.id
    facts.rank = job.rank if facts.rank is None else facts.rank
    facts.world_size = facts.world_size or job.world_size


def read_beside(
    source: Source,
    sha256: Sequence[str],
    importer_name: str,
    folder: Path,
    read: Callable[[ByteReader], TraceFacts],
    settings: Settings,
    on_progress: Callable[[int], None] | None,
) -> DecodedSource:
    """Reads one file with `read`; it gets its account when all beside it are read."""
    with source.open() as stored:
        stream = _stream(stored, source.label, settings, on_progress)
        text = utf8(stream)
        facts = _named(source, lambda: read(text))
    lost = _complete(facts, [stream])
    files = _files(source, importer_name, sha256, [stream])
    return DecodedSource(source, folder, importer_name, files, facts, Account.none(), lost)


def _complete(facts: TraceFacts, streams: Sequence[TraceStream | None]) -> str | None:
    """Adds the problems of the files to facts, and checks them; returns what could not be read."""
    facts.problems = [
        *(problem for stream in streams if stream for problem in stream.problems), *facts.problems
    ]  # fmt: skip
    _check_base(facts)
    return damage.describe(facts.problems)


def _check_base(facts: TraceFacts) -> None:
    """Sets a base that would make absolute times exceed 64 bits to 0, and reports it."""
    if abs(facts.source_base_ns) > _LATEST_BASE_NS:
        meaning = f"base time {facts.source_base_ns} is out of range; 0 is used"
        facts.problems.append(Problem("base_out_of_range", meaning, 1))
        facts.source_base_ns = 0


def _stream(
    stored: IO[bytes],
    label: str,
    settings: Settings,
    on_progress: Callable[[int], None] | None,
) -> TraceStream:
    return TraceStream(stored, label, settings.max_bytes, settings.is_strict, on_progress)


class _OpenParts:
    """The files of a capture as an importer sees them."""

    def __init__(
        self, source: Source, settings: Settings, on_progress: Callable[[int], None] | None
    ) -> None:
        self.parts = [Part(part.name, part.role) for part in source.parts]
        self.folder_name, self.job = source.file_name, source.job
        self.streams: dict[str, TraceStream] = {}
        self._sources = dict(zip((p.name for p in source.parts), source.files, strict=True))
        self._settings, self._on_progress = settings, on_progress

    def read(self, name: str) -> bytes:
        with self.open(name) as stream:
            blocks = []
            while block := stream.read(_READ_BYTES):
                blocks.append(block)
        return blocks[0] if len(blocks) == 1 else b"".join(blocks)

    @contextmanager
    def open(self, name: str) -> Iterator[ByteReader]:
        source = self._sources[name]
        with source.open() as stored:
            stream = _stream(stored, source.label, self._settings, self._on_progress)
            self.streams[name] = stream
            yield utf8(stream) if is_text(name) else stream


def _files(
    source: Source,
    importer_name: str,
    sha256: Sequence[str],
    streams: Sequence[TraceStream | None],
) -> tuple[SourceFile, ...]:
    role = "capture" if formats.is_capture(source, importer_name) else "trace"
    roles = [part.role for part in source.parts] or [role]
    rows = zip(source.files, roles, sha256, streams, strict=True)
    return tuple(
        SourceFile(
            file,
            role,
            sha,
            stream.n_stored_bytes if stream else file.size(),
            stream.n_content_bytes if stream else file.size(),
        )
        for file, role, sha, stream in rows
    )


def prepare(importer: Importer, scratch: Scratch, facts: TraceFacts) -> None:
    """Runs the `prepare` scripts and nesting passes; adds the problems they find to `facts`."""
    set_variable(scratch.connection, "metadata_json", facts.metadata_json or "{}")
    run_scripts(importer, scratch)
    rows = scratch.connection.execute(
        "SELECT kind, meaning, count, NULL, NULL, severity FROM problem WHERE count > 0"
    ).fetchall()
    facts.problems += [Problem(*row) for row in rows]


def run_scripts(importer: Importer, scratch: Scratch) -> None:
    """Runs the `prepare` scripts and nesting passes."""
    for script in importer.prepare:
        if script == NESTING:
            nesting.nest(scratch.connection)
        elif callable(script):
            script(scratch.connection)
        else:
            assert not isinstance(script, str)
            statements.execute(scratch.connection, script.read_text())


def _not_a_capture(source: Source) -> TraceError:
    return TraceError(
        f"{source.label} is one file of a capture, not a trace by itself",
        hint="Name the folder it belongs to.",
    )


def set_variable(connection: duckdb.DuckDBPyConnection, name: str, value: str | int | None) -> None:
    """Sets a variable the SQL scripts read; `name` is ours, the value may hold anything."""
    connection.execute(f"SET VARIABLE {name} = ?", [value])


def _named(source: Source, read: Callable[[], TraceFacts]) -> TraceFacts:
    """Runs a reader; adds the name of the file to its errors."""
    try:
        return read()
    except CorruptTrace as error:
        raise CorruptTrace(
            _with_label(source, error.message), hint=error.hint, offset=error.offset
        ) from None
    except UnknownFormat as error:
        raise type(error)(_with_label(source, error.message), hint=error.hint) from None


def _with_label(source: Source, message: str) -> str:
    return message if source.label in message else f"{source.label}: {message}"


def available_cores() -> int:
    """Cores this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
