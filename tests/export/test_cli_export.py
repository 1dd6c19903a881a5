"""`tw export`: quiet on stdout, plain about what was written and what was not."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest
from click.testing import CliRunner, Result

from tests.support.sharing import DDP, WarehouseCache
from warehouse.cli import tw
from warehouse.errors import ExportError
from warehouse.store import database


@pytest.fixture(scope="module")
def db(imported_files: WarehouseCache) -> Path:
    return imported_files(DDP)


def run(db: Path, *words: str) -> Result:
    return CliRunner().invoke(tw, ["export", *words, "--db", str(db)], catch_exceptions=True)


def test_perfetto_says_what_it_wrote(db: Path, tmp_path: Path) -> None:
    result = run(db, "perfetto", "-o", str(tmp_path / "x.pftrace"))

    assert (result.exit_code, result.stdout) == (0, "")
    assert "1,434 slices" in result.stderr
    assert "Clocks" not in result.stderr  # both ranks' offsets are known
    assert (tmp_path / "x.pftrace").stat().st_size > 100_000


def test_perfetto_says_what_it_left_out(db: Path, tmp_path: Path) -> None:
    options = ["--rank", "0", "--to", "1ms", "--no-args", "--no-flows"]

    result = run(db, "perfetto", "-o", str(tmp_path / "x.pftrace"), *options)

    assert "slices outside the time window: omitted" in result.stderr
    assert "--no-args" in result.stderr
    assert "--no-flows" in result.stderr
    assert "Clocks" not in result.stderr


def test_chrome_writes_a_folder_for_several_traces(db: Path, tmp_path: Path) -> None:
    result = run(db, "chrome", "-o", str(tmp_path / "traces"))

    assert (result.exit_code, result.stdout) == (0, "")
    assert sorted(path.name for path in (tmp_path / "traces").iterdir()) == [
        "_origin.json",
        "rank0.json.gz",
        "rank1.json.gz",
    ]


def test_chrome_refuses_several_traces_in_a_file(db: Path, tmp_path: Path) -> None:
    result = run(db, "chrome", "-o", str(tmp_path / "x.json"))

    assert isinstance(result.exception, ExportError)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_files_are_named_after_the_run(
    db: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    results = [run(db, "perfetto"), run(db, "chrome", "--rank", "0"), run(db, "parquet")]

    assert [result.exit_code for result in results] == [0, 0, 0]
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "ddp.json.gz",
        "ddp.json.gz.origin.json",
        "ddp.lake",
        "ddp.pftrace",
        "ddp.pftrace.origin.json",
    ]


def test_a_missing_folder_is_named(db: Path, tmp_path: Path) -> None:
    result = run(db, "perfetto", "-o", str(tmp_path / "none" / "x.pftrace"))

    assert isinstance(result.exception, ExportError)
    assert str(result.exception.hint) == f"Create the folder {tmp_path / 'none'} first."


def test_an_empty_warehouse_has_nothing_to_export(tmp_path: Path) -> None:
    database.create_empty(tmp_path / "empty.duckdb")

    result = run(tmp_path / "empty.duckdb", "perfetto", "-o", str(tmp_path / "x.pftrace"))

    assert isinstance(result.exception, ExportError)
    assert duckdb.connect(str(tmp_path / "empty.duckdb"), read_only=True) is not None


def test_help_loads_no_heavy_library() -> None:
    program = (
        "import sys, warehouse.cli.export;"
        "heavy = {'numpy', 'pyarrow', 'perfetto', 'google.protobuf', 'duckdb'};"
        "print(', '.join(sorted(heavy & set(sys.modules))))"
    )

    result = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )

    assert (result.returncode, result.stdout.strip()) == (0, "")
