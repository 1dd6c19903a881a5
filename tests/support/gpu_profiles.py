"""Small captures of GPU profilers for tests: files written here, imported into one warehouse."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import duckdb

from warehouse.errors import TwError
from warehouse.ingest import pipeline
from warehouse.ingest.pipeline import Options, Outcome


def write(folder: Path, captures: Mapping[str, Mapping[str, str]]) -> list[Path]:
    """A folder for each capture, named like it; its files by name."""
    for name, contents in captures.items():
        (folder / name).mkdir(parents=True)
        for file, text in contents.items():
            (folder / name / file).write_text(text)
    return [folder / name for name in captures]


def imported(paths: list[Path], db: Path, **options: object) -> duckdb.DuckDBPyConnection:
    """All of them in a new warehouse; fails where one is not imported."""
    outcomes = pipeline.import_paths(paths, db=db, options=Options(jobs=1, **options))  # type: ignore[arg-type]
    assert [outcome.error for outcome in outcomes if outcome.status != "imported"] == []
    return duckdb.connect(str(db), read_only=True)


def outcome(path: Path, db: Path) -> Outcome:
    """What became of the one source `path` is."""
    (found,) = pipeline.import_paths([path], db=db, options=Options(jobs=1))
    return found


def error(path: Path, db: Path) -> TwError:
    """Why it was not imported."""
    found = outcome(path, db).error
    assert found is not None
    return found
