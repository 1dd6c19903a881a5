"""Decodes several sources at once, in threads or worker processes, and returns them in order."""

from __future__ import annotations

import os
import shutil
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warehouse.errors import TraceError, TwError
from warehouse.ingest import decode as decoding
from warehouse.ingest import failures
from warehouse.ingest.decode import DecodedSource, Settings
from warehouse.ingest.sources import Source

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.sharedctypes import Synchronized

Advance = Callable[[int], None]
#: Stored bytes below which starting a worker, or using several threads, costs more than it saves.
WORTH_SHARING = 1 << 20
#: Stored bytes of all sources below which threads decode them: starting a process takes as long as
#: decoding 20 MB, and only a quarter of the work holds the interpreter lock.
_WORTH_PROCESSES = 128 << 20
#: Content bytes below which DuckDB uses one thread: more would only cost memory.
_WORTH_ALL_THREADS = 256 << 20


@dataclass(frozen=True)
class Job:
    """A source to import, with its scratch folder."""

    source: Source
    importer: str
    sha256: tuple[str, ...]  # of each of its files
    folder: Path
    n_bytes: int  # stored
    stamps: tuple[tuple[int, ...], ...] = ()  # when its SHA-256 was computed
    is_stored: bool = False  # in the warehouse: only to be read strictly


def decode_all(
    jobs: list[Job], settings: Settings, n_workers: int | None, advance: Advance
) -> Generator[DecodedSource | TwError, None, None]:
    """Decodes sources in order, each as `decode.decode` does, or gives its error.

    Uses threads or `n_workers` worker processes where that is faster. `advance` is called with the
    number of stored bytes read since its last call.
    """
    cores = decoding.available_cores()
    large = sum(job.n_bytes >= WORTH_SHARING for job in jobs)
    n = min(n_workers or min(cores, large), len(jobs))
    if n < 2:
        for job in jobs:
            threads = cores if job.n_bytes >= WORTH_SHARING else 1
            yield _try_decode(job, replace(settings, threads=threads), advance, keep_open=True)
        return
    is_little = sum(job.n_bytes for job in jobs) < _WORTH_PROCESSES
    decode = _decode_in_threads if is_little and not n_workers else _decode_in_workers
    yield from decode(jobs, n, settings, advance)


def _try_decode(
    job: Job,
    settings: Settings,
    on_progress: Callable[[int], None],
    *,
    keep_open: bool = False,
) -> DecodedSource | TwError:
    return failures.attempt(
        job.source.label,
        "decoded",
        lambda: _decode(job, settings, on_progress, keep_open=keep_open),
    )


def _decode(
    job: Job, settings: Settings, on_progress: Callable[[int], None], *, keep_open: bool
) -> DecodedSource:
    """Decodes a source; raises TraceError if its files changed after their SHA-256 was computed."""
    decoded = decoding.decode(
        job.source,
        job.sha256,
        job.importer,
        job.folder,
        settings,
        on_progress,
        keep_open=keep_open,
    )
    with suppress(FileNotFoundError):  # deleted after it was read
        if job.source.stamps() != job.stamps:
            decoded.close()
            shutil.rmtree(job.folder, ignore_errors=True)
            raise TraceError(
                f"{job.source.label} changed while it was read",
                hint="Import it again when no program writes it; --inbox waits for that.",
            )
    return decoded


class _Counter:
    """Counts bytes read by threads, and cancels the threads."""

    def __init__(self) -> None:
        self.n_bytes = 0
        self.is_cancelled = False
        self._lock = threading.Lock()

    def advance(self, n_bytes: int) -> None:
        """Adds to the count; raises in the calling thread when the import has been cancelled."""
        if self.is_cancelled:
            raise TwError("the import was cancelled")
        with self._lock:
            self.n_bytes += n_bytes


