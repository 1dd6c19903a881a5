"""The SHA-256 of the files of a source, computed by a thread while the source is decoded."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any, overload

from warehouse.ingest.sources import Source


class _Stopped(Exception):
    """Nobody needs the result."""


class SourceSha256(Sequence[str]):
    """The SHA-256 of each file of a source, hexadecimal, as `Source.sha256`.

    They are computed from the start on; the first use waits for them, and raises TraceError if a
    file cannot be read.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self._found: tuple[str, ...] = ()
        self._error: BaseException | None = None
        self._is_stopped = False
        self._thread = threading.Thread(target=self._compute, daemon=True)
        self._thread.start()

    def __len__(self) -> int:
        return len(self._source.files)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[str]: ...
    def __getitem__(self, place: Any) -> Any:
        return self._result()[place]

    def __reduce__(self) -> tuple[Any, ...]:
        return tuple, (self._result(),)  # other processes get what was found

    def close(self) -> None:
        """Ends the thread."""
        self._is_stopped = True
        self._thread.join()

    def _result(self) -> tuple[str, ...]:
        self._thread.join()
        if self._error is not None:
            raise self._error
        return self._found

    def _compute(self) -> None:
        try:
            self._found = self._source.sha256(self._check)
        except BaseException as error:  # noqa: BLE001 - raised again in the thread that uses them
            self._error = error

    def _check(self) -> None:
        if self._is_stopped:
            raise _Stopped
