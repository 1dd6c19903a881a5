"""Categories of kernels and operators on recordings, and beside those of TraceLens.

TraceLens categorises operators. `tests/data/categories/tracelens.csv` names, for each of our
categories, the ones of TraceLens that it agrees with, without `_fwd` and `_bwd`.
"""

from __future__ import annotations

import ast
import csv
from pathlib import Path

import duckdb
import pytest

from tests.support.sharing import WarehouseCache, slow
from warehouse.query import execute
from warehouse.store import database

TABLE = Path(__file__).parents[1] / "data" / "categories" / "tracelens.csv"
#: The device names what it ran by programs, not by kernels: merge, pe_exe, remote.
WITHOUT_NAMES = "mtia_inference"
MACHINE_LEARNING = [
    "kineto/two_ranks/rank-0.json.gz",
    "kineto/a100_nccl/trace.json.gz",
    "kineto/b200_eager/trace.json.gz",
    "kineto/h100_qwen/trace.json.gz",
    "kineto/vllm_graph/trace.json.gz",
    "kineto/sglang_prefill_decode/trace.json.gz",
    "kineto/mi300_resnet_train/trace.json.gz",
    "kineto/diff_pair/control.json.gz",
    "kineto/diff_pair/test.json.gz",
    "kineto/two_ranks/rank-1.json.gz",
    "kineto/gpu_only/trace.json.gz",
    "kineto/event_sync/trace.json.gz",
    "kineto/simple_add_sync/trace.json.gz",
    "kineto/triton/trace.json.gz",
    "inference/sglang_decode/sglang_Qwen3-8B_decode.json.gz",
    "gpu/nvprof_replay/replay_v9.nvvp",
    "gpu/rocpd_synthetic/replay_results.db",
    "gpu/rocprof_json/rocprofv3_mi350_400dispatch_results.json",
]
OTHER_PROGRAMS = [
    "gpu/nsys_real_a100_cloverleaf/cloverleaf_a100_schema3.13.2.sqlite",
    "gpu/nsys_real_a100_saxpy/saxpy_mpi_a100_schema2.9.1.sqlite",
    "gpu/rocprofiler_compute/MI200_pmc_dispatch_info.csv",
]

pytestmark = pytest.mark.integration  # all of it on recordings


def some(paths: list[str], n_integration: int) -> list[object]:
    return [path if n < n_integration else slow(path) for n, path in enumerate(paths)]


def time_by_category(path: Path) -> dict[str, int]:
    found: dict[str, int] = {}
    with database.Reader(path) as reader:
        rows = execute.run(reader.connection, "kernel_category_summary").table().to_pylist()
    for row in rows:
        found[row["kernel_category"]] = found.get(row["kernel_category"], 0) + row["total_ns"]
    return found


@pytest.mark.parametrize("name", some(MACHINE_LEARNING, 1))
def test_a_twentieth_of_machine_learning_at_most_is_other(
    data_dir: Path, imported_files: WarehouseCache, name: str
) -> None:
    found = time_by_category(imported_files((None, [data_dir / name])))
    assert found.get("other", 0) <= 0.05 * sum(found.values()), found


@pytest.mark.parametrize("name", some(OTHER_PROGRAMS, 1))
def test_kernels_of_other_programs_are_other(
    data_dir: Path, imported_files: WarehouseCache, name: str
) -> None:
    found = time_by_category(imported_files((None, [data_dir / name])))
    assert set(found) == {"other"}


@pytest.mark.parametrize("name", some(MACHINE_LEARNING[:1] + OTHER_PROGRAMS[:1], 1))
def test_a_short_name_stands_for_one_name(
    data_dir: Path, imported_files: WarehouseCache, name: str
) -> None:
    path = imported_files((None, [data_dir / name]))
    with database.Reader(path) as reader:
        rows = execute.run(reader.connection, "kernel_summary").table().to_pylist()
    assert len({row["kernel_name"] for row in rows}) == len({row["name"] for row in rows})
    assert max(len(row["kernel_name"]) for row in rows) <= 100 + len(" #0123")


@pytest.mark.parametrize("case", ["sglang_decode", "vllm_prefilldecode_piecewise"])
def test_operators_have_the_categories_of_tracelens(
    data_dir: Path, tmp_path: Path, case: str
) -> None:
    table = {row["category"]: row["tracelens"].split() for row in csv.DictReader(TABLE.open())}
    rows = list(
        csv.DictReader((data_dir / "inference" / case / "tracelens" / "ops_summary.csv").open())
    )
    ours = operator_categories([row["name"] for row in rows], tmp_path / "names.duckdb")

    agreed = compared = 0.0
    for row in rows:
        theirs = ast.literal_eval(row["Categories"])[0].removesuffix("_fwd").removesuffix("_bwd")
        if theirs != "other":
            time_us = float(row["total_direct_kernel_time_sum"])
            compared += time_us
            agreed += time_us * (theirs in table[ours[row["name"]].partition(":")[0]])
    assert compared > 0
    assert agreed >= 0.95 * compared


def operator_categories(names: list[str], path: Path) -> dict[str, str]:
    """The categories of operators of these names, in a warehouse with nothing else."""
    database.create_empty(path)
    with duckdb.connect(str(path)) as connection:
        connection.executemany(
            "INSERT INTO cpu_op (slice_id, trace_id, track_id, ts, dur, name) "
            "VALUES (?, 1, 1, 0, 1, ?)",
            list(enumerate(names)),
        )
    with database.Reader(path) as reader:
        rows = execute.run(reader.connection, "SELECT * FROM work_category()").table().to_pylist()
    return {row["name"]: row["category"] for row in rows}
