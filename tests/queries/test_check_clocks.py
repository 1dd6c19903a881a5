"""The check of clocks against collectives: what a plain look at every pair of ranks finds."""

from __future__ import annotations

import random
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

from tests.support.random_clocks import MS, Job, job
from tests.support.random_clocks import store as put
from warehouse.link import linkers, run_links
from warehouse.query import execute
from warehouse.store import database

CHECK = "check_clock_contradiction"


def jobs_with_clocks_set_back() -> list[Job]:
    """Every other job has one collective at which the clock of a rank was set for a moment."""
    made = []
    for seed in range(1, 7):
        # Fewer than nine collectives of a pair: of more, a drift is tried.
        each = job(seed, [(0, 1), (0, 2), (1, 2)], n_rounds=3, farthest_ns=MS)
        if seed % 2:
            rng = random.Random(seed)
            moved = rng.choice([m for m in each.members if m.rank > 0])
            by = rng.choice((-40, 40)) * MS
            each.members[each.members.index(moved)] = replace(
                moved, start=moved.start + by, end=moved.end + by
            )
        made.append(each)
    return made


def contradictions(made: Job) -> dict[int, tuple[int, int]]:
    """Trace -> pairs with a lower rank that contradict themselves, and all such pairs."""
    lower: dict[tuple[int, int], int] = {}
    upper: dict[tuple[int, int], int] = {}
    for instance in made.group_of:
        hub, other = sorted((m for m in made.members if m.instance == instance), key=_rank)
        pair = hub.rank, other.rank
        first = made.clock(hub.rank, hub.start) - made.clock(other.rank, other.end)
        last = made.clock(hub.rank, hub.end) - made.clock(other.rank, other.start)
        lower[pair] = max(lower.get(pair, first), first)
        upper[pair] = min(upper.get(pair, last), last)
    counts: dict[int, list[int]] = defaultdict(lambda: [0, 0])
    for pair in lower:
        counts[pair[1]][0] += lower[pair] > upper[pair]
        counts[pair[1]][1] += 1
    return {made.trace_id(rank): (n, of) for rank, (n, of) in counts.items() if n}


def _rank(member: object) -> int:
    return int(member.rank)  # type: ignore[attr-defined]


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("contradictions") / "w.duckdb"
    database.create_empty(path)
    with duckdb.connect(str(path)) as connection:
        known = linkers.linkers()
        for each in jobs_with_clocks_set_back():
            put(connection, each)
            connection.execute("BEGIN")
            run_links.link_run(connection, known, each.run_id)
            connection.execute("COMMIT")
    return path


def found(path: Path) -> dict[int, tuple[str, int, int]]:
    with database.Reader(path) as reader:
        table = execute.run(reader.connection, CHECK).table()
    return {
        row["trace_id"]: (row["severity"], row["n_found"], row["n_looked_at"])
        for row in table.to_pylist()
    }


@pytest.mark.slow
def test_pairs_that_nothing_fits_are_found_and_no_others(warehouse: Path) -> None:
    expected: dict[int, tuple[int, int]] = {}
    for made in jobs_with_clocks_set_back():
        expected |= contradictions(made)

    assert expected
    assert {t: f[1:] for t, f in found(warehouse).items() if f[0] == "warning"} == expected
    sound = {made.run_id for made in jobs_with_clocks_set_back() if made.run_id % 2 == 0}
    assert not {trace_id // 100 for trace_id in found(warehouse)} & sound


def test_an_offset_that_its_collectives_do_not_allow_is_an_error(
    warehouse: Path, tmp_path: Path
) -> None:
    path, trace_id = tmp_path / "w.duckdb", 202
    path.write_bytes(warehouse.read_bytes())
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            "UPDATE clock SET offset_ns = offset_ns + 1000000000, method = 'file' "
            "WHERE trace_id = ?", [trace_id],
        )  # fmt: skip

    assert found(path)[trace_id] == ("error", 2, 2)
