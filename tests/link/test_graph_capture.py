"""Device time of replayed graphs by operator and module, as TraceLens reports it."""

from __future__ import annotations

import ast
import csv
import gzip
import json
import re
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.sharing import WarehouseCache, slow
from warehouse.ingest import pipeline
from warehouse.query import execute
from warehouse.store import database

pytestmark = pytest.mark.integration  # all of it on recordings

CATEGORIES = Path(__file__).parents[1] / "data" / "categories"
CASES = {
    "sglang_decode": "sglang_Qwen3-8B_decode.json.gz",
    "vllm_prefilldecode_piecewise": "graph_execution.json.gz",
}
SOME = ["sglang_decode", slow("vllm_prefilldecode_piecewise")]
Key = tuple[str | None, str | None]


def rows(path: Path, query: str) -> list[dict[str, Any]]:
    with database.Reader(path) as reader:
        found: list[dict[str, Any]] = execute.run(reader.connection, query).table().to_pylist()
    return found


def reported(folder: Path) -> dict[Key, float]:
    """Microseconds by operator and module. Calls that no operator made are named after the call."""
    found: defaultdict[Key, float] = defaultdict(float)
    with (folder / "tracelens" / "ops_summary.csv").open() as lines:
        for row in csv.DictReader(lines):
            op = None if row["name"].startswith("hip") else row["name"]
            module = None if row["parent_module"] == "NA" else row["parent_module"]
            found[op, module and module.removeprefix("nn.Module: ")] += float(
                row["total_direct_kernel_time_sum"]
            )
    return found


@pytest.mark.parametrize("case", SOME)
def test_replayed_work_belongs_to_the_captured_operators(
    data_dir: Path, imported_files: WarehouseCache, case: str
) -> None:
    folder = data_dir / "inference" / case
    captures = sorted((folder / "capture_traces").glob("*.json.gz"))
    path = imported_files((case, [folder / CASES[case], *captures]))

    (covered,) = [row for row in rows(path, "coverage") if row["trace_id"] == 1]
    found: defaultdict[Key, float] = defaultdict(float)
    for row in rows(path, "op_module_summary"):
        if row["trace_id"] == 1:
            # SGLang's profiler numbers its operators; TraceLens cuts the number off.
            op = row["op"] and re.sub(r"(?<=::)(\w+?)_\d+$", r"\1", row["op"])
            found[op, row["module"]] += row["total_ns"] / 1000
    expected = reported(folder)

    assert min(covered["op_share"], covered["module_share"]) >= 0.95
    total = sum(expected.values())
    assert set(found) == set(expected)
    for key, time_us in expected.items():
        assert found[key] == pytest.approx(time_us, abs=0.01 * total)


def merged(category: str) -> str:
    """A category of TraceLens without directions; elementwise with the one of lists of tensors."""
    name = category.removesuffix("_fwd").removesuffix("_bwd")
    return "elementwise" if name == "multi_tensor_apply" else name


def table_of(name: str) -> list[dict[str, str]]:
    with (CATEGORIES / name).open() as lines:
        return list(csv.DictReader(lines))


def reported_by_category(folder: Path) -> dict[str, float]:
    """Microseconds by category, but for operators that have another one in our table."""
    moved = {(row["operator"], row["tracelens"]): row["compared"] for row in table_of("moved.csv")}
    found: defaultdict[str, float] = defaultdict(float)
    with (folder / "tracelens" / "ops_summary_by_category.csv").open() as lines:
        for row in csv.DictReader(lines):
            found[merged(row["op category"])] += 1000 * float(row["total_direct_kernel_time_ms"])
    with (folder / "tracelens" / "ops_summary.csv").open() as lines:
        for row in csv.DictReader(lines):
            (category,) = map(merged, ast.literal_eval(row["Categories"]))
            if (row["name"], category) in moved:
                time_us = float(row["total_direct_kernel_time_sum"])
                found[category] -= time_us
                found[moved[row["name"], category]] += time_us
    return found


@pytest.mark.parametrize("case", SOME)
def test_replayed_work_has_the_captured_categories(
    data_dir: Path, imported_files: WarehouseCache, case: str
) -> None:
    folder = data_dir / "inference" / case
    captures = sorted((folder / "capture_traces").glob("*.json.gz"))
    path = imported_files((case, [folder / CASES[case], *captures]))
    expected = reported_by_category(folder)
    table = {
        row["category"]: {merged(name) for name in row["tracelens"].split()}
        for row in table_of("tracelens.csv")
    }

    found: defaultdict[str, float] = defaultdict(float)
    for row in rows(path, "op_module_summary"):
        if row["trace_id"] == 1 and row["op"]:
            category = row["op_category"].partition(":")[0]
            # Of the categories that ours agrees with, a file has one at most.
            (name,) = table[category] & expected.keys() or {category}
            found[name] += row["total_ns"] / 1000

    total = sum(expected.values())
    for name in found.keys() | expected.keys():
        assert found[name] == pytest.approx(expected.get(name, 0), abs=0.01 * total), name


@pytest.mark.parametrize("case", SOME)
def test_replayed_work_is_self_time_of_one_module(
    data_dir: Path, imported_files: WarehouseCache, case: str
) -> None:
    """Of that in which it was captured: the sums of both queries are equal, by class."""
    folder = data_dir / "inference" / case
    captures = sorted((folder / "capture_traces").glob("*.json.gz"))
    path = imported_files((case, [folder / CASES[case], *captures]))
    by_class: defaultdict[str, int] = defaultdict(int)
    for row in rows(path, "module_summary"):
        by_class[row["class"]] += row["self_device_ns"]
    by_module: defaultdict[str, int] = defaultdict(int)
    for row in rows(path, "op_module_summary"):
        if row["module"]:
            by_module[row["module"]] += row["total_ns"]

    assert {name: ns for name, ns in by_class.items() if ns} == by_module


