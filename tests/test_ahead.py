"""Working ahead changes when items are made, not which, in what order, or how it fails."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator

import pytest

from warehouse.ahead import ahead


def test_the_items_come_in_order() -> None:
    assert list(ahead(iter(range(1000)), 3)) == list(range(1000))


def test_an_error_is_raised_after_the_items_before_it() -> None:
    def items() -> Iterator[int]:
        yield 1
        raise ValueError("broken at two")

    found = ahead(items(), 3)

    assert next(found) == 1
    with pytest.raises(ValueError, match="broken at two"):
        next(found)


def test_no_more_than_asked_for_is_made_ahead() -> None:
    made: list[int] = []
    enough = threading.Event()

    def items() -> Iterator[int]:
        for n in range(100):
            made.append(n)
            if n == 4:
                enough.set()
            yield n

    found = ahead(items(), 3)
    next(found)

    assert enough.wait(10)  # one handed out, three waiting, one in hand
    assert len(made) <= 5
    found.close()


def test_closing_ends_the_thread_and_restores_the_interpreter() -> None:
    before = (threading.active_count(), sys.getswitchinterval())
    found = ahead(iter(range(1000)), 3)
    next(found)

    found.close()

    assert (threading.active_count(), sys.getswitchinterval()) == before


def test_closing_interrupts_what_the_thread_waits_for() -> None:
    interrupted = threading.Event()

    def items() -> Iterator[int]:
        yield 1
        assert interrupted.wait(10)
        yield 2

    found = ahead(items(), 1, interrupted.set)
    next(found)

    found.close()

    assert interrupted.is_set()
