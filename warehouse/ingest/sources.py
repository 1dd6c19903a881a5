"""Finds source files: paths, folders, globs, standard input, members of archives.

Archives are never extracted: members are streams. Contents are not read here; importers group files
into captures by their names (warehouse/ingest/captures.py).
"""

from __future__ import annotations

import glob
import hashlib
import io
import lzma
import re
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import IO, Any, cast

from isal import igzip, isal_zlib

from warehouse.errors import CorruptTrace, TraceError, TwError
from warehouse.ingest import failures
from warehouse.ingest.importer import Job, Part
from warehouse.ingest.streams import GZIP_ERROR, GZIP_MAGIC, MAX_RATIO, RATIO_FREE_BYTES
from warehouse.ingest.unsupported import STDIN

MAX_MEMBERS = 100_000
MAX_ARCHIVE_DEPTH = 3
_HASH_CHUNK = 1 << 20
_GZIP_HEAD = 1 << 16
_MAX_HEADER = 1 << 20  # bytes of one header of a tar: names of files have kilobytes at most
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_OFFICE_ENTRY = "[Content_Types].xml"  # in every document of Office Open XML
# Exceptions of the archive modules for damage, encryption or unsupported methods.
_UNREADABLE = (
    OSError, EOFError, LookupError, ValueError, OverflowError, RuntimeError, zlib.error,
    GZIP_ERROR, lzma.LZMAError, tarfile.TarError, zipfile.BadZipFile,
)  # fmt: skip


@dataclass(frozen=True)
class _Place:
    """The position of a member: a byte range of the unpacked tar, or a name in a zip."""

    offset: int | None
    n_bytes: int


#: Whether an archive is a source itself, by its name and members (None: it cannot be read).
KeepsArchive = Callable[[str, Sequence[str] | None], bool]


@dataclass(frozen=True)
class Source:
    """A file, or a member of an archive, identified by names from the outside in."""

    path: Path
    members: tuple[str, ...] = ()
    is_named: bool = True  # the user gave this file, not its folder or archive
    title: str | None = None  # name for the user if the path is internal
    trouble: TwError | None = field(default=None, compare=False)  # why it cannot be read
    places: tuple[_Place, ...] = field(default=(), compare=False, repr=False)
    #: Of a capture: the roles of its files, and the files; `path` and `members` are its folder.
    parts: tuple[Part, ...] = ()
    part_files: tuple[Source, ...] = field(default=(), compare=False, repr=False)
    #: Of a capture: the name of its first file, if its folder has further captures.
    first_file: str | None = field(default=None, compare=False)
    importer: str | None = None  # of a capture: its importer
    job: Job | None = field(default=None, compare=False)  # of a capture: its job, by its folders
    stands_for: str | None = field(default=None, compare=False)  # the file the user gave

    @property
    def files(self) -> tuple[Source, ...]:
        """The files to read: the file itself, or those of the capture."""
        return self.part_files or (self,)

    @property
    def label(self) -> str:
        place = "!".join((self.origin, *map(_printable, self.members)))
        return f"{place} ({_printable(self.first_file)})" if self.first_file else place

    @property
    def origin(self) -> str:
        """The file as shown to the user."""
        return self.title or _printable(str(self.path))

    @property
    def member(self) -> str | None:
        return _printable("!".join(self.members)) or None

    @property
    def file_name(self) -> str:
        """The name of the innermost file, without its folders."""
        return _printable(Path(self.members[-1] if self.members else self.origin).name)

    @contextmanager
    def open(self) -> Iterator[IO[bytes]]:
        """Opens the stored, possibly compressed bytes; raises TraceError if unreadable."""
        with self.open_bare() as stream:
            yield _CheckedFile(stream, self.label)  # type: ignore[misc]

    @contextmanager
    def open_bare(self) -> Iterator[IO[bytes]]:
        """Like `open`, but with the original exceptions, for the archive modules."""
        with ExitStack() as stack:
            try:
                stream: IO[bytes] = stack.enter_context(self.path.open("rb"))
                for name, place in zip(self.members, self.places, strict=True):
                    stream = _member(stack, stream, name, place)
            except _UNREADABLE as error:
                raise TraceError(f"{self.label} cannot be read: {_reason(error)}") from None
            yield stream

    def size(self) -> int:
        """The number of stored, possibly compressed bytes."""
        if self.part_files:
            return sum(file.size() for file in self.part_files)
        return self.places[-1].n_bytes if self.places else self.path.stat().st_size

    def stamps(self) -> tuple[tuple[int, ...], ...]:
        """Identity, size and time of each file or archive: another value means another content."""
        found = (path.stat() for path in sorted({file.path for file in self.files}))
        return tuple((s.st_dev, s.st_ino, s.st_size, s.st_mtime_ns) for s in found)

    def sha256(self, on_chunk: Callable[[], object] = lambda: None) -> tuple[str, ...]:
        """The SHA-256 of the stored bytes of each file, hexadecimal.

        `on_chunk` is called for each part that was read, and ends this by an exception.
        """
        return tuple(file._sha256(on_chunk) for file in self.files)

    def _sha256(self, on_chunk: Callable[[], object]) -> str:
        digest = hashlib.sha256()
        with self.open() as stream:
            while chunk := stream.read(_HASH_CHUNK):
                digest.update(chunk)
                on_chunk()
        return digest.hexdigest()


