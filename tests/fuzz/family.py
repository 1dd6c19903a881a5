"""What the fuzz driver knows of a family of inputs: importer, sound inputs, structure.

A family is declared once, with `register`. An importer may have several, one for each format.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from warehouse.ingest.importer import Parts, Scratch

#: Files by name, with `/` between folders: a single file, or a capture.
Files = dict[str, bytes]
#: How the content of a family is laid out: which structure-aware edits it gets.
Structure = Literal["json", "csv", "lines", "sqlite", "protobuf", "blocks", "pickle", "archive"]


@dataclass(frozen=True)
class Family:
    """Inputs of one format: sound ones to damage, how they are laid out, who imports them."""

    name: str
    importer: str | None  # None: chosen by content, as for archives
    structure: Structure
    seeds: Callable[[], Sequence[Files]]
    #: Globs below the folder of TW_TEST_DATA: small files that match are seeds as well.
    recordings: tuple[str, ...] = ()
    is_capture: bool = False  # imported as a folder, not as a single file
    #: Reads the records of a capture where `Captures.read` needs a database for more than storing.
    read: Callable[[Parts, Scratch], object] | None = None


_FAMILIES: dict[str, Family] = {}


def register(family: Family) -> None:
    """Adds a family; raises ValueError if there is one of this name."""
    if family.name in _FAMILIES:
        raise ValueError(f"family {family.name} is registered twice")
    _FAMILIES[family.name] = family


@cache
def families() -> dict[str, Family]:
    """All families by name."""
    from tests.fuzz import seeds  # registers them

    assert seeds
    return dict(sorted(_FAMILIES.items()))
