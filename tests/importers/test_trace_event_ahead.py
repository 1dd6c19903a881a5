"""Working ahead changes when items are made, not which, in what order, or how it fails."""

from __future__ import annotations

import io
import sys
import threading
from collections.abc import Iterator

import pytest

from tw_importers.trace_event.ahead import BlocksAhead, ahead


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


def test_blocks_come_in_order_and_end_with_nothing() -> None:
    data = bytes(range(256)) * 5

    with BlocksAhead(io.BytesIO(data), 100, 2) as blocks:
        found = [blocks.read(100) for _ in range(15)]

    assert b"".join(found) == data
    assert found[13:] == [b"", b""]


def test_an_error_of_the_stream_is_raised_where_it_is_read() -> None:
    class Broken(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            if self.tell() >= 200:
                raise OSError("unreadable")
            return super().read(size)

    with BlocksAhead(Broken(bytes(300)), 100, 2) as blocks:
        assert blocks.read(100) + blocks.read(100) == bytes(200)
        with pytest.raises(OSError, match="unreadable"):
            blocks.read(100)
