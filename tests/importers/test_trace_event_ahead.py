"""Reading ahead changes when blocks are read, not which, in what order, or how it fails."""

from __future__ import annotations

import io

import pytest

from tw_importers.trace_event.ahead import BlocksAhead


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
