"""Sources of kernels that Inductor generated, against the arguments in the files."""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests.support.sharing import WarehouseCache, slow
from warehouse.query import execute
from warehouse.store import database

pytestmark = pytest.mark.integration  # all of it on recordings

VLLM = "inference/vllm_prefilldecode_piecewise"
#: Executions, and the files whose operators say where their kernels come from.
CASES = {
    "kineto/triton/trace.json.gz": "kineto/triton/trace.json.gz",
    "kineto/b200_eager/trace.json.gz": "kineto/b200_eager/trace.json.gz",
    f"{VLLM}/graph_execution.json.gz": f"{VLLM}/capture_traces/*.json.gz",
}


def events(path: Path) -> list[dict[str, Any]]:
    with gzip.open(path) as file:
        found: list[dict[str, Any]] = json.load(file, parse_float=Decimal)["traceEvents"]
    return [each for each in found if each.get("ph") == "X"]


@pytest.mark.parametrize("execution", [slow(each) if VLLM in each else each for each in CASES])
def test_generated_kernels_have_the_recorded_source(
    data_dir: Path, imported_files: WarehouseCache, execution: str
) -> None:
    recorded = [
        each["args"] | {"op": each["name"]}
        for path in sorted(data_dir.glob(CASES[execution]))
        for each in events(path)
        if "kernel_hash" in each.get("args", {})
    ]
    captures = [p for p in sorted(data_dir.glob(CASES[execution])) if p != data_dir / execution]
    path = imported_files((None, [data_dir / execution, *captures]))
    time: defaultdict[str, int] = defaultdict(int)
    for each in events(data_dir / execution):
        if each["cat"] == "kernel" and each["name"].startswith("triton_"):
            time[each["name"]] += int(each["dur"] * 1000)

    with database.Reader(path) as reader:
        rows = execute.run(reader.connection, "compiled_work").table().to_pylist()
    rows = [row for row in rows if row["trace_id"] == 1]
    sourced = [row for row in rows if row["kernel_hash"]]
    found: defaultdict[str, int] = defaultdict(int)
    for row in sourced:
        found[row["name"]] += row["total_ns"]

    assert {(row["op"], row["kernel_hash"], row["kernel_file"]) for row in sourced} == {
        (each["op"], each["kernel_hash"], each["kernel_file"]) for each in recorded
    }
    assert found == time
    # Each was launched in the code of a graph, or in a region.
    assert all(row["graph"] or row["region"] for row in sourced)
