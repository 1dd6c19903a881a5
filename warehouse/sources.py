"""Finds the files a user means: paths, folders, globs, standard input, members of archives.

Archives are never extracted: a member is a stream. What a file holds is not looked at here.
"""

from __future__ import annotations

import glob
import hashlib
import tarfile
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from warehouse.errors import CorruptTrace, TraceError
from warehouse.streams import GZIP_MAGIC

MAX_MEMBERS = 100_000
MAX_ARCHIVE_DEPTH = 3
_HASH_CHUNK = 1 << 20


@dataclass(frozen=True)
class Source:
    """A file, or a member of an archive: names from the file inwards."""

    path: Path
    members: tuple[str, ...] = ()
    is_named: bool = True  # the user named this very file, not only its folder or archive

    @property
    def label(self) -> str:
        return "!".join((str(self.path), *self.members))

    @property
    def member(self) -> str | None:
        return "!".join(self.members) or None

    @property
    def file_name(self) -> str:
        """The name of the innermost file, without its folders."""
        return Path(self.members[-1] if self.members else self.path).name

    @contextmanager
    def open(self) -> Iterator[IO[bytes]]:
        """The stored bytes, still compressed if they are; raises TraceError if unreadable."""
        with ExitStack() as stack:
            try:
                stream: IO[bytes] = stack.enter_context(self.path.open("rb"))
                for member in self.members:
                    stream = _member(stack, stream, member)
            except (OSError, KeyError, zipfile.BadZipFile, tarfile.TarError, EOFError) as error:
                raise TraceError(f"{self.label} cannot be read: {_reason(error)}") from None
            yield stream

    def size(self) -> int:
        """Bytes as stored, compressed if they are."""
        if not self.members:
            return self.path.stat().st_size
        with self.open() as stream:
            return _length(stream)

    def sha256(self) -> str:
        """Of the stored bytes, hexadecimal."""
        digest = hashlib.sha256()
        with self.open() as stream:
            while chunk := stream.read(_HASH_CHUNK):
                digest.update(chunk)
        return digest.hexdigest()


def find(paths: Sequence[str], stdin_copy: Path | None = None) -> list[Source]:
    """All sources the arguments mean, in order, each once.

    `stdin_copy` is the file standard input was copied to, for the argument `-`.
    Raises TraceError for an argument that means nothing.
    """
    found: dict[Source, None] = {}
    for text in paths:
        for path, is_named in _files(text, stdin_copy):
            for source in _expand(Source(path, is_named=is_named), 0):
                found.setdefault(source)
    return list(found)


def _files(text: str, stdin_copy: Path | None) -> Iterator[tuple[Path, bool]]:
    if text == "-" and stdin_copy is not None:
        yield stdin_copy, True
        return
    path = Path(text)
    if path.is_dir():
        inside = sorted(p for p in path.rglob("*") if p.is_file() and not _hidden(p, path))
        if not inside:
            raise TraceError(f"{text} is an empty folder")
        yield from ((p.resolve(), False) for p in inside)
    elif path.exists():
        yield path.resolve(), True
    else:
        matches = sorted(glob.glob(text, recursive=True)) if glob.has_magic(text) else []
        if not matches:
            raise TraceError(f"there is no file {text}")
        for match in matches:
            yield from ((p, False) for p, _ in _files(match, None))


def _hidden(path: Path, folder: Path) -> bool:
    return any(part.startswith(".") for part in path.relative_to(folder).parts)


def _expand(source: Source, depth: int) -> Iterator[Source]:
    """The source itself, or the members of the archive it is."""
    kind = _archive_kind(source)
    if kind is None:
        yield source
        return
    if depth >= MAX_ARCHIVE_DEPTH:
        raise CorruptTrace(
            f"{source.label}: archives nested more than {MAX_ARCHIVE_DEPTH} deep",
            hint="Unpack the outer ones first.",
        )
    for name in _member_names(source, kind):
        yield from _expand(Source(source.path, (*source.members, name), is_named=False), depth + 1)


def _archive_kind(source: Source) -> str | None:
    with source.open() as stream:
        head = _head(stream, 512)
        if head.startswith(b"PK\x03\x04"):
            return "zip"
        if head[257:262] == b"ustar":
            return "tar"
        if not head.startswith(GZIP_MAGIC):
            return None
        stream.seek(0)
        return "tar" if _gzip_head(stream)[257:262] == b"ustar" else None


def _gzip_head(stream: IO[bytes]) -> bytes:
    from isal import isal_zlib

    try:
        return bytes(isal_zlib.decompressobj(31).decompress(_head(stream, 1 << 16), 512))
    except isal_zlib.error:
        return b""


def _member_names(source: Source, kind: str) -> list[str]:
    names: list[str] = []
    with source.open() as stream:
        try:
            if kind == "zip":
                with zipfile.ZipFile(stream) as archive:
                    names = [info.filename for info in archive.infolist() if not info.is_dir()]
            else:
                with tarfile.open(fileobj=stream, mode="r:*") as tar:
                    for info in tar:
                        if len(names) > MAX_MEMBERS:
                            break
                        if info.isfile():
                            names.append(info.name)
        except (zipfile.BadZipFile, tarfile.TarError, EOFError, OSError) as error:
            raise CorruptTrace(
                f"{source.label} is a damaged archive: {_reason(error)}", hint="Copy it again."
            ) from None
    if len(names) > MAX_MEMBERS:
        raise CorruptTrace(f"{source.label}: more than {MAX_MEMBERS:,} members, as no trace has")
    return [name for name in names if not Path(name).name.startswith(".")]


def _member(stack: ExitStack, stream: IO[bytes], name: str) -> IO[bytes]:
    head = _head(stream, 4)
    stream.seek(0)
    if head.startswith(b"PK\x03\x04"):
        archive = stack.enter_context(zipfile.ZipFile(stream))
        return stack.enter_context(archive.open(name))
    tar = stack.enter_context(tarfile.open(fileobj=stream, mode="r:*"))
    member = tar.extractfile(name)
    if member is None:
        raise KeyError(name)
    return stack.enter_context(member)


def _head(stream: IO[bytes], size: int) -> bytes:
    data = b""
    while len(data) < size and (chunk := stream.read(size - len(data))):
        data += chunk
    return data


def _length(stream: IO[bytes]) -> int:
    total = 0
    while chunk := stream.read(_HASH_CHUNK):
        total += len(chunk)
    return total


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error) or type(error).__name__
