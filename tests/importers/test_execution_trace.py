"""Execution traces become graphs: every node, dependency, tensor and process group is found."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.execution_traces import Memory
from tests.support.sharing import slow
from tw_importers.execution_trace import sniff
from tw_importers.kineto import sniff as sniff_kineto
from warehouse.ingest import pipeline
from warehouse.store import database

OWN = Path(__file__).parents[1] / "data" / "execution_trace"
Document = dict[str, Any]
FLAT_ATTRIBUTES = ("rf_id", "fw_parent", "seq_id", "scope", "tid", "fw_tid", "op_schema")


def attributes(node: Document) -> dict[str, Any]:
    if "attrs" in node:
        return {each["name"]: each["value"] for each in node["attrs"]}
    return {key: node[key] for key in FLAT_ATTRIBUTES if key in node}


def parent(node: Document) -> Any:
    return node.get("ctrl_deps", node.get("parent"))


def edges(document: Document) -> set[tuple[str, int, int]]:
    """Kind, source and target of every dependency on a node that is there, by node id."""
    ids = {node["id"] for node in document["nodes"]}
    found = set()
    for node in document["nodes"]:
        expected = [("control", parent(node))] if parent(node) != node["id"] else []
        expected += [("inter_thread", node.get("inter_thread_dep"))]
        expected += [("sync", other) for other in node.get("sync_dep", [])]
        found |= {(kind, other, node["id"]) for kind, other in expected if other in ids}
    return found


def leaf_tensors(value: Any) -> Iterator[list[Any]]:
    """The tensors in an argument, however deep."""
    if isinstance(value, list):
        if len(value) == 6 and isinstance(value[5], str) and isinstance(value[0], int):
            yield value
        else:
            for each in value:
                yield from leaf_tensors(each)


def uses(node: Document) -> list[tuple[bool, int, int, list[Any]]]:
    """Direction, argument, place within it, and the tensor of each use."""
    found = []
    for is_output, key in ((False, "inputs"), (True, "outputs")):
        values = node[key]["values"] if isinstance(node[key], dict) else node[key]
        for argument, value in enumerate(values):
            tensors = enumerate(leaf_tensors(value))
            found += [(is_output, argument, ordinal, tensor) for ordinal, tensor in tensors]
    return found


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Memory:
    return Memory(tmp_path_factory.mktemp("memory"))


def check(memory: Memory, path: Path) -> None:
    """Everything in the warehouse is what Python's own parser reads, node by node."""
    document = json.loads(gzip.decompress(path.read_bytes()))
    with memory.imported(path) as facts:
        check_nodes(memory, document)
        check_edges(memory, document)
        check_tensors(memory, document)
        assert memory.problems() == {} and facts.problems == []
        assert (facts.pid, facts.format_version) == (document["pid"], document["schema"])


def check_nodes(memory: Memory, document: Document) -> None:
    found = memory.rows(
        "SELECT node_id, parent_node_id, name, op_schema, record_function_id, sequence_number, "
        "thread_id, device_kind FROM graph_node ORDER BY id"
    )
    for row, node in zip(found, document["nodes"], strict=True):
        known = attributes(node)
        assert row == {
            "node_id": node["id"],
            "parent_node_id": parent(node),
            "name": node["name"],
            "op_schema": known["op_schema"],
            "record_function_id": known["rf_id"],
            "sequence_number": known["seq_id"],
            "thread_id": known["tid"],
            "device_kind": "gpu" if node.get("cat") else "cpu",
        }


def check_edges(memory: Memory, document: Document) -> None:
    found = memory.rows(
        "SELECT e.kind, f.node_id AS source, t.node_id AS target FROM graph_edge AS e "
        "JOIN graph_node AS f ON f.id = e.from_node_id "
        "JOIN graph_node AS t ON t.id = e.to_node_id"
    )
    assert {(row["kind"], row["source"], row["target"]) for row in found} == edges(document)
    assert len(found) == len(edges(document))


