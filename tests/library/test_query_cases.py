"""Query cases: what is compared, and the errors of a case that cannot be run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from warehouse.errors import UsageError
from warehouse.library import library
from warehouse.query.cases import Case, CaseRunner, case_runner, find_cases

RUN = """INSERT INTO run (id, name, kind, created_at)
VALUES (1, 'one', 'measured', TIMESTAMP '2024-01-01');
"""
QUERY = """/* ---
name = "run_name"
version = 1
title = "Names of runs"
grain = ["name"]
[[column]]
name = "name"
type = "VARCHAR"
unit = "text"
help = "The name"
[changes]
1 = "The first version"
--- */
SELECT name FROM run ORDER BY name
"""

Write = Callable[..., Case]


@pytest.fixture(scope="module")
def runner(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CaseRunner]:
    folder = tmp_path_factory.mktemp("queries")
    (folder / "run_name.sql").write_text(QUERY)
    with case_runner(library.load([folder])) as runner:
        yield runner


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a case of the query `run_name`."""

    def write(source: str, expected: str | None = "name\none\n", name: str = "case") -> Case:
        case = Case(tmp_path, "run_name", name)
        case.folder.mkdir(parents=True)
        (case.folder / "input.sql").write_text(source)
        if expected is not None:
            (case.folder / "expected.csv").write_text(expected)
        return case

    return write


def test_a_case_that_differs_shows_both_rows(runner: CaseRunner, write: Write) -> None:
    assert runner.run(write(RUN)).passed
    result = runner.run(write(RUN, "name\ntwo\n", "other"))
    assert not result.passed
    assert result.difference().splitlines()[-2:] == ["-two", "+one"]


def test_rows_of_one_case_do_not_reach_the_next(runner: CaseRunner, write: Write) -> None:
    for name in ("first", "second"):
        assert runner.run(write(RUN, name=name)).passed


def test_a_case_that_fails_leaves_nothing_to_the_next_with_equal_rows(
    runner: CaseRunner, write: Write
) -> None:
    source = f"{RUN}SELECT error('failed');\n"
    for name in ("first", "second"):
        with pytest.raises(UsageError, match="failed"):
            runner.run(write(source, name=name))

    for name in ("third", "fourth"):
        assert runner.run(write(RUN, name=name)).passed


def test_a_shared_input_runs_first(runner: CaseRunner, write: Write, tmp_path: Path) -> None:
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared" / "run.sql").write_text(RUN)
    case = write("-- input: shared/run.sql\nUPDATE run SET name = 'two';\n", "name\ntwo\n")
    assert runner.run(case).passed
    assert find_cases(tmp_path) == [case]


@pytest.mark.parametrize("name", ["../outside.sql", "shared/none.sql", "shared"])
def test_an_input_must_be_a_file_below_the_folder(
    runner: CaseRunner, write: Write, tmp_path: Path, name: str
) -> None:
    (tmp_path / "shared").mkdir()
    (tmp_path.parent / "outside.sql").write_text(RUN)
    with pytest.raises(UsageError, match="names the input"):
        runner.run(write(f"-- input: {name}\n"))


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("-- parameters: top\n", "top is not name=value"),
        ("-- parameters: top=1\n", "top"),
        ("INSERT INTO nowhere VALUES (1);\n", "input.sql cannot be run: Catalog Error"),
    ],
)
def test_a_case_that_cannot_run_is_an_error(
    runner: CaseRunner, write: Write, source: str, message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        runner.run(write(source))


def test_a_missing_expected_file_is_an_error(runner: CaseRunner, write: Write) -> None:
    with pytest.raises(UsageError, match=r"expected\.csv cannot be read"):
        runner.run(write(RUN, None))


@pytest.mark.integration
def test_booleans_and_nested_values_are_written_as_csv_is(tmp_path: Path) -> None:
    folder = tmp_path / "queries"
    folder.mkdir()
    text = (
        QUERY.replace("SELECT name", "SELECT true AS name")
        .replace("VARCHAR", "BOOLEAN")
        .replace("text", "bool")
    )
    (folder / "run_name.sql").write_text(text.replace("ORDER BY name", ""))
    case = Case(tmp_path, "run_name", "case")
    case.folder.mkdir(parents=True)
    (case.folder / "input.sql").write_text(RUN)
    (case.folder / "expected.csv").write_text('"name"\ntrue\n')
    with case_runner(library.load([folder])) as runner:
        assert runner.run(case).passed
