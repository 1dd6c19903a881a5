"""The scope: what each choice selects, and that every table then shows just that."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import duckdb
import pytest

from tests.support.sharing import kept_open
from warehouse.errors import ScopeError
from warehouse.query import scope
from warehouse.query.selection import Selection, options_of, parse_ranks
from warehouse.store import database
from warehouse.times import parse_time

NOW = datetime.now(UTC).replace(tzinfo=None)


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Two runs: `old` with ranks 0 and 1 (traces 1, 2), `new` with rank 0 (trace 3)."""
    path = tmp_path_factory.mktemp("scope") / "w.duckdb"
    database.create_empty(path)
    connection = duckdb.connect(str(path))
    for run_id, name, age_days in ((1, "old", 10), (2, "new", 1)):
        connection.execute(
            "INSERT INTO run (id, name, kind, created_at) VALUES (?, ?, 'measured', ?)",
            [run_id, name, NOW - timedelta(days=age_days)],
        )
    for trace_id, run_id, name, rank in ((1, 1, "rank-0", 0), (2, 1, "rank-1", 1), (3, 2, "t", 0)):
        connection.execute(
            """
            INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version,
              tw_version, imported_at, base_ns, source_base_ns)
            VALUES (?, ?, ?, ?, 'kineto', 'kineto', 1, '0', ?, 0, 0)
            """,
            [trace_id, run_id, name, rank, NOW - timedelta(days=10 if run_id == 1 else 1)],
        )
    connection.execute("""
        INSERT INTO slice (id, trace_id, track_id, ts, dur, name, depth, args_json)
        SELECT t * 4294967296 + n, t, t * 4294967296, ts, dur, name, 0, '{"k": 1}'
        FROM range(1, 4) AS traces(t), (VALUES
          (0, 0, 10, 'ends at 10'), (1, 10, 0, 'instant at 10'), (2, 5, 10, 'from 5 to 15'),
          (3, 20, 5, 'starts at 20'), (4, 1, -1, 'unfinished')) AS v(n, ts, dur, name)
    """)
    connection.execute("""
        INSERT INTO counter
        SELECT t * 4294967296 + n, t, t * 4294967296, ts, n
        FROM range(1, 4) AS traces(t), (VALUES (0, 0), (1, 8), (2, 12), (3, 30)) AS v(n, ts)
    """)
    connection.execute("""
        INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set,
          query, query_version) VALUES
          (4294967296, 1, 1, 4294967296, 4294967298, 'launch', 'r', 1, 'default', 'q', 1),
          (-1, NULL, 1, 4294967298, 8589934594, 'collective', 'r', 1, 'default', 'q', 1)
    """)
    connection.execute("INSERT INTO tag VALUES ('good', 1, ?)", [NOW])
    connection.execute(
        "INSERT INTO metric (id, trace_id, slice_id, name) VALUES (4294967296, 1, 4294967296, 'm')"
    )
    connection.execute("INSERT INTO source_event VALUES (4294967296, 1, 'M', NULL, NULL, '{}')")
    connection.close()
    with kept_open(path):
        yield path


