"""Runs the reader of a family on one input in memory, and judges how it ends.

Rules: reading ends in records, perhaps with problems, or in a TraceError of one sentence.
"""

from __future__ import annotations

import io
import posixpath
import shutil
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, cast

from tests.fuzz.family import Family, Files
from tests.fuzz.limits import Violation, limited
from tests.fuzz.sink import Sink
from warehouse.errors import TraceError, TwError, UnexpectedFailure
from warehouse.ingest import captures, formats, importer
from warehouse.ingest.importer import SNIFF_BYTES, AnyImporter, FileImporter, Job, Part, Scratch
from warehouse.ingest.sources import Source
from warehouse.ingest.streams import TraceStream
from warehouse.ingest.text import utf8

CPU_S = 10.0
_READ_BYTES = 1 << 16
_MAX_BYTES = 64 << 20  # of content: seeds have kilobytes


@dataclass
class _Listing:
    """The files of a capture in memory."""

    files: Files

    @property
    def names(self) -> list[str]:
        return list(self.files)

    def head(self, name: str) -> bytes:
        try:
            return _read(_stream(self.files[name], name), SNIFF_BYTES)
        except TwError:
            return b""


@dataclass
class MemoryParts:
    """A capture that lies in memory, as its importer sees it."""

    files: Files
    parts: Sequence[Part]
    folder_name: str = "cdm_profile_data_dev0"
    job: Job | None = None

    def read(self, name: str) -> bytes:
        with self.open(name) as stream:
            return _read(stream, _MAX_BYTES)

    @contextmanager
    def open(self, name: str) -> Iterator[TraceStream]:
        yield _stream(self.files[name], name)


def run(family: Family, files: Files, folder: Path) -> str:
    """Reads one input; returns how that ended. Raises whatever breaks a rule."""
    with limited(CPU_S):
        try:
            problems = sum(map(bool, _read_all(family, files, folder)))
        except TraceError as error:
            check_error(error)
            return "refused"
    return "read with problems" if problems else "read"


def check_error(error: TwError) -> None:
    """Raises Violation for an error that is not one sentence about the input."""
    if isinstance(error, UnexpectedFailure):
        raise Violation(f"{error.message}\n{error.traceback}")
    if not isinstance(error, TraceError):
        raise Violation(f"{type(error).__name__}: {error.message}")
    if not error.message.strip() or "\n" in error.message:
        raise Violation(f"the error is not one sentence: {error.message!r}")


def _read_all(family: Family, files: Files, folder: Path) -> list[Any]:
    """The problems of all that the input holds."""
    if family.structure == "archive":
        return _read_sources(family, files, folder)
    assert family.importer is not None
    chosen = formats.by_name(family.importer)
    problems, left = [], dict(files)
    if chosen.captures is not None:
        for capture in chosen.captures.find(_Listing(files)):
            problems.append(_read_capture(family, chosen, files, capture, folder))
            for part in capture.parts:
                left.pop(_name(capture, part), None)
    for name, content in left.items():
        _sniffed(_head(content, name), name)
        if isinstance(chosen, FileImporter):
            problems.append(_read_file(chosen, _stream(content, name), folder))
    return problems


def _read_capture(
    family: Family, chosen: AnyImporter, files: Files, capture: importer.Capture, folder: Path
) -> Any:
    assert chosen.captures is not None
    inside = {part.name: files[_name(capture, part)] for part in capture.parts}
    parts = MemoryParts(inside, capture.parts, Path(capture.folder).name, capture.job)
    read = family.read or chosen.captures.read
    facts = read(parts, _scratch(folder, *inside.values()))
    return getattr(facts, "problems", None)


def _name(capture: importer.Capture, part: Part) -> str:
    return posixpath.normpath(posixpath.join(capture.folder, part.name))


def _read_file(chosen: FileImporter, stream: TraceStream, folder: Path) -> Any:
    seen = zlib.crc32(stream.label.encode())
    if isinstance(stream.stored, io.BytesIO):
        seen = zlib.crc32(stream.stored.getvalue())
    facts = chosen.read(utf8(stream), _scratch(folder, seen=seen))
    return facts.problems + stream.problems


def _read_sources(family: Family, files: Files, folder: Path) -> list[Any]:
    """The same where files must lie on a disk: archives, and what their members hold."""
    problems = []
    shutil.rmtree(folder / "in", ignore_errors=True)
    for source in captures.find(write(family, files, folder / "in")):
        try:
            if source.trouble is not None:
                raise source.trouble
            problems.append(_read_source(source, folder))
        except TraceError as error:
            check_error(error)
            problems.append([error])
    return problems


def _read_source(source: Source, folder: Path) -> Any:
    if source.importer is not None:
        chosen = formats.by_name(source.importer)
        assert chosen.captures is not None
        inside = dict(
            zip((part.name for part in source.parts), map(_content, source.files), strict=True)
        )
        return chosen.captures.read(MemoryParts(inside, source.parts), _scratch(folder)).problems
    with source.open() as stored:
        choice = formats.choose(source)
        return _read_file(choice, TraceStream(stored, source.label, _MAX_BYTES), folder)


def _content(source: Source) -> bytes:
    with source.open() as stored:
        return stored.read()


def write(family: Family, files: Files, folder: Path) -> list[str]:
    """Writes an input below a new folder; returns the paths that an import of it names."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return [str(folder)] if family.is_capture else [str(folder / name) for name in files]


def _scratch(folder: Path, *contents: bytes, seen: int = 0) -> Scratch:
    """A scratch folder without a database; one input in eight is read strictly, one leniently."""
    variant = (zlib.crc32(b"".join(contents)) if contents else seen) % 8
    return Scratch(folder, cast("Any", Sink()), variant == 0, variant == 1)


def _stream(content: bytes, name: str) -> TraceStream:
    return TraceStream(io.BytesIO(content), name, _MAX_BYTES)


def _read(stream: TraceStream, size: int) -> bytes:
    blocks = []
    while size > 0 and (block := stream.read(min(size, _READ_BYTES))):
        blocks.append(block)
        size -= len(block)
    return b"".join(blocks)


def _head(content: bytes, name: str) -> bytes:
    try:
        return _read(_stream(content, name), SNIFF_BYTES)
    except TraceError:
        return b""


@cache
def _sniffers() -> tuple[FileImporter, ...]:
    return tuple(each for each in formats.loadable() if isinstance(each, FileImporter))


def _sniffed(head: bytes, name: str) -> None:
    """Asks every importer how certain it is; none may raise."""
    for each in _sniffers():
        certainty = each.sniff(head, name)
        if not 0 <= certainty <= 100:
            raise Violation(f"{each.name} is certain to {certainty} of 100")
