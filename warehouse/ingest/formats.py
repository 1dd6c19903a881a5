"""The importers at hand: named without being imported, chosen by what a file holds."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint

from warehouse import plugins
from warehouse.errors import ForeignFile, TwError, UnknownFormat, UsageError
from warehouse.ingest.importer import ENTRY_POINT_GROUP, SNIFF_BYTES, Importer
from warehouse.ingest.sources import Source
from warehouse.ingest.streams import TraceStream
from warehouse.ingest.unsupported import refusal


@dataclass(frozen=True)
class Format:
    """An importer by name, not yet imported."""

    name: str
    value: str  # module:attribute
    distribution: str  # the package that brought it
    entry_point: EntryPoint

    def load(self) -> Importer:
        """Imports it; raises TwError naming the package when that fails."""
        try:
            importer = self.entry_point.load()
        except Exception as error:  # a plug-in may fail in any way; it must not take tw with it
            raise TwError(
                f"the importer {self.name} of {self.distribution} cannot be loaded: {error}",
                hint=f"Reinstall or remove {self.distribution}.",
            ) from error
        if not isinstance(importer, Importer):
            raise TwError(f"{self.value} of {self.distribution} is no importer")
        return importer


def formats() -> list[Format]:
    """All installed importers, sorted by name."""
    return list(_formats())


@cache
def _formats() -> tuple[Format, ...]:
    # Once a process: to name a package, its metadata is parsed.
    found = [
        Format(point.name, point.value, point.dist.name if point.dist else "?", point)
        for point in plugins.registered(ENTRY_POINT_GROUP)
    ]
    return tuple(sorted(found, key=lambda f: f.name))


def by_name(name: str) -> Importer:
    """The importer called `name`; raises UsageError naming the nearest one."""
    known = {f.name: f for f in formats()}
    if name in known:
        return known[name].load()
    near = difflib.get_close_matches(name, known, n=1)
    hint = f"Did you mean {near[0]}?" if near else f"Known: {', '.join(known)}."
    raise UsageError(f"there is no importer {name!r}", hint=hint)


def loadable() -> Iterator[Importer]:
    """All importers that can be loaded; those that cannot are reported by `tw formats`."""
    for candidate in formats():
        with suppress(TwError):
            yield candidate.load()


def choose(source: Source) -> Importer:
    """The importer surest of the file; raises UnknownFormat when none is."""
    head = first_bytes(source)
    if not head:
        raise UnknownFormat(f"{source.label} is empty", hint="Was the recording finished?")
    best, certainty = None, 0
    for importer in loadable():
        sure = importer.sniff(head, source.file_name)
        if sure > certainty:
            best, certainty = importer, sure
    if best is None:
        if known := refusal(source.file_name, head):
            raise ForeignFile(f"{source.label} is {known.what}", hint=known.hint)
        raise UnknownFormat(
            f"{source.label} is in no format tw knows: it begins with {_shown(head)}",
            hint="`tw formats` lists what can be read; --format NAME forces one.",
        )
    return best


def first_bytes(source: Source) -> bytes:
    """The beginning of the content, decompressed."""
    with source.open() as stored:
        stream = TraceStream(stored, source.label)
        data = b""
        while len(data) < SNIFF_BYTES and (block := stream.read(SNIFF_BYTES - len(data))):
            data += block
        return data


def _shown(head: bytes) -> str:
    return ascii(head[:24].decode("utf-8", "replace"))
