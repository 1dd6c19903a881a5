"""Inputs at which Chakra's linker stops: each is linked, or refused in a sentence."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.link.test_linked_graph import Linked, assert_sound, linked
from tests.support import random_execution
from tests.support.sharing import build_once, slow
from warehouse.errors import TwError
from warehouse.ingest.pipeline import Options, import_paths

Document = dict[str, Any]
Change = Callable[[Document, Document], None]


def attributes(node: Document) -> Document:
    return {each["name"]: each for each in node["attrs"]}


def no_step(host: Document, device: Document) -> None:
    assert not any("ProfilerStep" in event["name"] for event in device["traceEvents"])


def cpu_only(host: Document, device: Document) -> None:
    device["traceEvents"] = [
        event for event in device["traceEvents"] if event["cat"] in ("cpu_op", "user_annotation")
    ]


def schema(version: str) -> Change:
    def change(host: Document, device: Document) -> None:
        host["schema"] = version

    return change


def missing_attributes(host: Document, device: Document) -> None:
    for node in host["nodes"][::3]:
        node["attrs"] = [each for each in node["attrs"] if each["name"] == "rf_id"]


def nested_tensors(host: Document, device: Document) -> None:
    tensor = [3, 4, 0, 8, 4, "cuda:0"]
    host["nodes"][0]["inputs"] = {
        "values": [[[tensor, tensor]]], "shapes": [[[[8], [8]]]],
        "types": ["GenericList[GenericList[Tensor(float),Tensor(float)]]"], "strides": [[]],
    }  # fmt: skip


def hip(host: Document, device: Document) -> None:
    for event in device["traceEvents"]:
        event["name"] = event["name"].replace("cudaLaunchKernel", "hipLaunchKernel")
        if event["name"] == "hipLaunchKernel":
            event["args"]["stream"] = "0x0"


def graph_launch(host: Document, device: Document) -> None:
    for event in device["traceEvents"]:
        event["name"] = event["name"].replace("cudaLaunchKernel", "cudaGraphLaunch")


def unknown_kernel(host: Document, device: Document) -> None:
    for event in device["traceEvents"]:
        if event["cat"] == "kernel":
            event["name"] = f"ncclDevKernel_Generic({event['name']})"


def repeated_correlation(host: Document, device: Document) -> None:
    calls = [event for event in device["traceEvents"] if event["name"] == "cudaLaunchKernel"]
    extra = copy.deepcopy(calls[0])
    extra["ts"] += 0.05
    extra["dur"] = 0.01
    device["traceEvents"].append(extra)


def equal_interval(host: Document, device: Document) -> None:
    """A child as long as its parent; late enough for the end to be rounded up."""
    ops = [event for event in device["traceEvents"] if event["cat"] == "cpu_op"]
    parents = {
        node["id"]: node["ctrl_deps"] for node in host["nodes"] if len(node["attrs"]) > 1
    }  # fmt: skip
    by_id = {event["args"]["External id"]: event for event in ops}
    for event in device["traceEvents"]:
        event["ts"] = round(event["ts"] + 4_319_035_000_000, 3)
    child = next(each for each in by_id if parents.get(parents.get(each, 0), 0) in by_id)
    parent = by_id[parents[child]]
    for dur in range(1, 200):
        parent["dur"] = 5 + dur / 1000
        if (parent["ts"] + parent["dur"]) - parent["ts"] > parent["dur"]:
            break
    inside = {**copy.deepcopy(parent), "name": "aten::twin"}
    inside["args"] |= {"External id": 99999, "Record function id": 99999}
    device["traceEvents"].append(inside)


CHANGES: dict[str, Change] = {
    "no_step": no_step,
    "cpu_only": cpu_only,
    "schema_1_0_4": schema("1.0.4-chakra.0.0.4"),
    "schema_1_1_1_1_0_0": schema("1.1.1-chakra.1.0.0"),
    "missing_attributes": missing_attributes,
    "nested_tensors": nested_tensors,
    "hip": hip,
    "graph_launch": graph_launch,
    "unknown_kernel": unknown_kernel,
    # The last two are refused by Chakra's set of rules.
    "repeated_correlation": repeated_correlation,
    "equal_interval": equal_interval,
}


BY_DEFAULT = ("no_step",)
RUNS = [run if run in BY_DEFAULT else slow(run) for run in CHANGES]
Changed = Callable[[str], Path]


@pytest.fixture(scope="module")
def changed(shared_place: Path) -> Changed:
    """A warehouse for each input."""

    def make(run: str, path: Path) -> None:
        program = random_execution.make(200 + list(CHANGES).index(run), n_threads=2, loss=0)
        CHANGES[run](program.host, program.device)
        files = program.write(path.with_suffix("") / run)
        outcomes = import_paths(files, db=path, options=Options(run=run, jobs=1))
        assert all(outcome.error is None for outcome in outcomes), (run, outcomes)

    return lambda run: build_once(
        shared_place / f"chakra_failure_{run}.duckdb", lambda path: make(run, path)
    )


def n_linked(graph: Linked) -> int:
    return sum(node["slice_id"] is not None for node in graph.nodes if node["device_kind"] == "cpu")


@pytest.mark.parametrize("run", RUNS)
def test_what_chakra_stops_at_is_linked(changed: Changed, run: str) -> None:
    graph = linked(changed(run), run)
    work = [node for node in graph.nodes if node["device_kind"] == "gpu"]

    assert_sound(graph)
    assert n_linked(graph) >= len(graph.nodes) - len(work) - 3  # but the process and the threads
    assert bool(work) == (run != "cpu_only")
    assert sum(node["link_rule"] == "containment" for node in work) >= 0.7 * len(work)


@pytest.mark.parametrize("run", RUNS[:-2])
def test_the_set_of_chakra_takes_it_too(changed: Changed, run: str) -> None:
    assert n_linked(linked(changed(run), run, "chakra-1.0"))


@pytest.mark.slow
def test_a_repeated_correlation_id_is_refused_by_the_rules_of_chakra(changed: Changed) -> None:
    with pytest.raises(
        TwError,
        match=r"link set chakra-1.0 cannot link 'cudaLaunchKernel': "
        r"its correlation id, \d+, is that of another call too",
    ):
        linked(changed("repeated_correlation"), "repeated_correlation", "chakra-1.0")


@pytest.mark.slow
def test_operators_of_equal_times_are_refused_by_the_rules_of_chakra(changed: Changed) -> None:
    with pytest.raises(
        TwError,
        match=r"link set chakra-1.0 cannot link node \d+ \('[\w:]+'\): "
        "the operators inside of it take longer than it does",
    ):
        linked(changed("equal_interval"), "equal_interval", "chakra-1.0")


@pytest.mark.slow
def test_relative_paths_and_packed_files_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import gzip

    program = random_execution.make(300, n_threads=1, loss=0)
    (tmp_path / "here").mkdir()
    for name, document in (("host", program.host), ("device", program.device)):
        with gzip.open(tmp_path / "here" / f"{name}.json.gz", "wt") as file:
            json.dump(document, file)
    monkeypatch.chdir(tmp_path)

    import_paths(
        [Path("here/host.json.gz"), Path("here/device.json.gz")],
        db=Path("w.duckdb"), options=Options(run="x", jobs=1),
    )  # fmt: skip

    assert n_linked(linked(tmp_path / "w.duckdb", "x")) == len(program.ops)
