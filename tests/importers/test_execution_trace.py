"""Execution traces become graphs: every node, dependency, tensor and process group is found."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tw_importers.execution_trace import sniff
from tw_importers.kineto import sniff as sniff_kineto
from warehouse import ingest, store

OWN = Path(__file__).parents[1] / "data" / "execution_trace"
Document = dict[str, Any]
Row = dict[str, Any]
FLAT_ATTRIBUTES = ("rf_id", "fw_parent", "seq_id", "scope", "tid", "fw_tid", "op_schema")


def read_rows(db: Path, query: str) -> list[Row]:
    with store.Reader(db) as reader:
        found: list[Row] = reader.connection.sql(query).to_arrow_table().to_pylist()
    return found


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
        wanted = [("control", parent(node))] if parent(node) != node["id"] else []
        wanted += [("inter_thread", node.get("inter_thread_dep"))]
        wanted += [("sync", other) for other in node.get("sync_dep", [])]
        found |= {(kind, other, node["id"]) for kind, other in wanted if other in ids}
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


class Graphs:
    """Files imported into one warehouse, and what Python's own parser reads of them."""

    def __init__(self, files: list[Path], db: Path) -> None:
        self.db = db
        outcomes = ingest.import_paths(files, db=db)
        assert [outcome.error for outcome in outcomes] == [None] * len(files)
        self.of = {
            outcome.committed.trace_id: json.loads(gzip.decompress(path.read_bytes()))
            for path, outcome in zip(files, outcomes, strict=True)
            if outcome.committed
        }

    def rows(self, query: str, trace_id: int) -> list[Row]:
        return read_rows(self.db, query.replace("$trace", str(trace_id)))


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> Graphs:
    folder = tmp_path_factory.mktemp("ours")
    return Graphs(sorted(OWN.glob("*/host_et.json.gz")), folder / "w.duckdb")


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory, data_dir: Path) -> Graphs:
    """Every host trace there is, of all schemas, and the linked ones."""
    files = sorted((data_dir / "chakra").glob("*/host_et.json.gz"))
    files += sorted((data_dir / "chakra").glob("own_gpu_[cd]*/etplus.json.gz"))
    return Graphs(files, tmp_path_factory.mktemp("recorded") / "w.duckdb")


def check_nodes(graphs: Graphs) -> None:
    for trace_id, document in graphs.of.items():
        found = graphs.rows(
            "SELECT node_id, parent_node_id, name, op_schema, record_function_id, sequence_number, "
            "thread_id, device_kind FROM graph_node WHERE trace_id = $trace ORDER BY id",
            trace_id,
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


def check_edges(graphs: Graphs) -> None:
    for trace_id, document in graphs.of.items():
        found = graphs.rows(
            "SELECT e.kind, f.node_id AS source, t.node_id AS target FROM graph_edge AS e "
            "JOIN graph_node AS f ON f.id = e.from_node_id "
            "JOIN graph_node AS t ON t.id = e.to_node_id WHERE e.trace_id = $trace",
            trace_id,
        )
        assert {(row["kind"], row["source"], row["target"]) for row in found} == edges(document)
        assert len(found) == len(edges(document))


def check_tensors(graphs: Graphs) -> None:
    for trace_id, document in graphs.of.items():
        found = graphs.rows(
            "SELECT u.graph_node_id - u.graph_id AS node, u.is_output, u.argument, u.ordinal, "
            "[t.tensor_id, t.storage_id, t.storage_offset, t.n_elements, t.element_bytes] AS sizes,"
            " t.device, t.data_type, t.shape_json FROM tensor_use AS u "
            "JOIN tensor AS t ON t.id = u.tensor_id WHERE u.trace_id = $trace ORDER BY u.id",
            trace_id,
        )
        wanted = [(n, *use) for n, node in enumerate(document["nodes"]) for use in uses(node)]
        assert len(found) == len(wanted)
        for row, (n, is_output, argument, ordinal, tensor) in zip(found, wanted, strict=True):
            place = (row["node"], row["is_output"], row["argument"], row["ordinal"])
            assert place == (n, is_output, argument, ordinal)
            assert [*row["sizes"], row["device"]] == tensor
            assert row["data_type"] is not None and row["shape_json"] is not None


def test_every_node_has_its_ids_name_and_attributes(ours: Graphs) -> None:
    check_nodes(ours)


def test_a_node_depends_on_its_parent(ours: Graphs) -> None:
    check_edges(ours)


def test_every_tensor_in_an_argument_is_a_use_of_it(ours: Graphs) -> None:
    check_tensors(ours)


def test_nodes_of_every_schema_are_read(recorded: Graphs) -> None:
    check_nodes(recorded)


def test_dependencies_of_every_schema_are_read(recorded: Graphs) -> None:
    check_edges(recorded)


def test_tensors_of_every_schema_are_read(recorded: Graphs) -> None:
    check_tensors(recorded)


def test_a_file_without_defects_has_no_problems(recorded: Graphs) -> None:
    assert read_rows(recorded.db, "FROM import_problem") == []


def test_the_groups_of_ranks_are_those_the_file_names(ours: Graphs) -> None:
    assert read_rows(
        ours.db, "SELECT name, description, backend, n_ranks, ranks_json FROM process_group"
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
