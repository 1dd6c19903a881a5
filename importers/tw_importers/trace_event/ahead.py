"""Reads the blocks of a stream ahead of their use."""

from __future__ import annotations

from warehouse.ahead import ahead
from warehouse.ingest.importer import ByteReader


class BlocksAhead:
    """Reads blocks of a stream in a separate thread: decompressing takes as long as parsing.

    While it is open, nothing else may read the stream.
    """

    def __init__(self, reader: ByteReader, n_bytes: int, n_blocks: int) -> None:
        self._blocks = ahead(iter(lambda: reader.read(n_bytes), b""), n_blocks)

    def __enter__(self) -> BlocksAhead:
        return self

    def __exit__(self, *_: object) -> None:
        self._blocks.close()

    def read(self, _: int, /) -> bytes:
        """Returns the next block, whatever size is asked for; b'' at the end."""
        return next(self._blocks, b"")
