"""Folds ranks that are equal in all that matters into one, so that candidates are judged sooner."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from warehouse.optimize.reduction import Line, Reduction, Stages, Updates

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Ranks whose times differ by no more than this share are equal.
_TOLERANCE = 1e-9
#: Differences below this are equal, too.
_LEAST_NS = 1e-3
_COPIES = ("queue", "copy_in", "copy_out")
_SENDS = ("send", "behind")
_LINE = ("fixed", "slope", "counts_tensors", "least", "most")


def folded(reduction: Reduction) -> Reduction:
    """The same gradients with one rank, which sends to itself; unchanged if ranks differ.

    Around a ring of equal ranks each receives when it sends, so a candidate takes as long.
    """
    if len(reduction.begin) == 1 or not _has_equal_ranks(reduction):
        return reduction
    return replace(
        reduction,
        previous=np.zeros_like(reduction.previous[:1]),
        lines={
            stage: Line(**{name: getattr(line, name)[:1] for name in _LINE})
            for stage, line in reduction.lines.items()
        },
        recorded={key: _first(stages) for key, stages in reduction.recorded.items()},
        updates=reduction.updates[:1],
        computed=reduction.computed[:1],
        begin=reduction.begin[:1],
        tail=reduction.tail[:1],
        _modelled={},
    )


def _has_equal_ranks(reduction: Reduction) -> bool:
    lines = (getattr(line, name) for line in reduction.lines.values() for name in _LINE)
    copies = (getattr(each, name) for each in reduction.recorded.values() for name in _COPIES)
    sends = (getattr(each, name) for each in reduction.recorded.values() for name in _SENDS)
    return (
        all(map(_is_equal, (reduction.computed, reduction.begin, reduction.tail, *lines, *copies)))
        and all(_is_equal(np.moveaxis(each, -2, -1)) for each in sends)
        and _has_equal_updates(reduction.updates)
    )


def _has_equal_updates(updates: tuple[Updates, ...]) -> bool:
    return len({each.tensors for each in updates}) == 1 and all(
        _is_equal(np.stack([getattr(each, name) for each in updates], axis=-1))
        for name in ("work", "gap")
    )


def _is_equal(values: NDArray[Any]) -> bool:
    """Whether values do not differ along the last axis."""
    return np.allclose(values, values[..., :1], rtol=_TOLERANCE, atol=_LEAST_NS)


def _first(stages: Stages) -> Stages:
    """The durations of the first rank."""
    copies = {name: getattr(stages, name)[..., :1] for name in _COPIES}
    sends = {name: getattr(stages, name)[..., :1, :] for name in _SENDS}
    return Stages(**copies, **sends, order=stages.order)
