"""Fits a line over features to each group of samples, and tests it on samples it did not see."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from warehouse.model.least_squares import nonnegative
from warehouse.wording import counted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

#: The feature that is 1 for all samples.
CONSTANT = "constant"
#: A coefficient requires sizes this factor apart.
_FACTOR = 2.0


@dataclass(frozen=True)
class Samples:
    """Recorded work of one model: times in ns, with features (sample, feature)."""

    groups: Sequence[str]
    times: Floats
    features: Floats
    names: tuple[str, ...]  # of the features
    is_held_out: NDArray[np.bool_]


@dataclass(frozen=True)
class Term:
    """A coefficient, and the range of its feature that it was fitted to."""

    feature: str
    coefficient: float
    least: float
    most: float


@dataclass(frozen=True)
class GroupFit:
    """The line of a group. `error` is the mean of absolute relative errors on held-out samples."""

    group: str
    n_fitted: int
    n_held_out: int
    error: float | None
    problem: str | None  # why it cannot predict other sizes
    terms: tuple[Term, ...]

    def predict(self, features: Floats) -> Floats:
        """Times in ns of samples (sample, feature); NaN for those of other sizes, if impossible."""
        columns = np.column_stack([features, np.ones(len(features))])
        found: Floats = columns @ np.array([each.coefficient for each in self.terms])
        if self.problem is not None:
            least = np.array([each.least for each in self.terms])
            most = np.array([each.most for each in self.terms])
            found = np.where(((columns < least) | (columns > most)).any(axis=1), np.nan, found)
        return found


def fit(samples: Samples) -> list[GroupFit]:
    """The lines of all groups that have samples to fit, by name.

    Samples must be finite and positive: see `usable`.
    """
    groups = np.array(samples.groups)
    names = sorted(set(groups[~samples.is_held_out].tolist()))
    return [_fit_group(samples, name, groups == name) for name in names]


def usable(times: Floats, features: Floats) -> NDArray[np.bool_]:
    """Which samples a line can be fitted to: with a time, and all features known."""
    known = np.isfinite(times) & (times > 0)
    usable: NDArray[np.bool_] = known & np.isfinite(features).all(axis=1)
    return usable & (features >= 0).all(axis=1)


def _fit_group(samples: Samples, name: str, is_of_group: NDArray[np.bool_]) -> GroupFit:
    held_out = is_of_group & samples.is_held_out
    fitted = is_of_group & ~samples.is_held_out
    features, times = samples.features[fitted], samples.times[fitted]
    columns = np.column_stack([features, np.ones(len(features))])
    n_sizes = len(np.unique(features, axis=0))
    problem = _problem(features, n_sizes)
    if problem is not None:
        columns[:, :-1] = 0
    coefficients = nonnegative(columns, times, n_free=_n_free(n_sizes))
    columns[:, :-1] = features
    terms = tuple(
        Term(feature, float(coefficient), float(values.min()), float(values.max()))
        for feature, coefficient, values in zip(
            (*samples.names, CONSTANT), coefficients, columns.T, strict=True
        )
    )
    found = GroupFit(name, int(fitted.sum()), int(held_out.sum()), None, problem, terms)
    if not held_out.any():
        return found
    errors = np.abs(found.predict(samples.features[held_out]) / samples.times[held_out] - 1)
    error = None if np.isnan(errors).all() else float(np.nanmean(errors))
    return GroupFit(name, found.n_fitted, found.n_held_out, error, problem, terms)


def _n_free(n_sizes: int) -> int:
    """Coefficients that so many sizes determine: one of two sizes, but a line of two or three."""
    return max(min(n_sizes, 2), n_sizes // 2)


def _problem(features: Floats, n_sizes: int) -> str | None:
    """The reason why the samples give no coefficient."""
    if n_sizes == 1:
        return "all samples have one size, which gives no rate"
    least, most = features.min(axis=0), features.max(axis=0)
    if not ((most >= _FACTOR * least) & (most > least)).any():
        return f"no two of {counted(n_sizes, 'size')} are a factor of 2 apart, so they give no rate"
    return None
