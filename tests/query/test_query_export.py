"""`tw query NAME -o FILE.xlsx|FILE.html` writes what `tw export` writes of one query."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from tests.conftest import Tw
from tests.support.sharing import GPU, WarehouseCache


@pytest.fixture(autouse=True)
def warehouse(imported_files: WarehouseCache, tmp_path: Path) -> Path:
    """In the folder that commands run in, where they look for it."""
    return imported_files.copy(tmp_path / "traces.duckdb", GPU)


@pytest.mark.parametrize("suffix", ["xlsx", pytest.param("html", marks=pytest.mark.slow)])
def test_a_query_is_written_as_a_workbook_or_page(tw: Tw, suffix: str) -> None:
    written = tw("query", "top_kernels", "-p", "top=1", "-o", f"one.{suffix}")
    exported = tw("export", suffix, "top_kernels", "-p", "top=1", "-o", f"two.{suffix}")

    assert (written.code, exported.code) == (0, 0)
    assert written.err.replace("one.", "two.") == exported.err
    assert tw("verify", f"one.{suffix}").code == 0
    assert tw("query", "top_kernels", "-o", f"one.{suffix}", "--quiet").err == ""
    if suffix == "xlsx":
        with zipfile.ZipFile("one.xlsx") as one, zipfile.ZipFile("two.xlsx") as two:
            assert one.namelist() == two.namelist()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["SELECT 1"], "u.xlsx: workbooks and pages require a library query"),
        (["-c", "SELECT 1"], "u.xlsx: workbooks and pages require a library query"),
        (
            ["top_kernels", "--timeout", "9"],
            "--timeout applies to rows, not to workbooks and pages",
        ),
        (
            ["top_kernels", "--sort", "name"],
            "--columns, --sort and --rows apply to printed rows, not to files",
        ),
    ],
)
def test_what_cannot_be_written_is_one_sentence(tw: Tw, words: list[str], sentence: str) -> None:
    result = tw("query", *words, "-o", "u.xlsx")

    assert result.code == 2
    assert result.errors[0] == f"Error: {sentence}"
    assert not Path("u.xlsx").exists()
