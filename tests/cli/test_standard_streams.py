"""A standard stream that is full, closed or broken is one sentence, or no failure at all."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.sharing import GPU, WarehouseCache, integration, slow

TW = (sys.executable, "-c", "from warehouse.cli import main; main()")
NEEDS_FULL = pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
ROWS = ("query", "-c", "FROM range(100000)", "--rows", "-1")


def shell(db: Path, redirection: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs `tw ARGUMENTS` with a redirection of sh."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("TW_")}
    return subprocess.run(
        ["sh", "-c", f'"$@" {redirection}', "sh", *TW, *arguments],
        capture_output=True, text=True, check=False, cwd=db.parent, timeout=120,
        env={**kept, "TW_DB": str(db), "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
    )  # fmt: skip


@pytest.fixture
def db(imported_files: WarehouseCache) -> Path:
    return imported_files.file(GPU)


@NEEDS_FULL
@pytest.mark.parametrize(
    "arguments",
    [
        ("runs",),
        *map(integration, [("query", "utilization"), ("--help",)]),
        *map(slow, [("info",), ("queries", "list")]),
        *map(slow, [("export", "chrome", "-o", "-"), ("query", "traces", "--format", "csv")]),
    ],
    ids=lambda each: "_".join(each[:2]),
)
def test_a_full_disk_is_one_sentence(db: Path, arguments: tuple[str, ...]) -> None:
    ran = shell(db, ">/dev/full", *arguments)

    errors = [line for line in ran.stderr.splitlines() if not line.startswith("Scope")]
    assert errors == ["Error: stdout cannot be written: No space left on device"]
    assert ran.returncode == 1


@pytest.mark.parametrize(
    "arguments", [("query", "utilization"), *map(slow, [("runs",), ("info",), ("check",)])]
)
def test_a_closed_stdout_is_one_sentence(db: Path, arguments: tuple[str, ...]) -> None:
    """And its number is not given to the warehouse, which a library that prints would destroy."""
    ran = shell(db, ">&-", *arguments)

    errors = [line for line in ran.stderr.splitlines() if not line.startswith("Scope")]
    assert errors == ["Error: stdout cannot be written: Bad file descriptor"]
    assert ran.returncode == 1


@pytest.mark.integration
def test_all_streams_may_be_closed_where_they_are_not_used(db: Path, tmp_path: Path) -> None:
    target = tmp_path / "rows.csv"
    ran = shell(db, "<&- >&- 2>&-", "query", "-c", "SELECT 1 AS a", "-o", str(target))

    assert (ran.returncode, target.read_text()) == (0, '"a"\n1\n')
    assert shell(db, "<&- 2>&-", "import", "-").returncode == 1


@pytest.mark.parametrize(
    "arguments", [ROWS, *map(slow, [(*ROWS, "--format", "csv"), (*ROWS, "-o", "-")])]
)
def test_a_reader_that_has_enough_is_not_a_failure(db: Path, arguments: tuple[str, ...]) -> None:
    ran = shell(db, "| head -n 1; exit ${PIPESTATUS:-0}", *arguments)

    assert ran.stdout.count("\n") == 1
    assert "Traceback" not in ran.stderr
    assert "rror" not in ran.stderr
