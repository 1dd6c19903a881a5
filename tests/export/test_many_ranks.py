"""Pages and workbooks of jobs of many ranks: distributions, and heat maps of ranks by step."""

from __future__ import annotations

import base64
import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from tests.conftest import Tw
from tests.export.test_xlsx import Book
from tests.support import many_ranks
from tests.support.many_ranks import N_STEPS, Work
from tests.support.sharing import GPU, WarehouseCache
from warehouse.export import heat, report
from warehouse.export.page import page, timeline
from warehouse.export.perfetto.size import expected_bytes
from warehouse.export.sections import Chart
from warehouse.library.header import Column
from warehouse.library.library import Query
from warehouse.query import session
from warehouse.query.result import QueryResult
from warehouse.query.selection import Selection

N_RANKS = 20
REPORT = """
title = "Sections that show ranks"
[[section]]
query = "utilization"
title = "Utilization"
chart = { kind = "bar", label = ["rank"], values = ["utilization"] }
[[section]]
query = "rank_step"
title = "Ranks by step"
chart = { kind = "heat", label = ["rank"], x = "step", values = ["host_ns"] }
"""


@pytest.fixture(scope="module")
def job(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Work]]:
    path = tmp_path_factory.mktemp("ranks") / "w.duckdb"
    return path, many_ranks.store(path, N_RANKS, seed=2)


def sections(
    path: Path, titles: Sequence[str], selection: Selection | None = None, **options: Any
) -> dict[str, Any]:
    """The values of a page with these sections of PyTorch's report, by title."""
    whole = report.load("pytorch")
    chosen = replace(whole, sections=tuple(s for s in whole.sections if s.title in titles))
    with session.opened(session.Place(path), selection) as opened:
        values = page.of_session(opened, chosen, 1_000, **options)
    return {each["title"]: each for each in values["sections"]}


@pytest.mark.slow
def test_page_draws_statistics_and_outliers_instead_of_ranks(job: tuple[Path, list[Work]]) -> None:
    found = sections(job[0], ("Utilization", "Breakdown", "Utilization over time", "Kernels"))
    (side,) = found["Utilization"]["sides"]
    assert side["note"] == f"Distribution over {N_RANKS} ranks"
    labels = side["chart"]["labels"]
    assert labels[:5] == ["min", "p10", "median", "p90", "max"]
    assert [label.partition(" · ")[0] for label in labels[5:]] == [
        *["lowest utilization"] * 5, *["highest utilization"] * 5
    ]  # fmt: skip
    (stack,) = found["Breakdown"]["sides"]  # of whole ranks: statistics of parts do not add up
    assert all(" · rank " in label for label in stack["chart"]["labels"])
    (lines,) = found["Utilization over time"]["sides"]
    assert [each["name"] for each in lines["chart"]["series"]] == labels[:5]
    (kernels,) = found["Kernels"]["sides"]
    names = [each["name"] for each in kernels.get("columns", found["Kernels"]["columns"])]
    assert kernels["values"][names.index("n_ranks")] == [N_RANKS] * len(many_ranks.KERNELS)


