"""Captures of random programs: what was written is what is read, whatever the counters did."""

from __future__ import annotations

import random
from pathlib import Path

import duckdb
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support import sophgo_capture as capture
from tests.support.sharing import integration, slow
from tw_importers.sophgo import order, records, sections
from tw_importers.sophgo.decode import chips
from warehouse.ingest import pipeline
from warehouse.ingest.pipeline import Options

_WRAP = 1 << 32
FIRST_CYCLES = {
    "counters that agree": [5_000, 5_000, 5_000],
    "counters that do not": [5_000, 90_000_000, 12],
    "a counter that wraps in the preamble": [_WRAP - 700, 5_000, _WRAP - 100],
    "a counter that wraps in the middle": [_WRAP - 9_000, _WRAP - 2_500, 5_000],
}


@pytest.mark.parametrize(
    "case",
    [
        slow("counters that agree"),
        "counters that do not",
        slow("a counter that wraps in the preamble"),
        integration("a counter that wraps in the middle"),
    ],
)
def test_what_is_read_is_what_was_written(tmp_path: Path, case: str) -> None:
    written = {}
    for seed in range(2):
        cores = capture.program(random.Random(f"{case} {seed}"), 3, FIRST_CYCLES[case])
        folder = capture.write(tmp_path / f"case{seed}", cores)
        written[str(folder)] = capture.expected(cores)
    db = tmp_path / "w.duckdb"

    outcomes = pipeline.import_paths(list(written), db=db, options=Options(jobs=1))

    assert [outcome.error for outcome in outcomes] == [None] * len(outcomes)
    with duckdb.connect(str(db), read_only=True) as connection:
        for outcome, expected in zip(outcomes, written.values(), strict=True):
            assert outcome.committed
            found = connection.execute(
                "SELECT engine, core, ts, dur, kernel_name, coalesce(bytes, 0) FROM tpu_command "
                "WHERE trace_id = ?",
                [outcome.committed.trace_id],
            ).fetchall()
            assert sorted(found, key=str) == expected


# --- pairing of sections


def plain_pairs(mine: list[int], theirs: list[int]) -> list[int]:
    """By the whole table; from the ends, equal sections pair, else a record is left alone first."""
    n, m = len(mine), len(theirs)
    cost = [[i + j if i == 0 or j == 0 else 0 for j in range(m + 1)] for i in range(n + 1)]
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            is_equal = mine[i - 1] == theirs[j - 1]
            alone = min(cost[i - 1][j], cost[i][j - 1]) + 1
            cost[i][j] = cost[i - 1][j - 1] if is_equal else alone
    partner, i, j = [-1] * n, n, m
    while i and j:
        if mine[i - 1] == theirs[j - 1]:
            i, j = i - 1, j - 1
            partner[i] = j
        elif cost[i - 1][j] <= cost[i][j - 1]:
            i -= 1
        else:
            j -= 1
    return partner


spans = st.lists(st.integers(1, 4), max_size=14)


@given(spans, spans)
@settings(max_examples=300, deadline=None)
def test_sections_pair_as_in_the_whole_table(mine: list[int], theirs: list[int]) -> None:
    found = sections.pair(np.array(mine, np.int64), np.array(theirs, np.int64))

    assert found.tolist() == plain_pairs(mine, theirs)


@pytest.mark.parametrize("band", [2, 8])
def test_a_narrow_band_is_widened_until_it_holds_the_best_pairing(
    monkeypatch: pytest.MonkeyPatch, band: int
) -> None:
    monkeypatch.setattr(sections, "_FIRST_BAND", band)
    rng = random.Random(band)
    for _ in range(40):
        mine = [rng.randrange(5) for _ in range(rng.randrange(40))]
        theirs = [rng.randrange(5) for _ in range(rng.randrange(40))]
        found = sections.pair(np.array(mine, np.int64), np.array(theirs, np.int64))
        assert found.tolist() == plain_pairs(mine, theirs)


def test_thousands_of_sections_pair_with_few_of_them_lost() -> None:
    rng = random.Random(1)
    theirs = [rng.randrange(1, 500) for _ in range(5_000)]
    kept = [n for n in range(5_000) if rng.random() > 0.01]

    found = sections.pair(np.array([theirs[n] for n in kept]), np.array(theirs))

    assert (found >= 0).all()
    assert [theirs[n] for n in found.tolist()] == [theirs[n] for n in kept]
    assert (np.diff(found) > 0).all()


# --- order of one engine


def monitor(rows: list[tuple[int, int, int]], engine: str = "TIU") -> records.Monitor:
    of_engine = records.layout(chips()["AKS"], engine)
    words = np.zeros((len(rows), of_engine.n_words), np.uint32)
    words[:, :3] = [(start % _WRAP, end % _WRAP, number) for start, end, number in rows]
    return records._monitor(engine, of_engine, words)


@pytest.mark.integration
@given(
    st.lists(st.tuples(st.integers(0, 3_000), st.integers(0, 3_000)), min_size=2, max_size=30),
    st.integers(0, _WRAP - 1),
    st.integers(0, 65_535),
    st.integers(0, 29),
    st.booleans(),
)
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_a_wrap_is_told_from_a_ring_by_ids(
    steps: list[tuple[int, int]], first: int, first_id: int, turn: int, is_ring: bool
) -> None:
    """Both may be there at once: a ring whose records also wrapped."""
    rows, now = [], first
    for n, (gap, length) in enumerate(steps):
        rows.append((now + gap, now + gap + length, (first_id + n) % 65_536))
        now += gap + length + 1
    dumped = rows[turn % len(rows) :] + rows[: turn % len(rows)] if is_ring else rows

    found = order.repair(monitor(dumped), order.Repairs())

    assert found.id.tolist() == [found.id[0] + n for n in range(len(rows))]
    assert (found.start - found.start[0]).tolist() == [start - rows[0][0] for start, _, _ in rows]
    assert (found.end - found.start).tolist() == [end - start for start, end, _ in rows]


@given(st.integers(0, 1 << 60), st.sampled_from([750e6, 800e6, 900e6, 1e9, 1.4e9, 933_333_333]))
@settings(max_examples=300, deadline=None)
def test_cycles_become_nanoseconds_exactly(cycle: int, hz: float) -> None:
    from fractions import Fraction

    found = records.nanoseconds(np.array([cycle]), int(hz))

    assert int(found[0]) == round(Fraction(cycle) * 10**9 / int(hz))
