"""Change points of random series: those that were planted, and how often there are others."""

from __future__ import annotations

import math
import random

import pytest

from tests.support.sharing import slow
from warehouse.trend.change_point import change_points, two_sided_p


def noise(seed: str, n: int) -> list[float]:
    """Values that vary by 2 % around 100."""
    chance = random.Random(seed)
    return [100 + 2 * chance.gauss(0, 1) for _ in range(n)]


def places(values: list[float], level: float = 0.01) -> list[int]:
    return [each.place for each in change_points(values, level)]


@pytest.mark.parametrize(
    ("n", "n_series", "level"),
    [(12, 300, 0.05), *(slow(n, 4000, level) for n in (4, 8, 30, 100) for level in (0.05, 0.01))],
)
def test_series_without_a_change_have_one_no_more_often_than_stated(
    n: int, n_series: int, level: float
) -> None:
    n_wrong = sum(bool(places(noise(f"{n} {k}", n), level)) for k in range(n_series))

    by_chance = 3 * math.sqrt(level * n_series)  # three standard deviations of such a count
    assert n_wrong <= level * n_series + by_chance


@pytest.mark.parametrize("n_series", [60, slow(500)])
def test_a_planted_change_is_found_where_it_is(n_series: int) -> None:
    n_found = 0
    for k in range(n_series):
        chance = random.Random(f"planted {k}")
        n = chance.randint(12, 30)
        planted = chance.randint(4, n - 4)
        change = chance.choice((-1, 1)) * chance.uniform(12, 20)
        values = [value + change * (i >= planted) for i, value in enumerate(noise(f"p{k}", n))]
        n_found += places(values) == [planted]

    assert n_found >= 0.95 * n_series


@pytest.mark.parametrize("n_series", [40, slow(500)])
def test_a_piece_in_the_middle_is_found_with_both_ends(n_series: int) -> None:
    """Its mean differs from that of both sides, so no single place divides the series well."""
    n_found = 0
    for k in range(n_series):
        values = [value + 16 * (8 <= i < 12) for i, value in enumerate(noise(f"piece {k}", 20))]
        n_found += places(values) == [8, 12]

    assert n_found >= 0.95 * n_series


def test_the_last_value_alone_can_be_a_change() -> None:
    assert places([*noise("last", 15), 130.0]) == [15]


def test_values_without_noise_change_where_they_differ() -> None:
    assert places([5.0] * 6) == []
    assert places([5.0, 5.0, 5.0, 6.0, 6.0, 6.0]) == [3]
    assert places([0.0] * 5 + [1.0] * 5) == [5]
    assert places([1.0, 1.0, 2.0]) == []  # too few to tell


@pytest.mark.parametrize(
    ("t", "degrees_of_freedom", "p"),
    [
        (2.0, 1, 1 - 2 * math.atan(2) / math.pi),
        (3.5, 2, 1 - 3.5 / math.sqrt(2 + 3.5**2)),
        (-3.5, 2, 1 - 3.5 / math.sqrt(2 + 3.5**2)),
        (4.0, 4, 1 - 0.5 * (4 / math.sqrt(20)) * (3 - 16 / 20)),
        (1.96, 1_000_000, math.erfc(1.96 / math.sqrt(2))),
    ],
)
def test_p_is_that_of_the_closed_form(t: float, degrees_of_freedom: int, p: float) -> None:
    assert two_sided_p(t, degrees_of_freedom) == pytest.approx(p, rel=1e-5)
