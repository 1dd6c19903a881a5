"""Collectives of random programs on many ranks: links and clocks against the truth."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import duckdb
import pytest

from tests.support.rank_programs import (
    MS,
    US,
    Clock,
    Interval,
    Program,
    S,
    broken_bounds,
    broken_intervals,
    false_links,
    program,
    regular,
    store,
    true_links,
)
from tests.support.sharing import slow
from warehouse.library import library
from warehouse.link import linkers, run_links
from warehouse.query import execute
from warehouse.store import database

FIRST_SLOW = 205  # seed of the slow tier, whose programs have up to 64 ranks
N_TOGETHER = 20  # programs in one run, which is linked at once
Link = tuple[int, int, float]


@dataclass
class Linked:
    """What the linkers found of one program."""

    links: list[Link] = field(default_factory=list)
    intervals: list[Interval] = field(default_factory=list)
    clocks: dict[int, Clock] = field(default_factory=dict)

    @property
    def sure(self) -> list[tuple[int, int]]:
        return [(a, b) for a, b, confidence in self.links if confidence > 0.5]


@pytest.fixture(scope="module")
def connection(tmp_path_factory: pytest.TempPathFactory) -> Iterator[duckdb.DuckDBPyConnection]:
    path = tmp_path_factory.mktemp("programs") / "w.duckdb"
    database.create_empty(path)
    with duckdb.connect(str(path)) as opened:
        for query in library.load().closure([library.load().newest["clock_interval"]]):
            query.install(opened)
        yield opened


def link(connection: duckdb.DuckDBPyConnection, programs: Sequence[Program]) -> dict[int, Linked]:
    """By program; nothing is kept in the warehouse."""
    connection.execute("BEGIN")
    store(connection, programs)
    for run_id in dict.fromkeys(made.stored_run for made in programs):
        run_links.link_run(connection, linkers.linkers(), run_id)
    found: dict[int, Linked] = defaultdict(Linked)
    for a, b, confidence in connection.execute(
        "SELECT from_id, to_id, confidence FROM link WHERE kind = 'collective_peer'"
    ).fetchall():
        found[(a >> 32) // 200].links.append((a, b, confidence))
    for row in connection.execute(
        "SELECT hub_trace_id, trace_id, begin_ns, end_ns, begin_lower_ns, begin_upper_ns, "
        'end_lower_ns, end_upper_ns FROM "clock_interval@3"()'
    ).fetchall():
        found[row[0] // 200].intervals.append(row)
    for trace_id, *clock in connection.execute(
        "SELECT trace_id, offset_ns, uncertainty_ns, method, drift FROM clock"
    ).fetchall():
        found[trace_id // 200].clocks[trace_id] = (clock[0], clock[1], clock[2], clock[3])
    connection.execute("ROLLBACK")
    return found


def together(seeds: Sequence[int]) -> list[Program]:
    """Random programs, those whose groups are recorded in a common run."""
    made = [program(seed, most_ranks=16 if seed < FIRST_SLOW else 64) for seed in seeds]
    first_rank = 0
    for each in made:
        if each.numbers != "bare":
            each.stored_run, each.first_rank = seeds[0], first_rank
            first_rank += each.n_ranks
    return made


# --- random programs


def judge(connection: duckdb.DuckDBPyConnection, seeds: range) -> list[Program]:
    """The programs with a false link above 0.5 or a broken bound."""
    programs = together(seeds)
    linked = link(connection, programs)
    wrong = []
    for made in programs:
        found = linked[made.run_id]
        if false_links(made, found.sure) or broken_intervals(made, found.intervals):
            wrong.append(made)
        if made.numbers == "numbered":
            assert len(found.sure) == true_links(made), made.run_id
    return wrong


@pytest.mark.parametrize(
    "seeds",
    [
        range(1, 5),
        *(slow(range(n, n + N_TOGETHER), id=f"{n}") for n in range(5, 205, N_TOGETHER)),
    ],
)
def test_no_link_is_false_and_no_bound_broken(
    connection: duckdb.DuckDBPyConnection, seeds: range
) -> None:
    assert [made.run_id for made in judge(connection, seeds)] == []


@pytest.mark.slow
@pytest.mark.parametrize("first", range(FIRST_SLOW, FIRST_SLOW + 2000, 1000))
def test_few_programs_recorded_in_part_have_a_false_link(
    connection: duckdb.DuckDBPyConnection, first: int
) -> None:
    """At most one percent, of those that are neither numbered nor whole; none of the others."""
    n_in_part, wrong = 0, list[Program]()
    for n in range(first, first + 1000, N_TOGETHER):
        n_in_part += sum(map(is_in_part, together(range(n, n + N_TOGETHER))))
        wrong += judge(connection, range(n, n + N_TOGETHER))
    assert len(wrong) <= n_in_part / 100, [made.run_id for made in wrong]
    assert [made.run_id for made in wrong if not is_in_part(made)] == []


def is_in_part(made: Program) -> bool:
    """Whether it has neither numbers nor whole recordings."""
    return made.numbers != "numbered" and made.windows != "whole"


@pytest.mark.parametrize("seeds", [range(300, 301), slow(range(301, 307), id="more")])
def test_a_clock_is_within_its_uncertainty_at_every_operation(
    connection: duckdb.DuckDBPyConnection, seeds: range
) -> None:
    programs = [program(seed, numbers="numbered", most_ranks=8) for seed in seeds]
    linked = link(connection, programs)
    for made in programs:
        assert broken_bounds(made, linked[made.run_id].clocks) == [], made.run_id


# --- programs that repeat themselves


@pytest.mark.slow
@pytest.mark.parametrize("n_lost", [0, 3])
def test_regular_programs_on_equal_clocks_are_linked_as_they_were(
    connection: duckdb.DuckDBPyConnection, n_lost: int
) -> None:
    programs = [
        regular(1, n_steps=4, n_layers=4, spacing=750 * US, step_gap=3 * MS),
        regular(2, n_steps=10, n_layers=24, spacing=750 * US, lost=[(0, n) for n in range(n_lost)]),
    ]
    linked = link(connection, programs)
    for made in programs:
        found = linked[made.run_id]
        assert len(found.sure) == true_links(made) and not false_links(made, found.sure)
        assert broken_bounds(made, found.clocks) == []
        assert {clock[2] for clock in found.clocks.values()} == {"reference", "file"}


@pytest.mark.integration
@pytest.mark.parametrize("spacing", [300 * US, slow(30 * US), slow(100 * US)])
def test_equal_counts_alone_prove_nothing(
    connection: duckdb.DuckDBPyConnection, spacing: int
) -> None:
    made = regular(1, n_steps=1, n_layers=3, spacing=spacing, lost=[(0, 2), (1, 0)])
    found = link(connection, [made])[1]
    assert {confidence for *_, confidence in found.links} == {0.5}
    assert {clock[0] for clock in found.clocks.values()} == {None}


@pytest.mark.slow
def test_step_numbers_decide_between_equal_steps_on_clocks_far_apart(
    connection: duckdb.DuckDBPyConnection,
) -> None:
    without, numbered = (
        regular(n, n_steps=10, n_layers=12, spacing=750 * US, apart=3 * S, has_steps=n == 2)
        for n in (1, 2)
    )
    linked = link(connection, [without, numbered])
    assert {confidence for *_, confidence in linked[1].links} == {0.5}
    assert len(linked[2].sure) == true_links(numbered)
    assert not false_links(numbered, linked[2].sure)
    assert broken_bounds(numbered, linked[2].clocks) == []


@pytest.mark.slow
def test_the_second_recordings_of_ranks_are_linked_with_each_other(
    connection: duckdb.DuckDBPyConnection,
) -> None:
    n_links = 0
    for seed in range(400, 404):
        made = program(seed, windows="all_twice", numbers="plain", most_ranks=4)
        found = link(connection, [made])[seed]
        assert not false_links(made, found.sure), seed
        assert broken_bounds(made, found.clocks) == [], seed
        last = made.recordings[-1].trace_id
        n_links += sum(b >> 32 == last for _, b in found.sure)
    assert n_links > 0


@pytest.mark.integration
def test_doubtful_links_are_findings_and_compare_nothing(tmp_path: Path) -> None:
    path = tmp_path / "w.duckdb"
    database.create_empty(path)
    made = regular(1, n_steps=3, n_layers=4, spacing=300 * US, apart=2 * S)
    with duckdb.connect(str(path)) as opened:
        store(opened, [made])
        run_links.link_run(opened, linkers.linkers(), 1)
    with database.Reader(path) as reader:
        (finding,) = execute.run(reader.connection, "check_collective_doubt").table().to_pylist()
        ranks = execute.run(reader.connection, "straggler").table().to_pylist()
        members = execute.run(reader.connection, "collective_instance").table().to_pylist()
    assert (finding["severity"], finding["n_found"], finding["rank"]) == ("warning", 12, 1)
    assert [(row["n_collectives"], row["n_compared"]) for row in ranks] == [(12, 0), (12, 0)]
    assert {row["skew_ns"] for row in members} == {None}
