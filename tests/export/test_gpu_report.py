"""The report of profiles of GPUs, and when it is the usual one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.gpu_profiles import imported
from warehouse.export import report
from warehouse.export.page import page as html
from warehouse.query import session
from warehouse.query.result import QueryResult
from warehouse.query.selection import Selection

pytestmark = pytest.mark.integration  # all of it on recordings

NSYS = "gpu/nsys_replay_synthetic/replay_full.sqlite"
KINETO = "kineto/triton/trace.json.gz"


@pytest.fixture(scope="module")
def db(data_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "w.duckdb"
    imported([data_dir / NSYS, data_dir / KINETO], path).close()
    return path


@pytest.fixture
def opened(db: Path, request: pytest.FixtureRequest) -> Iterator[session.Session]:
    with session.opened(session.Place(db), Selection(runs=(request.param,))) as found:
        yield found


@pytest.mark.parametrize(
    ("opened", "usual"),
    [("replay_full", "gpu"), ("triton", "pytorch"), ("all", "pytorch")],
    indirect=["opened"],
)
def test_it_is_the_usual_one_where_all_traces_are_such_profiles(
    opened: session.Session, usual: str
) -> None:
    assert report.choose(opened, (), {}, None).name == usual
    assert report.choose(opened, (), {}, "pytorch").name == "pytorch"


@pytest.mark.parametrize("opened", ["replay_full"], indirect=True)
def test_its_sections_say_what_the_profile_has(opened: session.Session) -> None:
    chosen = report.choose(opened, (), {}, None)

    answers: dict[str, QueryResult] = {
        filled.section.title: filled.result for filled in report.fill(opened, chosen)
    }

    empty = {title for title, answer in answers.items() if not answer.n_rows}
    # The replay has neither: no collectives, no device memory was recorded, no kernel's counters.
    assert empty == {"Collectives", "Counters of kernels", "Memory", "Memory peak"}
    assert [row["counter"] for row in answers["Counters"]] == [
        "DRAM Read Bandwidth", "DRAM Write Bandwidth", "GPC Clock Frequency", "SM Active",
    ]  # fmt: skip
    assert answers["Ranges on the device"].n_rows == 6


@pytest.mark.slow
def test_a_comparison_of_two_kinds_of_profilers_has_one_report_for_both(db: Path) -> None:
    given: tuple[tuple[str, ...], dict[str, str], str | None] = ((), {}, None)

    page = html.of_two(session.Place(db), Selection(), ("triton", "replay_full"), given, 100)

    assert page["title"] == "PyTorch profile: triton and replay_full"
    assert {len(section["sides"]) for section in page["sections"]} == {1, 2}
