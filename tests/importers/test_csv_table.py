"""Tables that end early are reported, whatever the tool that wrote them."""

from __future__ import annotations

import io
from pathlib import Path

import duckdb
import pytest

from tw_importers.gpu_activity.csv_table import CsvTable, Text, split_line, stage
from warehouse.errors import CorruptTrace
from warehouse.ingest.importer import Scratch

HEADER = "Kind,Name,Start,End\n"
ROWS = 'k,"a, b",10,20\nk,c,30,40\n'


def staged(folder: Path, text: str, *, is_strict: bool = False) -> tuple[CsvTable, int]:
    with duckdb.connect() as connection:
        scratch = Scratch(folder, connection, is_strict=is_strict)
        lines = Text(io.BytesIO(text.encode()), "the file")
        table = stage(lines, scratch, "t", split_line(lines.line() or b""))
        ((n,),) = connection.execute(
            f"SELECT count(*) FROM read_parquet('{scratch.path('t')}')"
        ).fetchall()
    return table, n


def kinds(table: CsvTable) -> list[tuple[str, str]]:
    return [(each.kind, each.severity) for each in table.problems]


def test_a_file_that_ends_with_a_line_end_is_complete(tmp_path: Path) -> None:
    for text, n_rows in ((HEADER, 0), (HEADER + ROWS, 2)):
        table, n = staged(tmp_path, text)
        assert (kinds(table), n) == ([], n_rows)


@pytest.mark.parametrize("n_cut", [4, 7, 9])
def test_a_row_that_was_cut_is_skipped_and_reported(n_cut: int, tmp_path: Path) -> None:
    text = (HEADER + ROWS)[:-n_cut]

    table, n = staged(tmp_path, text)

    assert n == 1
    assert kinds(table) == [("truncated", "error")]
    with pytest.raises(CorruptTrace):
        staged(tmp_path, text, is_strict=True)


def test_rows_of_another_width_are_counted_beside_a_row_that_was_cut(tmp_path: Path) -> None:
    table, n = staged(tmp_path, f"{HEADER}{ROWS}k,c\nk,d")

    assert n == 2
    assert [(each.kind, each.count) for each in table.problems] == [
        ("unreadable_line", 1), ("truncated", 1)
    ]  # fmt: skip


def test_a_header_that_was_cut_is_reported(tmp_path: Path) -> None:
    table, n = staged(tmp_path, HEADER[:-3])

    assert (kinds(table), n) == ([("truncated", "error")], 0)
    with pytest.raises(CorruptTrace, match="ends inside a line"):
        staged(tmp_path, HEADER[:-3], is_strict=True)


def test_a_complete_row_without_line_end_may_be_cut_and_is_kept(tmp_path: Path) -> None:
    for n_cut in (1, 2):
        table, n = staged(tmp_path, (HEADER + ROWS)[:-n_cut], is_strict=True)
        assert (kinds(table), n) == ([("no_line_end", "warning")], 2)
