"""Bubbles of pipelines, against simulated schedules and a search in recorded events."""

from __future__ import annotations

import gzip
import itertools
import json
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.support import pipelines
from tests.support.pipelines import STEP_NS, Pass, Rank
from tests.support.randomtrace import common, covered
from tests.support.sharing import WarehouseCache, chosen, has_tier, slow
from warehouse.ingest import pipeline
from warehouse.query import execute
from warehouse.store import database

RECORDED = Path(__file__).parents[1] / "data/kineto/parallel/pipeline"
SCHEDULES = {"gpipe": pipelines.gpipe, "1f1b": pipelines.one_forward_one_backward}
Row = dict[str, Any]


@dataclass(frozen=True)
class Job:
    """A simulated pipeline: its steps, and how late the clock of each rank is."""

    steps: list[list[Rank]]
    counts: list[int]  # microbatches of each step
    shifts: list[int]
    imported: tuple[int, ...] | None = None  # ranks; None: all


def ideal(name: str) -> Job:
    """Forward passes take 30 us, backward passes 60 us, and transfers no time."""

    def lasts(_stage: int, each: Pass) -> int:
        return 30_000 if each[0] == "F" else 60_000

    return Job([pipelines.simulate(SCHEDULES[name], 3, 6, lasts, 0, 0)], [6], [0] * 3)


def random_job(seed: int) -> Job:
    rng = random.Random(seed)
    n_stages = 2 + seed % 4
    counts = [rng.randint(1, 7) for _ in range(2)]
    schedule = SCHEDULES[rng.choice(sorted(SCHEDULES))]
    update_ns = rng.choice([0, 5_000])
    steps = []
    for n_microbatches in counts:
        durations = {
            (stage, each): rng.randint(10, 90) * 1_000
            for stage in range(n_stages)
            for each in pipelines.gpipe(stage, n_stages, n_microbatches)
        }
        steps.append(pipelines.simulate(
            schedule, n_stages, n_microbatches, partial(looked_up, durations),
            rng.randint(1, 9) * 1_000, update_ns,
        ))  # fmt: skip
    return Job(steps, counts, [rng.randint(0, STEP_NS) for _ in range(n_stages)])


def ten_us(_stage: int, _each: Pass) -> int:
    return 10_000


def looked_up(durations: Mapping[tuple[int, Pass], int], stage: int, each: Pass) -> int:
    return durations[stage, each]


def middle_rank() -> Job:
    ranks = pipelines.simulate(pipelines.gpipe, 3, 4, ten_us, 2_000, 0)
    return Job([ranks], [4], [0] * 3, (1,))


def two_tensors() -> Job:
    ranks = pipelines.simulate(pipelines.gpipe, 2, 3, ten_us, 2_000, 0)
    start, end, _ = ranks[0].sends[0]
    ranks[0].sends.append((start, end, 1))
    return Job([ranks], [3], [0, 0])


SEEDS = range(8)
JOBS: dict[str, Callable[[], Job]] = {
    **{name: partial(ideal, name) for name in SCHEDULES},
    **{f"random {seed}": partial(random_job, seed) for seed in SEEDS},
    "middle": middle_rank,
    "tensors": two_tensors,
}


def rows(path: Path) -> list[Row]:
    with database.Reader(path) as reader:
        query = (
            "SELECT b.*, r.name AS run FROM pipeline_bubble() AS b JOIN run AS r ON r.id = b.run_id"
        )
        found: list[Row] = execute.run(reader.connection, query).table().to_pylist()
    return sorted(found, key=lambda row: (row["run"], row["rank"], row["step"]))