class _CheckedFile(io.RawIOBase):
    """A stream that converts read errors to TraceError with the name of the source."""

    def __init__(self, stream: IO[bytes], label: str) -> None:
        self._stream, self._label = stream, label

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def read(self, size: int = -1, /) -> bytes:
        return bytes(self._try(self._stream.read, size))

    def readinto(self, buffer: Any, /) -> int:
        data = self.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def seek(self, offset: int, whence: int = 0, /) -> int:
        return int(self._try(self._stream.seek, offset, whence))

    def tell(self) -> int:
        return self._stream.tell()

    def _try(self, action: Any, *arguments: int) -> Any:
        try:
            return action(*arguments)
        except _UNREADABLE as error:
            raise TraceError(f"{self._label} cannot be read: {_reason(error)}") from None


class _Slice(io.RawIOBase):
    """Bytes `offset` to `offset + n_bytes` of a stream, as a stream."""

    def __init__(self, stream: IO[bytes], place: _Place) -> None:
        assert place.offset is not None
        self._stream, self._first, self._length = stream, place.offset, place.n_bytes
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        self._at = max(0, offset + (0, self._at, self._length)[whence])
        return self._at

    def readinto(self, buffer: Any) -> int:
        self._stream.seek(self._first + self._at)
        data = self._stream.read(min(len(buffer), max(0, self._length - self._at)))
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)