def check_tensors(memory: Memory, document: Document) -> None:
    found = memory.rows(
        "SELECT u.graph_node_id - u.graph_id AS node, u.is_output, u.argument, u.ordinal, "
        "[t.tensor_id, t.storage_id, t.storage_offset, t.n_elements, t.element_bytes] AS sizes,"
        " t.device, t.data_type, t.shape_json FROM tensor_use AS u "
        "JOIN tensor AS t ON t.id = u.tensor_id ORDER BY u.id"
    )
    expected = [(n, *use) for n, node in enumerate(document["nodes"]) for use in uses(node)]
    assert len(found) == len(expected)
    for row, (n, is_output, argument, ordinal, tensor) in zip(found, expected, strict=True):
        place = (row["node"], row["is_output"], row["argument"], row["ordinal"])
        assert place == (n, is_output, argument, ordinal)
        assert [*row["sizes"], row["device"]] == tensor
        assert row["data_type"] is not None and row["shape_json"] is not None


@pytest.mark.parametrize("case", ["cpu_ddp_r0", "gpu_cnn"])
def test_nodes_dependencies_and_tensors_are_those_of_the_file(memory: Memory, case: str) -> None:
    check(memory, OWN / case / "host_et.json.gz")


@pytest.mark.parametrize("cases", ["inputs_only_*", "real_mi250_train", slow("*")])
def test_files_of_every_schema_are_read(memory: Memory, data_dir: Path, cases: str) -> None:
    paths = sorted((data_dir / "chakra").glob(f"{cases}/host_et.json.gz"))
    assert paths
    for path in paths:
        check(memory, path)


def test_linked_files_have_times_and_dependencies_between_threads(
    memory: Memory, data_dir: Path
) -> None:
    for path in sorted((data_dir / "chakra").glob("own_gpu_[cd]*/etplus.json.gz")):
        check(memory, path)


def test_the_groups_of_ranks_are_those_the_file_names(memory: Memory) -> None:
    with memory.imported(OWN / "cpu_ddp_r0" / "host_et.json.gz"):
        assert memory.rows(
            "SELECT name, description, backend, n_ranks, ranks_json FROM process_group"
        ) == [
            {
                "name": "0",
                "description": "default_pg",
                "backend": "cpu:gloo,cuda:gloo",
                "n_ranks": 2,
                "ranks_json": "[]",
            }
        ]


@pytest.mark.parametrize("case", ["cpu_ddp_r0", "gpu_cnn"])
def test_it_is_told_from_a_timeline(case: str) -> None:
    host, kineto = (
        gzip.decompress((OWN / case / name).read_bytes())[: 64 << 10]
        for name in ("host_et.json.gz", "kineto.json.gz")
    )
    assert sniff(host, "x") > 90 and sniff_kineto(host, "x") == 0
    assert sniff(kineto, "x") == 0 and sniff_kineto(kineto, "x") > 0


@pytest.mark.integration
def test_linked_files_of_several_ranks_are_one_run(tmp_path: Path) -> None:
    """Only names that exports give have ranks: numbers in others may mean anything."""
    for number, name in enumerate(["a/etplus.0.json", "a/etplus.3.json", "b/model.7.json"]):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        nodes = [{"id": 1, "name": f"[pytorch|{number}]", "ctrl_deps": 1, "attrs": []}]
        document = {"schema": "1.1.1-chakra.0.0.4", "pid": number, "nodes": nodes}
        path.write_text(json.dumps(document))
    db = tmp_path / "w.duckdb"
    outcomes = pipeline.import_paths([tmp_path / "a", tmp_path / "b"], db=db)
    assert [outcome.status for outcome in outcomes] == ["imported"] * 3
    with database.Reader(db) as reader:
        found = reader.connection.execute(
            "SELECT r.name, t.rank FROM trace AS t JOIN run AS r ON r.id = t.run_id ORDER BY ALL"
        ).fetchall()
    assert found == [("etplus", 0), ("etplus", 3), ("model.7", None)]
