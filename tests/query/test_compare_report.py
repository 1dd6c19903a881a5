"""The tables of the report of `tw compare` on a terminal."""

from __future__ import annotations

import pytest

from warehouse.cli.compare_report import ReportLines

LONG = [f"kernel_of_a_library<float, {'int, ' * 20}{n}>(const float*)" for n in range(3)]
HEADER = ["name", "status", "n A", "n B", "A", "B", "of all"]


def table(width: int | None) -> ReportLines:
    written = ReportLines(width)
    written.section(
        "Kernels",
        [HEADER]
        + [[name, "changed", "1", "1", "11.735 ms", "28.620 ms", "+56.6%"] for name in LONG]
        + [["  was kernel_of_another_library, a sentence of any length", *[""] * 6]],
    )
    return written


@pytest.mark.parametrize(
    ("width", "left_out"),
    [(None, []), (100, []), (66, ["n A", "n B"]), (56, ["n A", "n B", "of all"])],
)
def test_a_table_fits_and_says_what_it_leaves_out(width: int | None, left_out: list[str]) -> None:
    written = table(width)
    _, title, header, *rows, sentence = written.lines

    assert title == "Kernels"
    assert [name for name in HEADER if name not in header] == left_out
    assert max(map(len, rows)) <= (width or 200)
    assert len({row.split("  ")[0] for row in rows}) == len(LONG)
    assert sentence.rstrip() == "  was kernel_of_another_library, a sentence of any length"
    end = [f"Columns that do not fit: {', '.join(left_out)}; pipes and files have all columns."]
    assert written.left_out() == (["", *end] if left_out else [])
