"""Blocks that are computed once for all queries that call them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.sharing import WarehouseCache
from warehouse.library import library
from warehouse.query import session
from warehouse.query.selection import Selection

TRIAL = Path(__file__).parents[1] / "data" / "dpro" / "nccl_ring_2x1_tiny"
HEADER = """/* ---
name = "{name}"
version = 1
title = "Test"
grain = ["n"]
computed_once = {once}
requires = {{ schema = ">=1", queries = [{calls}] }}
[[column]]
name = "n"
type = "BIGINT"
unit = "count"
[changes]
1 = "first version"
--- */
{sql}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    texts = [
        ("lib/n_traces.sql", "n_traces", "true", "", "SELECT count(*) AS n FROM trace"),
        ("twice.sql", "twice", "false", '"n_traces@1"',
         "SELECT a.n + b.n AS n FROM n_traces() AS a CROSS JOIN n_traces() AS b"),
    ]  # fmt: skip
    for file, name, once, calls, sql in texts:
        path = tmp_path / file
        path.parent.mkdir(exist_ok=True)
        path.write_text(HEADER.format(name=name, once=once, calls=calls, sql=sql))
    return tmp_path


@pytest.mark.parametrize("query", ["twice", "SELECT * FROM twice()"])
def test_kept_rows_are_those_of_the_scope(
    imported_files: WarehouseCache, folder: Path, query: str
) -> None:
    place = session.Place(imported_files(("trial", [TRIAL])), query_path=(folder,))
    with session.opened(place) as opened:
        assert opened.run(query).rows() == [(4,)]
        assert opened.run('SELECT n FROM temp."kept n_traces@1"').rows() == [(2,)]
        opened.choose(Selection(ranks=(0,)))
        assert opened.run(query).rows() == [(2,)]


def test_a_block_is_not_computed_where_the_rows_that_it_requires_are_missing(
    imported_files: WarehouseCache, folder: Path
) -> None:
    path = folder / "lib" / "n_traces.sql"
    text = path.read_text()
    place = session.Place(imported_files(("trial", [TRIAL])), query_path=(folder,))
    for rows, expected in (("graph | rpc", [(4,)]), ("graph where kind = 'x' | rpc", [])):
        path.write_text(text.replace("queries =", f'rows = ["trace", "{rows}"], queries ='))
        with session.opened(place) as opened:
            assert opened.run("twice").rows() == expected
            assert opened.kept == {"n_traces@1"}
            with opened.beside() as other:
                assert other.run("twice").rows() == opened.run("twice").rows() == expected


def test_blocks_for_reports_are_kept_by_the_queries_of_a_report_only(
    imported_files: WarehouseCache, folder: Path
) -> None:
    path = folder / "lib" / "n_traces.sql"
    path.write_text(path.read_text().replace("computed_once = true", 'computed_once = "reports"'))
    place = session.Place(imported_files(("trial", [TRIAL])), query_path=(folder,))
    with session.opened(place) as opened:
        assert opened.run("twice").rows() == [(4,)]
        assert opened.kept == set()
        assert opened.run("twice", is_short=True).rows() == [(4,)]
        assert opened.kept == {"n_traces@1"}


def test_sessions_beside_each_other_compute_a_block_once(
    imported_files: WarehouseCache, folder: Path
) -> None:
    place = session.Place(imported_files(("trial", [TRIAL])), query_path=(folder,))
    tables = (
        "SELECT database_name LIKE 'kept %' FROM duckdb_tables() WHERE table_name LIKE 'kept %'"
    )
    with session.opened(place) as opened:
        with opened.beside() as other:
            assert other.run("twice").rows() == [(4,)]
            assert opened.run("twice").rows() == [(4,)]
            assert opened.kept == other.kept == {"n_traces@1"}
            assert opened.connection.execute(tables).fetchall() == [(True,)]
        assert opened.kept == set()
        assert opened.connection.execute(tables).fetchall() == []
        assert opened.run("twice").rows() == [(4,)]
        assert opened.connection.execute(tables).fetchall() == [(False,)]


PARAMETERS = """[param.least]
type = "BIGINT"
default = 0
help = "Least id"
[param.most]
type = "BIGINT"
nullable = true
help = "Greatest id; null: any"
[[column]]
"""


