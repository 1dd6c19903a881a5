"""Rows by rank as a distribution over the ranks: figures by plain Python, and where it is shown."""

from __future__ import annotations

import math
import random
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest

from tests.conftest import Tw
from tests.support import many_ranks
from tests.support.many_ranks import Work
from warehouse.library import library
from warehouse.library.header import Column
from warehouse.query.rank_distribution import Layout, of_rows
from warehouse.query.result import QueryResult

Row = dict[str, Any]
N_RANKS = 20
SHARES = {"min": 0.0, "p10": 0.1, "median": 0.5, "p90": 0.9, "max": 1.0}


def percentile(values: Sequence[float], share: float) -> float:
    """Linear between the two nearest values."""
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    below, above = math.floor(place), math.ceil(place)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def farthest(by_rank: Mapping[int, float], *, is_highest: bool) -> list[int]:
    """The five ranks farthest from the median on one side; the lowest ranks of equal ones."""
    middle, sign = percentile(list(by_rank.values()), 0.5), -1 if is_highest else 1
    on_side = [rank for rank, value in by_rank.items() if sign * value < sign * middle]
    return sorted(on_side, key=lambda rank: (sign * by_rank[rank], rank))[:5]


@pytest.fixture(scope="module")
def job(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Work]]:
    path = tmp_path_factory.mktemp("ranks") / "w.duckdb"
    return path, many_ranks.store(path, N_RANKS, seed=1)


def busy(made: list[Work]) -> dict[int, int]:
    found: dict[int, int] = defaultdict(int)
    for each in made:
        found[each.rank] += each.dur
    return found


# --- figures


def made_up(rng: random.Random) -> tuple[QueryResult, list[Row]]:
    """A row for each rank and kind, some missing, some without value, many equal."""
    rows = [
        {"rank": rank, "kind": kind, "total_ns": rng.choice((None, *[rng.randrange(40)] * 9))}
        for rank in range(rng.randrange(17, 40)) for kind in ("a", "b", "c") if rng.random() < 0.9
    ]  # fmt: skip
    columns = (
        Column("rank", "BIGINT", "count"),
        Column("kind", "VARCHAR", "text"),
        Column("total_ns", "BIGINT", "ns"),
    )
    schema = pa.schema({"rank": pa.int64(), "kind": pa.string(), "total_ns": pa.int64()})
    return QueryResult(pa.Table.from_pylist(rows, schema=schema), columns, {}), rows


@pytest.mark.parametrize("seed", range(12))
def test_statistics_and_outliers_of_each_key_equal_plain_python(seed: int) -> None:
    result, rows = made_up(random.Random(seed))
    layout = Layout.of(("rank", "kind"), result.columns)
    assert layout is not None
    shown = of_rows(result, layout)
    assert shown is not None and shown.measure == "total_ns"
    for row in shown.rows:
        of_kind = {r["rank"]: r["total_ns"] for r in rows if r["kind"] == row["kind"]}
        known = {rank: value for rank, value in of_kind.items() if value is not None}
        assert row["n_ranks"] == len(of_kind)
        for name, share in SHARES.items():
            assert row[name] == pytest.approx(percentile(list(known.values()), share), abs=0.5)
        for name, is_highest in (("lowest_ranks", False), ("highest_ranks", True)):
            expected = farthest(known, is_highest=is_highest)
            assert (row[name] or "").split() == [str(rank) for rank in expected]
    assert {row["kind"] for row in shown.rows} == {row["kind"] for row in rows}
    medians = [row["median"] for row in shown.rows]
    assert medians == sorted(medians, reverse=True)


@pytest.mark.slow
def test_one_row_for_each_rank_becomes_statistics_then_whole_rows_of_outliers(
    job: tuple[Path, list[Work]],
) -> None:
    path, made = job
    query = library.load().find("utilization")
    assert query.header is not None
    rows = tw_rows(path, "utilization")
    layout = Layout.of(query.header.grain, query.header.columns, "utilization")
    assert layout is not None
    shown = of_rows(rows, layout)
    assert shown is not None and shown.measure is None
    statistics, outliers = list(shown.rows)[:5], list(shown.rows)[5:]
    work = busy(made)
    for row in statistics:
        expected = percentile(list(work.values()), SHARES[row["over_ranks"]])
        assert row["busy_ns"] == pytest.approx(expected, abs=0.5)
        assert row["rank"] is None
    shares = {row["rank"]: row["utilization"] for row in rows}
    assert [row["rank"] for row in outliers] == [
        *farthest(shares, is_highest=False), *farthest(shares, is_highest=True)
    ]  # fmt: skip
    assert [row["busy_ns"] for row in outliers] == [work[row["rank"]] for row in outliers]


