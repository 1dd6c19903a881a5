"""Decodes several sources at once, in threads or worker processes, and returns them in order."""

from __future__ import annotations

import shutil
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import BrokenExecutor, Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from warehouse.errors import TraceError, TwError
from warehouse.ingest import decode as decoding
from warehouse.ingest import failures
from warehouse.ingest.decode import DecodedSource, Settings
from warehouse.ingest.together import DecodedTogether, Job, Unit, decode_together, halves
from warehouse.processes import end_with

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing.connection import Connection
    from multiprocessing.sharedctypes import Synchronized

Advance = Callable[[int], None]
#: Stored bytes below which starting a worker, or using several threads, costs more than it saves.
WORTH_SHARING = 1 << 20
#: Stored bytes of all sources below which threads decode them: starting a process takes as long as
#: decoding 20 MB, and only a quarter of the work holds the interpreter lock.
_WORTH_PROCESSES = 128 << 20
#: Small sources that are decoded in groups, below which threads do it.
_MANY_GROUPED = 64
#: Content bytes below which DuckDB uses one thread: more would only cost memory.
_WORTH_ALL_THREADS = 256 << 20
#: Units of each worker process that are decoded before they are committed: they take disk space.
_UNITS_AHEAD = 3


#: The result of decoding one source, or several together.
Decoded = DecodedSource | DecodedTogether | TwError


def decode_all(
    units: list[Unit], settings: Settings, n_workers: int | None, advance: Advance
) -> Generator[list[Decoded], None, None]:
    """Decodes units in order, each as `decode_unit` does.

    Uses threads or `n_workers` worker processes where that is faster. `advance` is called with the
    number of stored bytes read since its last call.
    """
    cores = decoding.available_cores()
    large = sum(len(unit) > 1 or unit[0].n_bytes >= WORTH_SHARING for unit in units)
    n_grouped = sum(len(unit) for unit in units if len(unit) > 1)
    n = min(n_workers or min(cores, large), len(units))
    if n < 2 or (n_grouped and large == 1 and not n_workers):
        for unit in units:
            yield decode_unit(unit, alone(unit, settings), advance, keep_open=True)
        return
    is_little = (
        sum(job.n_bytes for unit in units for job in unit) < _WORTH_PROCESSES
        and n_grouped < _MANY_GROUPED
    )
    decode = _decode_in_threads if is_little and not n_workers else _decode_in_workers
    yield from decode(units, n, settings, advance)


def alone(unit: Unit, settings: Settings) -> Settings:
    """Returns the settings for a unit that is decoded while no other is."""
    is_large = len(unit) > 1 or unit[0].n_bytes >= WORTH_SHARING
    return replace(settings, threads=decoding.available_cores() if is_large else 1)


def decode_unit(
    unit: Unit, settings: Settings, advance: Advance, *, keep_open: bool = False
) -> list[Decoded]:
    """Decodes the sources of a unit together; split where that fails, down to single ones."""
    if len(unit) == 1:
        return [_try_decode(unit[0], settings, advance, keep_open=keep_open)]
    n_read = 0

    def count(n_bytes: int) -> None:
        nonlocal n_read
        n_read += n_bytes
        advance(n_bytes)

    done = decode_together(unit, settings, count, keep_open=keep_open)
    if done is not None:
        return [done]
    advance(-n_read)
    # What is decoded first waits for the others: it must not stay open.
    return [each for half in halves(unit) for each in decode_unit(half, settings, advance)]


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
    units: list[Unit], n_threads: int, settings: Settings, advance: Advance
) -> Iterator[list[Decoded]]:
    shared, counter, seen = _shared(settings, n_threads), _Counter(), 0
    with ThreadPoolExecutor(n_threads) as pool:
        # No more than threads: a decoded source stays open until it is committed.
        futures: deque[Future[list[Decoded]]] = deque()
        waiting = iter(units)
        try:
            while True:
                for unit in islice(waiting, n_threads - len(futures)):
                    futures.append(
                        pool.submit(decode_unit, unit, shared, counter.advance, keep_open=True)
                    )
                if not futures:
                    return
                seen = _watch(futures[0], lambda: counter.n_bytes, seen, advance)
                results = futures.popleft().result()
                for decoded in results:
                    if (
                        isinstance(decoded, DecodedSource)
                        and decoded.n_content_bytes >= _WORTH_ALL_THREADS
                    ):
                        decoded.widen(replace(settings, threads=decoding.available_cores()))
                yield results
        finally:
            counter.is_cancelled = True
            for future in futures:
                for left in [] if future.cancel() else future.result():
                    if not isinstance(left, TwError):
                        left.close()


def _decode_in_workers(
    units: list[Unit], n_workers: int, settings: Settings, advance: Advance
) -> Iterator[list[Decoded]]:
    from concurrent.futures import ProcessPoolExecutor  # loading it takes time, too
    from multiprocessing import get_context

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
        futures: deque[Future[list[Decoded]]] = deque()
        waiting, seen = iter(units), 0
        try:
            for unit in units:
                for more in islice(waiting, n_workers * _UNITS_AHEAD - len(futures)):
                    futures.append(_submitted(pool, more, shared))
                # without locking: a killed worker may hold the lock
                seen = _watch(futures[0], lambda: counter.get_obj().value, seen, advance)
                yield _results(unit, futures.popleft())
        finally:
            if not all(future.done() for future in futures):
                pool.shutdown(wait=False, cancel_futures=True)
                lifeline.close()
    lifeline.close()


def _submitted(pool: ProcessPoolExecutor, unit: Unit, settings: Settings) -> Future[list[Decoded]]:
    """Submits a unit to the workers; if one was killed, the future fails like the earlier ones."""
    try:
        return pool.submit(_decode_in_worker, unit, settings)
    except BrokenExecutor as error:
        failed: Future[list[Decoded]] = Future()
        failed.set_exception(error)
        return failed


def _results(unit: Unit, future: Future[list[Decoded]]) -> list[Decoded]:
    try:
        return future.result()
    except BrokenExecutor:
        return [
            TwError(
                f"{job.source.label} could not be decoded: a worker process was killed",
                hint="Out of memory? Use fewer --jobs or a smaller --memory-limit.",
            )
            for job in unit
        ]


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
    threading.Thread(target=end_with, args=(listening,), daemon=True).start()


def _decode_in_worker(unit: Unit, settings: Settings) -> list[Decoded]:
    def advance(n_bytes: int) -> None:
        assert _read_bytes is not None
        with _read_bytes.get_lock():
            _read_bytes.value += n_bytes

    return decode_unit(unit, settings, advance)


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
