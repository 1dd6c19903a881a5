"""The installed importers: listed without importing them, chosen by the content of a file."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint
from pathlib import Path

from warehouse import plugins
from warehouse.errors import TwError, UnknownFormat, UnsupportedFormat, UsageError
from warehouse.ingest.importer import (
    ENTRY_POINT_GROUP,
    SNIFF_BYTES,
    AnyImporter,
    ByteReader,
    FileImporter,
)
from warehouse.ingest.sources import Source
from warehouse.ingest.streams import TraceStream
from warehouse.ingest.text import utf8
from warehouse.ingest.unsupported import refusal


@dataclass(frozen=True)
class Format:
    """An importer by name, not yet imported."""

    name: str
    value: str  # module:attribute
    distribution: str  # the package that provides it
    entry_point: EntryPoint

    def load(self) -> AnyImporter:
        """Imports it; raises TwError with the name of the package if that fails."""
        importer = plugins.imported(self.entry_point, self.distribution)
        if not isinstance(importer, AnyImporter):
            raise TwError(
                f"{self.value} of {self.distribution} is not an importer",
                hint="Expected a FileImporter or a CaptureImporter.",
            )
        return importer


def formats() -> list[Format]:
    """All installed importers, sorted by name."""
    return list(_formats())


@cache
def _formats() -> tuple[Format, ...]:
    found = [
        Format(point.name, point.value, plugins.package(point) if point.dist else "?", point)
        for point in sorted(plugins.registered(ENTRY_POINT_GROUP), key=plugins.is_foreign)
    ]
    first = {each.name: each for each in reversed(found)}  # tw's own, where names are the same
    return tuple(sorted(first.values(), key=lambda f: f.name))


def is_capture(source: Source, importer_name: str) -> bool:
    """Whether a file records how graphs were captured, by the name of its folder."""
    folder = by_name(importer_name).capture_folder
    inside = Path(source.members[-1]) if source.members else source.path
    return folder is not None and not source.parts and inside.parent.name == folder


def by_name(name: str) -> AnyImporter:
    """The importer `name`; raises UsageError with the nearest name if there is none."""
    installed = {f.name: f for f in formats()}
    if name in installed:
        return installed[name].load()
    near = difflib.get_close_matches(name, installed, n=1)
    hint = f"Did you mean {near[0]}?" if near else f"Installed: {', '.join(installed)}."
    raise UsageError(f"importer {name!r} not found", hint=hint)


def loadable() -> Iterator[AnyImporter]:
    """All importers that can be loaded; `tw formats --check` reports the others."""
    for candidate in formats():
        with suppress(TwError):
            yield candidate.load()


def choose(source: Source) -> FileImporter:
    """The importer that is most certain to read the file; raises UnknownFormat if none is."""
    head = first_bytes(source)
    if not head:
        raise UnknownFormat(f"{source.label} is empty", hint="Was the recording finished?")
    best: FileImporter | None = None
    best_certainty = 0
    failure: Exception | None = None
    for importer in loadable():
        if isinstance(importer, FileImporter):
            try:
                certainty = importer.sniff(head, source.file_name)
            except Exception as error:  # noqa: BLE001 - another importer may read the file
                failure = error
                continue
            if certainty > best_certainty:
                best, best_certainty = importer, certainty
    if best is None and failure is not None:
        raise failure
    if best is None:
        if unsupported := refusal(source.file_name, head):
            raise UnsupportedFormat(f"{source.label} is {unsupported.what}", hint=unsupported.hint)
        raise UnknownFormat(
            f"format of {source.label} not recognised: it begins with {_shown(head)}",
            hint="`tw formats` lists the supported formats; --format NAME forces one.",
        )
    return best


def first_bytes(source: Source, *, is_text: bool = True) -> bytes:
    """The beginning of the content, decompressed, and if it may be text, in UTF-8."""
    with source.open() as stored:
        content = TraceStream(stored, source.label)
        stream: ByteReader = utf8(content) if is_text else content
        data = b""
        while len(data) < SNIFF_BYTES and (block := stream.read(SNIFF_BYTES - len(data))):
            data += block
        return data


def _shown(head: bytes) -> str:
    return ascii(head[:24].decode("utf-8", "replace"))
