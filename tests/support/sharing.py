"""Warehouses made once for all tests and workers, and marks for parameters of the other tiers."""

from __future__ import annotations

import fcntl
import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
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


def build_once(path: Path, make: Callable[[Path], object]) -> Path:
    """Builds a file in the first worker that needs it; other workers wait for it and reuse it."""
    with path.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            unfinished = path.with_name(f"{path.stem}-unfinished{path.suffix}")
            make(unfinished)
            unfinished.rename(path)
    return path


@contextmanager
def kept_open(path: Path) -> Iterator[Path]:
    """Keeps open a warehouse that tests only read: opening it again then takes no time."""
    with database.Reader(path):
        yield path


class WarehouseCache:
    """Warehouses of recordings: each is imported once for all tests that name the same files.

    Tests must not write to them; `copy` returns a warehouse of the test's own.
    """

    def __init__(self, place: Path) -> None:
        self._place = place
        self._held: dict[Path, database.Reader] = {}

    def __call__(self, *imports: Import) -> Path:
        """The path of the warehouse, which stays open: opening it again takes no time."""
        path = self.file(*imports)
        if path not in self._held:
            self._held[path] = database.Reader(path)
        return path

    def close(self) -> None:
        for each in self._held.values():
            each.close()

    def file(self, *imports: Import) -> Path:
        """The path of a warehouse with these imports."""
        named = repr([(run, [str(file) for file in files]) for run, files in imports])
        key = hashlib.sha256(named.encode()).hexdigest()[:_LETTERS]

        def make(path: Path) -> None:
            *before, (run, files) = imports
            if before:
                self.copy(path, *before)
            outcomes = pipeline.import_paths(list(files), db=path, options=Options(run=run, jobs=1))
            assert {each.status for each in outcomes} <= {"imported", "ignored"}, outcomes

        return build_once(self._place / f"imported-{key}.duckdb", make)

    def copy(self, target: Path, *imports: Import) -> Path:
        """Copies the warehouse to `target`."""
        target.write_bytes(self.file(*imports).read_bytes())
        return target


def has_tier(request: pytest.FixtureRequest, tier: str) -> bool:
    """Whether tests of this tier run: fixtures may leave out what only they need."""
    return any(item.get_closest_marker(tier) for item in request.session.items)


def chosen(request: pytest.FixtureRequest, parameter: str) -> set[Any]:
    """Values of a parameter that the tests to be run have: fixtures make what these need."""
    calls = [getattr(item, "callspec", None) for item in request.session.items]
    values = [call.params[parameter] for call in calls if call and parameter in call.params]
    return {value for value in values if isinstance(value, str | int)}


def slow(*values: Any, id: str | None = None) -> Any:
    """A redundant parameter of a test, which runs only with `-m slow`."""
    return pytest.param(*values, marks=pytest.mark.slow, id=id)


def integration(*values: Any, id: str | None = None) -> Any:
    """A parameter of a test that runs only with `-m integration`; another one runs by default."""
    return pytest.param(*values, marks=pytest.mark.integration, id=id)
