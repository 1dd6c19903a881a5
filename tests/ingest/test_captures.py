"""Captures are found by names, and by the heads of files where names do not suffice."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.plugin import installed
from warehouse.ingest import captures, formats
from warehouse.ingest.importer import (
    ENTRY_POINT_GROUP,
    SNIFF_BYTES,
    Capture,
    CaptureImporter,
    Captures,
    Listing,
    Part,
    Parts,
    Scratch,
    TraceFacts,
)

if TYPE_CHECKING:
    from tests.conftest import Tw


def find(listing: Listing) -> list[Capture]:
    """The files that begin with STREAM, wherever they are."""
    streams = [name for name in listing.names if listing.head(name).startswith(b"STREAM")]
    return [Capture("", tuple(Part(name, "stream") for name in streams))] if streams else []


def read(parts: Parts, scratch: Scratch) -> TraceFacts:
    raise NotImplementedError


HEADS = CaptureImporter(
    name="heads", title="Files by their heads", version=1, captures=Captures(find, read)
)


@contextmanager
def heads_installed() -> Iterator[None]:
    point = EntryPoint("heads", f"{__name__}:HEADS", ENTRY_POINT_GROUP)
    found = [formats.Format("heads", point.value, "tests", point)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(formats, "formats", lambda: found)
        patch.setattr(formats.Format, "load", lambda self: HEADS)
        yield


def test_the_heads_of_files_decide_what_is_a_capture(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.bin").write_bytes(b"STREAM 1")
    (tmp_path / "in" / "b.bin.gz").write_bytes(gzip.compress(b"STREAM 2"))
    (tmp_path / "in" / "notes.txt").write_bytes(b"not one")
    (tmp_path / "in" / "cut.gz").write_bytes(gzip.compress(b"STREAM 3")[:12])

    with heads_installed():
        found = captures.find([str(tmp_path / "in")])

    (capture,) = [source for source in found if source.parts]
    assert [part.name for part in capture.parts] == ["a.bin", "b.bin.gz"]
    alone = {source.file_name for source in found if not source.parts}
    assert alone == {"cut.gz", "notes.txt"}


def test_a_head_is_as_long_as_sniff_sees(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.bin").write_bytes(b"STREAM" + b"x" * SNIFF_BYTES)
    lengths: list[int] = []

    def measure(listing: Listing) -> list[Capture]:
        lengths.extend(len(listing.head(name)) for name in listing.names)
        return []

    importer = CaptureImporter(name="heads", title="", version=1, captures=Captures(measure, read))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(formats, "loadable", lambda: iter([importer]))
        captures.find([str(tmp_path / "in")])

    assert lengths == [SNIFF_BYTES]


def test_a_single_file_is_refused_by_an_importer_of_captures(tw: Tw, tmp_path: Path) -> None:
    (tmp_path / "one.bin").write_bytes(b"anything")

    ran = tw("import", "--format", "sophgo", "one.bin")

    assert ran.code == 1
    assert "one.bin is one file of a capture, not a trace by itself" in ran.errors[0]
    assert "Name the folder it belongs to." in ran.err


def test_what_is_neither_of_both_is_not_an_importer(tw: Tw, tmp_path: Path) -> None:
    with installed(tmp_path) as package:
        text = (package / "__init__.py").read_text()
        (package / "__init__.py").write_text(text.replace("SPANS = FileImporter(", "SPANS = dict("))
        ran = tw("formats", "--check")

    assert ran.code == 1
    assert "tw_spans:SPANS of tw-spans is not an importer" in ran.out
