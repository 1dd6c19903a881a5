"""The storage of a lake by what the user names: a folder or a URL."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

from warehouse.errors import DatabaseError
from warehouse.lake.object_storage import open_url
from warehouse.lake.storage import Folder, Storage

#: Object storage, as a path, which has lost one of the slashes.
_REMOTE: Final = re.compile(r"([a-z][a-z0-9+.-]+):/+(.*)")
#: Characters with a meaning in the names of files that DuckDB reads: patterns and partitions.
_SPECIAL: Final = re.compile(r"[*?\[\]{}=]")


def storage_of(place: Path | str) -> Storage:
    """The storage at a folder or URL. Raises DatabaseError."""
    text = os.fspath(place)
    if (found := _REMOTE.fullmatch(text)) is not None:
        opened = open_url(found[1], found[2])
        _refuse_special(place, text)
        return opened
    folder = Path(place)
    _refuse_special(place, os.fspath(folder.absolute()))
    return Folder(folder)


def _refuse_special(place: Path | str, text: str) -> None:
    if found := _SPECIAL.search(text):
        raise DatabaseError(
            f"the path {place} has the character {found[0]!r}, which no path of a lake may have",
            hint="Name another folder.",
        )
