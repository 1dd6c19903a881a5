"""Bounds of what repairs save: programs run again with the change never save more."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.random_faults import KINDS, LOADER, makespan_ns, repairable
from tests.support.randomtrace import RandomTrace, import_jobs
from tests.support.sharing import slow
from warehouse.query import session
from warehouse.query.selection import Selection

#: Of a kind of fault, the change and what it is about, as in saving_limit.
CHANGES = {
    "loader": ("skip(within = $subject)", LOADER, None),
    "host code": ("skip(within = $subject)", "my::postprocess", None),
    "annotated": ("skip(within = $subject)", "loss", None),
    "allocation": ("skip(within = $subject)", "cudaMalloc", None),
    "recompilation": ("skip(within = $subject)", "dynamo", None),
    "waits": ("no_wait(name = $subject)", "cudaStreamSynchronize", None),
    "copies": (
        'drop(kind = "memcpy", name = $subject)', "Memcpy HtoD (Pageable -> Device)", None,
    ),
    "launches": ("launch_free()", None, None),
    "network": ('scale(class = "communication", ratio = 0)', None, None),
    "outlier": ("typical_steps()", None, None),
    "slow rank": ("equal_ranks(rank = $rank)", None, 1),
}  # fmt: skip


def limits(jobs: dict[str, list[RandomTrace]], folder: Path) -> dict[tuple[Any, ...], int]:
    """By run, change, subject and rank."""
    runs = import_jobs(folder / "w.duckdb", jobs)
    with session.opened(session.Place.of(runs.path), Selection(runs=("all",))) as opened:
        names = dict(opened.connection.execute("SELECT id, name FROM run").fetchall())
        rows = opened.run("saving_limit").table().to_pylist()
    keys = ("what_if", "subject", "rank")
    return {(names[each["run_id"]], *(each[key] for key in keys)): each["most_ns"] for each in rows}


@pytest.mark.parametrize(
    ("kind", "seeds"),
    [("loader", range(1)), *(slow(kind, range(12)) for kind in CHANGES)],
)
def test_no_program_saves_more_than_its_bound(kind: str, seeds: range, tmp_path: Path) -> None:
    programs = {f"{kind} {seed}": repairable(seed, kind) for seed in seeds}

    found = limits({name: before for name, (before, _) in programs.items()}, tmp_path)

    assert CHANGES.keys() == KINDS.keys()
    for name, (before, after) in programs.items():
        assert makespan_ns(before) - makespan_ns(after) <= found[name, *CHANGES[kind]]