@pytest.fixture(scope="module")
def simulated(
    tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> dict[str, list[Row]]:
    """The rows of each job whose tests were chosen."""
    folder = tmp_path_factory.mktemp("pipelines")
    names = chosen(request, "job_name")
    if has_tier(request, "integration"):
        names |= {"middle", "tensors"}
    found: dict[str, list[Row]] = {}
    for name in sorted(names):
        job = JOBS[name]()
        place = folder / name
        place.mkdir()
        for rank, path in enumerate(
            pipelines.write(place, job.steps, job.shifts, random.Random(0))
        ):
            if job.imported and rank not in job.imported:
                path.unlink()
    outcomes = pipeline.import_paths([folder / name for name in names], db=folder / "w.duckdb")
    assert {outcome.status for outcome in outcomes} == {"imported"}
    for row in rows(folder / "w.duckdb"):
        found.setdefault(row["run"], []).append(row)
    return found


@pytest.mark.parametrize("job_name", ["gpipe", slow("1f1b")])
def test_equal_stages_wait_for_the_share_of_an_ideal_schedule(
    simulated: dict[str, list[Row]], job_name: str
) -> None:
    found = simulated[job_name]

    assert [row["rank"] for row in found] == [0, 1, 2]
    for row in found:
        assert (row["n_stages"], row["n_microbatches"]) == (3, 6)
        assert row["ideal_share"] == 2 / 8
        assert row["work_ns"] == 6 * 90_000
        assert row["pipeline_ns"] == 8 * 90_000
        assert row["bubble_share"] == pytest.approx(2 / 8)
    # The first rank waits between its passes only; the last one before and after them.
    assert [row["fill_ns"] for row in found] == [30_000 * n for n in range(3)]
    assert [row["drain_ns"] for row in found] == [60_000 * n for n in range(3)]
    assert [row["wait_ns"] for row in found] == [90_000 * (2 - n) for n in range(3)]


@pytest.mark.parametrize("job_name", ["random 0", *(slow(f"random {seed}") for seed in SEEDS[1:])])
def test_bubbles_of_random_schedules_are_those_of_the_simulator(
    simulated: dict[str, list[Row]], job_name: str
) -> None:
    job = JOBS[job_name]()
    found = {(row["rank"], row["step"]): row for row in simulated[job_name]}

    assert set(found) == {(rank, n) for rank in range(len(job.shifts)) for n in range(2)}
    for number, ranks in enumerate(job.steps):
        for stage in range(len(ranks)):
            check(found[stage, number], ranks, stage, job.counts[number])


def check(row: Row, ranks: list[Rank], stage: int, n_microbatches: int) -> None:
    """Passes of a rank follow each other, and its kernels are those of its passes."""
    begin = min(each.work[0][0] for each in ranks)
    end = max(each.work[-1][1] for each in ranks)
    mine = ranks[stage]
    work_ns = sum(b - a for a, b in mine.work)
    first, last = mine.work[0][0], mine.work[-1][1]
    transfers = [(a, b) for a, b, _ in [*mine.receives, *mine.sends]] + mine.sums
    inside = common(transfers, [(first, last)])

    assert row["work_ns"] == work_ns
    assert row["span_ns"] == last - first
    assert row["wait_ns"] == last - first - work_ns
    assert row["wait_share"] == pytest.approx(row["wait_ns"] / row["span_ns"])
    assert row["transfer_ns"] == covered(inside) - covered(common(inside, mine.work))
    assert row["n_microbatches"] == n_microbatches
    n_stages = len(ranks)
    assert row["ideal_share"] == pytest.approx((n_stages - 1) / (n_microbatches + n_stages - 1))
    # Clocks are aligned by the ends of all_reduce, which are the same on all ranks.
    assert (row["fill_ns"], row["drain_ns"]) == (first - begin, end - last)
    assert row["bubble_ns"] == end - begin - work_ns
    assert row["bubble_share"] == pytest.approx(1 - work_ns / (end - begin))


@pytest.mark.integration
def test_a_rank_alone_knows_its_waiting_and_no_bubble(simulated: dict[str, list[Row]]) -> None:
    (row,) = simulated["middle"]
    work = JOBS["middle"]().steps[0][1].work

    assert row["wait_ns"] == work[-1][1] - work[0][0] - 8 * 10_000
    # It sends four to each of its neighbours.
    assert (row["n_stages"], row["n_microbatches"]) == (3, 4)
    assert row["fill_ns"] is row["drain_ns"] is row["bubble_ns"] is row["bubble_share"] is None


@pytest.mark.integration
def test_sends_of_several_tensors_count_no_microbatches(simulated: dict[str, list[Row]]) -> None:
    found = simulated["tensors"]

    assert {(row["n_microbatches"], row["ideal_share"]) for row in found} == {(None, None)}


def searched(path: Path) -> list[tuple[int, int, int]]:
    """Step, work and wait of a recorded rank, by counting what runs after each border, in ns."""
    events = json.loads(gzip.decompress(path.read_bytes()))["traceEvents"]
    spans = [
        (round(e["ts"] * 1000), round(e["ts"] * 1000) + round(e["dur"] * 1000), e)
        for e in events
        if e.get("ph") == "X"
    ]
    operators = [(a, b, e["name"].startswith("c10d::")) for a, b, e in spans
                 if e.get("cat") == "cpu_op" and b > a]  # fmt: skip
    found = []
    for begin, end, step in spans:
        if step["name"].startswith("ProfilerStep#"):
            mine = [each for each in operators if begin <= each[0] < end]
            working = when_working(mine)
            work_ns = sum(b - a for a, b in working)
            wait_ns = working[-1][1] - working[0][0] - work_ns
            found.append((int(step["name"][13:]), work_ns, wait_ns))
    return sorted(found)


def when_working(operators: list[tuple[int, int, bool]]) -> list[tuple[int, int]]:
    """When operators run, and no call that communicates."""
    borders = sorted(
        [(a, 1, is_call) for a, _, is_call in operators]
        + [(b, -1, is_call) for _, b, is_call in operators]
    )
    running = {False: 0, True: 0}
    found = []
    for (at, change, is_call), (until, *_) in itertools.pairwise(borders):
        running[is_call] += change
        if until > at and running[False] and not running[True]:
            found.append((at, until))
    return found


@pytest.mark.slow
def test_recorded_ranks_on_the_host_wait_as_their_events_say(
    imported_files: WarehouseCache,
) -> None:
    path = imported_files(("pipeline", sorted(RECORDED.glob("*.gz"))))
    found = rows(path)

    for rank in range(4):
        mine = [row for row in found if row["rank"] == rank]
        assert [(row["step"], row["work_ns"], row["wait_ns"]) for row in mine] == searched(
            RECORDED / f"rank{rank}.json.gz"
        )
    # As record.py says: four stages, four microbatches.
    assert {(row["side"], row["n_stages"], row["n_microbatches"]) for row in found} == {
        ("host", 4, 4)
    }
