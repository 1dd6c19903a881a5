"""Buckets of DistributedDataParallel: every size is tried, and sizes rank as measured."""

from __future__ import annotations

import json
import random
import runpy
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from tests.conftest import Tw
from tests.support.sharing import WarehouseCache
from tw_importers.kineto import strategy as ddp_files
from warehouse.errors import UsageError
from warehouse.optimize import capped
from warehouse.optimize.capped import closest, sizes_of
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
    assert recorded["is_recommended"] and recorded["edits"] is None
    assert swept["change"] < 0 and swept["edits"].startswith("buckets(bytes = ")
    assert f"{-swept['change']:.2%} faster: within the noise" in said
    assert [each.name for each in (tmp_path / "out").iterdir()] == ["strategy.json"]
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
    if swept["is_recommended"]:
        assert int(swept["edits"].split("= ")[1].rstrip(")")) < 3 << 20
    else:
        assert "within the noise (error of the replay" in said
