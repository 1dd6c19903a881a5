"""The SHA-256 of a file, computed by a thread while the file is written."""

from __future__ import annotations

import hashlib
import os
import threading
from types import TracebackType
from typing import BinaryIO

_CHUNK_BYTES = 1 << 20
_POLL_S = 0.005


class BackgroundSha256:
    """Reads a file behind its writer, who appends within the block and never goes back.

    `hex` is the checksum of all that the file holds at the end of the block. The file must be a
    regular file that is open for reading, too. The block raises OSError if it cannot be read.
    """

    def __init__(self, file: BinaryIO) -> None:
        self.hex = ""
        self._file = file
        self._descriptor = file.fileno()
        self._digest = hashlib.sha256()
        self._is_written = threading.Event()
        self._error: OSError | None = None
        self._thread = threading.Thread(target=self._read)

    def __enter__(self) -> BackgroundSha256:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        try:
            if kind is None:
                self._file.flush()
        finally:
            self._is_written.set()
            self._thread.join()
        if kind is None and self._error is not None:
            raise self._error
        self.hex = self._digest.hexdigest()

    def _read(self) -> None:
        position = 0
        try:
            while True:
                is_last = self._is_written.is_set()  # before reading: then the end is the end
                while chunk := os.pread(self._descriptor, _CHUNK_BYTES, position):
                    self._digest.update(chunk)
                    position += len(chunk)
                if is_last:
                    return
                self._is_written.wait(_POLL_S)
        except OSError as error:
            self._error = error
