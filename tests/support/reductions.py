"""Random jobs that reduce gradients on a ring, and all their contiguous groups."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from warehouse.optimize import groupings
from warehouse.optimize.reduction import Counts, Grouping, Line, Reduction, Updates

STAGES = ("queue", "copy_in", "send", "receive", "copy_out")


def random_reduction(seed: int, n_tensors: int) -> Reduction:
    """A job of one to four ranks on a ring, without a recording."""
    source = np.random.default_rng(seed)
    n_ranks, n_channels = int(source.integers(1, 5)), int(source.integers(1, 3))
    n_steps = max(2 * (n_ranks - 1), 1)
    ready = np.sort(source.uniform(0, 400, n_tensors)).round()

    def line(fixed: float, slope: float) -> Line:
        is_of_tensors = np.zeros(n_ranks, bool)
        of_ranks = source.uniform(0.9, 1.1, n_ranks)
        return Line(
            fixed * of_ranks, slope * of_ranks, is_of_tensors, np.zeros(n_ranks),
            np.full(n_ranks, 1e9),
        )  # fmt: skip

    scale = float(source.choice([0.05, 0.3, 1.0, 3.0]))
    lines = dict(zip(STAGES, [line(5, 0), line(8, 0.002), line(6, 0.05 * scale), line(4, 0),
                              line(8, 0.002)], strict=True))  # fmt: skip
    of_tensor = tuple((n,) for n in range(n_tensors))
    n_bytes = source.choice([64, 512, 4096, 20_000], n_tensors)
    return Reduction(
        tensor_ids=tuple(range(n_tensors)),
        bytes=n_bytes,
        ready=ready,
        previous=np.tile(np.roll(np.arange(n_ranks), 1)[:, None], (1, n_channels)),
        lines=lines,
        counts=(Counts(4096, n_steps, 1, n_channels, int(source.integers(1, 3))),),
        recorded={},
        grouping=of_tensor,
        updates=tuple(
            Updates(source.uniform(1, 12, n_tensors), np.ones(n_tensors), of_tensor)
            for _ in range(n_ranks)
        ),
        computed=source.uniform(400, 450, n_ranks),
        begin=np.zeros(n_ranks),
        tail=np.zeros(n_ranks),
    )


def all_groupings(n: int) -> Iterator[Grouping]:
    """Every way to cut n tensors into contiguous groups."""
    for is_cut in itertools.product([False, True], repeat=n - 1):
        yield groupings.grouping_of([*(i + 1 for i, cut in enumerate(is_cut) if cut), n])
