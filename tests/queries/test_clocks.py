"""Links between ranks and the offsets of their clocks, against jobs whose truth is known."""

from __future__ import annotations

import random
from collections.abc import Iterable
from pathlib import Path

import duckdb
import pytest

from tests.support.random_clocks import MS, Job, job, store
from warehouse.link import linkers, run_links
from warehouse.store import database as warehouse_store

TENSOR_AND_DATA = [(0, 1), (2, 3), (0, 2), (1, 3)]
ALL = [(0, 1, 2)]


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("clocks") / "w.duckdb"
    warehouse_store.create_empty(path)
    return path


Clock = tuple[int | None, int | None, str | None, float | None]


class Linked:
    """Jobs after linking: the links between ranks, and what is known of each clock."""

    def __init__(self, path: Path, jobs: Iterable[Job]) -> None:
        with duckdb.connect(str(path)) as connection:
            connection.execute("BEGIN")
            known = linkers.linkers()
            for each in jobs:
                store(connection, each)
                run_links.link_run(connection, known, each.run_id)
            self.links = connection.execute(
                "SELECT run_id, from_id, to_id, rule, confidence FROM link"
            ).fetchall()
            clocks = connection.execute(
                "SELECT trace_id, offset_ns, uncertainty_ns, method, drift FROM clock"
            ).fetchall()
            connection.execute("ROLLBACK")
        self.clocks: dict[int, Clock] = {row[0]: (row[1], row[2], row[3], row[4]) for row in clocks}

    def pairs(self, made: Job) -> set[tuple[int, int]]:
        return {(a, b) for run_id, a, b, *_ in self.links if run_id == made.run_id}

    def clock(self, made: Job, rank: int) -> Clock:
        return self.clocks[made.trace_id(rank)]


def must_bracket_the_truth(linked: Linked, made: Job) -> None:
    for rank in range(made.n_ranks):
        offset, uncertainty, _, _ = linked.clock(made, rank)
        assert offset is not None and uncertainty is not None
        assert abs(offset - (made.offsets[rank] - made.offsets[0])) <= uncertainty


@pytest.mark.integration
def test_numbered_collectives_are_linked_as_they_were(empty: Path) -> None:
    jobs = [job(seed, TENSOR_AND_DATA) for seed in range(1, 4)]
    linked = Linked(empty, jobs)
    for made in jobs:
        assert linked.pairs(made) == made.true_links()
        must_bracket_the_truth(linked, made)
    assert {(rule, confidence) for *_, rule, confidence in linked.links} == {("sequence", 1.0)}


@pytest.mark.slow
def test_without_numbers_order_links_them(empty: Path) -> None:
    jobs = [job(seed, TENSOR_AND_DATA, is_numbered=False) for seed in range(1, 4)]
    linked = Linked(empty, jobs)
    for made in jobs:
        assert linked.pairs(made) == made.true_links()
        must_bracket_the_truth(linked, made)
    assert {(rule, confidence) for *_, rule, confidence in linked.links} == {("order", 0.9)}


@pytest.mark.slow
def test_a_profiler_that_began_late_shifts_nothing(empty: Path) -> None:
    jobs = []
    for seed in range(1, 5):
        made = job(seed, ALL, n_rounds=15, is_numbered=False)
        made.lost = {(1, instance) for instance in range(1 + seed % 6)}
        jobs.append(made)
    linked = Linked(empty, jobs)
    for made in jobs:
        assert linked.pairs(made) == made.true_links()
        must_bracket_the_truth(linked, made)


@pytest.mark.slow
def test_what_was_lost_in_the_middle_shifts_nothing(empty: Path) -> None:
    jobs = []
    for seed in range(1, 5):
        made = job(seed, ALL, n_rounds=15, is_numbered=False)
        rng = random.Random(seed)
        made.lost = {(1 + n % 2, rng.randrange(len(made.group_of))) for n in range(6)}
        jobs.append(made)
    linked = Linked(empty, jobs)
    for made in jobs:
        assert linked.pairs(made) == made.true_links()
        must_bracket_the_truth(linked, made)


@pytest.mark.integration
def test_an_offset_is_within_its_uncertainty_when_clocks_count_from_1970(empty: Path) -> None:
    jobs = [job(seed, ALL, farthest_ns=3 * MS) for seed in range(1, 5)]
    for made in jobs:
        made.offsets = {r: o - 1_790_857_026_000_000_000 for r, o in made.offsets.items()}
    linked = Linked(empty, jobs)
    for made in jobs:
        must_bracket_the_truth(linked, made)


def test_clocks_that_drift_apart_get_a_drift(empty: Path) -> None:
    made = job(5, [(0, 1)], n_rounds=400, farthest_ns=2 * MS)
    made.drifts = {1: 8e-5}
    linked = Linked(empty, [made])
    offset, uncertainty, method, drift = linked.clock(made, 1)
    assert method == "collective drift"
    assert drift == pytest.approx(8e-5, rel=0.02)
    # Aligned times keep the law: nobody leaves before the last has come.
    starts: dict[int, list[int]] = {}
    ends: dict[int, list[int]] = {}
    bases = [min(made.clock(r, m.start) for m in made.members if m.rank == r) for r in (0, 1)]
    assert offset is not None and drift is not None and uncertainty is not None
    for m in made.members:
        for true_ns, found in ((m.start, starts), (m.end, ends)):
            ns = made.clock(m.rank, true_ns)
            if m.rank == 1:
                ns = ns + offset + round(drift * (ns - bases[1]))
            found.setdefault(m.instance, []).append(ns)
    assert all(max(starts[i]) <= min(ends[i]) for i in starts)
    at_base = made.offsets[1] - made.offsets[0] + 8e-5 * bases[1]
    assert abs(offset - at_base) <= uncertainty


def test_clocks_that_drift_apart_by_more_than_100_ppm_are_contradictory(empty: Path) -> None:
    made = job(5, [(0, 1)], n_rounds=400, farthest_ns=2 * MS)
    made.drifts = {1: 3e-4}
    _, _, method, drift = Linked(empty, [made]).clock(made, 1)
    assert (method, drift) == ("collective contradictory", None)


def test_a_rank_that_shares_nothing_has_no_offset(empty: Path) -> None:
    made = job(3, [(0, 1), (2,)])
    linked = Linked(empty, [made])
    assert linked.clock(made, 2) == (None, None, None, None)
    assert linked.clock(made, 0) == (0, 0, "reference", None)


def test_offsets_go_from_pair_to_pair(empty: Path) -> None:
    made = job(4, [(0, 1), (1, 2), (2, 3), (3, 4)])
    linked = Linked(empty, [made])
    must_bracket_the_truth(linked, made)
    uncertainties = [linked.clock(made, rank)[1] for rank in range(5)]
    known = [uncertainty for uncertainty in uncertainties if uncertainty is not None]
    assert known == sorted(set(known)) and len(known) == 5


def test_clocks_no_offset_fits_are_called_contradictory(empty: Path) -> None:
    made = job(6, [(0, 1)], n_rounds=4)
    moved = [m for m in made.members if m.rank == 1 and m.instance == 0]
    made.members = [
        m if m not in moved else type(m)(m.instance, m.rank, m.start - 50 * MS, m.end - 50 * MS)
        for m in made.members
    ]
    linked = Linked(empty, [made])
    _, uncertainty, method, _ = linked.clock(made, 1)
    assert method == "collective contradictory"
    assert uncertainty is not None and uncertainty > 10 * MS
