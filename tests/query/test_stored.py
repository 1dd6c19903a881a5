"""Rows that a report leaves in the database are those that it would read."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support import many_ranks
from tests.support.sharing import integration
from warehouse.errors import QueryError
from warehouse.export import manifest
from warehouse.query import rank_distribution, session, stored
from warehouse.query.result import QueryResult
from warehouse.query.session import Session
from warehouse.query.stored import StoredRows

QUERIES = ("utilization", "kernel_summary", "utilization_over_time", "step_statistics", "straggler")


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    path = tmp_path_factory.mktemp("ranks") / "w.duckdb"
    many_ranks.store(path, 20, seed=4)
    place = session.Place(path).limited("500MB", 1).for_report()
    with session.opened(place) as found:
        yield found


@pytest.fixture
def all_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """No rows are few enough to be read at once."""
    monkeypatch.setattr(stored, "_FEW", -1)


def stored_rows(opened: Session, name: str) -> StoredRows:
    found = opened.stored(opened.queries.find(name), {})
    assert isinstance(found, StoredRows)
    return found


def tables(opened: Session) -> list[str]:
    rows = opened.connection.execute(
        "SELECT table_name FROM duckdb_tables() WHERE table_name LIKE 'rows %'"
    ).fetchall()
    return [name for (name,) in rows]


@pytest.mark.usefixtures("all_many")
@pytest.mark.parametrize("name", [*QUERIES[:2], *map(integration, QUERIES[2:])])
def test_digest_distribution_and_rows_equal_those_of_the_query(opened: Session, name: str) -> None:
    query = opened.queries.find(name)
    running = opened.run(query)
    expected = QueryResult(
        running.table(), running.columns, opened.manifest(query, running.parameters)
    )
    layout = rank_distribution.of_session(opened, query)
    found = stored_rows(opened, name)
    assert found.is_stored and found.n_rows == expected.n_rows
    assert manifest.of_result(found) == manifest.of_result(expected)
    if layout is not None:
        shown, like = (rank_distribution.of_rows(each, layout) for each in (found, expected))
        assert (shown is None) == (like is None)
        if shown is not None and like is not None:
            assert (shown.title, shown.rows.rows()) == (like.title, like.rows.rows())
    assert found.is_stored
    assert found.schema.names == expected.schema.names
    assert found.rows() == expected.rows() and len(found) == len(expected)
    assert tables(opened) == []


@pytest.mark.usefixtures("all_many")
def test_released_rows_are_no_longer_in_the_database(opened: Session) -> None:
    found = stored_rows(opened, "kernel_summary")
    assert len(tables(opened)) == 1
    found.release()
    assert (tables(opened), found.n_rows, found.rows()) == ([], 0, [])


def test_few_rows_are_read_at_once(opened: Session) -> None:
    found = stored_rows(opened, "utilization")
    assert not found.is_stored and found.n_rows == 20
    assert tables(opened) == []


@pytest.mark.usefixtures("all_many")
def test_failure_of_the_database_is_one_of_the_query(opened: Session) -> None:
    found = stored_rows(opened, "utilization")
    opened.connection.execute(f"DROP TABLE {found.table_name}")
    with pytest.raises(QueryError):
        found.arrow()
    with pytest.raises(QueryError):
        manifest.of_result(found)
