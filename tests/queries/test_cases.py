"""Every folder `<query>/<case>` beside this file: rows of `input.sql` give `expected.csv`.

Building blocks promise no order, so that of their rows is left open.
"""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import duckdb
import pytest

from warehouse import library, store

HERE = Path(__file__).parent
CASES = sorted(path.parent for path in HERE.glob("*/*/input.sql"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parent.name}/{case.name}")
def test_a_query_gives_the_expected_rows(tmp_path: Path, case: Path) -> None:
    source = (case / "input.sql").read_text()
    path = tmp_path / "w.duckdb"
    store.create_empty(path)
    with duckdb.connect(str(path)) as connection:
        connection.execute(source)

    # A first line "-- parameters: name=value" says what the query is given.
    given = re.findall(r"(\w+)=(\S+)", source.splitlines()[0]) if "-- parameters:" in source else []
    with store.Reader(path) as reader:
        table = library.run(reader.connection, case.parent.name, dict(given)).table()

    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table.column_names)
    writer.writerows(zip(*(column.to_pylist() for column in table.columns), strict=True))
    rows, expected = text.getvalue(), (case / "expected.csv").read_text()
    if library.load().find(case.parent.name).layer == "lib":
        rows, expected = _unordered(rows), _unordered(expected)
    assert rows == expected


def _unordered(text: str) -> str:
    first, *rest = text.splitlines()
    return "\n".join([first, *sorted(rest)])


def test_every_query_has_a_case() -> None:
    assert set(library.load().newest) == {case.parent.name for case in CASES}
