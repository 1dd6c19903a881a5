"""Groups files into captures: folders, or parts of an archive, that form one trace.

Importers decide which files belong together (`warehouse.ingest.importer.Captures`), before any
format is guessed. All other files stay sources of their own.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path, PurePosixPath

from warehouse.errors import TwError
from warehouse.ingest import failures, formats
from warehouse.ingest.importer import Capture, Captures, Listing, Part
from warehouse.ingest.sources import Source, SourceSet, below, source_sets
from warehouse.ingest.text import is_text

_ARCHIVE = tuple[Path, tuple[str, ...]]
_PartsOf = dict[Path, dict[Source, Source]]  # of a folder: each part of a capture, with the capture


def find(
    paths: Sequence[str], stdin_copy: Path | None = None, importer: str | None = None
) -> list[Source]:
    """As `sources.find`, with captures in place of their files.

    With `importer`, only its captures are searched. A single file that is part of a capture stands
    for the whole capture.
    """
    finders = _finders(importer)
    found: dict[Source, None] = {}
    siblings: _PartsOf = {}
    for each in source_sets(paths, stdin_copy, partial(_keeps_archive, finders)):
        for source in _with_captures(each, finders, siblings) if finders else each.sources:
            found.setdefault(source)
    return list(found)


def by_folder(
    belongs: Callable[[str], str | None], is_capture: Callable[[Sequence[str]], bool]
) -> Callable[[Listing], list[Capture]]:
    """Returns a `Captures.find` for formats whose captures are single folders.

    `belongs` returns the role of a file by its name without folders, or None; `is_capture` returns
    whether such names in one folder form a capture. Parts are ordered by the numbers in their
    names.
    """

    def find_folders(listing: Listing) -> list[Capture]:
        folders: dict[str, list[Part]] = {}
        for name in listing.names:
            path = PurePosixPath(name)
            if (role := belongs(path.name)) is not None:
                folder = "" if str(path.parent) == "." else str(path.parent)
                folders.setdefault(folder, []).append(Part(path.name, role))
        return [
            Capture(folder, tuple(sorted(parts, key=_numbers)))
            for folder, parts in sorted(folders.items())
            if is_capture([part.name for part in parts])
        ]

    return find_folders


def _numbers(part: Part) -> tuple[str, list[int], str]:
    stem = re.sub(r"\d+", "", part.name)
    return stem, [int(number) for number in re.findall(r"\d+", part.name)], part.name


def _finders(importer: str | None) -> list[tuple[str, Captures]]:
    searched = formats.loadable() if importer is None else [formats.by_name(importer)]
    return [(each.name, each.captures) for each in searched if each.captures is not None]


def _keeps_archive(
    finders: list[tuple[str, Captures]], name: str, members: Sequence[str] | None
) -> bool:
    kept = [captures.keeps_archive for _, captures in finders if captures.keeps_archive is not None]
    return any(keeps(name, members) for keeps in kept)


@dataclass(frozen=True)
class _Listing:
    """The files of one folder or archive by name."""

    files: dict[str, Source]

    @property
    def names(self) -> list[str]:
        return list(self.files)

    def head(self, name: str) -> bytes:
        try:
            return formats.first_bytes(self.files[name], is_text=is_text(name))
        except (OSError, TwError):
            return b""  # reported when the file is imported


def _with_captures(
    found: SourceSet, finders: list[tuple[str, Captures]], siblings: _PartsOf
) -> Iterator[Source]:
    if found.is_file and len(found.sources) == 1 and not found.sources[0].members:
        yield _around(found, finders, siblings)
        return
    part_of, troubles = _parts_of(found, finders)
    yield from troubles
    done: set[Source] = set()
    for source in found.sources:
        capture = part_of.get(source, source)
        if capture not in done:
            done.add(capture)
            yield capture


def _around(found: SourceSet, finders: list[tuple[str, Captures]], siblings: _PartsOf) -> Source:
    """The capture a single file is part of, or the file; `siblings` has the folders searched."""
    (named,) = found.sources
    if found.folder not in siblings:
        siblings[found.folder] = _parts_in(found.folder, finders)
    capture = siblings[found.folder].get(replace(named, is_named=False))
    return replace(capture, is_named=True, stands_for=named.label) if capture else named


def _parts_in(folder: Path, finders: list[tuple[str, Captures]]) -> dict[Source, Source]:
    globs = dict.fromkeys(glob for _, captures in finders for glob in captures.beside)
    try:
        files = [file for glob in globs for file in below(folder, glob)]
    except OSError:  # a folder that may be entered, but not listed
        return {}
    part_of, _ = _parts_of(SourceSet(folder, files), finders)
    return part_of


def _parts_of(
    found: SourceSet, finders: list[tuple[str, Captures]]
) -> tuple[dict[Source, Source], list[Source]]:
    """Each file that is part of a capture, with the capture; and folders whose search failed."""
    containers: dict[_ARCHIVE, dict[str, Source]] = {}
    for source in found.sources:
        inside = (source.path, source.members[:-1]) if source.members else (found.folder, ())
        containers.setdefault(inside, {})[found.name(source)] = source
    part_of: dict[Source, Source] = {}
    troubles: list[Source] = []
    for (path, members), files in containers.items():
        is_archive = any(file.members for file in files.values())
        folder = Source(path, members, is_named=False)
        for name, captures in finders:
            failed = failures.attempt(
                f"{folder.label}: captures of importer {name}",
                "searched",
                partial(_search, part_of, captures, files, (path, members, is_archive), name),
            )
            if failed is not None:
                troubles.append(replace(folder, trouble=failed))
    return part_of, troubles


def _search(
    part_of: dict[Source, Source],
    captures: Captures,
    files: dict[str, Source],
    place: tuple[Path, tuple[str, ...], bool],
    importer: str,
) -> None:
    found = list(captures.find(_Listing(files)))
    n_in_folder = Counter(capture.folder for capture in found)
    for capture in found:
        _add(part_of, capture, files, place, importer, is_alone=n_in_folder[capture.folder] == 1)


def _add(
    part_of: dict[Source, Source],
    capture: Capture,
    files: dict[str, Source],
    place: tuple[Path, tuple[str, ...], bool],
    importer: str,
    *,
    is_alone: bool,
) -> None:
    parts = tuple(files[_joined(capture.folder, part.name)] for part in capture.parts)
    owned = [file for part, file in zip(capture.parts, parts, strict=True) if not part.is_shared]
    if any(file in part_of for file in owned):
        return  # another importer was first
    path, members, is_archive = place
    source = Source(
        path if is_archive or not capture.folder else path / capture.folder,
        (*members, capture.folder) if is_archive and capture.folder else members,
        is_named=False,
        trouble=next((part.trouble for part in parts if part.trouble), None),
        parts=capture.parts,
        part_files=parts,
        first_file=None if is_alone else capture.parts[0].name,
        importer=importer,
        job=capture.job,
    )
    part_of.update((file, source) for file in owned)
    for file in (*parts, *(files[_joined(capture.folder, name)] for name in capture.ignored)):
        part_of.setdefault(file, source)


def _joined(folder: str, name: str) -> str:
    return posixpath.normpath(posixpath.join(folder, name))
