"""Runs generators ahead in separate threads while their items are processed.

A core is idle while one of the two waits for the other. Where both spend their time in C code that
holds the interpreter's lock, other threads request the lock once per switch interval, and at the
default of 5 ms they mostly wait for it.
"""

from __future__ import annotations

import queue
import sys
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

T = TypeVar("T")
_SWITCH_INTERVAL_S = 0.0002
_PATIENCE_S = 0.1  # how soon the thread notices that the consumer is gone


@dataclass
class _End(Generic[T]):
    """The last thing in the queue: the generator is done, or failed."""

    error: BaseException | None = None


def ahead(
    items: Iterator[T], n_items: int, interrupt: Callable[[], object] | None = None
) -> Generator[T]:
    """The same items, up to `n_items` of them produced ahead of their use.

    An exception of the generator is raised at its place. Closing this one ends the thread, and
    calls `interrupt` until it has ended.
    """
    yield from together([(items, interrupt or (lambda: None))], n_items)


def together(
    streams: Sequence[tuple[Iterator[T], Callable[[], object]]], n_items: int
) -> Generator[T]:
    """The items of several generators as they come, each in a thread of its own, as `ahead`.

    The threads start at once.
    """
    running = _running(streams, n_items)
    next(running)
    return running


def _running(
    streams: Sequence[tuple[Iterator[T], Callable[[], object]]], n_items: int
) -> Generator[Any]:
    """Yields None when the threads have started, then the items."""
    waiting: queue.Queue[T | _End[T]] = queue.Queue(n_items)
    cancelled = threading.Event()
    workers = [
        threading.Thread(target=_work, args=(items, waiting, cancelled), daemon=True)
        for items, _ in streams
    ]
    for worker in workers:
        worker.start()
    try:
        with _quick_switching():
            yield None
            yield from _until_all_end(waiting, len(workers))
    finally:
        cancelled.set()
        while any(worker.is_alive() for worker in workers):
            for worker, (_, interrupt) in zip(workers, streams, strict=True):
                if worker.is_alive():
                    interrupt()
                    worker.join(_PATIENCE_S)


def _until_all_end(waiting: queue.Queue[T | _End[T]], n_open: int) -> Generator[T]:
    while n_open:
        item = waiting.get()
        if not isinstance(item, _End):
            yield item
        elif item.error is not None:
            raise item.error
        else:
            n_open -= 1


def _work(
    items: Iterator[T], waiting: queue.Queue[T | _End[T]], cancelled: threading.Event
) -> None:
    end: _End[T] = _End()
    try:
        for item in items:
            if not _put(waiting, item, cancelled):
                return
    except BaseException as error:  # noqa: BLE001 - raised again in the consumer
        end = _End(error)
    _put(waiting, end, cancelled)


def _put(waiting: queue.Queue[T | _End[T]], item: T | _End[T], cancelled: threading.Event) -> bool:
    while not cancelled.is_set():
        try:
            waiting.put(item, timeout=_PATIENCE_S)
        except queue.Full:
            continue
        return True
    return False


_lock = threading.Lock()
_n_quick = 0  # users of quick switching: several files may be read at a time
_before = 0.0


@contextmanager
def _quick_switching() -> Iterator[None]:
    global _n_quick, _before
    with _lock:
        if not _n_quick:
            _before = sys.getswitchinterval()
            sys.setswitchinterval(_SWITCH_INTERVAL_S)
        _n_quick += 1
    try:
        yield
    finally:
        with _lock:
            _n_quick -= 1
            if not _n_quick:
                sys.setswitchinterval(_before)
