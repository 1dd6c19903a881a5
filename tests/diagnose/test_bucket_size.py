"""The finding of small buckets: its estimate against plain Python, and on a recorded program."""

from __future__ import annotations

import gzip
import itertools
import json
import math
import random
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from tests.support.sharing import integration, slow
from warehouse.diagnose import diagnosis
from warehouse.ingest import pipeline
from warehouse.query import session

RECORDED = Path(__file__).parents[1] / "data" / "kineto" / "faults"
Event = dict[str, Any]


def found(path: Path, db: Path) -> list[dict[str, Any]]:
    pipeline.import_paths([path], db=db)
    with session.opened(session.Place.of(db)) as opened:
        rows = diagnosis.diagnose(opened, replays=False).rows
        return [row for row in rows if row["finding"] == "bucket_size"]


def annotation(name: str, ts: int, dur: int, **args: Any) -> Event:
    micro = {"ts": ts / 1000, "dur": dur / 1000}
    return {
        "ph": "X",
        "cat": "user_annotation",
        "name": name,
        "pid": 1,
        "tid": 1,
        **micro,
        "args": args,
    }


def program(seed: int, sizes: list[int]) -> list[Event]:
    """Forward passes, each followed by reductions of these sizes that may overlap."""
    choice = random.Random(f"buckets {seed}")
    fixed, rate, now = choice.randint(1000, 90_000), choice.randint(0, 20), 0
    events = []
    for _ in range(choice.randint(2, 5)):
        events.append(annotation("DistributedDataParallel.forward", now, 5000))
        now += 6000
        for tid, size in enumerate(choice.sample(sizes, len(sizes)), 2):
            dur = fixed + rate * size + choice.randint(0, 900)
            event = annotation("gloo:all_reduce", now, dur, **shape(size))
            events.append(event | {"tid": tid})
            now += dur + choice.randint(-dur // 3, 2000)
        now += 300_000
    return events


def shape(size: int) -> dict[str, Any]:
    return {"Input Dims": [[size]], "Input type": ["float"]}


def estimate_ns(ranks: list[list[Event]]) -> Fraction | None:
    """The fixed time by least squares, of all reductions but one in each forward pass."""
    reductions = [spans(events, "gloo:all_reduce") for events in ranks]
    points = [(size, end - start) for each in reductions for start, end, size in each]
    sizes, times = [p[0] for p in points], [p[1] for p in points]
    if max(sizes) < 2 * min(sizes):
        return None
    n = len(points)
    mean_size, mean_time = Fraction(sum(sizes), n), Fraction(sum(times), n)
    excess = [(x - mean_size, y - mean_time) for x, y in points]
    slope = sum((x * y for x, y in excess), Fraction(0)) / sum(
        (x * x for x, _ in excess), Fraction(0)
    )
    share = min(max((mean_time - slope * mean_size) / mean_time, Fraction(0)), Fraction(1))
    covered = sum(covered_ns([span[:2] for span in each]) for each in reductions)
    passes = len(spans(ranks[0], "DistributedDataParallel.forward"))
    return share * Fraction(covered, n) * (len(reductions[0]) - passes)


def spans(events: list[Event], name: str) -> list[tuple[int, int, int]]:
    """Start and end in ns, and bytes."""
    rows = []
    for each in events:
        if each.get("name") == name:
            start = Decimal(str(each["ts"])) * 1000
            dims = each["args"].get("Input Dims", [[0]])[0]
            rows.append(
                (int(start), int(start + Decimal(str(each["dur"])) * 1000), 4 * math.prod(dims))
            )
    return rows


def covered_ns(intervals: list[tuple[int, int]]) -> int:
    """The time that is in any of the intervals."""
    edges = sorted({edge for interval in intervals for edge in interval})
    return sum(
        end - start
        for start, end in itertools.pairwise(edges)
        if any(a <= start and end <= b for a, b in intervals)
    )


@pytest.mark.parametrize(
    ("seed", "sizes"),
    [
        (0, [64, 512, 2048, 100]),
        integration(1, [700, 700, 700, 800]),
        *(slow(seed, [64, 512 * seed, 2048, 100][: 3 + seed % 2]) for seed in range(2, 10)),
    ],
)
def test_the_estimate_is_the_fixed_time_of_reductions(
    seed: int, sizes: list[int], tmp_path: Path
) -> None:
    path, events = tmp_path / "trace.json", program(seed, sizes)
    path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))

    pipeline.import_paths([path], db=tmp_path / "w.duckdb")
    with session.opened(session.Place.of(tmp_path / "w.duckdb")) as opened:
        (row,) = opened.run("finding_bucket_size").table().to_pylist()

    expected = estimate_ns([events])
    assert row["n_events"] == len(spans(events, "gloo:all_reduce"))
    assert row["bound_ns"] == (None if expected is None else pytest.approx(float(expected), abs=1))


@pytest.mark.slow
def test_small_buckets_of_a_recorded_program_are_found(tmp_path: Path) -> None:
    """Five reductions in each of six steps on two ranks; one in the program without the fault."""
    files = sorted((RECORDED / "buckets_with").iterdir())
    ranks = [
        json.loads(gzip.decompress(file.read_bytes()), parse_float=Decimal)["traceEvents"]
        for file in files
    ]

    (row,) = found(RECORDED / "buckets_with", tmp_path / "w.duckdb")

    expected = estimate_ns(ranks)
    assert expected is not None
    assert row["n_events"] == 30
    assert row["cost_ns"] == pytest.approx(float(expected), abs=2)


@pytest.mark.integration
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        slow("buckets_without", [], id="one bucket"),
        pytest.param("ranks_with", ["not judged"], id="no shapes"),
    ],
)
def test_one_bucket_in_a_step_is_no_finding(name: str, expected: list[str], tmp_path: Path) -> None:
    rows = found(RECORDED / name, tmp_path / "w.duckdb")

    assert [row["severity"] for row in rows] == expected
