"""Least squares of relative errors without negative coefficients: tries every set of features."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from warehouse.errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

#: More features would make trying all sets of them slow.
MOST_FEATURES = 6
#: Share of the squared errors by which a further feature must improve a fit.
_GAIN = 1e-9


def nonnegative(features: Floats, times: Floats, n_free: int | None = None) -> Floats:
    """Coefficients >= 0 with the least sum of ((features @ coefficients) / times - 1) ** 2.

    At most `n_free` of them are not 0. The solution is the ordinary one on the features that it
    uses, so the best of all sets whose ordinary solution is positive is optimal.
    """
    n, n_features = features.shape
    if n_features > MOST_FEATURES:
        raise UsageError(
            f"{n_features} features are more than the {MOST_FEATURES} that a model can have",
            hint="Return fewer columns of type DOUBLE.",
        )
    relative = features / times[:, None]
    scale = np.linalg.norm(relative, axis=0)
    scale[scale == 0] = 1
    # the same problem with as many rows as columns
    _, triangle = np.linalg.qr(np.column_stack([relative / scale, np.ones(n)]))
    best, best_squares = np.zeros(n_features), float(n)
    for size in range(1, min(n_features, n_free or n_features) + 1):
        for chosen in combinations(range(n_features), size):
            columns = triangle[:, chosen]
            found, *_ = np.linalg.lstsq(columns, triangle[:, -1], rcond=None)
            squares = float(((columns @ found - triangle[:, -1]) ** 2).sum())
            if (found > 0).all() and squares < best_squares - _GAIN * n:
                best_squares, best = squares, np.zeros(n_features)
                best[list(chosen)] = found / scale[list(chosen)]
    return best
