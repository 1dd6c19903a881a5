"""Finds the SQL that ships with the program, in a checkout and in an installed wheel."""

from __future__ import annotations

import os
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def sql_folder(name: str) -> Path:
    """Returns the folder `schema` or `queries`: in an installed package, beside it in a checkout.

    Raises FileNotFoundError when neither exists.
    """
    places = (_PACKAGE / name, _PACKAGE.parent / name)
    for place in places:
        if place.is_dir():
            return place
    raise FileNotFoundError(f"no {name} folder at {places[0]} or {places[1]}: reinstall tw")


def sql_files(folder: Path) -> list[tuple[str, ...]]:
    """Returns the SQL files below a folder as parts of relative paths, in order."""
    # Hundreds of files, for every command: as paths, finding them takes as long as reading them.
    return sorted(
        (*os.path.relpath(place, folder).split(os.sep), name)
        for place, _, names in os.walk(folder)
        for name in names
        if name.endswith(".sql")
    )
