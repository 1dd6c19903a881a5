"""Finds dumps that are not below the folder of their log.

They are where the log says, or in a folder that an option names.

They are rows of `source_file` as well, with the role `option dump_dir`.
"""

from __future__ import annotations

import hashlib
import posixpath
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tw_importers.disc.names import TEMPORARY
from warehouse.errors import UsageError

OPTION: Final = "dump_dir"
ROLE: Final = f"option {OPTION}"
_ENDINGS: Final = (".input", ".tar")
_BLOCK: Final = 1 << 20


@dataclass(frozen=True)
class Dump:
    """A dumped file."""

    path: Path
    name: str

    @property
    def is_program(self) -> bool:
        return self.name.endswith(".input")

    def row(self) -> dict[str, object]:
        """The row of source_file, without ids."""
        digest = hashlib.sha256()
        with self.path.open("rb") as file:
            while block := file.read(_BLOCK):
                digest.update(block)
        n_bytes = self.path.stat().st_size
        return {"path": str(self.path), "n_bytes": n_bytes, "sha256": digest.hexdigest()}


def find(paths: Sequence[str], options: Mapping[str, str]) -> Iterator[Dump]:
    """The files of paths that a log names, as written, else by base name in the option's folder.

    Only regular files with names of dumps are taken. Raises UsageError where the folder is none.
    """
    folder = Path(options[OPTION]) if options.get(OPTION) else None
    if folder is not None and not folder.is_dir():
        raise UsageError(
            f"{folder}, named by --option {OPTION}, is not a folder",
            hint="Name the folder with the .input and .tar files.",
        )
    for path in dict.fromkeys(paths):
        name = posixpath.basename(path)
        if TEMPORARY.fullmatch(name) and name.endswith(_ENDINGS):
            written = [Path(path)] if posixpath.isabs(path) else []
            places = [*written, *([folder / name] if folder else [])]
            there = (each for each in places if each.is_file())
            if (found := next(there, None)) is not None:
                yield Dump(found.resolve(), name)