@pytest.fixture
def connection(warehouse: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    with database.Reader(warehouse) as reader:
        yield reader.connection


@pytest.mark.parametrize(
    ("selection", "trace_ids"),
    [
        (Selection(), (3,)),
        (Selection(runs=("latest",)), (3,)),
        (Selection(runs=("all",)), (1, 2, 3)),
        (Selection(runs=("old",)), (1, 2)),
        (Selection(runs=("1",)), (1, 2)),
        (Selection(runs=("old", "new")), (1, 2, 3)),
        (Selection(runs=("tag:good",)), (1, 2)),
        (Selection(runs=("since:7d",)), (3,)),
        (Selection(runs=("since:4w",)), (1, 2, 3)),
        (Selection(traces=("rank-1",)), (2,)),
        (Selection(traces=("1", "3")), (1, 3)),
        (Selection(runs=("old",), ranks=(1,)), (2,)),
        (Selection(runs=("all",), ranks=(0,)), (1, 3)),
    ],
)
def test_a_selection_chooses_traces(
    connection: duckdb.DuckDBPyConnection, selection: Selection, trace_ids: tuple[int, ...]
) -> None:
    assert scope.resolve(connection, selection).trace_ids == trace_ids


def test_the_default_among_several_runs_is_announced(
    connection: duckdb.DuckDBPyConnection,
) -> None:
    chosen = scope.resolve(connection, Selection())

    assert chosen.notice is not None
    assert "'new', the last imported of 2" in chosen.notice
    assert scope.resolve(connection, Selection(runs=("new",))).notice is None


@pytest.mark.parametrize(
    ("selection", "message", "hint"),
    [
        (Selection(runs=("odl",)), "run 'odl' not found", "Did you mean 'old'?"),
        (Selection(runs=("xyz",)), "run 'xyz' not found", "Available: old, new."),
        (Selection(runs=("tag:goof",)), "tag 'goof' not found", "Did you mean 'good'?"),
        (Selection(runs=("since:yesterday",)), "'yesterday' is not an age", "such as 7d"),
        (Selection(runs=("since:1min",)), "no run was imported in the last 1min", None),
        (Selection(traces=("rank-9",)), "trace 'rank-9' not found", "Did you mean"),
        (Selection(runs=("old",), ranks=(7,)), "rank 7 not found", "Available ranks: 0-1."),
        (Selection(from_ns=5, to_ns=5), "the time window is empty", "--to"),
    ],
)
def test_a_selection_of_nothing_says_what_there_is(
    connection: duckdb.DuckDBPyConnection, selection: Selection, message: str, hint: str | None
) -> None:
    with pytest.raises(ScopeError) as failure:
        scope.resolve(connection, selection)

    assert message in failure.value.message
    assert (hint or "") in (failure.value.hint or "")


def names(connection: duckdb.DuckDBPyConnection) -> list[str]:
    return [n for (n,) in connection.execute("SELECT name FROM slice ORDER BY id").fetchall()]


def apply(connection: duckdb.DuckDBPyConnection, selection: Selection) -> None:
    scope.apply(connection, scope.resolve(connection, selection))


def count(connection: duckdb.DuckDBPyConnection, table: str) -> int:
    row = connection.execute(f'SELECT count(*) FROM "{table}"').fetchone()
    assert row is not None
    return int(row[0])


def test_every_table_and_view_shows_the_scope_only(
    connection: duckdb.DuckDBPyConnection,
) -> None:
    apply(connection, Selection(traces=("rank-0",)))

    shown = {
        table: count(connection, table)
        for table in ("run", "trace", "slice", "counter", "link", "flow", "args", "aligned_slice")
    }

    assert shown == {
        "run": 1,
        "trace": 1,
        "slice": 5,
        "counter": 4,
        "link": 1,
        "flow": 1,
        "args": 5,
        "aligned_slice": 5,
    }


def not_shadowed(connection: duckdb.DuckDBPyConnection) -> list[str]:
    """The tables of traces or runs without a view in their place."""
    rows = connection.execute("""
        SELECT DISTINCT c.table_name
        FROM duckdb_columns() AS c
        JOIN duckdb_tables() AS t USING (table_name)
        WHERE c.column_name IN ('trace_id', 'run_id')
          AND c.table_name NOT IN (SELECT view_name FROM duckdb_views() WHERE temporary)
    """).fetchall()
    return [name for (name,) in rows]


def test_every_table_of_a_trace_is_shadowed(warehouse: Path, tmp_path: Path) -> None:
    """Where rows may still be added."""
    path = tmp_path / "w.duckdb"
    path.write_bytes(warehouse.read_bytes())
    with duckdb.connect(str(path)) as connection:
        apply(connection, Selection())

        assert not_shadowed(connection) == []


def test_tables_without_rows_are_not_shadowed(connection: duckdb.DuckDBPyConnection) -> None:
    apply(connection, Selection())

    found = not_shadowed(connection)

    assert len(found) > 40
    assert {count(connection, name) for name in found} == {0}


def test_a_new_scope_replaces_the_old(connection: duckdb.DuckDBPyConnection) -> None:
    apply(connection, Selection(traces=("rank-0",)))
    apply(connection, Selection(runs=("all",)))

    assert count(connection, "slice") == 15
    assert count(connection, "link") == 2
    assert count(connection, "flow") == 2


def test_a_link_between_ranks_needs_both_ranks(connection: duckdb.DuckDBPyConnection) -> None:
    apply(connection, Selection(runs=("old",)))
    both = count(connection, "link")
    apply(connection, Selection(runs=("old",), ranks=(1,)))

    assert (both, count(connection, "link")) == (2, 0)


@pytest.mark.parametrize(
    ("from_ns", "to_ns", "seen"),
    [
        (10, None, ["instant at 10", "from 5 to 15", "starts at 20", "unfinished"]),
        (None, 10, ["ends at 10", "from 5 to 15", "unfinished"]),
        (10, 20, ["instant at 10", "from 5 to 15", "unfinished"]),
        (20, 21, ["starts at 20", "unfinished"]),
        (-5, 0, []),
    ],
)
def test_a_window_shows_whole_slices_that_meet_it(
    connection: duckdb.DuckDBPyConnection, from_ns: int | None, to_ns: int | None, seen: list[str]
) -> None:
    apply(connection, Selection(runs=("new",), from_ns=from_ns, to_ns=to_ns))

    assert names(connection) == seen


def test_a_window_shows_the_counter_value_that_holds_at_its_start(
    connection: duckdb.DuckDBPyConnection,
) -> None:
    apply(connection, Selection(runs=("new",), from_ns=10, to_ns=30))

    assert connection.execute("SELECT ts FROM counter ORDER BY ts").fetchall() == [(8,), (12,)]


def test_a_window_hides_what_belongs_to_hidden_slices(
    connection: duckdb.DuckDBPyConnection,
) -> None:
    apply(connection, Selection(traces=("rank-0",), from_ns=20))

    assert [count(connection, t) for t in ("link", "metric", "source_event")] == [0, 0, 1]


def test_an_empty_warehouse_has_an_empty_scope(tmp_path: Path) -> None:
    database.create_empty(tmp_path / "w.duckdb")
    with database.Reader(tmp_path / "w.duckdb") as reader:
        chosen = scope.resolve(reader.connection, Selection())
        scope.apply(reader.connection, chosen)

        assert (chosen.run_ids, chosen.trace_ids, chosen.notice) == ((), (), None)
        assert count(reader.connection, "slice") == 0


def test_a_trace_name_two_runs_have_is_not_guessed(tmp_path: Path, warehouse: Path) -> None:
    copy = tmp_path / "w.duckdb"
    copy.write_bytes(warehouse.read_bytes())
    with duckdb.connect(str(copy)) as connection:
        connection.execute("UPDATE trace SET name = 'rank-0' WHERE id = 3")

    with database.Reader(copy) as reader:
        with pytest.raises(ScopeError, match="several runs have a trace of that name"):
            scope.resolve(reader.connection, Selection(traces=("rank-0",)))
        assert scope.resolve(
            reader.connection, Selection(runs=("new",), traces=("rank-0",))
        ).trace_ids == (3,)


@pytest.mark.parametrize(
    ("text", "ns"),
    [
        ("1500", 1500),
        ("1500ns", 1500),
        ("1.5us", 1500),
        ("1.5 ms", 1_500_000),
        ("2s", 2_000_000_000),
        ("-3", -3),
        ("1e3", 1000),
        ("1min", 60_000_000_000),
        ("123456789.123456789s", 123_456_789_123_456_789),
    ],
)
def test_a_time_is_an_exact_number_of_ns(text: str, ns: int) -> None:
    assert parse_time(text) == ns


@pytest.mark.parametrize("text", ["", "soon", "1.5", "0.1ns", "5 parsecs", "1e99s", "1..2", "NaN"])
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(ScopeError):
        parse_time(text)


@pytest.mark.parametrize(
    ("text", "ranks"), [("0", (0,)), ("0,2", (0, 2)), ("1-3,7", (1, 2, 3, 7)), (" 2 - 3 ", (2, 3))]
)
def test_ranks_are_numbers_and_ranges(text: str, ranks: tuple[int, ...]) -> None:
    assert parse_ranks(text) == ranks


@pytest.mark.parametrize("text", ["", "a", "3-1", "1,,2", "-1"])
def test_what_are_no_ranks_is_refused(text: str) -> None:
    with pytest.raises(ScopeError):
        parse_ranks(text)


def test_filters_are_constants_the_storage_can_prune_by(
    connection: duckdb.DuckDBPyConnection,
) -> None:
    apply(connection, Selection(runs=("old",)))

    plan = "\n".join(
        str(row[1]) for row in connection.execute("EXPLAIN SELECT count(*) FROM slice").fetchall()
    )

    assert "trace_id" in plan
    assert "JOIN" not in plan


@pytest.mark.parametrize(
    ("chosen", "options"),
    [
        (Selection(), ""),
        (Selection(runs=("a b",), traces=("t",)), "--run 'a b' --trace t"),
        (Selection(ranks=(0, 2), from_ns=0, to_ns=5), "--rank 0,2 --from 0 --to 5"),
    ],
)
def test_a_selection_is_written_as_options(chosen: Selection, options: str) -> None:
    assert options_of(chosen) == options
