"""What-ifs against the same program on the same machine, run again with the changes.

The machine (`tests/support/random_program.py`) has one launch latency, one gap between work of a
stream and one time for which calls outlast what they wait for, so that predictions have to equal
the times of the other run to the nanosecond. With latencies at random they come close.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from statistics import fmean, median
from typing import Any

import pytest

from tests.conftest import Tw
from tests.support.random_program import Knobs, Program
from tests.support.randomtrace import RandomTrace, import_jobs, make_job
from tests.support.sharing import slow
from warehouse.query import session
from warehouse.replay import engines, prediction, what_if
from warehouse.store import database

#: No call is as long as the latency: no copy ends during its call unless the call waits.
CONSTANT = {"launch_ns": 9500, "gap_ns": 700, "tail_ns": 900}
PLAIN = {"odd": False, "loader": False, "memory": False, "python": False, "operators": 2}
Times = dict[tuple[int, int | None], float]


def times(job: list[RandomTrace]) -> Times:
    """By rank and step: how long it takes; step None: from the first start to the last end."""
    found: Times = {}
    for trace in job:
        for step in trace.steps:
            found[trace.rank, int(step.name.rpartition("#")[2])] = step.dur
        calls = trace.of("cpu_op", "cuda_runtime", "cuda_driver")
        threads = {each.tid for each in calls}
        host = [each for each in trace.slices if each.pid == 4242 and each.tid in threads]
        taking = [*host, *trace.device_work]
        found[trace.rank, None] = max(e.end for e in taking) - min(e.ts for e in taking)
    return found


def predicted(db: Path, *changes: str) -> list[Times]:
    """Times of the replay without changes, and with each."""
    scenarios = [[], *([what_if.parse(change)] for change in changes)]
    with session.opened(session.Place.of(db)) as opened:
        rows = prediction.predict(opened, engines.find("default"), scenarios).arrow().to_pylist()
    found: dict[str | None, Times] = {}
    for row in rows:
        found.setdefault(row["what_if"], {})[row["rank"], row["step"]] = row["predicted_ns"]
    return list(found.values())


def scaled(cat: str, name: str, dur: Any) -> Any:
    return dur * 3 if cat == "kernel" and name.startswith("gemm") else dur


def dropped(cat: str, name: str, dur: Any) -> Any:
    return 0 if cat == "gpu_memcpy" else dur


def without_launches(cat: str, name: str, dur: Any) -> Any:
    return 0 if cat in ("launch", "latency") else dur


#: What-if -> how the lengths of the program change.
CHANGES: dict[str, Callable[[str, str, Any], Any]] = {
    'scale(name = "gemm*", ratio = 3)': scaled,
    'drop(kind = "memcpy")': dropped,
    "launch_free()": without_launches,
}
SEEDS = [3, *(slow(seed) for seed in range(200) if seed != 3)]


def job_of(seed: int, **knobs: Any) -> list[RandomTrace]:
    return make_job(seed, ranks=1 + seed % 2, **PLAIN | knobs)


def equal_ranks(job: list[RandomTrace], **constant: Any) -> list[RandomTrace]:
    """The program again with the mean of the lengths of all ranks, begun as before."""
    means = [fmean(each) for each in zip(*(trace.lengths for trace in job), strict=True)]
    starts = [means[0]] * len(job)
    while True:  # the first length is when the program starts; the first slice follows later
        knobs = PLAIN | constant | {"lengths": [[start, *means[1:]] for start in starts]}
        again = make_job(job[0].seed, ranks=len(job), **knobs)
        late = [now.base_ns - then.base_ns for now, then in zip(again, job, strict=True)]
        if not any(late):
            return again
        starts = [start - each for start, each in zip(starts, late, strict=True)]


def unsynchronized(job: list[RandomTrace], **constant: Any) -> list[RandomTrace]:
    """The program again with collectives that take no time, each rank by itself."""

    def silent(cat: str, name: str, dur: Any) -> Any:
        return 0 if name.startswith("nccl") else dur

    knobs = Knobs(**PLAIN | constant, ranks=len(job), change=silent)
    made = []
    for each in job:
        program = Program(each.seed, each.rank, knobs, []).run()
        events = [*program.events, *program.device_events]
        for number, event in enumerate(events):
            event["args"]["Ev Idx"] = number
        made.append(replace(each, events=events))
    return made


def changes_any(job: list[RandomTrace], how: Callable[[str, str, Any], Any]) -> bool:
    work = [each for trace in job for each in trace.device_work]
    changed = any(how(each.category, each.name, each.dur) != each.dur for each in work)
    return changed or how is without_launches


def truth_of(job: list[RandomTrace], **knobs: Any) -> dict[str, Times]:
    """What-if -> times of the program that runs with the changes."""
    seed = job[0].seed
    truth = {
        text: times(job_of(seed, change=how, **knobs))
        for text, how in CHANGES.items()
        if changes_any(job, how)  # else the what-if is an error
    }
    if len(job) > 1:
        truth["equal_ranks()"] = times(equal_ranks(job, **knobs))
        truth["no_sync()"] = times(unsynchronized(job, **knobs))
    return truth


@pytest.mark.parametrize("seed", SEEDS)
def test_predictions_equal_the_machine_to_the_nanosecond(tmp_path: Path, seed: int) -> None:
    job = job_of(seed, **CONSTANT)
    runs = import_jobs(tmp_path / "w.duckdb", {"run": job})
    truth = truth_of(job, **CONSTANT)

    replayed, *found = predicted(runs.path, *truth)

    assert replayed == times(job)
    for text, each in zip(truth, found, strict=True):
        assert each == pytest.approx(truth[text], abs=0.5, rel=0), text


def test_device_work_of_a_stored_prediction_has_the_times_of_the_machine(
    tmp_path: Path, tw: Tw
) -> None:
    """Collectives from their arrival on, also of the rank that came last in the recording."""
    job = job_of(1, **CONSTANT)
    runs = import_jobs(tmp_path / "w.duckdb", {"run": job})

    tw("replay", "--db", runs.path, "--what-if", "equal_ranks()", "--as", "equal")

    of = runs.marks
    with database.Reader(runs.path) as reader:
        rows = reader.connection.execute("SELECT id, ts, dur FROM slice").fetchall()
    moved = {of[id][1:]: (ts, dur) for id, ts, dur in rows if of[id][0] == "equal"}
    for trace in equal_ranks(job, **CONSTANT):
        for each in trace.device_work:
            assert moved[trace.rank, each.mark] == pytest.approx((each.ts, each.dur), abs=1)


@pytest.mark.slow
def test_predictions_come_close_if_latencies_are_random(tmp_path: Path) -> None:
    errors: dict[str, list[float]] = {}
    for seed in range(40):
        job = job_of(seed, tail_ns=900)
        runs = import_jobs(tmp_path / f"{seed}.duckdb", {"run": job})
        truth = truth_of(job, tail_ns=900)
        for text, each in zip(truth, predicted(runs.path, *truth)[1:], strict=True):
            found = [abs(each[key] / truth[text][key] - 1) for key in truth[text]]
            errors.setdefault(text, []).extend(found)

    assert {text: median(found) <= 0.01 for text, found in errors.items()} == dict.fromkeys(
        errors, True
    ), {text: median(found) for text, found in errors.items()}