class _Headers:
    """A stream for tarfile, which reads as many bytes at once as a damaged header declares."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self.seek, self.tell = stream.seek, stream.tell

    def read(self, size: int = _MAX_HEADER, /) -> bytes:
        return self._stream.read(min(size, _MAX_HEADER))


@dataclass(frozen=True)
class SourceSet:
    """The sources of one argument, and the folder their names are relative to."""

    folder: Path
    sources: list[Source]
    is_file: bool = False  # the argument is a single file, or an archive

    def name(self, source: Source) -> str:
        """Returns the name of a file relative to the folder or archive, with `/`."""
        if source.members:
            return source.members[-1].removeprefix("./")
        try:
            return source.path.relative_to(self.folder).as_posix()
        except ValueError:  # a link out of the folder
            return source.path.name


def find(paths: Sequence[str], stdin_copy: Path | None = None) -> list[Source]:
    """Returns the sources of all arguments, in order, each once.

    `stdin_copy` is the copy of standard input, for the argument `-`. Raises TraceError for an
    argument without any source.
    """
    found = (source for each in source_sets(paths, stdin_copy) for source in each.sources)
    return list(dict.fromkeys(found))


def source_sets(
    paths: Sequence[str], stdin_copy: Path | None = None, keeps: KeepsArchive | None = None
) -> list[SourceSet]:
    """Returns the sources per argument, and per match of a glob; otherwise like `find`.

    Archives that `keeps` are sources themselves.
    """
    found = []
    for text in paths:
        try:
            for each in _files(text, stdin_copy):
                members = [
                    member for source in each.sources for member in _expand(source, 0, keeps)
                ]
                found.append(replace(each, sources=members))
        except OSError as error:
            raise TraceError(f"{text} cannot be read: {_reason(error)}") from None
    return found


def _files(text: str, stdin_copy: Path | None) -> Iterator[SourceSet]:
    if text == "-" and stdin_copy is not None:
        yield SourceSet(stdin_copy.parent, [Source(stdin_copy, title=STDIN)])
        return
    path = Path(text)
    if path.is_dir():
        inside = below(path)
        if not inside:
            raise TraceError(f"{text} is an empty folder")
        yield SourceSet(path.resolve(), inside)
    elif path.is_file():
        yield SourceSet(path.resolve().parent, [Source(path.resolve())], is_file=True)
    elif path.exists():
        raise TraceError(
            f"{text} is not a regular file", hint="Pipe it in: `tw import -` reads standard input."
        )
    else:
        matches = sorted(glob.glob(text, recursive=True)) if glob.has_magic(text) else []
        if not matches:
            raise TraceError(f"file {text} not found")
        for match in matches:
            for each in _files(match, None):
                unnamed = [replace(source, is_named=False) for source in each.sources]
                yield replace(each, sources=unnamed)


def below(folder: Path, pattern: str = "**/*") -> list[Source]:
    """Returns all files of a folder except hidden ones, by name."""
    inside = sorted(p for p in folder.glob(pattern) if p.is_file() and not _hidden(p, folder))
    return [Source(p.resolve(), is_named=False) for p in inside]


def _hidden(path: Path, folder: Path) -> bool:
    return any(part.startswith(".") for part in path.relative_to(folder).parts)


def _expand(source: Source, depth: int, keeps: KeepsArchive | None) -> Iterator[Source]:
    """Returns the source, or the members if it is an archive.

    Never raises: an unreadable archive among many files is returned as a source with an error.
    """
    listed = failures.attempt(source.label, "read", partial(_archive, source, depth, keeps))
    if isinstance(listed, TwError):
        yield replace(source, trouble=listed)
        return
    kind, members = listed
    if kind is None:
        yield source
    for name, place in members:
        yield from _expand(
            replace(
                source,
                members=(*source.members, name),
                places=(*source.places, place),
                is_named=False,
            ),
            depth + 1,
            keeps,
        )


def _archive(
    source: Source, depth: int, keeps: KeepsArchive | None
) -> tuple[str | None, list[tuple[str, _Place]]]:
    """The kind of an archive and its files; raises CorruptTrace if archives are nested too deep."""
    with source.open() as checked:
        kind = _archive_kind(checked)
    if kind is not None and depth >= MAX_ARCHIVE_DEPTH:
        raise CorruptTrace(
            f"{source.label}: archives nested more than {MAX_ARCHIVE_DEPTH} deep",
            hint="Unpack the outer ones first.",
        )
    if kind is None:
        return None, []
    try:
        with source.open_bare() as stream:
            members = _members(source, stream, kind)
    except CorruptTrace:
        if keeps is not None and keeps(source.file_name, None):
            return None, []
        raise
    if keeps is not None and keeps(source.file_name, [name for name, _ in members]):
        return None, []
    if _OFFICE_ENTRY in (name for name, _ in members):
        return None, []  # a document of which no part is a trace
    return kind, members


def _archive_kind(stream: IO[bytes]) -> str | None:
    head = _head(stream, _GZIP_HEAD)
    stream.seek(0)
    if head.startswith(b"PK\x03\x04"):
        return "zip"
    if head.startswith(GZIP_MAGIC):
        head = _gzip_head(head)
    return "tar" if head[257:262] == b"ustar" else None


def _gzip_head(stored: bytes) -> bytes:
    try:
        return bytes(isal_zlib.decompressobj(31).decompress(stored, 512))
    except GZIP_ERROR:
        return b""


def _members(source: Source, stream: IO[bytes], kind: str) -> list[tuple[str, _Place]]:
    """Returns the files in an archive; of duplicate names the last, as unpacking would."""
    list_members = _zip_members if kind == "zip" else _tar_members
    found: dict[str, _Place] = {}
    try:
        for name, place, is_bomb in list_members(stream):
            if is_bomb:
                raise CorruptTrace(
                    f"{source.label}: {_printable(name)} expands more than {MAX_RATIO} times, "
                    "as no trace does",
                    hint="Unpack the archive first if it is to be trusted.",
                )
            found[name] = place
            if len(found) > MAX_MEMBERS:
                raise CorruptTrace(
                    f"{source.label}: more than {MAX_MEMBERS:,} members, as no trace has",
                    hint="Unpack the archive first and name the files that are traces.",
                )
    except _UNREADABLE as error:
        raise CorruptTrace(
            f"{source.label} is a damaged archive: {_reason(error)}", hint="Copy it again."
        ) from None
    return [(n, place) for n, place in found.items() if not Path(n).name.startswith(".")]


def _zip_members(stream: IO[bytes]) -> Iterator[tuple[str, _Place, bool]]:
    with zipfile.ZipFile(stream) as archive:
        for info in archive.infolist():
            if not info.filename.endswith("/"):  # is_dir() fails without a name
                is_bomb = _is_bomb(info.file_size, info.compress_size)
                yield info.filename, _Place(None, info.file_size), is_bomb


def _tar_members(stream: IO[bytes]) -> Iterator[tuple[str, _Place, bool]]:
    n_stored = stream.seek(0, io.SEEK_END)
    stream.seek(0)
    with ExitStack() as stack:
        content = cast("IO[bytes]", _Headers(_unzipped(stack, stream)))
        tar = stack.enter_context(tarfile.open(fileobj=content, mode="r:"))
        for info in tar:
            end = info.offset_data + info.size
            if info.isfile() and not info.issparse():
                yield info.name, _Place(info.offset_data, info.size), _is_bomb(end, n_stored)


def _is_bomb(n_content: int, n_stored: int) -> bool:
    return n_content > RATIO_FREE_BYTES and n_content > MAX_RATIO * n_stored


def _unzipped(stack: ExitStack, stream: IO[bytes]) -> IO[bytes]:
    head = _head(stream, 2)
    stream.seek(0)
    if head != GZIP_MAGIC:
        return stream
    unzipped: Any = igzip.GzipFile(fileobj=stream, mode="rb")  # type: ignore[no-untyped-call]
    return cast("IO[bytes]", stack.enter_context(unzipped))


def _member(stack: ExitStack, stream: IO[bytes], name: str, place: _Place) -> IO[bytes]:
    if place.offset is None:
        archive = stack.enter_context(zipfile.ZipFile(stream))
        return stack.enter_context(archive.open(name))
    return io.BufferedReader(_Slice(_unzipped(stack, stream), place), _GZIP_HEAD)


def _head(stream: IO[bytes], size: int) -> bytes:
    data = b""
    while len(data) < size and (chunk := stream.read(size - len(data))):
        data += chunk
    return data


def _printable(name: str) -> str:
    """Replaces invalid UTF-8 and control characters in a file name by U+FFFD."""
    return _CONTROLS.sub(
        "\ufffd", name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    )


def _reason(error: BaseException) -> str:
    return getattr(error, "strerror", None) or str(error) or type(error).__name__
