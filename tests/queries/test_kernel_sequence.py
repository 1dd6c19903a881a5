"""Sequences of device work by operator, against plain Python on random traces, and against HTA."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from tests.queries.test_operator_queries import calls, length
from tests.support.randomtrace import Runs, Slice, covered
from warehouse.ingest import pipeline
from warehouse.query import execute
from warehouse.store import database


def gaps(work: list[Slice]) -> int:
    """Returns the time from the first start to the last end in which none of the work runs."""
    span = max(each.ts + length(each) for each in work) - min(each.ts for each in work)
    return span - covered((each.ts, each.ts + length(each)) for each in work)


@pytest.mark.parametrize(("least", "most"), [(3, 32), (1, 4)])
def test_calls_with_the_same_work_are_one_row(random_runs: Runs, least: int, most: int) -> None:
    """Names are compared without their order, which is not defined where works begin at once."""
    rows = random_runs.rows("kernel_sequence", min_works=least, max_works=most, top=1_000_000)
    with database.Reader(random_runs.path) as reader:
        categories = execute.run(reader.connection, "work_category").table().to_pylist()
    short = {row["name"]: row["short_name"] for row in categories if row["kind"] == "kernel"}

    for name, job in random_runs.jobs.items():
        expected: dict[Any, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
        for trace in job:
            for call in calls(trace):
                if call.is_inner or not least <= len(call.work) <= most:
                    continue
                names = tuple(sorted(short.get(each.name, each.name) for each in call.work))
                sums = expected[trace.rank, call.slice.name, names]
                sums[0] += 1
                sums[1] += sum(map(length, call.work))
                sums[2] += gaps(call.work)
                sums[3] += length(call.slice)
        found: dict[Any, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
        for row in rows[name]:
            sums = found[row["rank"], row["op"], tuple(sorted(row["sequence"]))]
            for place, column in enumerate(("n_calls", "work_ns", "gap_ns", "op_ns")):
                sums[place] += row[column]
        assert found == expected


@pytest.mark.integration
def test_sequences_are_those_of_hta(data_dir: Path, tmp_path: Path) -> None:
    """By get_frequent_cuda_kernel_sequences of HTA 0.5.0: 2 calls, 207 us of work, 12,552 us on the
    host.

    (It fails on the other recordings of GPUs, where events begin at once.)
    """
    path = tmp_path / "w.duckdb"
    pipeline.import_paths([data_dir / "kineto" / "simple_add_sync" / "trace.json.gz"], db=path)
    with database.Reader(path) as reader:
        parameters = {"operator": "aten::linear"}
        found = execute.run(reader.connection, "kernel_sequence", parameters).table().to_pylist()

    (row,) = found
    assert (row["n_calls"], row["work_ns"], row["op_ns"]) == (2, 207_000, 12_552_000)
    assert row["n_works"] == 3 and row["sequence"][0] == "Memset (Device)"
    assert row["sequence"][1].startswith("ampere_sgemm_32x32_sliced1x4_tn")