def test_no_query_runs_in_limited_memory_while_rows_of_another_are_held(
    job: tuple[Path, list[Work]], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = report._rows
    found: list[QueryResult] = []

    def rows_of(*arguments: Any, **options: Any) -> QueryResult:
        assert not any(each.n_rows for each in found)
        found.append(run(*arguments, **options))
        assert found[-1].n_rows
        return found[-1]

    monkeypatch.setattr(report, "_rows", rows_of)
    titles = ("Utilization", "Breakdown", "Kernels")
    whole = report.load("pytorch")
    chosen = replace(whole, sections=tuple(s for s in whole.sections if s.title in titles))
    with session.opened(session.Place(job[0]).limited("500MB", 1)) as opened:
        values = page.of_session(opened, chosen, 1_000)
    assert [each["title"] for each in values["sections"]] == list(titles)
    assert len(found) == len(titles) + len(values["sides"])


def test_a_query_without_rows_runs_once(
    job: tuple[Path, list[Work]], monkeypatch: pytest.MonkeyPatch
) -> None:
    run, started = report._rows, list[str]()

    def rows_of(opened: session.Session, query: Query, *rest: Any, **options: Any) -> QueryResult:
        started.append(str(query.key))
        return run(opened, query, *rest, **options)

    monkeypatch.setattr(report, "_rows", rows_of)
    whole = report.load("pytorch")
    names = ("queue_length_summary", "rank_wait", "straggler")
    chosen = replace(whole, sections=tuple(s for s in whole.sections if s.query in names))
    with session.opened(session.Place(job[0])) as opened:
        filled = list(report.fill(opened, chosen))

    assert [(each.rows.n_rows, bool(each.reason)) for each in filled] == [(0, True)] * len(filled)
    assert len(started) == len(filled) >= len(names)


@pytest.mark.parametrize(
    ("selection", "options", "n_rows"),
    [
        (None, {"all_ranks": True}, N_RANKS),
        (Selection(ranks=tuple(range(1, 19))), {}, 18),
    ],
)
def test_page_lists_ranks_on_request(
    job: tuple[Path, list[Work]], selection: Selection | None, options: Any, n_rows: int
) -> None:
    (side,) = sections(job[0], ["Utilization"], selection, **options)["Utilization"]["sides"]
    assert (side["note"], side["n_rows"]) == ("", n_rows)
    assert side["chart"]["labels"][0].startswith("rank ")


def step_times(made: list[Work]) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Time of the device's work, by rank and step; kernels follow each other without gaps."""
    times = np.zeros((N_RANKS, N_STEPS))
    for each in made:
        times[each.rank, each.step] += each.dur
    return times


def test_heat_map_has_a_row_for_each_rank_and_a_column_for_each_step(
    job: tuple[Path, list[Work]],
) -> None:
    with session.opened(session.Place(job[0])) as opened:
        running = opened.run("rank_step")
        rows = QueryResult(running.table(), running.columns, {})
    (found,) = heat.maps(rows, Chart("heat", ("rank",), ("device_ns", "wait_ns"), "step"), 400)
    assert found.name == "device_ns"  # no collective was recorded: no map of waits
    assert found.labels == [f"rank {rank}" for rank in range(N_RANKS)]
    assert found.x == list(range(N_STEPS))
    np.testing.assert_array_equal(found.values, step_times(job[1]))


@pytest.mark.integration
def test_levels_on_the_page_are_the_values(job: tuple[Path, list[Work]]) -> None:
    (side,) = sections(job[0], ["Ranks by step"])["Ranks by step"]["sides"]
    chart = side["chart"]
    assert (chart["kind"], chart["columns"]) == ("heat", list(range(N_STEPS)))
    host, exposed = chart["series"]  # the steps of the host are equal; nothing communicates
    for series, value in ((host, many_ranks.STEP_NS), (exposed, 0)):
        assert series["low"] == series["high"] == value
        levels = base64.b64decode(series["levels"])
        assert levels == bytes(N_RANKS * N_STEPS)


def test_more_steps_than_columns_are_merged_by_their_greatest_value() -> None:
    rng = random.Random(5)
    rows: list[dict[str, Any]] = [
        {"rank": rank, "step": step, "wait_ns": rng.choice((None, rng.randrange(1_000)))}
        for rank in range(7) for step in range(3, 53) if rng.random() < 0.8
    ]  # fmt: skip
    columns = tuple(Column(name, "BIGINT", "count") for name in ("rank", "step", "wait_ns"))
    chart = Chart("heat", ("rank",), ("wait_ns",), "step")
    result = QueryResult(pa.Table.from_pylist(rows), columns, {})
    (found,) = heat.maps(result, chart, max_columns=12)
    steps = sorted({row["step"] for row in rows})
    assert found.n_merged == 5 and found.x == steps[::5]
    for rank in range(7):
        for column in range(10):
            inside = steps[column * 5 : column * 5 + 5]
            values = [
                row["wait_ns"] for row in rows
                if row["rank"] == rank and row["step"] in inside and row["wait_ns"] is not None
            ]  # fmt: skip
            expected = max(values) if values else np.nan
            np.testing.assert_equal(found.values[rank, column], expected)


@pytest.mark.parametrize(
    ("times", "expected"),
    [
        ([0, 20, 50, 60], [0, 10, 20, 30, 40, 50, 60]),
        ([-30, 0, 10], [-30, -20, -10, 0, 10]),
        ([0, 10, 25], [0, 10, 25]),
    ],
)
def test_times_without_rows_have_columns_of_a_heat_map(
    times: list[int], expected: list[int]
) -> None:
    rows = [{"rank": n % 2, "start_ns": time, "busy": n + 1} for n, time in enumerate(times)]
    columns = tuple(Column(name, "BIGINT", "ns") for name in ("rank", "start_ns", "busy"))
    result = QueryResult(pa.Table.from_pylist(rows), columns, {})
    (found,) = heat.maps(result, Chart("heat", ("rank",), ("busy",), "start_ns"), 400)
    assert found.x == expected
    for rank in range(2):
        known = {row["start_ns"]: row["busy"] for row in rows if row["rank"] == rank}
        np.testing.assert_equal(found.values[rank], [known.get(x, np.nan) for x in expected])


def test_a_single_rank_or_step_has_no_heat_map() -> None:
    columns = tuple(Column(name, "BIGINT", "count") for name in ("rank", "step", "wait_ns"))
    chart = Chart("heat", ("rank",), ("wait_ns",), "step")
    for rows in (
        [{"rank": 0, "step": step, "wait_ns": 1} for step in range(4)],
        [{"rank": rank, "step": 2, "wait_ns": 1} for rank in range(4)],
        [{"rank": rank, "step": None, "wait_ns": 1} for rank in range(4)],
    ):
        result = QueryResult(pa.Table.from_pylist(rows), columns, {})
        assert list(heat.maps(result, chart, 400)) == []


@pytest.mark.integration
def test_workbook_has_distributions_and_a_sheet_for_each_heat_map(
    job: tuple[Path, list[Work]], tw: Tw, tmp_path: Path
) -> None:
    book = tmp_path / "b.xlsx"
    (tmp_path / "reports").mkdir()
    (tmp_path / "reports/ranks.toml").write_text(f'name = "ranks"\n{REPORT}')
    chosen = ("--query-path", tmp_path, "--report", "ranks")
    assert tw("export", "xlsx", "--db", job[0], *chosen, "-o", book).code == 0
    sheets = Book(book)
    first = [row[0] for row in sheets.texts("Utilization")][1:]
    assert first[:5] == ["min", "p10", "median", "p90", "max"] and len(first) == 15
    rows = sheets.texts("Ranks by step host_ns")
    assert rows[0] == ["host_ns [ns]", *(str(step) for step in range(N_STEPS))]
    assert rows[1:] == [
        [f"rank {rank}", *[str(many_ranks.STEP_NS)] * N_STEPS] for rank in range(N_RANKS)
    ]
    assert tw("verify", "--db", job[0], book).code == 0


@pytest.mark.integration
def test_workbook_lists_ranks_on_request(
    job: tuple[Path, list[Work]], tw: Tw, tmp_path: Path
) -> None:
    book = tmp_path / "b.xlsx"
    assert tw("export", "xlsx", "utilization", "--all-ranks", "--db", job[0], "-o", book).code == 0
    assert len(Book(book).texts("utilization")) == 1 + N_RANKS


@pytest.mark.integration
def test_timeline_of_a_page_shows_ranks_that_represent_the_others(
    job: tuple[Path, list[Work]],
) -> None:
    with session.opened(session.Place(job[0])) as opened:
        all_of = opened.selection
        drawn = timeline.of_ranks(opened, 1_000, all_ranks=False)
        assert opened.selection == all_of and len(opened.traces) == N_RANKS
        everything = timeline.of_ranks(opened, 1_000, all_ranks=True)
    # All steps take the same time: the lowest ranks count as the shortest.
    assert drawn["ranks"] == {
        "shortest": [0, 1, 2, 3, 4], "middle": [7, 8, 9, 10, 11, 12],
        "longest": [15, 16, 17, 18, 19],
    }  # fmt: skip
    assert drawn["n_ranks"] == N_RANKS and "ranks" not in everything


def test_perfetto_export_of_many_ranks_says_its_size_before(
    job: tuple[Path, list[Work]], tw: Tw, tmp_path: Path
) -> None:
    target = tmp_path / "a.pftrace"
    found = tw("export", "perfetto", "--db", job[0], "-o", target)
    assert found.err.startswith("Writing 20 ranks, about 0 MB; --rank 0,8-11 writes some.\n")
    found = tw("export", "perfetto", "--db", job[0], "--rank", "0-18", "-o", target)
    assert "Writing" not in found.err


def test_expected_size_is_within_a_factor_of_two(
    imported_files: WarehouseCache, tw: Tw, tmp_path: Path
) -> None:
    path, target = imported_files(GPU), tmp_path / "a.pftrace"
    assert tw("export", "perfetto", "--db", path, "-o", target).code == 0
    with session.opened(session.Place(path)) as opened:
        expected = expected_bytes(opened.connection, with_args=True, with_flows=True)
    assert 0.5 < expected / target.stat().st_size < 2
