"""Buckets of DistributedDataParallel: every size is tried, and sizes rank as measured."""

from __future__ import annotations

import json
import random
import runpy
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import numpy as np
import pyarrow as pa
import pytest

from tests.conftest import Tw
from tests.support.sharing import WarehouseCache
from tw_importers.kineto import strategy as ddp_files
from warehouse.errors import UsageError
from warehouse.optimize import capped
from warehouse.optimize.capped import closest, sizes_of
from warehouse.optimize.search import Paired
from warehouse.optimize.strategy import Strategy
from warehouse.query.session import Session
from warehouse.replay.what_if import WhatIf

OURS = Path(__file__).parents[1] / "data" / "kineto"


def buckets_of(gradients: list[int], cap: int) -> tuple[int, ...]:
    """The rule of DistributedDataParallel: a bucket closes once it reaches the size."""
    found, current = [], 0
    for each in gradients:
        current += each
        if current >= cap:
            found.append(current)
            current = 0
    return tuple([*found, current] if current else found)


@pytest.mark.parametrize("seed", range(8))
def test_every_way_to_fill_buckets_has_one_size(seed: int) -> None:
    source = random.Random(seed)
    gradients = [source.choice([1, 2, 5, 9]) for _ in range(source.randint(1, 9))]

    sizes = sizes_of(np.array(gradients))

    # one gradient after another may sum up to equal buckets, so ways are compared as lists
    assert {each.buckets for each in sizes} == {
        buckets_of(gradients, cap) for cap in range(1, sum(gradients) + 2)
    }
    assert all(buckets_of(gradients, each.bytes) == each.buckets for each in sizes)
    assert [each.bytes for each in sizes] == sorted({each.bytes for each in sizes})


