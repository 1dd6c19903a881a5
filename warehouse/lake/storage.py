"""Where the files of a lake are: a folder, or object storage through fsspec (`object_storage`).

Paths are those below the lake, with slashes. What a lake needs of its storage: files that appear
with all of their content or not at all, and the creation of a file that of several processes
succeeds in one.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Protocol

from warehouse.files import new_file, whole_file

if TYPE_CHECKING:
    import duckdb


@dataclass(frozen=True)
class Entry:
    """A file of a lake. `modified` is in seconds since 1970."""

    path: str
    bytes: int
    modified: float


class Storage(Protocol):
    """Files of a lake. Methods raise OSError."""

    @property
    def name(self) -> str:
        """The lake as the user names it."""

    def full(self, path: str) -> str:
        """The name of a file for messages and for DuckDB."""

    def prepare(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Makes a connection read these files."""

    def is_new(self) -> bool:
        """Whether the lake may begin here: nothing is there."""

    def exists(self) -> bool:
        """Whether there is a folder."""

    def read(self, path: str) -> bytes | None:
        """The content of a file; None if there is none."""

    def read_all(self, paths: Iterable[str]) -> dict[str, bytes]:
        """The content of files that exist."""

    def open(self, path: str) -> BinaryIO:
        """Opens a file to read it at any place."""

    def size(self, path: str) -> int | None:
        """The bytes of a file; None if there is none."""

    def names(self, folder: str) -> list[str]:
        """The names of the files in a folder."""

    def entries(self) -> list[Entry]:
        """All files."""

    def create(self, path: str, content: bytes) -> bool:
        """Creates a file unless it exists; returns whether it did."""

    def replace(self, path: str, content: bytes) -> None:
        """Replaces a file, or creates it; readers see either content."""

    @contextmanager
    def adding(self, path: str) -> Iterator[Path]:
        """Yields a local path, whose file is that of the lake when the block succeeds."""

    def remove(self, path: str) -> None:
        """Deletes a file if it exists."""

    def remove_empty_folders(self, before: float) -> None:
        """Deletes folders of tables without files, which nothing changed since `before`."""


@dataclass(frozen=True)
class Folder:
    """A local folder, or one of a mounted file system."""

    folder: Path

    @property
    def name(self) -> str:
        return os.fspath(self.folder)

    def full(self, path: str) -> str:
        return os.fspath(self.folder.absolute() / path)

    def prepare(self, connection: duckdb.DuckDBPyConnection) -> None:
        pass  # DuckDB reads files itself

    def is_new(self) -> bool:
        return not self.folder.exists() or (self.folder.is_dir() and not any(self.folder.iterdir()))

    def exists(self) -> bool:
        return self.folder.exists()

    def read(self, path: str) -> bytes | None:
        try:
            return (self.folder / path).read_bytes()
        except FileNotFoundError:
            return None

    def read_all(self, paths: Iterable[str]) -> dict[str, bytes]:
        return {path: found for path in paths if (found := self.read(path)) is not None}

    def open(self, path: str) -> BinaryIO:
        return (self.folder / path).open("rb")

    def size(self, path: str) -> int | None:
        try:
            return (self.folder / path).stat().st_size
        except OSError:
            return None

    def names(self, folder: str) -> list[str]:
        try:
            return os.listdir(self.folder / folder)
        except FileNotFoundError:
            return []

    def entries(self) -> list[Entry]:
        found = []
        for path in self.folder.rglob("*"):
            with suppress(FileNotFoundError):  # removed meanwhile
                if path.is_file():
                    status = path.stat()
                    name = path.relative_to(self.folder).as_posix()
                    found.append(Entry(name, status.st_size, status.st_mtime))
        return found

    def create(self, path: str, content: bytes) -> bool:
        return new_file(self.folder / path, content)

    def replace(self, path: str, content: bytes) -> None:
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        with whole_file(target) as file:
            file.write(content)

    @contextmanager
    def adding(self, path: str) -> Iterator[Path]:
        target = self.folder / path
        yield target
        with target.open("rb") as file:  # on disk before a commit names it
            os.fsync(file.fileno())

    def remove(self, path: str) -> None:
        target = self.folder / path
        target.unlink(missing_ok=True)
        if not path.startswith("_"):
            with suppress(OSError):  # other files are in it
                target.parent.rmdir()

    def remove_empty_folders(self, before: float) -> None:
        for path in self.folder.glob("*/*_id=*"):
            with suppress(OSError):  # it holds files
                if path.stat().st_mtime < before:  # else for a file that is being written
                    path.rmdir()


def sha256_of(file: BinaryIO) -> str:
    """The SHA-256 of an open file, hexadecimal."""
    digest = hashlib.sha256()
    while block := file.read(1 << 20):
        digest.update(block)
    return digest.hexdigest()
