"""Sections of a report that are run at the same time: the same rows in the same order."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from tests.support.sharing import GPU, WarehouseCache
from warehouse.errors import UsageError
from warehouse.export import report
from warehouse.export.page import page
from warehouse.export.sections import Report, Section
from warehouse.library.library import Query
from warehouse.query import session
from warehouse.query.selection import Selection

#: Blocks that are kept, a query of many of them, a window and what it leaves.
QUERIES = ("traces", "utilization", "op_summary", "queue_length_summary", "kernel_summary", "runs")


@pytest.fixture(scope="module")
def db(imported_files: WarehouseCache) -> Path:
    return imported_files(GPU)


def small(*queries: str) -> Report:
    return Report("r", "r", tuple(Section(each, each) for each in queries))


@pytest.mark.parametrize("from_ns", [pytest.param(None, marks=pytest.mark.integration), 20_000])
def test_sections_run_at_a_time_are_those_run_one_by_one(db: Path, from_ns: int | None) -> None:
    place = session.Place(db, threads=2, devices={"A100": {"fp16_flops": 1e12}})
    with session.opened(place, Selection(from_ns=from_ns)) as opened:
        n_before = threading.active_count()
        ahead = list(report.fill_ahead(opened, small(*QUERIES), "page"))
        again = list(report.fill(opened, small(*QUERIES), "page"))

        assert threading.active_count() == n_before
    assert [each.section.query for each in ahead] == list(QUERIES)
    for one, other in zip(ahead, again, strict=True):
        assert one.result.arrow().equals(other.result.arrow())
        assert one.result.meta.keys() == other.result.meta.keys()
    assert any(each.result.n_rows for each in ahead)


@pytest.mark.parametrize(
    "place",
    [
        pytest.param(0, marks=pytest.mark.integration),
        1,
        pytest.param(4, marks=pytest.mark.integration),
    ],
)
def test_a_section_that_fails_ends_the_report_at_its_place(db: Path, place: int) -> None:
    queries = ["traces"] * 5
    queries.insert(place, "utilization_over_time")
    given = small(*queries)
    wrong = Section(
        "utilization_over_time", "wrong", {"bucket_ns": 10**18, "metric": "none of these"}
    )
    sections = tuple(
        wrong if each.query == "utilization_over_time" else each for each in given.sections
    )
    seen = []
    with session.opened(session.Place(db, threads=2)) as opened:
        with pytest.raises(UsageError, match="metric"):
            for filled in report.fill_ahead(opened, Report("r", "r", sections), "page"):
                seen.append(filled.section.query)
        assert opened.run("traces").table().num_rows == 1
    assert seen == ["traces"] * place


def test_a_report_that_is_left_early_leaves_the_session_usable(db: Path) -> None:
    with session.opened(session.Place(db, threads=2)) as opened:
        sections = report.fill_ahead(opened, small(*QUERIES), "page")
        next(sections)
        sections.close()
        assert opened.run("traces").table().num_rows == 1


def test_limited_memory_holds_rows_of_blocks_until_the_last_section_that_needs_them(
    db: Path,
) -> None:
    queries = ("queue_length_summary", "utilization", "queue_length_over_time", "traces")
    kept = []
    with session.opened(session.Place(db).limited("500MB", 1)) as opened:
        for filled in report.fill(opened, small(*queries)):
            assert filled.result.n_rows
            kept.append({key.partition("@")[0] for key in opened.kept})
    queues = {"queue_step"}
    assert kept == [{*queues, "launched_op"}, {*queues, "device_activity"}, queues, set()]


@pytest.mark.parametrize("from_ns", [pytest.param(None, marks=pytest.mark.integration), 20_000])
def test_a_timeline_drawn_beside_the_sections_is_that_of_one_thread(
    db: Path, from_ns: int | None
) -> None:
    drawn = []
    for n_threads in (2, 1):
        place = session.Place(db, threads=n_threads)
        assert place.runs_two_at_a_time == (n_threads == 2)
        with session.opened(place, Selection(from_ns=from_ns)) as opened:
            drawn.append(page.of_session(opened, small("traces"), 100)["timeline"])
            assert opened.run("traces").table().num_rows == 1
    assert drawn[0]["n_slices"] > 0
    assert drawn[0] == drawn[1]


@pytest.mark.parametrize(
    ("place", "n_threads"),
    [
        (session.Place(Path(), threads=4), 3),
        (session.Place(Path(), threads=2), 1),
        (session.Place(Path(), threads=1), 1),
        (session.Place(Path(), threads=4, memory_limit="1GB"), 4),
    ],
    ids=["four", "two", "one", "limited"],
)
def test_the_database_leaves_a_core_to_the_second_query_of_a_report(
    place: session.Place, n_threads: int
) -> None:
    assert place.database_threads == place.threads
    assert place.for_report().database_threads == n_threads


def test_a_page_whose_section_fails_ends_its_timeline(db: Path) -> None:
    wrong = Section("utilization_over_time", "wrong", {"bucket_ns": 10**18, "metric": "none"})
    with session.opened(session.Place(db, threads=2)) as opened:
        n_before = threading.active_count()
        with pytest.raises(UsageError, match="metric"):
            page.of_session(opened, Report("r", "r", (wrong,), findings=False), 100)
        assert threading.active_count() == n_before
        assert opened.run("traces").table().num_rows == 1


def test_queries_of_what_is_not_recorded_are_not_run(
    db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their sections have the columns and the reason of a query without rows."""
    ran = []
    run = session.Session.run

    def noting(opened: session.Session, query: Query, *more: Any, **options: Any) -> Any:
        ran.append(query.key)
        return run(opened, query, *more, **options)

    with session.opened(session.Place(db, threads=2)) as opened:
        memory = opened.queries.find("memory_fragmentation")
        without_rows = opened.run(memory).table()
        monkeypatch.setattr(session.Session, "run", noting)
        first, second = report.fill(opened, small("memory_fragmentation", "traces"))

    assert ran == ["traces@3"]
    assert first.result.arrow().equals(without_rows)
    assert first.result.meta["query"] == memory.key
    assert "no memory snapshots" in first.reason
    assert second.result.n_rows == 1
