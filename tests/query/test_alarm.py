"""`tw compare --baseline --fail-if`: a condition over the rows of a query on both sides."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import warehouse
from tests.support.sharing import DDP, WarehouseCache, integration, kept_open, slow
from warehouse.ingest import pipeline
from warehouse.query.selection import Selection
from warehouse.store import database, tags

if TYPE_CHECKING:
    from tests.conftest import CommandResult, Tw

    Judge = Callable[..., CommandResult]

KINETO = Path(__file__).parents[1] / "data" / "kineto"
GPU = KINETO / "gpu_handwritten" / "trace.json"
#: One of its two matrix products takes 10 us longer.
SLOWER = GPU.read_text().replace('"dur": 20.101', '"dur": 30.101')

MATMUL_NS = sum(
    round(event["dur"] * 1000)
    for event in json.loads(GPU.read_text())["traceEvents"]
    if "cutlass::Kernel2" in event.get("name", "") and event["ph"] == "X"
)


@pytest.fixture(scope="module")
def imported(
    tmp_path_factory: pytest.TempPathFactory, imported_files: WarehouseCache
) -> Iterator[Path]:
    """Runs base (tagged release), same, slower, renamed of one trace, and ddp of two ranks."""
    folder = tmp_path_factory.mktemp("alarm")
    path = imported_files.copy(folder / "w.duckdb", DDP)
    renamed = GPU.read_text().replace("cutlass::Kernel2", "cutlass::Kernel3")
    texts = {
        "renamed": renamed,
        "base": GPU.read_text(),
        "same": GPU.read_text() + "\n",
        "slower": SLOWER,
    }
    for run, text in texts.items():
        (folder / run).mkdir()
        (folder / run / "trace.json").write_text(text)
    options = pipeline.Options(jobs=1)
    pipeline.import_paths([folder / run for run in texts], db=path, options=options)
    tags.put(path, "release", Selection(runs=("base",)))
    with kept_open(path):
        yield path


@pytest.fixture
def judge(tw: Tw, imported: Path) -> Judge:
    def run(
        condition: str, *more: str, run: str = "slower", query: str = "kernel_summary"
    ) -> CommandResult:
        return tw(
            "compare", "--db", imported, "--baseline", "release", "--query", query,
            "--fail-if", condition, "--run", run, *more,
        )  # fmt: skip

    return run


def test_a_condition_that_is_true_of_a_row_fails_and_shows_the_row(judge: Judge) -> None:
    ran = judge("x.total_ns > baseline.total_ns * 1.1")

    assert ran.code == 1
    assert ran.err.startswith("FAIL: kernel_summary@")
    assert "the condition is true for 1 of " in ran.err
    (row,) = ran.out.splitlines()[2:]
    assert "Kernel2" in row
    assert row.split()[-2:] == [str(MATMUL_NS + 10_000), str(MATMUL_NS)]


def test_a_condition_that_is_true_of_no_row_passes(judge: Judge) -> None:
    ran = judge("x.total_ns > baseline.total_ns * 1.1", run="same")

    assert (ran.code, ran.out) == (0, "")
    assert ran.err.startswith("pass: ")


@pytest.mark.slow
def test_a_passing_judgement_can_be_silent_and_a_failing_one_is_not(judge: Judge) -> None:
    assert judge("false", "-q").err == ""
    assert "FAIL" in judge("true", "-q").err


def test_the_verdict_is_readable_by_machines(judge: Judge) -> None:
    found = json.loads(judge("x.total_ns > baseline.total_ns", "--format", "json").out)

    assert (found["verdict"], found["run"], found["baseline"]) == ("fail", "slower", "base")
    assert found["key"] == ["name", "class"] or "name" in found["key"]
    assert [(row["x.total_ns"], row["baseline.total_ns"]) for row in found["rows"]] == [
        (MATMUL_NS + 10_000, MATMUL_NS)
    ]
    assert json.loads(found["made_from"]["baseline"]["traces"])[0]["sha256"]


@pytest.mark.slow
def test_of_several_traces_each_meets_the_one_of_its_rank(tw: Tw, imported: Path) -> None:
    arguments = ("--db", imported, "--baseline", "ddp", "--query", "op_summary")
    ran = tw("compare", *arguments, "--run", "slower", "--fail-if", "false", "--format", "json")

    found = json.loads(ran.out)
    assert "rank" in found["key"]
    assert {row["rank"] for row in found["rows"] if row["reason"] == "not in the run"} == {0, 1}


@pytest.mark.slow
def test_a_row_on_one_side_only_fails_unless_it_may(judge: Judge) -> None:
    ran = judge("false", run="renamed")
    assert ran.code == 1
    assert "2 rows without a match" in ran.err
    assert "not in the run" in ran.out
    assert "not in the baseline" in ran.out

    assert judge("false", "--missing", "ok", run="renamed").code == 0


@pytest.mark.parametrize(
    ("condition", "more", "error"),
    [
        ("x.nothing > 1", (), "--fail-if: invalid condition: Binder Error"),
        slow("x.total_ns >", (), "--fail-if: invalid condition: Parser Error"),
        slow("x.name", (), "--fail-if: invalid condition"),
        slow("(SELECT count(*) FROM slice) > 0", (), "--fail-if: invalid condition"),
        ("true", ("--key", "size"), "--key: the query has no column 'size'"),
        integration("true", ("--key", "class"), "rows of slower are not unique by class"),
    ],
)
def test_a_wrong_condition_or_key_is_refused(
    judge: Judge, condition: str, more: tuple[str, ...], error: str
) -> None:
    ran = judge(condition, *more)

    assert ran.code == 2
    assert error in ran.err


def test_a_run_is_not_judged_by_itself(judge: Judge) -> None:
    ran = judge("false", run="base")

    assert ran.code == 2
    assert "the run and the baseline are the same: base" in ran.err


@pytest.mark.slow
def test_where_the_condition_is_null_for_every_row_nothing_was_judged(judge: Judge) -> None:
    ran = judge("NULL", run="same")

    assert ran.code == 1
    assert "NULL for every row, so nothing was compared" in ran.err


@pytest.mark.integration
def test_where_no_rows_meet_nothing_was_judged(judge: Judge) -> None:
    ran = judge("false", "--missing", "ok", run="same", query="memory_by_frame")

    assert ran.code == 1
    assert "so nothing was compared" in ran.err


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("--baseline", "base"), "requires --baseline, --query and --fail-if"),
        (
            ("--baseline", "nobody", "--query", "runs", "--fail-if", "true"),
            "no run or tag is named",
        ),
        (("--baseline", "tag:no", "--query", "runs", "--fail-if", "true"), "tag 'no' not found"),
        (("base", "--baseline", "base", "--query", "runs", "--fail-if", "true"), "Omit A"),
        (("base",), "nothing to compare"),
        (("base", "same", "--query", "runs"), "require --baseline"),
        (
            ("--baseline", "base", "--query", "compare_ops", "--fail-if", "true"),
            "is itself a comparison",
        ),
        (
            ("--baseline", "base", "--query", "runs", "--fail-if", "true", "--format", "csv"),
            "only --format table or json",
        ),
        (
            ("--baseline", "base", "--query", "runs", "--fail-if", "true", "-o", "verdict.txt"),
            "and -o",
        ),
    ],
)
def test_options_that_do_not_go_together_are_refused(
    tw: Tw, imported: Path, arguments: tuple[str, ...], error: str
) -> None:
    ran = tw("compare", "--db", imported, *arguments)

    assert ran.code == 2
    assert error in ran.err


@pytest.mark.integration
def test_python_judges_too(imported: Path) -> None:
    wh = warehouse.open(imported).scope(run="slower")
    found = wh.judge("kernel_summary", "x.total_ns > baseline.total_ns", baseline="release")

    assert str(found.reason).startswith("the condition is true for 1 of")
    assert wh.judge("kernel_summary", "false", baseline="base").reason is None


def test_the_condition_sees_no_file_and_changes_nothing() -> None:
    with database.scratchpad() as connection, pytest.raises(Exception, match="disabled by config"):
        connection.execute("SELECT * FROM read_csv('/etc/passwd')")
