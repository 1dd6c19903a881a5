"""When links are made, rebuilt and removed: inside traces, and between those of a run."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from warehouse.ingest import pipeline
from warehouse.library import library, required_rows
from warehouse.link import link_sets, linked_graph, linkers, relations, run_links
from warehouse.store import database

if TYPE_CHECKING:
    from tests.conftest import Tw
    from tests.support.randomtrace import Runs

KINETO = Path(__file__).parents[1] / "data" / "kineto"
HEADER = """/* ---
name = "{name}"
version = {version}
title = "For a test"
grain = [{grain}]

[param.{parameter}]
type = "BIGINT"

{columns}
[changes]
{version} = "first"
--- */
"""
LINK_COLUMNS = [*[(c, "BIGINT") for c in ("from_id", "to_id")],
                ("kind", "VARCHAR"), ("rule", "VARCHAR"), ("confidence", "DOUBLE")]  # fmt: skip
CLOCK_COLUMNS = [("trace_id", "BIGINT"), ("offset_ns", "BIGINT"), ("uncertainty_ns", "BIGINT"),
                 ("method", "VARCHAR"), ("drift", "DOUBLE")]  # fmt: skip

#: From each trace's first operator to that of every later trace of the run.
BETWEEN = """
WITH first AS (
  SELECT c.trace_id, min(c.slice_id) AS id
  FROM cpu_op AS c JOIN trace AS t ON t.id = c.trace_id AND t.run_id = $run_id::BIGINT
  GROUP BY c.trace_id
)
SELECT a.id AS from_id, b.id AS to_id, 'peer' AS kind, 'order' AS rule, 0.5::DOUBLE AS confidence
FROM first AS a JOIN first AS b ON a.id < b.id ORDER BY from_id, to_id
"""
OFFSETS = """
SELECT id AS trace_id, 1000 * id AS offset_ns, 5::BIGINT AS uncertainty_ns,
  'collective' AS method, NULL::DOUBLE AS drift
