"""How traces are divided among the tasks of a query on Spark."""

from __future__ import annotations

import random

import pytest

from warehouse.spark.groups import divided


@pytest.mark.parametrize("seed", range(20))
def test_groups_have_each_trace_once_and_few_rows(seed: int) -> None:
    rng = random.Random(seed)
    n_rows = {key: rng.choice([0, 3, 40, 150]) for key in range(rng.randrange(1, 30))}
    n_tasks = rng.randrange(1, 6)

    groups = divided(n_rows, n_tasks, most=100)

    assert sorted(key for group in groups for key in group) == sorted(n_rows)
    assert all(groups)
    rows = [sum(n_rows[key] for key in group) for group in groups]
    assert all(n <= 100 or len(group) == 1 for n, group in zip(rows, groups, strict=True))
    assert len(groups) >= min(n_tasks, len(n_rows))


def test_all_cores_have_about_as_many_rows() -> None:
    groups = divided({"a": 70, "b": 30, "c": 30, "d": 10, "e": 5}, 2)

    assert sorted(map(sorted, groups)) == [["a", "e"], ["b", "c", "d"]]


def test_without_cores_there_is_a_group() -> None:
    assert divided({"a": 1, "b": 1}, 0) == [["a", "b"]]
