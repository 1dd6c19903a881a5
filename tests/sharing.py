"""Warehouses made once for all tests and workers, and a mark for long parameters."""

from __future__ import annotations

import fcntl
import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from warehouse import ingest
from warehouse.ingest import Options

#: Stands for an import in the name of its file.
_LETTERS = 16


def made_once(path: Path, make: Callable[[Path], object]) -> Path:
    """A file that the first worker to ask for it makes; the others wait for it."""
    with path.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            unfinished = path.with_name(f"{path.stem}-unfinished{path.suffix}")
            make(unfinished)
            unfinished.rename(path)
    return path


class Imported:
    """Warehouses of recordings: each is imported once for all tests that name the same files.

    No test may write to them; one that must takes a copy: `imported.copy(target, files)`.
    """

    def __init__(self, place: Path) -> None:
        self._place = place

    def __call__(self, *imports: tuple[str | None, Sequence[Path]], **options: Any) -> Path:
        """A warehouse with the files of each (run, files), run None as the importer calls it."""
        named = repr(([(run, [str(file) for file in files]) for run, files in imports], options))
        key = hashlib.sha256(named.encode()).hexdigest()[:_LETTERS]

        def make(path: Path) -> None:
            for run, files in imports:
                wanted = Options(run=run, jobs=1, **options)
                outcomes = ingest.import_paths(list(files), db=path, options=wanted)
                assert [each.error for each in outcomes if each.status != "ignored"] == [
                    None for each in outcomes if each.status != "ignored"
                ]

        return made_once(self._place / f"imported-{key}.duckdb", make)

    def copy(
        self, target: Path, *imports: tuple[str | None, Sequence[Path]], **options: Any
    ) -> Path:
        """The same as a file of its own, to be written to."""
        target.write_bytes(self(*imports, **options).read_bytes())
        return target


def slow(*values: Any, id: str | None = None) -> Any:
    """A parameter of a test that only `pytest -m slow` runs: what it shows, others show too."""
    return pytest.param(*values, marks=pytest.mark.slow, id=id)
