"""Queries on parts of the traces have the rows that they have on all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

from tests.support import many_ranks
from tests.support.sharing import DDP, WarehouseCache, slow
from warehouse.export import manifest, report
from warehouse.library import library
from warehouse.query import by_trace, session, stored
from warehouse.query.session import Session
from warehouse.store import database

N_RANKS = 11


@pytest.fixture(scope="module")
def job(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ranks are not in the order of traces, in which parts are."""
    path = tmp_path_factory.mktemp("ranks") / "w.duckdb"
    many_ranks.store(path, N_RANKS, seed=6)
    with duckdb.connect(str(path)) as connection:
        connection.execute("UPDATE trace SET rank = (7 * rank) % ?", [N_RANKS])
    return path


@pytest.fixture
def opened(job: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Session]:
    """A report in parts of a few traces, of which no rows are few enough to be read at once."""
    divided = ([1, 2, 3], [4], [5, 6, 7, 8, 9, 10, 11])
    monkeypatch.setattr(by_trace, "_divided", lambda connection: divided)
    monkeypatch.setattr(stored, "_FEW", -1)
    with session.opened(session.Place(job).limited("500MB", 1).for_report()) as found:
        yield found


def of_pytorch() -> list[str]:
    return sorted({each.query for each in report.load("pytorch").sections})


SOME = ("critical_path_summary", "kernel_summary", "utilization")
REST = slow([name for name in of_pytorch() if name not in SOME])


@pytest.mark.parametrize("names", [SOME, REST], ids=["some", "others"])
def test_rows_and_their_order_are_those_of_all_traces(
    opened: Session, job: Path, names: Sequence[str]
) -> None:
    """And rows in any order are the same ones."""
    in_parts = []
    with session.opened(session.Place(job)) as whole:
        for name in names:
            query = opened.queries.find(name)
            in_any_order = manifest.of_result(opened.stored(query, {}, in_any_order=True))
            found = opened.stored(query, {})
            assert manifest.of_result(found) == in_any_order, name
            assert found.rows() == whole.run(query).rows(), name
            if by_trace.order_of(query):
                in_parts.append(name)
    assert opened.parts is not None and opened.parts.are_several
    assert set(in_parts) >= set(SOME).intersection(names)


def test_traces_are_divided_in_their_order_by_their_slices(
    imported_files: WarehouseCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    with database.Reader(imported_files(DDP)) as reader:
        whole = list(by_trace._divided(reader.connection))
        assert whole == [[1, 2]]
        monkeypatch.setattr(by_trace, "MOST_SLICES", 1)
        assert list(by_trace._divided(reader.connection)) == [[1], [2]]


def test_rows_of_kept_blocks_are_read_once_for_each_trace(opened: Session) -> None:
    utilization = opened.queries.find("utilization")
    first = opened.stored(utilization, {}).rows()
    assert any(key.startswith("device_activity@") for key in opened.kept)
    assert opened.stored(utilization, {}).rows() == first
    opened.forget_rows()
    assert opened.stored(utilization, {}).rows() == first


def test_another_scope_has_parts_of_its_own(
    opened: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    query = opened.queries.find("utilization")
    before = opened.stored(query, {}).rows()
    with opened.on_traces([2, 3], (None, None)):
        monkeypatch.setattr(by_trace, "_divided", lambda connection: ([2], [3]))
        assert {row["trace_id"] for row in opened.stored(query, {})} == {2, 3}
    monkeypatch.undo()
    assert opened.stored(query, {}).rows() == before


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("t.run_id, t.rank, a.trace_id, a.name", "ORDER BY run_id, rank, trace_id, rowid"),
        ("t.run_id, p.trace_id, p.total_ns DESC", "ORDER BY run_id, trace_id, rowid"),
        ("t.run_id, t.rank DESC, a.trace_id", ""),
        ("t.run_id, t.rank, a.trace_id DESC", ""),
        ("a.total_ns DESC, t.run_id, t.rank, a.trace_id", ""),
        ("t.run_id, t.rank, a.trace_id) FROM x", ""),
    ],
)
def test_order_is_known_where_it_begins_with_the_trace(order: str, expected: str) -> None:
    query = library.load().find("utilization")
    changed = replace(query, sql=f"SELECT 1\nORDER BY {order}\n", own_header=query.header)
    assert by_trace.order_of(changed) == expected
