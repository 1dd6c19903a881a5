"""Every folder `cases/<query>/<case>`: rows of `input.sql` give `expected.csv`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.sharing import integration
from warehouse.library import library
from warehouse.query.cases import Case, CaseRunner, case_runner, find_cases

#: Those with equal rows one after the other: the rows are then put in once.
CASES = sorted(find_cases(Path(__file__).parent / "cases"), key=lambda case: repr(case.rows))
LIBRARY = library.load()
#: Those that take longest where another case of the query runs by default.
FURTHER = {
    "communication_sample/sends", "compare_kernels/threshold_and_top",
    "compare_kernels/spelled_in_two_ways", "compare_kernels/with_itself",
    "compare_kernels/renamed", "compare_summary/equal_sizes", "compare_summary/a_step",
    "device_gap/window", "fused_operator/a_pair", "fused_time/a_pair",
    "idle_summary/longest_place", "link_collective_order/late_start",
    "memory_accumulated/a_smaller_batch", "memory_estimate/shapes", "mfu/asked", "op_call/window",
    "precision_operator/grey", "replay_bucket/recorded_rate", "replay_edge/two_ranks",
    "replay_link_use/shared", "what_if_accumulate/host", "what_if_fuse_problem/no_types",
    "what_if_fuse_problem/wrong", "what_if_fuse_problem/no_sizes",
    "what_if_groups_problem/one_size", "what_if_link/recorded_rate",
    "what_if_link_problem/both_rates", "what_if_link_problem/trial",
    "what_if_partitions_problem/no_sizes", "what_if_partitions_problem/one_size",
    "what_if_precision/with_a_model", "what_if_precision_problem/another_device",
    "what_if_precision_problem/no_rate", "what_if_recompute_problem/changed",
    "what_if_recompute_problem/no_tensors", "what_if_recompute_problem/writes",
}  # fmt: skip


@pytest.fixture(scope="module")
def runner() -> Iterator[CaseRunner]:
    with case_runner(LIBRARY) as runner:
        yield runner


def marked(case: Case) -> Any:
    name = f"{case.query}/{case.name}"
    return integration(case, id=name) if name in FURTHER else pytest.param(case, id=name)


@pytest.mark.parametrize("case", [*map(marked, CASES)])
def test_a_query_gives_the_expected_rows(runner: CaseRunner, case: Case) -> None:
    result = runner.run(case)
    assert result.passed, result.difference()


def test_every_query_has_a_case() -> None:
    assert set(LIBRARY.newest) == {case.query for case in CASES}


def test_further_cases_are_of_queries_with_others() -> None:
    names = {f"{case.query}/{case.name}" for case in CASES}
    assert names >= FURTHER
    assert {name.split("/")[0] for name in names - FURTHER} == set(LIBRARY.newest)