def test_a_graph_without_its_capture_has_no_operators(
    data_dir: Path, imported_files: WarehouseCache
) -> None:
    source = data_dir / "inference" / "sglang_decode" / CASES["sglang_decode"]
    path = imported_files((None, [source]))

    (covered,) = rows(path, "coverage")

    assert covered["launch_share"] == 1
    assert covered["op_share"] < 0.05


def runs(db: Path) -> list[tuple[str, str, str]]:
    with database.Reader(db) as reader:
        found: list[tuple[str, str, str]] = reader.connection.execute(
            "SELECT r.name, t.name, f.role FROM trace AS t JOIN run AS r ON r.id = t.run_id "
            "JOIN source_file AS f ON f.trace_id = t.id ORDER BY t.id"
        ).fetchall()
    return found


@pytest.mark.slow
def test_a_folder_of_captures_joins_the_run_of_what_replays_them(
    data_dir: Path, tmp_path: Path
) -> None:
    """Also one that was imported before, from a file elsewhere."""
    folder, before = data_dir / "inference" / "sglang_decode", tmp_path / "before.json.gz"
    before.write_bytes((folder / CASES["sglang_decode"]).read_bytes())
    together, later = tmp_path / "together.duckdb", tmp_path / "later.duckdb"

    pipeline.import_paths([folder], db=together)
    pipeline.import_paths([before], db=later)
    pipeline.import_paths([folder], db=later)

    name = "sglang_Qwen3-8B_decode"
    assert runs(together) == [(name, name, "trace"), (name, "bs_32_rank0", "capture")]
    assert runs(later) == [("before", "before", "trace"), ("before", "bs_32_rank0", "capture")]
    for db in (together, later):
        (covered,) = [row for row in rows(db, "coverage") if row["trace_id"] == 1]
        assert covered["op_share"] >= 0.95


def events(path: Path) -> list[dict[str, Any]]:
    with gzip.open(path, "rt") as text:
        found: list[dict[str, Any]] = json.load(text)["traceEvents"]
    return found


def replayed_names(path: Path) -> set[tuple[str, ...]]:
    """The kernels of each replay of a graph of several, in order of time."""
    calls = {
        e["args"]["correlation"]
        for e in events(path)
        if "GraphLaunch" in e["name"] and "correlation" in e.get("args", {})
    }
    found: defaultdict[int, list[tuple[float, str]]] = defaultdict(list)
    for each in events(path):
        if each.get("cat") == "kernel" and each["args"].get("correlation") in calls:
            found[each["args"]["correlation"]].append((float(each["ts"]), each["name"]))
    return {tuple(name for _, name in sorted(each)) for each in found.values() if len(each) > 1}


def captured_names(path: Path) -> set[str]:
    return {e["args"]["kernel"] for e in events(path) if "kernel" in e.get("args", {})}


def other_run(data_dir: Path, _: Path) -> tuple[Path, Path]:
    """The capture of another model and server."""
    (execution,) = (data_dir / "inference" / "sglang_decode").glob("*.json.gz")
    captures = data_dir / "inference" / "vllm_prefilldecode_piecewise" / "capture_traces"
    (capture,) = captures.glob("*.json.gz")
    return execution, capture


def other_batch_size(data_dir: Path, folder: Path) -> tuple[Path, Path]:
    """The capture of the run, with products of the tiles that another number of rows is given.

    Stands for a recording of another batch size, of which none is at hand: the operators and their
    order are those of the network, the kernels of products differ.
    """
    recorded = data_dir / "inference" / "sglang_decode"
    (execution,) = recorded.glob("*.json.gz")
    text = gzip.decompress((recorded / "capture_traces" / "bs_32_rank0.json.gz").read_bytes())
    changed, n_changed = re.subn(rb"_MT(\d+)x32x", rb"_MT\1x256x", text)
    assert n_changed > 100
    capture = folder / "bs_256_rank0.json.gz"
    capture.write_bytes(gzip.compress(changed, 1))
    return execution, capture


@pytest.mark.parametrize("files", [slow(other_run), other_batch_size])
def test_a_capture_that_is_not_that_of_the_graph_gives_no_operators(
    data_dir: Path, tmp_path: Path, files: Callable[[Path, Path], tuple[Path, Path]]
) -> None:
    execution, capture = files(data_dir, tmp_path)
    replayed, captured = replayed_names(execution), captured_names(capture)
    assert replayed and captured
    assert not any(captured >= set(each) for each in replayed)
    db = tmp_path / "traces.duckdb"

    pipeline.import_paths([execution, capture], db=db, options=pipeline.Options(run="decode"))

    with database.Reader(db) as reader:
        links = "SELECT count(*) FROM link WHERE rule = 'graph_capture' AND trace_id = 1"
        assert reader.connection.execute(links).fetchone() == (0,)
    (covered,) = [row for row in rows(db, "coverage") if row["trace_id"] == 1]
    assert covered["op_share"] < 0.05
    (found,) = [row for row in rows(db, "check_graph_capture") if row["trace_id"] == 1]
    assert found["n_found"] == found["n_looked_at"]
    assert "no capture of the run has the same kernels" in found["meaning"]
    assert "of the same run and batch size" in found["remedy"]
