"""Finds the places at which the mean of a series changes, with the chance of each in noise."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

LEVEL = 0.01  # largest chance of a change in noise, unless another is given
LEAST = 4  # values that are needed to tell a change from noise
_CONSTANT = 1e-24  # variance relative to the squared mean that is a rounding error
_ROUNDING = 1e-12  # of squares within parts, relative to all


@dataclass(frozen=True)
class ChangePoint:
    """The mean changes before the value at `place`."""

    place: int
    p: float  # chance of a change as clear as this somewhere in the part of the series it divides


def change_points(values: Sequence[float], level: float) -> list[ChangePoint]:
    """Returns the places at which a series changes, in order.

    The series is divided where the means of both parts differ most, by Student's t with the
    variance within the parts. If p exceeds the level, the same is tried of pieces in the middle
    against the rest. Each part is then divided in the same way. p is corrected for all places that
    were compared, so a series of independent normal values without a change has a change point with
    a probability of at most `level`.
    """
    import numpy as np

    # Not SQL: which part is divided next depends on the division before.
    series = np.asarray(values, dtype=np.float64)
    return sorted(_divided(series, level, 0), key=lambda each: each.place)


def _divided(series: Numbers, level: float, first: int) -> Iterator[ChangePoint]:
    if len(series) < LEAST:
        return
    places, p = _clearest(series, level)
    if p > level:
        return
    yield from (ChangePoint(first + place, p) for place in places)
    for start, end in zip((0, *places), (*places, len(series)), strict=True):
        yield from _divided(series[start:end], level, first + start)


def _clearest(series: Numbers, level: float) -> tuple[tuple[int, ...], float]:
    """The division into two parts, or a piece in the middle, and its p.

    Half of the level is for each of both kinds, divided by the number of its places.
    """
    import numpy as np

    n = len(series)
    centred = series - series.mean()
    squares = float(np.sum(centred**2))
    if squares <= _CONSTANT * n * float(series.mean()) ** 2:
        return (), 1.0
    # The sum of the first 1, 2, ... n - 1 values; all together are 0.
    sums, lengths = np.cumsum(centred)[:-1], np.arange(1, n)
    between = _between(sums, lengths, n)
    split = int(np.argmax(between))
    p = 2 * (n - 1) * _chance(float(between[split]), squares, n)
    if p <= level:
        return (split + 1,), p
    most, piece = 0.0, (0, 0)
    for start in range(n - 2):
        found = _between(sums[start + 1 :] - sums[start], lengths[: n - 2 - start], n)
        end = int(np.argmax(found))
        if found[end] > most:
            most, piece = float(found[end]), (start + 1, start + 2 + end)
    return piece, (n - 1) * (n - 2) * _chance(most, squares, n)


def _between(sums: Numbers, lengths: NDArray[np.int64], n: int) -> Numbers:
    """The sum of squares between some values, of which the sum is given, and all others."""
    result: Numbers = sums**2 * n / (lengths * (n - lengths))
    return result


def _chance(between: float, squares: float, n: int) -> float:
    within = squares - between
    is_exact = within <= _ROUNDING * squares
    return two_sided_p(math.inf if is_exact else math.sqrt(between / within * (n - 2)), n - 2)


def two_sided_p(t: float, degrees_of_freedom: int) -> float:
    """The probability of a value of Student's t at least as far from 0; as the query student_t."""
    reach = min(math.pi / 2, 12 / math.sqrt(degrees_of_freedom))
    low = math.atan(abs(t) / math.sqrt(degrees_of_freedom))
    high = min(math.pi / 2, low + reach)
    power = degrees_of_freedom - 1
    return min(_integral(low, high, power) / _integral(0.0, reach, power), 1.0)


def _integral(low: float, high: float, power: int) -> float:
    """The integral of cos(x) ** power."""
    import numpy as np

    nodes, weights = _quadrature()
    heights = np.maximum(np.cos(low + (high - low) * nodes), 0.0) ** power
    return float((high - low) * np.sum(weights * heights))


@cache
def _quadrature() -> tuple[Numbers, Numbers]:
    """Nodes and weights of Gauss and Legendre on [0, 1]."""
    import numpy as np

    nodes, weights = np.polynomial.legendre.leggauss(24)
    return (nodes + 1) / 2, weights / 2