def tw_rows(path: Path, query: str) -> QueryResult:
    import warehouse

    with warehouse.open(path) as opened:
        return opened.query(query)


@pytest.mark.integration
def test_steps_are_listed_in_order(job: tuple[Path, list[Work]]) -> None:
    query = library.load().find("rank_step")
    assert query.header is not None
    layout = Layout.of(query.header.grain, query.header.columns)
    assert layout is not None
    shown = of_rows(tw_rows(job[0], "rank_step"), layout.by("device_ns"))
    assert shown is not None
    assert [row["step"] for row in shown.rows] == list(range(many_ranks.N_STEPS))
    for row in shown.rows:
        by_rank = {
            rank: sum(w.dur for w in job[1] if (w.rank, w.step) == (rank, row["step"]))
            for rank in range(N_RANKS)
        }
        assert row["median"] == pytest.approx(percentile(list(by_rank.values()), 0.5), abs=0.5)
        assert row["highest_ranks"].split() == [
            str(rank) for rank in farthest(by_rank, is_highest=True)
        ]


@pytest.mark.parametrize(
    "name", ["cuda_gpu_trace", "idle_gap", "slice_children", "compare_kernels"]
)
def test_rows_of_events_and_rows_without_rank_have_no_distribution(name: str) -> None:
    header = library.load().find(name).header
    assert header is not None
    assert Layout.of(header.grain, header.columns, name) is None


def test_few_ranks_among_many_are_listed() -> None:
    result, _ = made_up(random.Random(1))
    layout = Layout.of(("rank", "kind"), result.columns)
    assert layout is not None
    few = [row for row in result.arrow().to_pylist() if row["rank"] < 16]
    table = pa.Table.from_pylist(few, schema=result.schema)
    assert of_rows(QueryResult(table, result.columns, {}), layout) is None


# --- where it is shown


def query(tw: Tw, path: Path, *options: str) -> tuple[list[str], str]:
    """Lines of the table without its head, and what is printed beside it."""
    found = tw("query", "utilization", "--db", path, "--raw", *options)
    assert found.code == 0, found.err
    return found.out.splitlines()[2:], found.err


def test_a_terminal_shows_the_distribution_and_how_to_list_ranks(
    job: tuple[Path, list[Work]], tw: Tw, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    lines, beside = query(tw, job[0])
    assert [line.split()[0] for line in lines[:5]] == list(SHARES)
    assert len(lines) == 15
    assert "Distribution over 20 ranks; --all-ranks or --rank" in beside
    assert len(query(tw, job[0], "--all-ranks")[0]) == N_RANKS
    assert len(query(tw, job[0], "--rank", "2-19")[0]) == 18


def test_pipes_get_the_rows(job: tuple[Path, list[Work]], tw: Tw) -> None:
    assert len(query(tw, job[0])[0]) == N_RANKS
    assert "Distribution" not in query(tw, job[0])[1]


@pytest.mark.slow
def test_sixteen_ranks_are_listed(tmp_path: Path, tw: Tw, monkeypatch: pytest.MonkeyPatch) -> None:
    many_ranks.store(tmp_path / "w.duckdb", 16, seed=1)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    assert len(query(tw, tmp_path / "w.duckdb")[0]) == 16


@pytest.mark.slow
def test_damaged_ranks_are_named_beside_the_distribution(
    tmp_path: Path, tw: Tw, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "w.duckdb"
    many_ranks.store(path, N_RANKS, seed=1)
    with duckdb.connect(str(path)) as connection:
        connection.execute("UPDATE trace SET damage = 'cut short' WHERE rank = 7")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    assert "1 of 20 traces damaged: rank7 (cut short)" in query(tw, path)[1]
