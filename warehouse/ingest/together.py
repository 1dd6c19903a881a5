"""Decodes several small sources into one scratch folder, by the same statements for all of them.

A small trace costs as much as its statements take to plan. Sources that are imported together share
them, and their transaction (`warehouse.ingest.commit_together`). A source that cannot be read fails
alone; for any other failure the group is split, down to single sources, whose error is final.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from warehouse.errors import TraceError, TwError
from warehouse.ingest import conservation, decode, failures, formats
from warehouse.ingest.decode import DecodedSource, Settings
from warehouse.ingest.hashing import SourceSha256
from warehouse.ingest.importer import FileImporter, NotTogether, Problem, Scratch, Together
from warehouse.ingest.sources import Source
from warehouse.ingest.streams import GZIP_MAGIC

if TYPE_CHECKING:
    import duckdb

#: Limits of a group: the transaction of one holds the warehouse for a second or two.
MAX_SOURCES = 64
MIN_SOURCES = 8  # where there are enough: smaller groups only so that all workers have some
MAX_SOURCE_BYTES = 8 << 20  # of content
MAX_BYTES = 64 << 20
MIN_BYTES = 8 << 20  # where there is enough, as MIN_SOURCES
_RATIO = 8  # of content to stored bytes, about, where traces are compressed


@dataclass(frozen=True)
class Job:
    """A source to import, with its scratch folder."""

    source: Source
    importer: str
    sha256: Sequence[str]  # of each of its files
    folder: Path
    n_bytes: int  # stored
    stamps: tuple[tuple[int, ...], ...] = ()  # when its SHA-256 was computed
    is_stored: bool = False  # in the warehouse: only to be read strictly

    def close(self) -> None:
        """Ends the thread that computes the SHA-256, if there is one."""
        if isinstance(self.sha256, SourceSha256):
            self.sha256.close()


Unit = tuple[Job, ...]  # jobs that are decoded and committed together


@dataclass
class DecodedTogether:
    """Sources in one scratch folder, ready to commit; those that failed have their error."""

    unit: Unit
    results: list[DecodedSource | TwError]
    folder: Path
    connection: duckdb.DuckDBPyConnection | None = field(default=None, repr=False, compare=False)

    @property
    def decoded(self) -> list[DecodedSource]:
        """The sources that did not fail; trace n of the scratch tables is the nth."""
        return [each for each in self.results if isinstance(each, DecodedSource)]

    def opened(self, settings: Settings) -> duckdb.DuckDBPyConnection:
        """The scratch database, opened if need be; the caller closes it."""
        connection, self.connection = self.connection, None
        return connection or decode.scratch_connection(self.folder, settings)

    def close(self) -> None:
        """Closes the scratch database where nobody has come to take it."""
        if self.connection is not None:
            decode.discard(self.connection)
            self.connection = None


def units(jobs: Sequence[Job], n_workers: int) -> list[Unit]:
    """Divides jobs, in their order, into units: while one is committed, others are decoded."""
    found: list[Unit] = []
    n_bytes = 0  # of the content of the last unit
    sizes = [_content_bytes(job) for job in jobs]
    most = min(MAX_SOURCES, max(MIN_SOURCES, len(jobs) // (2 * n_workers)))
    most_bytes = min(MAX_BYTES, max(MIN_BYTES, sum(sizes) // (2 * n_workers)))
    for job, size in zip(jobs, sizes, strict=True):
        joins = _is_groupable(job, size)
        last = found[-1] if found else ()
        if (
            joins
            and 0 < len(last) < most
            and job.importer == last[0].importer
            and n_bytes + size <= most_bytes
        ):
            found[-1] = (*last, job)
            n_bytes += size
        else:
            found.append((job,))
            n_bytes = size if joins else MAX_BYTES + 1
    return found


def _is_groupable(job: Job, n_bytes: int) -> bool:
    importer = formats.by_name(job.importer)
    return (
        isinstance(importer, FileImporter)
        and importer.read_together is not None
        and not job.source.parts
        and not job.is_stored
        and n_bytes < MAX_SOURCE_BYTES
    )


def _content_bytes(job: Job) -> int:
    """The size of the content, roughly: that of gzip, and of members of archives, is estimated."""
    if job.source.members:
        return job.n_bytes * _RATIO
    path = job.source.path
    if job.n_bytes >= MAX_SOURCE_BYTES or not path.is_file():
        return job.n_bytes
    with suppress(OSError), path.open("rb") as file:  # reading it later fails again
        is_compressed = file.read(len(GZIP_MAGIC)) == GZIP_MAGIC
        return job.n_bytes * (_RATIO if is_compressed else 1)
    return job.n_bytes


def halves(unit: Unit) -> tuple[Unit, Unit]:
    """Splits a unit of several jobs."""
    return unit[: len(unit) // 2], unit[len(unit) // 2 :]


def decode_together(
    unit: Unit, settings: Settings, on_progress: Callable[[int], None], *, keep_open: bool
) -> DecodedTogether | None:
    """Decodes the sources of a unit; None if it is to be split."""
    folder = unit[0].folder
    try:
        folder.mkdir(parents=True)
        connection = decode.scratch_connection(folder, settings)
        try:
            done = _decode(
                unit, Scratch(folder, connection, settings.is_strict), settings, on_progress
            )
        except BaseException:
            decode.discard(connection)
            raise
        if keep_open:
            done.connection = connection
        else:
            connection.close()
        return done
    except Exception as error:  # noqa: BLE001 - an importer may raise anything
        shutil.rmtree(folder, ignore_errors=True)
        failures.raise_interrupt(error)
        return None
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _decode(
    unit: Unit, scratch: Scratch, settings: Settings, on_progress: Callable[[int], None]
) -> DecodedTogether:
    importer = formats.by_name(unit[0].importer)
    assert isinstance(importer, FileImporter) and importer.read_together is not None
    started, cpu_started = time.perf_counter(), time.process_time()
    reader = importer.read_together(scratch)
    if reader is None:
        raise NotTogether
    results = [_read(job, reader, scratch.folder, settings, on_progress) for job in unit]
    done = DecodedTogether(unit, results, scratch.folder)
    if not done.decoded:
        return done
    reader.finish()
    was_read, cpu_was_read = time.perf_counter(), time.process_time()
    decode.set_variable(scratch.connection, "metadata_json", "{}")
    decode.run_scripts(importer, scratch)
    _account(done.decoded, scratch.connection)
    shares = len(done.decoded)
    for each in done.decoded:
        each.seconds = {
            "read": (was_read - started) / shares,
            "prepare": (time.perf_counter() - was_read) / shares,
        }
        each.cpu_seconds = {
            "read": (cpu_was_read - cpu_started) / shares,
            "prepare": (time.process_time() - cpu_was_read) / shares,
        }
    return done


def _read(
    job: Job,
    reader: Together,
    folder: Path,
    settings: Settings,
    on_progress: Callable[[int], None],
) -> DecodedSource | TwError:
    """Reads a source; returns the error of one that cannot be read."""
    try:
        decoded = decode.read_beside(
            job.source, job.sha256, job.importer, folder, reader.add, settings, on_progress
        )
    except TraceError as error:
        return error
    with suppress(FileNotFoundError):  # deleted after it was read
        if job.source.stamps() != job.stamps:
            raise NotTogether
    return decoded


def _account(decoded: Sequence[DecodedSource], connection: duckdb.DuckDBPyConnection) -> None:
    """Adds to each source its account, and the problems that the scripts found."""
    for each, account in zip(decoded, conservation.accounts(connection, len(decoded)), strict=True):
        each.account = account
    for trace_n, *problem in connection.execute(
        "SELECT trace_n, kind, meaning, count, NULL, NULL, severity FROM problem WHERE count > 0"
    ).fetchall():
        decoded[trace_n].facts.problems.append(Problem(*problem))
