"""SPAN_JOIN and the modules of intervals against brute force, on random tables."""

from __future__ import annotations

import random
from collections.abc import Iterator

import duckdb
import pytest

from tests.support.sharing import slow
from warehouse.dialect import run
from warehouse.dialect.errors import UnsupportedSql
from warehouse.dialect.perfetto import translate

#: id, ts, dur, partition
Row = tuple[int, int, int, int]
KINDS = ("SPAN_JOIN", "SPAN_LEFT_JOIN", "SPAN_OUTER_JOIN")


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as opened:
        run.install_macros(opened)
        yield opened


def rows_of(connection: duckdb.DuckDBPyConnection, script: str) -> list[tuple[object, ...]]:
    rows = connection.execute(run.answer(connection, translate(script))).fetchall()
    return sorted(rows, key=str)


def intervals(rng: random.Random, *, overlap: bool) -> list[Row]:
    """Intervals of three partitions; those that do not overlap have a length."""
    rows = [(0, 0, 1, 1)]
    for partition in (1, 2, 3):
        at = rng.randint(1, 6)
        for _ in range(rng.randint(0, 6)):
            dur = rng.choice([0, 1, 2, 5]) if overlap else rng.choice([1, 2, 5])
            rows.append((len(rows), at, dur, partition))
            at += rng.randint(0, 3) if overlap else dur + rng.choice([0, 0, 1, 2])
    return rows


def table(name: str, rows: list[Row], extra: str) -> str:
    selects = (
        f"SELECT {i} AS id, {t} AS ts, {d} AS dur, {p} AS p, {i} AS {extra}" for i, t, d, p in rows
    )
    return f"CREATE PERFETTO TABLE {name} AS {' UNION ALL '.join(selects)};\n"


def runs_at(row: Row, at: int) -> bool:
    return row[1] <= at < row[1] + row[2]


def by_nanosecond(kind: str, a: list[Row], b: list[Row]) -> list[tuple[object, ...]]:
    """The ids of both tables at each nanosecond of each partition, joined where they stay equal."""
    found: list[tuple[object, ...]] = []
    for partition in (1, 2, 3):
        before: tuple[int | None, int | None] = (None, None)
        began = 0
        for at in range(100):
            mine = next((r[0] for r in a if r[3] == partition and runs_at(r, at)), None)
            other = next((r[0] for r in b if r[3] == partition and runs_at(r, at)), None)
            if (mine, other) != before:
                if is_shown(kind, *before):
                    found.append((began, at - began, partition, *before))
                before, began = (mine, other), at
    return sorted(found, key=str)


def is_shown(kind: str, mine: int | None, other: int | None) -> bool:
    if kind == "SPAN_JOIN":
        return mine is not None and other is not None
    return mine is not None or (other is not None and kind == "SPAN_OUTER_JOIN")


@pytest.mark.parametrize("seeds", [range(10), slow(range(10, 200), id="more")])
@pytest.mark.parametrize("kind", KINDS)
def test_a_span_join_has_what_runs_at_each_nanosecond(
    connection: duckdb.DuckDBPyConnection, kind: str, seeds: range
) -> None:
    for seed in seeds:
        rng = random.Random(seed)
        a, b = intervals(rng, overlap=False), intervals(rng, overlap=False)
        script = table("a", a, "an") + table("b", b, "bn") + (
            "CREATE VIEW first AS SELECT ts, dur, p, an FROM a;"
            "CREATE VIEW second AS SELECT ts, dur, p, bn FROM b;"
            f"CREATE VIRTUAL TABLE s USING {kind}(first PARTITIONED p, second PARTITIONED p);"
            "SELECT * FROM s"
        )  # fmt: skip
        assert rows_of(connection, script) == by_nanosecond(kind, a, b), seed


@pytest.mark.parametrize("seeds", [range(10), slow(range(10, 200), id="more")])
def test_intersections_are_those_of_all_pairs(
    connection: duckdb.DuckDBPyConnection, seeds: range
) -> None:
    for seed in seeds:
        rng = random.Random(seed)
        a, b = intervals(rng, overlap=True), intervals(rng, overlap=True)
        expected = []
        for x in a:
            for y in b:
                start, end = max(x[1], y[1]), min(x[1] + x[2], y[1] + y[2])
                if x[3] == y[3] and (start < end or (start == end and meets(x, y))):
                    expected.append((start, end - start, x[0], y[0], x[3]))
        script = table("a", a, "an") + table("b", b, "bn") + (
            "INCLUDE PERFETTO MODULE intervals.intersect;"
            "SELECT * FROM _interval_intersect!((a, b), (p))"
        )  # fmt: skip
        assert rows_of(connection, script) == sorted(expected, key=str), seed


def meets(x: Row, y: Row) -> bool:
    """Whether one without length begins with the other, or lies before its end."""
    return x[1] == y[1] or (runs_at(x, y[1]) and y[2] == 0) or (runs_at(y, x[1]) and x[2] == 0)


@pytest.mark.parametrize(
    ("script", "says"),
    [
        ("CREATE VIRTUAL TABLE s USING SPAN_JOIN(slice, slice)", "arg_set_id is in both tables"),
        ("CREATE VIRTUAL TABLE s USING SPAN_JOIN(slice, nowhere)", "nowhere is not there"),
        ("CREATE VIRTUAL TABLE s USING SPAN_JOIN(slice PARTITIONED x, slice)", "no column x"),
        ("CREATE VIRTUAL TABLE s USING SPAN_JOIN(slice BY ts, slice)", "something else"),
        ("CREATE VIRTUAL TABLE s USING SPAN_JOIN(slice)", "takes two tables"),
        ("CREATE VIRTUAL TABLE s USING FTS5(a)", "FTS5 is not supported"),
        ("INCLUDE PERFETTO MODULE wattson.cpu", "wattson.cpu is trace_processor's own"),
        ("SELECT * FROM _interval_intersect!((slice), ())", "no such macro"),
        (
            "INCLUDE PERFETTO MODULE intervals.intersect; "
            "SELECT * FROM _interval_intersect!(slice, ())",
            "a list of tables",
        ),
        (
            "INCLUDE PERFETTO MODULE intervals.intersect; "
            "SELECT * FROM _interval_intersect_single!(1, slice)",
            "it takes ts, dur and a table",
        ),
        ("INCLUDE PERFETTO MODULE time.conversion; SELECT time_to_weeks(1)", "time_to_weeks"),
    ],
)
def test_what_cannot_be_translated_is_named(script: str, says: str) -> None:
    with pytest.raises(UnsupportedSql, match=says):
        translate(script)