FROM trace WHERE run_id = $run_id::BIGINT ORDER BY trace_id
"""


def write(
    folder: Path, name: str, sql: str, columns: list[tuple[str, str]], *, version: int = 1
) -> None:
    described = "".join(f'[[column]]\nname = "{c}"\ntype = "{t}"\n\n' for c, t in columns)
    (folder / "link").mkdir(exist_ok=True)
    (folder / "link" / f"{name}.sql").write_text(
        HEADER.format(
            name=name, version=version, grain="", columns=described,
            parameter="run_id" if "$run_id" in sql else "trace_id",
        )
        + sql
    )  # fmt: skip


@pytest.fixture
def with_run_queries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> library.Library:
    """The program with one linker between traces and one estimate of clocks, for a test."""
    folder = tmp_path / "queries"
    folder.mkdir()
    write(folder, "link_peer_of_test", BETWEEN, LINK_COLUMNS)
    write(folder, "clock_offset", OFFSETS, CLOCK_COLUMNS)
    known = library.load([folder])
    only_ours = {
        key: query for key, query in known.queries.items()
        if "run_id" not in [p.name for p in query.parameters] or query.origin == str(folder)
    }  # fmt: skip
    known.queries = only_ours
    monkeypatch.setattr(library, "load", lambda *_: known)
    return known


def ranks(tmp_path: Path, n: int) -> list[Path]:
    """Ranks of one job: copies of one recording that differ in their number."""
    text = (KINETO / "gpu_handwritten" / "trace.json").read_text()
    paths = []
    for rank in range(n):
        path = tmp_path / "job" / f"rank{rank}.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text.replace('"rank": 0', f'"rank": {rank}') + " " * rank)
        paths.append(path)
    return paths


def imported(db: Path, paths: list[Path], **options: Any) -> None:
    outcomes = pipeline.import_paths(
        paths, db=db, options=pipeline.Options(run="job", jobs=1, **options)
    )
    assert [outcome.error for outcome in outcomes] == [None] * len(paths)


def rows(db: Path, sql: str) -> list[tuple[Any, ...]]:
    with database.Reader(db) as reader:
        found: list[tuple[Any, ...]] = reader.connection.execute(sql).fetchall()
    return found


BETWEEN_TRACES = (
    "SELECT id, run_id, from_id >> 32, to_id >> 32, kind, query FROM link "
    "WHERE trace_id IS NULL ORDER BY id DESC"
)
OFFSET_OF = "SELECT trace_id, offset_ns, uncertainty_ns, method FROM clock ORDER BY trace_id"


@pytest.mark.slow
def test_links_between_traces_are_made_with_the_second_trace(
    tmp_path: Path, with_run_queries: library.Library
) -> None:
    db, paths = tmp_path / "w.duckdb", ranks(tmp_path, 3)
    first = -(1 << 32) - 1

    imported(db, paths[:1])
    assert rows(db, BETWEEN_TRACES) == []
    imported(db, paths[1:2])
    assert rows(db, BETWEEN_TRACES) == [(first, 1, 1, 2, "peer", "link_peer_of_test")]
    imported(db, paths[2:])
    assert [row[:4] for row in rows(db, BETWEEN_TRACES)] == [
        (first, 1, 1, 2), (first - 1, 1, 1, 3), (first - 2, 1, 2, 3),
    ]  # fmt: skip


@pytest.mark.slow
def test_offsets_of_clocks_are_stored_with_the_second_trace(
    tmp_path: Path, with_run_queries: library.Library
) -> None:
    db, paths = tmp_path / "w.duckdb", ranks(tmp_path, 2)

    imported(db, paths[:1])
    assert rows(db, OFFSET_OF) == [(1, None, None, None)]
    imported(db, paths[1:])
    assert rows(db, OFFSET_OF) == [(1, 1000, 5, "collective"), (2, 2000, 5, "collective")]


@pytest.mark.integration
def test_an_offset_from_elsewhere_is_kept(
    tmp_path: Path, with_run_queries: library.Library
) -> None:
    db = tmp_path / "w.duckdb"
    imported(db, ranks(tmp_path, 2))
    with database.writer(db) as connection:
        connection.execute(
            "UPDATE clock SET offset_ns = 7, method = 'manual', extra_json = '{\"by\":\"me\"}' "
            "WHERE trace_id = 2"
        )
        run_links.link_run(connection, linkers.linkers(), 1)

    assert rows(db, OFFSET_OF) == [(1, 1000, 5, "collective"), (2, 7, 5, "manual")]
    assert rows(db, "SELECT extra_json FROM clock WHERE trace_id = 2") == [('{"by":"me"}',)]


@pytest.mark.slow
def test_dropping_a_trace_rebuilds_the_links_of_the_others(
    tw: Tw, tmp_path: Path, with_run_queries: library.Library
) -> None:
    db = tmp_path / "traces.duckdb"
    imported(db, ranks(tmp_path, 3))

    assert tw("drop", "--trace", "rank1", "--yes").code == 0
    assert [row[2:4] for row in rows(db, BETWEEN_TRACES)] == [(1, 3)]
    assert tw("drop", "--trace", "rank0", "--yes").code == 0
    assert rows(db, BETWEEN_TRACES) == []
    assert rows(db, OFFSET_OF) == [(3, None, None, None)]
    assert rows(db, "SELECT extra_json FROM clock") == [(None,)]
    assert tw("drop", "--trace", "rank2", "--yes").code == 0
    assert rows(db, "SELECT count(*) FROM link") == [(0,)]


@pytest.mark.slow
def test_replacing_a_trace_leaves_no_link_to_the_old_one(
    tmp_path: Path, with_run_queries: library.Library
) -> None:
    db, paths = tmp_path / "w.duckdb", ranks(tmp_path, 3)
    imported(db, paths)
    outcomes = pipeline.import_paths(
        paths[:1], db=db, options=pipeline.Options(run="other", on_duplicate="replace")
    )

    assert [outcome.status for outcome in outcomes] == ["imported"]
    assert [row[2:4] for row in rows(db, BETWEEN_TRACES)] == [(2, 3)]
    dangling = "SELECT count(*) FROM link WHERE from_id NOT IN (SELECT id FROM slice) "
    assert rows(db, dangling + "OR to_id NOT IN (SELECT id FROM slice)") == [(0,)]


def test_a_linker_that_reads_links_runs_after_those_that_make_them(tmp_path: Path) -> None:
    known = linkers.linkers()
    names = [query.header.name for query in known.of_trace if query.header]

    assert names.index("link_launch") < names.index("link_step")
    assert names.index("link_op_launch") < names.index("link_step")


@pytest.mark.integration
def test_a_linker_sees_all_links_made_before_it_in_the_transaction(tmp_path: Path) -> None:
    """Also large ones, and behind a linker that found none."""
    folder, db = tmp_path / "queries", tmp_path / "w.duckdb"
    folder.mkdir()
    made = (
        "SELECT r AS from_id, r AS to_id, 'made' AS kind, $trace_id::BIGINT::VARCHAR AS rule, "
        "1::DOUBLE AS confidence FROM (SELECT unnest(range(300000)) AS r) "
    )
    climbed = "WITH RECURSIVE a AS (SELECT id FROM slice UNION ALL SELECT id + 1 FROM a) "
    counted = made.replace(
        "(SELECT unnest(range(300000)) AS r)", "(SELECT count(*) AS r FROM link)"
    )
    write(folder, "link_1", made + "ORDER BY to_id", LINK_COLUMNS)
    write(folder, "link_2", climbed + made + "WHERE r IN (FROM a) ORDER BY to_id", LINK_COLUMNS)
    write(folder, "link_3", made + "ORDER BY to_id", LINK_COLUMNS)
    write(folder, "link_4", counted + "ORDER BY to_id", LINK_COLUMNS)
    known = library.Library()
    known.add_folder(folder, "test")
    database.create_empty(db)
    with database.writer(db) as connection:
        connection.execute("BEGIN")
        linkers.link_trace(connection, linkers.linkers(known), 1, 1)
        connection.execute("COMMIT")

    assert rows(db, "SELECT from_id FROM link WHERE query = 'link_4'") == [(600_000,)]


def test_every_query_of_the_link_folder_links_slices_graphs_or_runs_or_tells_of_clocks() -> None:
    known = linkers.linkers()
    of_sets = [
        query
        for each in link_sets.link_sets()
        for query in linked_graph.queries(known.library, each)
    ]

    found = [*known.all, *of_sets, *relations.queries(known.library)]
    assert {query.key for query in found} == {
        query.key for query in library.load().newest.values() if query.layer == "link"
    }


@pytest.mark.slow
def test_a_linker_finds_nothing_without_rows_of_the_tables_it_requires(
    tmp_path: Path, random_runs: Runs
) -> None:
    """So that it need not run. Where it finds something, each of these tables is emptied."""
    db = tmp_path / "w.duckdb"
    shutil.copy(random_runs.path, db)
    needing = [query for query in linkers.linkers().of_trace if linkers.requires_rows(query)]
    with database.writer(db) as connection:
        for query in library.load().closure(needing):
            query.install(connection)

        def n_links(query: library.Query, trace_id: int) -> int:
            count = f'SELECT count(*) FROM "{query.key}"({trace_id})'
            return int(database.one(connection, count)[0])

        silent = []
        for query in needing:
            assert query.header is not None
            (trace_id,) = database.one(
                connection, "SELECT min(trace_id) FROM link WHERE query = ?", [query.header.name]
            )
            if not trace_id:
                silent.append(query.header.name)
                continue
            for rows in linkers.requires_rows(query):
                connection.execute("BEGIN")
                for table, which in required_rows.alternatives(rows):
                    connection.execute(
                        f"DELETE FROM {table} WHERE trace_id = ? AND ({which})", [trace_id]
                    )
                assert n_links(query, trace_id) == 0, (query.key, rows)
                connection.execute("ROLLBACK")

    # It reads this one table alone; others need communication on the host, or device work without
    # ids, and have cases.
    assert sorted(silent) == [
        "link_enqueue", "link_flow", "link_join", "link_launch_order", "link_op_name",
        "link_rpc_process", "link_tensorflow_profiler", "link_wait_communication",
    ]  # fmt: skip


def test_only_linkers_that_can_find_something_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[str] = []
    insert = linkers.insert

    def noting(connection: Any, query: library.Query, *more: Any) -> int:
        ran.append(query.header.name if query.header else "")
        return insert(connection, query, *more)

    monkeypatch.setattr(linkers, "insert", noting)
    (tmp_path / "t.json").write_text(
        '{"schemaVersion":1,"traceEvents":[{"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,'
        '"ts":1,"dur":1}]}'
    )

    pipeline.import_paths([tmp_path / "t.json"], db=tmp_path / "w.duckdb")

    assert ran == ["link_forward_backward"]
    stated = rows(tmp_path / "w.duckdb", "SELECT count(*) FROM import_stat WHERE name = 'linked'")
    assert stated == [(len(linkers.linkers().of_trace),)]
