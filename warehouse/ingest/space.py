"""Refuses, before they are read, sources that the disk beside the warehouse cannot hold.

What an import takes on disk grows with the content: scratch tables, rows that leave memory, and the
rows of the warehouse. Importers state the least that was measured (`Importer.disk_use`), so that no
import is refused that has room. Small files are never refused. A disk that is full all the same is
one sentence, too, and leaves no scratch.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from warehouse.errors import TraceError, TwError
from warehouse.ingest import formats
from warehouse.ingest.importer import DiskUse
from warehouse.ingest.sources import Source
from warehouse.ingest.streams import GZIP_MAGIC, TraceStream
from warehouse.ingest.together import Job

WORTH_ESTIMATING = 4 << 20  # stored bytes
_SAMPLE_BYTES = 4 << 20  # of the content, to estimate its expansion and share of white space
_WHITE_SPACE = b" \t\r\n"
_LENGTH_BYTES = 4  # at the end of a gzip file: the length of its content, modulo 2^32


def refusals(jobs: Sequence[Job], folder: Path) -> Iterator[TraceError | None]:
    """Yields for each job why it cannot be imported after those before it, or None.

    Scratch tables are deleted with each source, rows of the warehouse stay.
    """
    stays = 0.0
    for job in jobs:
        use = formats.by_name(job.importer).disk_use
        if use is None or job.n_bytes < WORTH_ESTIMATING:
            yield None
            continue
        content = Content.of(job.source)
        needed, free = content.at_peak(use), shutil.disk_usage(folder).free - stays
        if needed > free:
            yield _refusal(job.source, needed, max(0.0, free), folder)
        else:
            stays += content.n_dense * use.stored
            yield None


def _refusal(source: Source, needed: float, free: float, folder: Path) -> TraceError:
    return TraceError(
        f"importing {source.label} takes at least {needed / 1e6:,.0f} MB of disk space beside the "
        f"warehouse, in {folder.parent.parent}, which has {free / 1e6:,.0f} MB free",
        hint="Free space, or name a warehouse on a larger disk with --db.",
    )


@dataclass(frozen=True)
class Content:
    """The estimated size of decompressed content."""

    n_stored: int
    n_bytes: int
    n_dense: float  # bytes that are not white space

    @classmethod
    def of(cls, source: Source) -> Content:
        """Estimates by the first bytes of each file, and by its gzip trailer."""
        files = [_of_file(file) for file in source.files]
        return cls(
            sum(each.n_stored for each in files),
            sum(each.n_bytes for each in files),
            sum(each.n_dense for each in files),
        )

    def at_peak(self, use: DiskUse) -> float:
        """The bytes that an import takes at its peak."""
        copied = self.n_bytes if use.copies_compressed and self.n_bytes > self.n_stored else 0
        return self.n_dense * use.peak + copied


def _of_file(source: Source) -> Content:
    n_stored = source.size()
    try:
        with source.open() as stored:
            stream = TraceStream(stored, source.label)
            sample = _first_bytes(stream)
            n_bytes = len(sample) * n_stored // max(1, stream.n_stored_bytes)
            stored.seek(0)
            # In an archive, seeking to the end would decompress all of it.
            if stored.read(len(GZIP_MAGIC)) == GZIP_MAGIC and not source.members:
                stored.seek(-_LENGTH_BYTES, os.SEEK_END)
                n_bytes = _exact(n_bytes, int.from_bytes(stored.read(_LENGTH_BYTES), "little"))
    except TwError:  # which reading it reports
        return Content(n_stored, n_stored, 0)
    share = len(sample.translate(None, _WHITE_SPACE)) / max(1, len(sample))
    return Content(n_stored, n_bytes, n_bytes * share)


def _first_bytes(stream: TraceStream) -> bytes:
    blocks, missing = [], _SAMPLE_BYTES
    while missing and (block := stream.read(missing)):
        blocks.append(block)
        missing -= len(block)
    return b"".join(blocks)


def _exact(estimate: int, remainder: int) -> int:
    """The size nearest to the estimate that leaves the remainder; at most twice the estimate.

    Where a file has several gzip members the remainder is the last one's: it is then too small, if
    anything.
    """
    modulus = 1 << 8 * _LENGTH_BYTES
    n_turns = max(0, round((estimate - remainder) / modulus))
    return min(remainder + n_turns * modulus, 2 * estimate)
