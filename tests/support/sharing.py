"""Warehouses made once for all tests and workers, and marks for parameters of the other tiers."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

from warehouse.ingest import pipeline
from warehouse.ingest.pipeline import Options
from warehouse.store import database

_LETTERS = 16  # of the hash that stands for imports in the name of their file
UNUSED_S = 600  # after which files built from something else are removed

#: A run, or None for the name the importer gives, and the files that go into it.
Import = tuple[str | None, Sequence[Path]]

KINETO = Path(__file__).parents[1] / "data" / "kineto"
GPU: Import = ("gpu", [KINETO / "gpu_handwritten" / "trace.json"])
DDP: Import = ("ddp", sorted((KINETO / "ddp_two_ranks").glob("*.json.gz")))


def build_once(path: Path, make: Callable[[Path], object], kept: BuildCache | None = None) -> Path:
    """Builds a file in the first worker that needs it; other workers wait for it and reuse it.

    With `kept`, a later session takes it from there. The name of the file must say what it is.
    """
    with path.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            unfinished = path.with_name(f"{path.stem}-unfinished{path.suffix}")
            if not (kept and kept.take(path.name, unfinished)):
                make(unfinished)
                if kept:
                    kept.put(path.name, unfinished)
            unfinished.rename(path)
    return path


@contextmanager
def kept_open(path: Path) -> Iterator[Path]:
    """Keeps open a warehouse that tests only read: opening it again then takes no time."""
    with database.Reader(path):
        yield path


class BuildCache:
    """Files that one session of tests built and the next takes, as long as nothing changed.

    They are in a folder named after the hash of every file of the program and of its tests, every
    recording, and the version of every package: what was built from anything else is not found.
    """

    def __init__(self, folder: Path, state: str) -> None:
        self._here = folder / state
        for other in folder.iterdir():
            with suppress(FileNotFoundError):  # another worker has removed it
                if other != self._here and time.time() - other.stat().st_mtime > UNUSED_S:
                    shutil.rmtree(other, ignore_errors=True)

    def take(self, name: str, target: Path) -> bool:
        """Copies the file of that name to `target`; False if there is none."""
        try:
            shutil.copyfile(self._here / name, target)
        except FileNotFoundError:
            return False
        return True

    def put(self, name: str, source: Path) -> None:
        """Keeps a copy, which no other process sees before it is whole."""
        self._here.mkdir(exist_ok=True)
        unfinished = self._here / f"{name}.{os.getpid()}"
        shutil.copyfile(source, unfinished)
        unfinished.replace(self._here / name)


def state_of(folders: Sequence[Path]) -> str:
    """The hash of all files in these folders, and of the program that will read them."""
    found = hashlib.sha256(sys.version.encode())
    packages = sorted(f"{each.name} {each.version}" for each in metadata.distributions())
    settings = sorted(f"{key}={value}" for key, value in os.environ.items() if key[:3] == "TW_")
    found.update(repr([packages, settings]).encode())
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                content = hashlib.sha256(path.read_bytes()).hexdigest()
                found.update(f"{path} {content}\n".encode(errors="surrogateescape"))
    return found.hexdigest()[:_LETTERS]


class WarehouseCache:
    """Warehouses of recordings: each is imported once for all tests that name the same files.

    Tests must not write to them; `copy` returns a warehouse of the test's own.
    """

    def __init__(self, place: Path, kept: BuildCache | None = None) -> None:
        self._place, self._kept = place, kept
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

        return build_once(self._place / f"imported-{key}.duckdb", make, self._kept)

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
