"""Every folder `cases/<query>/<case>`: rows of `input.sql` give `expected.csv`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from warehouse.library import library
from warehouse.query.cases import Case, CaseRunner, case_runner, find_cases

#: Those with equal rows one after the other: the rows are then put in once.
CASES = sorted(find_cases(Path(__file__).parent / "cases"), key=lambda case: repr(case.rows))
LIBRARY = library.load()


@pytest.fixture(scope="module")
def runner() -> Iterator[CaseRunner]:
    with case_runner(LIBRARY) as runner:
        yield runner


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.query}/{case.name}")
def test_a_query_gives_the_expected_rows(runner: CaseRunner, case: Case) -> None:
    result = runner.run(case)
    assert result.passed, result.difference()


def test_every_query_has_a_case() -> None:
    assert set(LIBRARY.newest) == {case.query for case in CASES}
