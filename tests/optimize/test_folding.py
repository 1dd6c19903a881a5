"""Equal ranks are judged as one: candidates take as long, ranks that differ are kept."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.support.reductions import all_groupings, random_reduction
from warehouse.optimize.folding import folded
from warehouse.optimize.reduction import Line, Reduction, Stages

NAMES = ("fixed", "slope", "counts_tensors", "least", "most")


def repeated(reduction: Reduction, n_ranks: int) -> Reduction:
    """A ring of ranks like the first, with a recorded group of the first two tensors."""

    def of_ranks(values: Any, axis: int = -1) -> Any:
        return np.repeat(np.take(values, [0], axis=axis), n_ranks, axis=axis)

    n_channels = reduction.previous.shape[1]
    found = replace(
        reduction,
        previous=np.tile(np.roll(np.arange(n_ranks), 1)[:, None], (1, n_channels)),
        lines={
            stage: Line(*(of_ranks(getattr(line, name)) for name in NAMES))
            for stage, line in reduction.lines.items()
        },
        counts=tuple(replace(each, n_steps=2 * (n_ranks - 1)) for each in reduction.counts),
        updates=reduction.updates[:1] * n_ranks,
        computed=of_ranks(reduction.computed),
        begin=of_ranks(reduction.begin),
        tail=of_ranks(reduction.tail),
    )
    of_pair = found.stages((0, 1))
    slower = Stages(
        of_pair.queue, of_pair.copy_in * 2, of_pair.send * 3, of_pair.behind, of_pair.copy_out
    )
    return replace(found, recorded={(0, 1): slower}, _modelled={})


@pytest.mark.parametrize("seed", range(4))
def test_candidates_take_as_long_with_one_rank(seed: int) -> None:
    reduction = repeated(random_reduction(seed, 5), 2 + seed)

    one = folded(reduction)

    assert len(one.begin) == 1
    for each in all_groupings(5):
        assert one.evaluate(each) == pytest.approx(reduction.evaluate(each), rel=1e-9)
        assert one.critical(each) == reduction.critical(each)


def test_ranks_that_differ_are_kept() -> None:
    reduction = repeated(random_reduction(1, 5), 3)
    slower = reduction.computed * [1, 1, 1 + 1e-4]
    stages = reduction.recorded[0, 1]
    sends = stages.send.copy()
    sends[..., 1, :] += 1

    for each in (
        replace(reduction, computed=slower),
        replace(reduction, recorded={(0, 1): replace(stages, send=sends)}),
        replace(
            reduction, updates=(reduction.updates[0],) * 2 + random_reduction(8, 5).updates[:1]
        ),
    ):
        assert folded(each) is each
