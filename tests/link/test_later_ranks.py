"""Ranks that arrive later in a run: the same links as if all had been there at once."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from tests.link.test_rank_programs import together
from tests.support.rank_programs import Program, store
from tests.support.sharing import slow
from warehouse.library import library
from warehouse.link import linkers, run_links
from warehouse.store import database

CHANGED = "changed_sequence"
RESULT = (
    "FROM link WHERE trace_id IS NULL ORDER BY id",
    "SELECT * EXCLUDE (extra_json) FROM clock ORDER BY id",
    "SELECT trace_id, detail, value FROM import_stat WHERE name = 'run_linked' ORDER BY ALL",
)


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    path = tmp_path / "w.duckdb"
    database.create_empty(path)
    with duckdb.connect(str(path)) as opened:
        queries = library.load()
        for query in queries.closure([queries.newest[CHANGED]]):
            query.install(opened)
        yield opened


def name_groups(programs: list[Program], rng: random.Random) -> None:
    """Some ranks have names of their own for groups: names are compared if two ranks share one."""
    for made in programs:
        groups = {call.group for call in made.calls.values() if rng.random() < 0.5}
        for group in sorted(groups):
            for rank in group:
                made.name_of[rank, group] = rng.choice(["1", "2", f"of {rank}"])


def in_order_of_arrival(programs: list[Program], rng: random.Random) -> list[list[int]]:
    """Numbers the traces of a run in a random order; returns those of each arrival, most first."""
    recordings = [each for made in programs for each in made.recordings]
    rng.shuffle(recordings)
    for trace_id, recording in enumerate(recordings, 1000):
        recording.trace_id = trace_id
    ids = [recording.trace_id for recording in recordings]
    n_first = rng.randint(len(ids) // 2, len(ids) - 2)
    n_next = rng.randint(n_first + 1, len(ids) - 1)
    return [ids[:n_first], ids[n_first:n_next], ids[n_next:]]


def link(connection: duckdb.DuckDBPyConnection, run_id: int, *, keeps_links: bool) -> list[object]:
    run_links.link_run(connection, linkers.linkers(), run_id, keeps_links=keeps_links)
    return [connection.execute(sql).fetchall() for sql in RESULT]


@pytest.mark.parametrize(
    "seeds", [range(500, 510), *(slow(range(n, n + 20), id=f"{n}") for n in range(520, 1100, 20))]
)
def test_links_are_those_of_all_ranks_at_once(
    connection: duckdb.DuckDBPyConnection, seeds: range
) -> None:
    rng = random.Random(seeds[0])
    made = [each for each in together(seeds) if each.numbers != "bare"]
    run_id = made[0].stored_run
    name_groups(made, rng)
    for n, trace_ids in enumerate(in_order_of_arrival(made, rng)):
        store(connection, made, trace_ids)
        updated = link(connection, run_id, keeps_links=n > 0)
    (n_changed,) = database.one(
        connection, f'SELECT count(*) FROM "{CHANGED}@1"(?, ?)', [run_id, trace_ids[0]]
    )
    (n_traces,) = database.one(connection, "SELECT count(*) FROM trace")

    assert n_changed < n_traces, "something was kept"
    assert updated == link(connection, run_id, keeps_links=False)
    assert len(connection.execute(RESULT[0]).fetchall()) > 0
