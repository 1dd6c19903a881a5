"""Keeps copies of the blocks that a checkpoint overwrites: a kill within it damages nothing.

DuckDB 2.0 adds the metadata of a checkpoint to blocks that the checkpoint before uses, and writes
each of them again as a whole. A process that is killed within such a write leaves a block whose
checksum is wrong: the file, or a table of it, cannot be read. Therefore FILE.blocks holds these
blocks while a warehouse is open for writing. Whoever opens the warehouse after a kill writes them
back if no checkpoint has ended since: the headers of the file are then those of the copies, and
FILE.wal has what was committed later.

Of DuckDB's format this uses that three headers of 4096 bytes come first, then the blocks.
"""

from __future__ import annotations

import hashlib
import os
import stat
import struct
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, ClassVar

try:
    import fcntl
except ImportError:  # not available on this system
    fcntl = None  # type: ignore[assignment]

if TYPE_CHECKING:
    import duckdb

_HEADERS = 3 * 4096
_START = struct.Struct("<8s32sQ")  # mark, digest of the headers, size of a block
_MARK = b"twblocks"
_ID = struct.Struct("<Q")
_END = b"complete"


class BlockCopies:
    """FILE.blocks of an attached warehouse, from `write` to `remove`.

    It is made after DuckDB has locked the warehouse, and closed after DuckDB has closed it: closing
    a file releases all fcntl(2) locks of the process on it, DuckDB's included.
    """

    #: Device and inode of the warehouses that this process is writing to.
    _open: ClassVar[set[tuple[int, int]]] = set()

    def __init__(self, path: Path, name: str) -> None:
        self._path = path
        self._name = name  # of the attached database
        self._file = os.open(path, os.O_RDONLY)
        status = os.fstat(self._file)
        self._mode = stat.S_IMODE(status.st_mode) & 0o666
        self._identity = (status.st_dev, status.st_ino)
        self._open.add(self._identity)
        self._state = b""  # of the headers for which the copies hold

    @classmethod
    def are_open(cls, path: Path) -> bool:
        """Whether this process is writing to the warehouse."""
        status = path.stat()
        return (status.st_dev, status.st_ino) in cls._open

    def write(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Copies the metadata blocks, unless this was done since the last checkpoint.

        A disk that is full keeps them from being copied; it keeps a checkpoint from ending, too.
        """
        state = _digest(os.pread(self._file, _HEADERS, 0))
        if state == self._state:
            return
        size, ids = _metadata_blocks(connection, self._name)
        with suppress(OSError):
            self._unlink()
            flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY
            with open(os.open(_copies(self._path), flags, self._mode), "wb", 0) as copies:
                copies.write(_START.pack(_MARK, state, size))
                for block in ids:
                    copied = os.pread(self._file, size, _HEADERS + block * size)
                    if len(copied) == size:  # else nothing was written to it so far
                        copies.write(_ID.pack(block))
                        copies.write(copied)
                copies.write(_END)
            self._state = state

    def n_bytes(self) -> int:
        """The size of the warehouse."""
        return os.fstat(self._file).st_size

    def sync(self) -> None:
        """Waits until what DuckDB has written to the warehouse is on the disk, or fails to be.

        DuckDB sees a failure, too: the system reports it for each file that is open.
        """
        with suppress(OSError):
            os.fsync(self._file)

    def remove(self) -> None:
        """Removes the copies: the last checkpoint has ended."""
        with suppress(OSError):
            self._unlink()

    def close(self) -> None:
        self._open.discard(self._identity)
        os.close(self._file)

    def _unlink(self) -> None:
        _copies(self._path).unlink(missing_ok=True)


def restore(path: Path) -> bool:
    """Writes the copies that a killed process left back to the warehouse, and removes them.

    Returns whether a block differed. Does nothing while a process has the warehouse open; copies
    from before the last checkpoint are removed.
    """
    copies = _copies(path)
    if fcntl is None or not copies.is_file() or not os.access(path.parent, os.W_OK):
        return False
    try:
        if BlockCopies.are_open(path):
            return False
        with path.open("r+b", buffering=0) as file, copies.open("rb") as content:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # the lock that DuckDB takes
            n_restored = _write_back(file.fileno(), content)
            copies.unlink()
    except OSError:
        return False
    return n_restored > 0


def _write_back(file: int, content: BinaryIO) -> int:
    """Returns the number of blocks that differed from their copies."""
    if not _is_complete(content):
        return 0  # killed while it wrote the copies, before any checkpoint
    mark, state, size = _START.unpack(content.read(_START.size))
    if mark != _MARK or state != _digest(os.pread(file, _HEADERS, 0)):
        return 0
    n_restored = 0
    for place, copied in _blocks(content, size):
        if os.pread(file, size, place) != copied:
            os.pwrite(file, copied, place)
            n_restored += 1
    os.fsync(file)
    return n_restored


def _is_complete(content: BinaryIO) -> bool:
    """Whether the mark of the end is there; leaves the file at its start."""
    n_bytes = content.seek(0, os.SEEK_END)
    if n_bytes < _START.size + len(_END):
        return False
    content.seek(-len(_END), os.SEEK_END)
    is_complete = content.read() == _END
    content.seek(0)
    return is_complete


def _blocks(content: BinaryIO, size: int) -> Iterator[tuple[int, bytes]]:
    """The copies, each with its place in the file in bytes."""
    while len(record := content.read(_ID.size + size)) == _ID.size + size:
        (block,) = _ID.unpack_from(record)
        yield _HEADERS + block * size, record[_ID.size :]


def _metadata_blocks(connection: duckdb.DuckDBPyConnection, name: str) -> tuple[int, list[int]]:
    """The size of a block in bytes, and the ids of the blocks that hold metadata."""
    ((size,),) = connection.execute(
        "SELECT block_size FROM pragma_database_size() WHERE database_name = ?", [name]
    ).fetchall()
    ids = connection.execute("SELECT block_id FROM pragma_metadata_info(?)", [name]).fetchall()
    return size, [block for (block,) in ids]


def _digest(headers: bytes) -> bytes:
    """A digest of the headers, which every checkpoint changes."""
    return hashlib.sha256(headers).digest()


def _copies(path: Path) -> Path:
    return path.with_name(path.name + ".blocks")
