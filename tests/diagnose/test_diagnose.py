"""Findings of programs with one fault, whose cost is known as they ran without it, too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.random_faults import KINDS, clean, faulty, makespan_ns
from tests.support.randomtrace import RandomTrace, import_jobs
from tests.support.sharing import integration, slow
from warehouse.diagnose import diagnosis
from warehouse.query import session

Row = dict[str, Any]


def found(job: list[RandomTrace], folder: Path) -> list[Row]:
    runs = import_jobs(folder / "w.duckdb", {"run": job})
    with session.opened(session.Place.of(runs.path)) as opened:
        return [row for row in diagnosis.diagnose(opened).rows if row["severity"] != "not judged"]


@pytest.mark.parametrize(
    ("kind", "seed"),
    [
        ("loader", 0),
        *(integration(kind, 0) for kind in KINDS if kind != "loader"),
        *(slow(kind, seed) for kind in KINDS for seed in range(1, 10)),
    ],
)
def test_a_fault_is_found_and_its_price_is_what_the_program_saves_without_it(
    kind: str, seed: int, tmp_path: Path
) -> None:
    without, with_fault = faulty(seed, kind)
    cost = makespan_ns(with_fault) - makespan_ns(without)

    rows = found(with_fault, tmp_path)

    (mine,) = [row for row in rows[:2] if row["finding"] == KINDS[kind].finding][:1]
    assert not mine["is_bound"]
    assert mine["cost_ns"] == pytest.approx(cost, rel=0.1)
    assert mine["cost_share"] == pytest.approx(mine["cost_ns"] / makespan_ns(with_fault))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_a_program_without_faults_has_no_finding_of_two_percent(seed: int, tmp_path: Path) -> None:
    rows = found(clean(seed, ranks=1 + seed % 2), tmp_path)

    assert [row for row in rows if row["cost_share"] >= 0.02] == []
