"""Rates of false alarms and of found changes with few steps, of very many simulated pairs.

    python -m tests.support.compare_power [PAIRS]

prints the figures of docs/compare.md. The test of step_change is repeated in NumPy for pairs with
equally many steps, at most 24, without warm-up; a test compares it with the plain one.
"""

from __future__ import annotations

import sys

import numpy as np
from numpy.typing import NDArray

from tests.support import compare_noise as noise

Array = NDArray[np.float64]
CORRELATION = 0.8


def series(random: np.random.Generator, n_pairs: int, n_steps: int, correlation: float) -> Array:
    """A row of steps for each pair, around 1."""
    state, steps = random.normal(size=n_pairs), []
    for _ in range(n_steps):
        steps.append(1 + noise.SPREAD * state)
        change = random.normal(size=n_pairs)
        state = correlation * state + np.sqrt(1 - correlation**2) * change
    return np.stack(steps, axis=1)


def tested(a: Array, b: Array) -> tuple[Array, Array]:
    """The relative change of the typical step, and the half of its interval, of each pair."""
    n = a.shape[1]
    cut = n // 5
    middle = n - 2 * cut
    ordered = [np.sort(each, axis=1) for each in (a, b)]
    typical = [each[:, cut : n - cut].mean(axis=1) for each in ordered]
    near = [
        np.clip(each, s[:, cut : cut + 1], s[:, n - cut - 1 : n - cut])
        for each, s in zip((a, b), ordered, strict=True)
    ]
    bound = _bound([a, b], near, n)
    factor = (1 + bound) / (1 - bound) - 2 * bound * (1 - bound**n) / (n * (1 - bound) ** 2)
    scale = factor / (n - factor) * (n - 1) / (middle * (middle - 1))
    errors = [_squares(each) * scale for each in near]
    both = errors[0] + errors[1]
    welch = both**2 / ((errors[0] ** 2 + errors[1] ** 2) / (middle - 1))
    freedom = np.maximum(np.floor(np.minimum(welch, max(n / 4, 3)) + 1e-9), 1).astype(int)
    quantiles = np.array([0.0, *(noise.quantile(f) for f in range(1, freedom.max() + 1))])
    return (typical[1] - typical[0]) / typical[0], quantiles[freedom] * np.sqrt(both) / typical[0]


def _squares(values: Array) -> Array:
    found: Array = ((values - values.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    return found


def _bound(whole: list[Array], near: list[Array], n: int) -> Array:
    """The upper bound of the autocorrelation of each pair."""
    shown = np.maximum(*((_neighbours(a) + _neighbours(b)) / 2 for a, b in (whole, near)))
    shown = np.clip(shown + (1 + 3 * np.maximum(shown, 0)) / n, 0, 0.95)
    found: Array = np.minimum(shown + 1.9 * np.sqrt((1 - shown**2) / (2 * n)), 0.9)
    return found


def _neighbours(values: Array) -> Array:
    apart = values - values.mean(axis=1, keepdims=True)
    found: Array = (apart[:, 1:] * apart[:, :-1]).sum(axis=1) / (apart**2).sum(axis=1)
    return found


def alarms(random: np.random.Generator, n_pairs: int, n_steps: int, limit: float) -> float:
    """Share of equal, correlated pairs for which a gate with this limit fails."""
    a, b = (series(random, n_pairs, n_steps, CORRELATION) for _ in "ab")
    change, reach = tested(a, b)
    return float(((change > limit) & (change > reach)).mean())


def found(random: np.random.Generator, n_pairs: int, n_steps: int, by_noise: float) -> float:
    """Share of independent pairs in which a change of so many times the noise has p < 0.05."""
    a, b = (series(random, n_pairs, n_steps, 0.0) for _ in "ab")
    change, reach = tested(a, b + by_noise * noise.SPREAD)
    return float((np.abs(change) > reach).mean())


def main(n_pairs: int) -> None:
    random = np.random.default_rng(27)
    lines = [f"Gate at an autocorrelation of {CORRELATION}, {n_pairs:,} pairs"]
    for n in (3, 4, 5, 6, 7, 10, 20):
        by_limit = [
            f"{limit:.0%}: {alarms(random, n_pairs, n, limit):.2%}" for limit in (0.01, 0.05)
        ]
        lines.append(f"{n} steps  limit {', '.join(by_limit)}")
    lines.append("Changes of 10 and 20 times the noise")
    for n in (3, 5, 10):
        shares = [f"{found(random, n_pairs, n, k):.1%}" for k in (10, 20)]
        lines.append(f"{n} steps  {', '.join(shares)}")
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20_000)
