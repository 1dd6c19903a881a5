"""Files that grow or are replaced while they are imported: the file fails, or is what it was."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.sharing import KINETO, integration, slow
from warehouse.ingest import pipeline, sources
from warehouse.store import database

SMALL = KINETO / "gpu_handwritten" / "trace.json"
DUMPS = KINETO.parent / "bladedisc" / "ok"


def grow(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b"\n")


def replace(path: Path) -> None:
    """By another file of the same size and time."""
    status, other = path.stat(), path.with_name("other")
    other.write_bytes(path.read_bytes())
    os.utime(other, ns=(status.st_atime_ns, status.st_mtime_ns))
    other.replace(path)


def shrink(path: Path) -> None:
    os.truncate(path, path.stat().st_size - 2)


@pytest.mark.parametrize("change", [grow, integration(replace), slow(shrink)])
def test_a_file_that_changes_while_it_is_read_fails_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[Path], None]
) -> None:
    changing, steady = tmp_path / "changing.json", tmp_path / "steady.json"
    changing.write_bytes(SMALL.read_bytes())
    steady.write_bytes(SMALL.read_bytes() + b"\n\n")
    honest = sources.Source.sha256

    def sha256(source: sources.Source) -> tuple[str, ...]:
        digest = honest(source)
        if source.path == changing:
            change(changing)
        return digest

    monkeypatch.setattr(sources.Source, "sha256", sha256)
    db = tmp_path / "w.duckdb"
    first, second = pipeline.import_paths([changing, steady], db=db)

    assert (first.status, second.status) == ("failed", "imported")
    assert first.error is not None
    assert first.error.message == f"{changing} changed while it was read"
    with database.Reader(db) as reader:
        assert database.one(reader.connection, "SELECT count(*) FROM trace") == (1,)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "changing.json", "steady.json", "w.duckdb",
    ]  # fmt: skip


def test_a_capture_one_of_whose_files_grows_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = shutil.copytree(DUMPS, tmp_path / "dumps")
    honest = sources.Source.sha256

    def sha256(source: sources.Source) -> tuple[str, ...]:
        digest = honest(source)
        grow(folder / "train.log")
        return digest

    monkeypatch.setattr(sources.Source, "sha256", sha256)
    outcomes = pipeline.import_paths([folder], db=tmp_path / "w.duckdb")

    failed = [each for each in outcomes if each.status == "failed"]
    assert [str(each.error) for each in failed] == [f"{folder} changed while it was read"]
    assert all(each.status == "ignored" for each in outcomes if each not in failed)


@pytest.mark.integration
def test_a_file_that_is_deleted_after_it_was_read_is_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "t.json"
    path.write_bytes(SMALL.read_bytes())
    honest = sources.Source.stamps
    times: list[int] = []

    def stamps(source: sources.Source) -> tuple[tuple[int, ...], ...]:
        times.append(1)
        if len(times) == 2:
            path.unlink()
        return honest(source)

    monkeypatch.setattr(sources.Source, "stamps", stamps)
    (outcome,) = pipeline.import_paths([path], db=tmp_path / "w.duckdb")

    assert outcome.status == "imported"
