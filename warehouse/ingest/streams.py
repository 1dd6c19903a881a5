"""Byte streams of trace files, plain or gzip: counted, and bounded in size.

Nothing is unpacked to disk. Decompression bombs are rejected. A stream that is truncated or corrupt
ends there and reports a problem; the data before it is used.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Protocol

from isal import isal_zlib

from warehouse.errors import CorruptTrace
from warehouse.ingest.importer import Problem

# Small steps: at a corrupt position, the output of the failing step is lost.
_COMPRESSED_CHUNK = 1 << 16
_EXPANDED_CHUNK = 1 << 17
GZIP_ERROR: type[Exception] = isal_zlib.error  # type: ignore[assignment]
GZIP_MAGIC = b"\x1f\x8b"
MAX_RATIO = 200  # text traces compress 10 to 30 times; a bomb a thousand times
MAX_CONTENT_BYTES = 64 << 30
RATIO_FREE_BYTES = 32 << 20  # small files are not limited


class Listener(Protocol):
    """Called with the number of stored bytes read since the last call."""

    def __call__(self, n_bytes: int, /) -> None: ...


@dataclass
class TraceStream:
    """Decompressed bytes of a file or member; `read(n)` returns at most n, b'' at the end.

    Raises CorruptTrace when the start is corrupt, the content is larger than `max_bytes`, or the
    compression ratio is that of a decompression bomb.
    """

    stored: IO[bytes]
    label: str
    max_bytes: int = MAX_CONTENT_BYTES
    is_strict: bool = False
    on_progress: Listener | None = None
    n_stored_bytes: int = 0
    n_content_bytes: int = 0
    problems: list[Problem] = field(default_factory=list)
    path: Path | None = None  # the file that `stored` contains completely
    _inflater: Any = None
    _waiting: bytes = b""
    _head: bytes = b""  # peeked at, and not read yet
    _started: bool = False
    _ended: bool = False

    def read(self, size: int, /) -> bytes:
        if not self._started:
            self._start()
        head, self._head = self._head[:size], self._head[size:]
        block = self._content(size - len(head))
        self.n_content_bytes += len(block)
        self._check_size()
        return head + block if head else block

    def peek(self, size: int) -> bytes:
        """The first bytes of the content; only before any other read."""
        if not self._started:
            self._start()
        self._head = self._content(size)
        self.n_content_bytes += len(self._head)
        return self._head

    def file(self) -> Path | None:
        """Returns the file if it is uncompressed, and counts it as read; else None."""
        if not self._started:
            self._start()
        if self.path is None or self._inflater is not None:
            return None
        n_bytes = self.path.stat().st_size
        if self.on_progress is not None:
            self.on_progress(n_bytes - self.n_stored_bytes)
        self.n_stored_bytes = self.n_content_bytes = n_bytes
        self._check_size()
        return self.path

    def _content(self, size: int) -> bytes:
        return self._inflate(size) if self._inflater is not None else self._plain(size)

    def _start(self) -> None:
        self._started = True
        self._waiting = self._stored(2)
        if self._waiting == GZIP_MAGIC:
            self._inflater = isal_zlib.decompressobj(31)

    def _stored(self, size: int) -> bytes:
        chunk = self.stored.read(size)
        self.n_stored_bytes += len(chunk)
        if self.on_progress is not None and chunk:
            self.on_progress(len(chunk))
        return chunk

    def _plain(self, size: int) -> bytes:
        head, self._waiting = self._waiting[:size], self._waiting[size:]
        return head + self._stored(size - len(head)) if len(head) < size else head

    def _inflate(self, size: int) -> bytes:
        parts: list[bytes] = []
        missing = size
        while missing > 0 and not self._ended:
            if not self._waiting:
                self._waiting = self._stored(_COMPRESSED_CHUNK)
            is_last = not self._waiting
            try:
                # Without further input it returns the buffered output.
                part = self._inflater.decompress(self._waiting, min(missing, _EXPANDED_CHUNK))
            except GZIP_ERROR:
                self._cut("corrupt_gzip", "the gzip stream is corrupt", size - missing)
                break
            parts.append(part)
            missing -= len(part)
            if is_last and not part:
                self._cut("truncated_gzip", "the gzip stream ends early", size - missing)
                break
            self._advance()
        return b"".join(parts)

    def _advance(self) -> None:
        """Continues with the next member; a gzip file may have several."""
        inflater = self._inflater
        if not inflater.eof:
            self._waiting = inflater.unconsumed_tail
            return
        rest = inflater.unused_data or self._stored(_COMPRESSED_CHUNK)
        rest = rest.lstrip(b"\0")  # padding written by some archivers
        if len(rest) == 1:
            rest += self._stored(_COMPRESSED_CHUNK)
        if rest.startswith(GZIP_MAGIC):
            self._inflater, self._waiting = isal_zlib.decompressobj(31), rest
            return
        self._ended = True
        if rest:
            meaning = "data after the gzip stream was skipped"
            self.problems.append(Problem("trailing_bytes", meaning, 1, None))

    def _cut(self, kind: str, meaning: str, n_pending: int) -> None:
        """Ends the stream; `n_pending` bytes are decompressed but not yet returned."""
        self._ended = True
        n_good = self.n_content_bytes + n_pending
        if self.is_strict or n_good == 0:
            raise CorruptTrace(
                f"{self.label}: {meaning} at byte {self.n_stored_bytes} of the file",
                hint="Copy or record it again.",
                offset=self.n_stored_bytes,
            )
        meaning = f"{meaning}; the data before it was read"
        self.problems.append(Problem(kind, meaning, 1, n_good, severity="error"))

    def _check_size(self) -> None:
        if self.n_content_bytes > self.max_bytes:
            raise CorruptTrace(
                f"{self.label}: larger than {self.max_bytes:,} bytes after decompression",
                hint="If you trust the file, raise the limit with --max-size.",
            )
        if (
            self.n_content_bytes > RATIO_FREE_BYTES
            and self.n_content_bytes > MAX_RATIO * self.n_stored_bytes
            and self.max_bytes == MAX_CONTENT_BYTES
        ):
            raise CorruptTrace(
                f"{self.label}: expands more than {MAX_RATIO} times: a decompression bomb?",
                hint="If you trust the file, set its maximum size with --max-size BYTES.",
            )