def test_sizes_are_whole_mebibytes_where_possible() -> None:
    mib = 1 << 20
    sizes = sizes_of(np.array([3 * mib + 17, mib // 2, 5 * mib]))

    # three buckets up to 0.5 MiB, the first alone up to 3 and 17 bytes, the last up to 3.5
    assert [each.bytes for each in sizes] == [mib // 4, mib, 13 * mib // 4, 4 * mib]


def test_recorded_buckets_that_follow_no_size_are_compared_with_those_most_like_them() -> None:
    sizes = sizes_of(np.array([10, 10, 10, 10, 10, 10]))

    assert closest(sizes, (20, 20, 20)).buckets == (20, 20, 20)
    # a small first bucket, as DistributedDataParallel makes by default
    assert closest(sizes, (10, 30, 20)).buckets == (20, 20, 20)
    assert closest(sizes, (10, 50)).buckets == (50, 10)


def test_ctrl_c_leaves_the_sizes_tried_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = sizes_of(np.array([10, 20, 30, 40]))
    times = iter([5.0, 4.0])

    def predicted(*_: object) -> float:
        found = next(times, None)
        if found is None:
            raise RuntimeError("Query interrupted")
        return found

    monkeypatch.setattr(capped, "_predicted_ns", predicted)
    no_graph, no_engine = cast(Any, None), cast(Any, None)

    judged, stopped = capped._judged(no_graph, no_engine, sizes, {sizes[1]: 7.0})

    assert [ns for _, ns in judged] == [5.0, 7.0, 4.0]
    assert stopped == f"The search was interrupted after 3 of {len(sizes)} sizes."
    with pytest.raises(RuntimeError):
        capped._judged(no_graph, no_engine, sizes, {})


def predicted(*times: dict[int | None, float]) -> pa.Table:
    """Rows of a prediction: of each rank, times by step."""
    rows = [
        {"rank": rank, "step": step, "predicted_ns": ns}
        for rank, of_step in enumerate(times)
        for step, ns in of_step.items()
    ]
    return pa.Table.from_pylist(rows)


def test_gains_are_those_of_the_slowest_rank_of_each_step() -> None:
    without = predicted({0: 100.0, 1: 80.0, None: 90.0}, {0: 90.0, 1: 200.0, None: 145.0})
    changed = predicted({0: 70.0, 1: 60.0, None: 65.0}, {0: 80.0, 1: 150.0, None: 115.0})

    assert Paired.of(without, changed).gains == pytest.approx((0.2, 0.25))


@pytest.mark.parametrize(
    ("gains", "is_steady"),
    [
        # mean 2 %, standard deviation 1 %, so the standard error is 1 / sqrt(3) = 0.58 %
        ((0.01, 0.02, 0.03), True),
        # mean 1 %, standard deviation 2 %, standard error 2 / sqrt(3) = 1.15 %
        ((-0.01, 0.01, 0.03), False),
        ((-0.02, -0.02, -0.02), False),
        ((0.0, 0.0, 0.0), False),
        ((0.02, 0.02), False),  # too few
        ((), False),
    ],
)
def test_a_gain_is_steady_if_it_exceeds_twice_its_standard_error(
    gains: tuple[float, ...], is_steady: bool
) -> None:
    assert Paired(gains).is_steady is is_steady


def test_within_the_noise_at_most_twice_as_many_reductions_are_recommended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sizes = sizes_of(np.array([10] * 8))
    of_number = {len(each.buckets): each for each in sizes}
    base, double, all_alone = of_number[2], of_number[4], of_number[8]
    step_ns = {str(base.edit): 100.0, str(double.edit): 99.0, str(all_alone.edit): 90.0}

    def scenario(_graph: object, _engine: object, edits: list[WhatIf]) -> pa.Table:
        ns = step_ns[str(edits[0])]
        return predicted(dict.fromkeys(range(4), ns))

    monkeypatch.setattr("warehouse.replay.prediction.scenario", scenario)
    no_graph, no_engine = cast(Any, None), cast(Any, None)
    judged = [(base, 100.0), (double, 99.0), (all_alone, 90.0)]

    found = capped._steady(no_graph, no_engine, judged, base)

    assert found is not None
    assert found.size == double and found.paired.gains == pytest.approx([0.01] * 4)
    assert capped._steady(no_graph, no_engine, [judged[0], judged[2]], base) is None


def recommendation(*edits: WhatIf) -> Strategy:
    return Strategy("buckets", edits, (), (), {}, {}, (), {})


def test_the_program_wraps_with_the_recommended_size(tmp_path: Path) -> None:
    no_session = cast(Session, None)
    edit = WhatIf("buckets", {"bytes": "2394112"})

    files = ddp_files.FILES.texts(no_session, recommendation(edit))

    (tmp_path / "ddp.py").write_text(files["ddp.py"])
    names = runpy.run_path(str(tmp_path / "ddp.py"))
    assert int(names["BUCKET_CAP_MB"] * 1024 * 1024) == 2394112  # as DistributedDataParallel does
    assert callable(names["wrap"])
    assert ddp_files.FILES.texts(no_session, recommendation()) == {}
    assert ddp_files.FILES.edits(no_session, tmp_path / "x.json", "{}") is None
    with pytest.raises(UsageError, match=r"ddp\.py is a program, which is not read"):
        ddp_files.FILES.edits(no_session, tmp_path / "ddp.py", files["ddp.py"])


def optimized(tw: Tw, db: Path, *arguments: str | Path) -> tuple[list[dict[str, Any]], str]:
    result = tw("optimize", "buckets", "--format", "json", "--db", db, *arguments)
    assert result.code == 0, result.err
    return json.loads(result.out), result.err


@pytest.mark.slow
def test_a_gain_within_the_noise_is_said_with_its_figures(
    tw: Tw, imported_files: WarehouseCache, tmp_path: Path
) -> None:
    ranks = [OURS / "ddp_two_ranks" / f"rank{n}.json.gz" for n in (0, 1)]
    db = imported_files(("ddp", ranks))

    rows, said = optimized(tw, db, "-o", tmp_path / "out")

    recorded, swept = rows
    assert swept["change"] < 0 and swept["edits"].startswith("buckets(bytes = ")
    assert f"{-swept['change']:.2%} faster: within the noise" in said
    # recommended only where replays of the same steps differ by more than twice their error
    is_steady = "It is recommended without a promised gain" in said
    assert (recorded["is_recommended"], swept["is_recommended"]) == (not is_steady, is_steady)
    written = {each.name for each in (tmp_path / "out").iterdir()}
    assert written == ({"strategy.json", "ddp.py"} if is_steady else {"strategy.json"})
    refused = tw("optimize", "buckets", "--search", "anneal", "--db", db)
    assert refused.errors[0] == (
        "Error: the buckets of the run follow from one size, which leaves nothing to anneal"
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("case", "truth"),
    [
        # lower quartiles of measured steps, in ms, by size in MiB; 3 was recorded
        ("tclink_1g", {1: 171.8, 3: 174.1, 10: 180.9, 25: 183.6}),
        ("linkbound", {3: 182.3, 10: 192.0, 25: 195.3}),
    ],
)
def test_recorded_sizes_rank_as_measured(
    tw: Tw, imported_files: WarehouseCache, data_dir: Path, case: str, truth: dict[int, float]
) -> None:
    """Changes are within five points of the measured ones."""
    folder = data_dir / "dpro" / "real_ddp" / case
    db = imported_files(("ddp", [folder / f"A_rank{n}_kineto.json.gz" for n in (0, 1)]))
    sizes = ",".join(f"{each}MiB" for each in truth)
    result = tw("replay", "--sweep", f"buckets(bytes = {sizes})", "--db", db, "--format", "json")
    predicted: dict[int, float] = {}
    for row in json.loads(result.out):
        if row["step"] is None:
            size = int(row["what_if"].split("= ")[1].removesuffix("MiB)"))
            predicted[size] = max(row["predicted_ns"], predicted.get(size, 0))

    assert sorted(predicted, key=lambda each: predicted[each]) == sorted(truth)
    for smaller, larger in pairwise(sorted(truth)):
        assert predicted[smaller] < predicted[larger]
    for size, measured in truth.items():
        change = predicted[size] / predicted[3] - measured / truth[3]
        assert abs(change) <= 0.05, size

    rows, said = optimized(tw, db)
    swept = rows[1]
    # smaller buckets were faster in all measurements, by less than recorded steps differ
    assert swept["is_recommended"]
    assert int(swept["edits"].split("= ")[1].rstrip(")")) < 3 << 20
    assert "within the noise (error of the replay" in said