def test_calls_with_default_values_read_kept_rows_and_others_do_not(
    imported_files: WarehouseCache, folder: Path
) -> None:
    path = folder / "lib" / "n_traces.sql"
    sql = "SELECT count(*) AS n FROM trace WHERE id >= $least AND ($most IS NULL OR id <= $most)"
    text = path.read_text().replace("[[column]]\n", PARAMETERS)
    path.write_text(text.replace("SELECT count(*) AS n FROM trace", sql))
    place = session.Place(imported_files(("trial", [TRIAL])), query_path=(folder,))
    with session.opened(place) as opened:
        assert opened.run("twice").rows() == [(4,)]
        opened.connection.execute('UPDATE temp."kept n_traces@1" SET n = 100')
        assert opened.run("twice").rows() == [(200,)]
        called = "SELECT n FROM n_traces($least, $most)"
        assert opened.run(called, {"least": 0, "most": None}).rows() == [(100,)]
        assert opened.run("SELECT n FROM n_traces(2, NULL)").rows() == [(1,)]
        assert opened.run("SELECT n FROM n_traces(0, 1)").rows() == [(1,)]
        assert opened.run(called, {"least": 0, "most": 1}).rows() == [(1,)]


def test_blocks_that_a_kept_block_with_parameters_calls_stay_needed(
    imported_files: WarehouseCache, folder: Path
) -> None:
    path = folder / "lib" / "n_traces.sql"
    text = path.read_text().replace("[[column]]\n", PARAMETERS)
    text = text.replace("queries = []", 'queries = ["every_trace@1"]')
    sql = "SELECT sum(n)::BIGINT AS n FROM every_trace() WHERE $least < 2 AND $most IS NULL"
    path.write_text(text.replace("SELECT count(*) AS n FROM trace", sql))
    called = HEADER.format(
        name="every_trace", once="true", calls="", sql="SELECT count(*) AS n FROM trace"
    )
    (folder / "lib" / "every_trace.sql").write_text(called)
    place = session.Place(imported_files(("trial", [TRIAL])), query_path=(folder,))
    with session.opened(place) as opened:
        assert opened.run("twice").rows() == [(4,)]
        opened.forget_rows(["twice"])
        assert opened.kept == {"n_traces@1", "every_trace@1"}
        assert opened.run("SELECT n FROM n_traces(1, NULL)").rows() == [(2,)]


def test_a_block_is_kept_only_for_a_query_with_default_values_of_its_parameters(
    imported_files: WarehouseCache, folder: Path
) -> None:
    path = folder / "lib" / "n_traces.sql"
    sql = "SELECT count(*) AS n FROM trace WHERE id >= $least AND ($most IS NULL OR id <= $most)"
    text = path.read_text().replace("[[column]]\n", PARAMETERS)
    path.write_text(text.replace("SELECT count(*) AS n FROM trace", sql))
    place = session.Place(imported_files(("trial", [TRIAL])), query_path=(folder,))
    called = "SELECT n FROM n_traces($least, NULL)"
    with session.opened(place) as opened:
        assert opened.run(called, {"least": 2}).rows() == [(1,)]
        assert opened.kept == set()
        assert opened.run(called, {"least": 0}).rows() == [(2,)]
        assert opened.kept == {"n_traces@1"}


def test_rows_of_a_report_in_limited_memory_are_in_a_database_of_their_own(
    imported_files: WarehouseCache, folder: Path
) -> None:
    db = imported_files(("trial", [TRIAL]))
    place = session.Place(db, query_path=(folder,)).for_report().limited("500MB", 1)
    with session.opened(place) as opened:
        assert opened.run("twice").rows() == [(4,)]
        table = f'"{opened.kept.own}".main."kept n_traces@1"'
        assert opened.run(f"SELECT n FROM {table}").rows() == [(2,)]
        opened.choose(Selection(ranks=(0,)))
        assert opened.run("twice").rows() == [(2,)]
        opened.forget_rows()
        assert opened.kept == set()
        assert opened.run("twice").rows() == [(2,)]


def test_a_block_to_be_computed_once_needs_default_values(folder: Path) -> None:
    path = folder / "lib" / "n_traces.sql"
    text = PARAMETERS.replace("default = 0\n", "")
    path.write_text(path.read_text().replace("[[column]]\n", text))
    assert "computed_once requires a default" in "".join(library.load((folder,)).notices)


def test_another_value_of_computed_once_is_refused(folder: Path) -> None:
    path = folder / "lib" / "n_traces.sql"
    path.write_text(path.read_text().replace("computed_once = true", 'computed_once = "never"'))
    assert 'computed_once is true, false or "reports"' in "".join(library.load((folder,)).notices)
