"""Warehouses made once for all tests and workers, and marks for parameters of the other tiers."""

from __future__ import annotations

import fcntl
import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from warehouse.ingest import pipeline
from warehouse.ingest.pipeline import Options
from warehouse.store import database

_LETTERS = 16  # of the hash that stands for imports in the name of their file

#: A run, or None for the name the importer gives, and the files that go into it.
Import = tuple[str | None, Sequence[Path]]

KINETO = Path(__file__).parents[1] / "data" / "kineto"
GPU: Import = ("gpu", [KINETO / "gpu_handwritten" / "trace.json"])
DDP: Import = ("ddp", sorted((KINETO / "ddp_two_ranks").glob("*.json.gz")))


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
        self._held: dict[Path, database.Reader] = {}

    def __call__(self, *imports: Import) -> Path:
        """The warehouse, held open: whoever opens it again as we do waits for nothing."""
        path = self.file(*imports)
        if path not in self._held:
            self._held[path] = database.Reader(path)
        return path

    def close(self) -> None:
        for each in self._held.values():
            each.close()

    def file(self, *imports: Import) -> Path:
        """A warehouse with the files of each (run, files), run None as the importer calls it."""
        named = repr([(run, [str(file) for file in files]) for run, files in imports])
        key = hashlib.sha256(named.encode()).hexdigest()[:_LETTERS]

        def make(path: Path) -> None:
            for run, files in imports:
                wanted = Options(run=run, jobs=1)
                outcomes = pipeline.import_paths(list(files), db=path, options=wanted)
                assert {each.status for each in outcomes} <= {"imported", "ignored"}, outcomes

        return made_once(self._place / f"imported-{key}.duckdb", make)

    def copy(self, target: Path, *imports: Import) -> Path:
        """The same as a file of its own, to be written to."""
        target.write_bytes(self.file(*imports).read_bytes())
        return target


def slow(*values: Any, id: str | None = None) -> Any:
    """A redundant parameter of a test, which runs only with `-m slow`."""
    return pytest.param(*values, marks=pytest.mark.slow, id=id)


def integration(*values: Any, id: str | None = None) -> Any:
    """A parameter of a test that runs only with `-m integration`; another one runs by default."""
    return pytest.param(*values, marks=pytest.mark.integration, id=id)
