"""Every folder `cases/<query>/<case>`: rows of `input.sql` give `expected.csv`.

Building blocks promise no order, so that of their rows is left open.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from warehouse.library import library
from warehouse.store import database, migrate

HERE = Path(__file__).parent / "cases"
CASES = sorted(path.parent for path in HERE.glob("*/*/input.sql"))
LIBRARY = library.load()
INSTALLED: set[str] = set()  # macros that outlive a case


@pytest.fixture(scope="module")
def warehouse() -> Iterator[duckdb.DuckDBPyConnection]:
    """A warehouse without traces, in memory: a file for each case would take most of the time."""
    connection = duckdb.connect(config={**database.NO_WRONG_STATISTICS, "threads": 1})
    migrate.upgrade(connection)
    called = {key for query in LIBRARY.queries.values() for key in query.pins.values()}
    for query in LIBRARY.closure(LIBRARY.queries[key] for key in sorted(called)):
        query.install(connection)
        INSTALLED.add(str(query.key))
    yield connection
    connection.close()


@pytest.fixture
def empty(warehouse: duckdb.DuckDBPyConnection) -> Iterator[duckdb.DuckDBPyConnection]:
    """The same for one case, whose rows are gone afterwards."""
    warehouse.execute("BEGIN")
    yield warehouse
    warehouse.execute("ROLLBACK")


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parent.name}/{case.name}")
def test_a_query_gives_the_expected_rows(empty: duckdb.DuckDBPyConnection, case: Path) -> None:
    source = (case / "input.sql").read_text()
    empty.execute(source).fetchall()  # some are a SELECT

    # A first line "-- parameters: name=value" says what the query is given.
    given = re.findall(r"(\w+)=(\S+)", source.splitlines()[0]) if "-- parameters:" in source else []
    table = library.run(
        empty, case.parent.name, dict(given), library=LIBRARY, installed=set(INSTALLED)
    ).table()

    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table.column_names)
    writer.writerows(zip(*(column.to_pylist() for column in table.columns), strict=True))
    rows, expected = text.getvalue(), (case / "expected.csv").read_text()
    if LIBRARY.find(case.parent.name).layer == "lib":
        rows, expected = _unordered(rows), _unordered(expected)
    assert rows == expected


def _unordered(text: str) -> str:
    first, *rest = text.splitlines()
    return "\n".join([first, *sorted(rest)])


def test_every_query_has_a_case() -> None:
    assert set(LIBRARY.newest) == {case.parent.name for case in CASES}