def _decode_in_threads(
    jobs: list[Job], n_threads: int, settings: Settings, advance: Advance
) -> Iterator[DecodedSource | TwError]:
    shared, counter, seen = _shared(settings, n_threads), _Counter(), 0
    with ThreadPoolExecutor(n_threads) as pool:
        # No more than threads: a decoded source stays open until it is committed.
        futures: deque[Future[DecodedSource | TwError]] = deque()
        waiting = iter(jobs)
        try:
            while True:
                for job in islice(waiting, n_threads - len(futures)):
                    futures.append(
                        pool.submit(_try_decode, job, shared, counter.advance, keep_open=True)
                    )
                if not futures:
                    return
                seen = _watch(futures[0], lambda: counter.n_bytes, seen, advance)
                decoded = futures.popleft().result()
                if (
                    isinstance(decoded, DecodedSource)
                    and decoded.n_content_bytes >= _WORTH_ALL_THREADS
                ):
                    decoded.widen(replace(settings, threads=decoding.available_cores()))
                yield decoded
        finally:
            counter.is_cancelled = True
            for future in futures:
                if not future.cancel() and isinstance(left := future.result(), DecodedSource):
                    left.close()


def _decode_in_workers(
    jobs: list[Job], n_workers: int, settings: Settings, advance: Advance
) -> Iterator[DecodedSource | TwError]:
    # Not fork: a forked child would lack the threads of DuckDB and Arrow.
    context = get_context("spawn")
    counter = context.Value("q", 0)
    shared = _shared(settings, n_workers)
    # Nothing is sent: end of file tells workers that this process has cancelled or ended. (An
    # Event has a lock, and waits for ever for a worker that ended while it held it.)
    listening, lifeline = context.Pipe(duplex=False)
    with ProcessPoolExecutor(
        n_workers, mp_context=context, initializer=_start_worker, initargs=(counter, listening)
    ) as pool:
        futures = [pool.submit(_decode_in_worker, job, shared) for job in jobs]
        seen = 0
        try:
            for job, future in zip(jobs, futures, strict=True):
                # without locking: a killed worker may hold the lock
                seen = _watch(future, lambda: counter.get_obj().value, seen, advance)
                yield _result(job, future)
        finally:
            if not all(future.done() for future in futures):
                pool.shutdown(wait=False, cancel_futures=True)
                lifeline.close()
    lifeline.close()


def _result(job: Job, future: Future[DecodedSource | TwError]) -> DecodedSource | TwError:
    try:
        return future.result()
    except BrokenExecutor:
        return TwError(
            f"{job.source.label} could not be decoded: a worker process was killed",
            hint="Out of memory? Use fewer --jobs or a smaller --memory-limit.",
        )


def _watch(future: Future[Any], n_read: Callable[[], int], seen: int, advance: Advance) -> int:
    """Reports the progress of workers until the future is done; returns the bytes reported."""
    from concurrent.futures import TimeoutError, wait

    done: set[Any] = set()
    while not done:
        try:
            done, _ = wait([future], timeout=0.1)
        except TimeoutError:
            continue
        read = n_read()
        advance(read - seen)
        seen = read
    return seen


_read_bytes: Synchronized[int] | None = None  # of this worker process: shared with the parent


def _start_worker(counter: Synchronized[int], listening: Connection) -> None:
    import signal

    global _read_bytes
    _read_bytes = counter
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what Ctrl-C means
    threading.Thread(target=_die_with_parent, args=(listening,), daemon=True).start()


def _die_with_parent(listening: Connection) -> None:
    """Ends this worker when the import is cancelled or its process has ended."""
    with suppress(EOFError, OSError):
        listening.recv_bytes()
    os._exit(1)


def _decode_in_worker(job: Job, settings: Settings) -> DecodedSource | TwError:
    def advance(n_bytes: int) -> None:
        assert _read_bytes is not None
        with _read_bytes.get_lock():
            _read_bytes.value += n_bytes

    return _try_decode(job, settings, advance)


def _shared(settings: Settings, n: int) -> Settings:
    """Returns the settings of one of `n` concurrent decoders."""
    return replace(
        settings,
        threads=max(1, decoding.available_cores() // n),
        memory_limit=_share(settings.memory_limit, n),
    )


def _share(memory_limit: str, n: int) -> str:
    """Divides a memory limit such as 800MB or 2GiB by n."""
    digits = memory_limit.rstrip("BKMGTibkmgt ")
    return f"{float(digits) / n:.3f}{memory_limit[len(digits) :]}"
