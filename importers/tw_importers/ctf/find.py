"""Finds CTF traces: folders with metadata, grouped to the session of a tracer they belong to.

LTTng writes `<session>/ust/uid/<uid>/<bits>-bit`, `<session>/ust/pid/<process>` and
`<session>/kernel`, each also below `<session>/archives/<chunk>` if the session is rotated.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence

from tw_importers.ctf import metadata
from warehouse.ingest.importer import Capture, Listing, Part

_INSIDE = re.compile(
    r"(?:^|/)(?:archives/[^/]+/)?(?:ust/uid/[^/]+/[^/]+|ust/pid/[^/]+|kernel"
    r"|uid/\d+/\d+-bit|pid/[^/]+-\d+-\d+)$"
)
_NUMBERS = re.compile(r"\d+")
METADATA, STREAM = "metadata", "stream"


def find(listing: Listing) -> Iterator[Capture]:
    """Returns a capture for each session, or for a folder that belongs to none."""
    folders = [
        posixpath.dirname(name)
        for name in listing.names
        if posixpath.basename(name) == "metadata" and metadata.looks_like(listing.head(name))
    ]
    sessions: dict[str, list[str]] = {}
    for folder in sorted(folders, key=_natural):
        sessions.setdefault(_session(folder), []).append(folder)
    files: dict[str, list[str]] = {}
    for name in listing.names:
        files.setdefault(posixpath.dirname(name), []).append(name)
    for session, traces in sessions.items():
        yield _capture(session, traces, files)


def _session(folder: str) -> str:
    return _INSIDE.sub("", folder)


def _capture(session: str, traces: Sequence[str], files: dict[str, list[str]]) -> Capture:
    parts, ignored = [], []
    for trace in traces:
        for name in sorted(files[trace], key=_natural):
            base, inside = posixpath.basename(name), _relative(name, session)
            if base == "metadata":
                parts.append(Part(inside, METADATA))
            elif base.startswith("."):
                ignored.append(inside)
            else:
                parts.append(Part(inside, STREAM))
        index = posixpath.join(trace, "index")
        ignored += [_relative(name, session) for name in files.get(index, [])]
    return Capture(session, tuple(parts), ignored=tuple(ignored))


def _relative(name: str, folder: str) -> str:
    return name.removeprefix(f"{folder}/") if folder else name


def _natural(name: str) -> tuple[str, list[int], str]:
    """Orders numbers in names by their value."""
    return _NUMBERS.sub("", name), [int(n) for n in _NUMBERS.findall(name)], name
