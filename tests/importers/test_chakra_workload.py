"""Workloads of Chakra's feeder as JSON: the graph that the same `.et` file gives."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.support import chakra_wire as wire
from tests.support.chakra_wire import Attr, Graph, Node
from tw_importers.chakra_et import CHAKRA_ET, sniff
from tw_importers.chakra_et.export.et import export_chakra_et
from warehouse.errors import CorruptTrace
from warehouse.ingest import decode, formats
from warehouse.ingest.importer import FileImporter, Scratch
from warehouse.ingest.pipeline import import_paths
from warehouse.query import session
from warehouse.query.selection import Selection

COMPUTE = {
    "Id": 3, "Name": "mm", "NodeType": 4, "is_cpu_op": False, "runtime": 12, "data_deps": [],
    "num_ops": 2000, "tensor_size": 2**63, "note": {"of": "ours"},
}  # fmt: skip
COLLECTIVE = {
    "Id": 5, "Name": "all-reduce", "NodeType": 7, "is_cpu_op": False, "data_deps": [3],
    "comm_type": 0, "comm_size": 4096, "comm_priority": 1, "comm_src": 0, "comm_dst": 1,
    "comm_tag": -1,
}  # fmt: skip
SAME = Graph(nodes=[
    Node(3, "mm", 4, dur=12, attrs=[
        Attr("is_cpu_op", "bool", False), Attr("num_ops", "int64", 2000),
        Attr("tensor_size", "uint64", 2**63), Attr("note", "string", '{"of":"ours"}'),
    ]),
    Node(5, "all-reduce", 7, data=[3], attrs=[
        Attr("is_cpu_op", "bool", False), Attr("comm_type", "int64", 0),
        Attr("comm_size", "int64", 4096), Attr("comm_priority", "int32", 1),
        Attr("comm_src", "int32", 0), Attr("comm_dst", "int32", 1), Attr("comm_tag", "int32", -1),
    ]),
])  # fmt: skip


def workload(*nodes: Any) -> bytes:
    return json.dumps({"workload_graph": nodes}).encode()


def prepared(data: bytes, folder: Path) -> duckdb.DuckDBPyConnection:
    folder.mkdir()
    scratch = Scratch(folder, duckdb.connect())
    decode.prepare(CHAKRA_ET, scratch, CHAKRA_ET.read(io.BytesIO(data), scratch))
    return scratch.connection


def test_a_workload_is_the_graph_that_the_same_et_file_gives(tmp_path: Path) -> None:
    forms = {"json": workload(COMPUTE, COLLECTIVE), "et": wire.encode(SAME)}
    found = [prepared(data, tmp_path / name) for name, data in forms.items()]
    for table in ("node", "edge", "problem"):
        one, other = (each.sql(f"FROM {table}").to_arrow_table().to_pylist() for each in found)
        assert one == other


def test_it_is_written_as_an_et_file(tmp_path: Path) -> None:
    path, db = tmp_path / "job.json", tmp_path / "w.duckdb"
    path.write_bytes(workload(COMPUTE, COLLECTIVE))
    (outcome,) = import_paths([path], db=db)
    assert outcome.status == "imported"
    with session.opened(session.Place(db), Selection()) as opened:
        (written,) = export_chakra_et(opened, tmp_path / "out.0.et")
    assert wire.decode(written.path.read_bytes()) == SAME


def test_only_the_importer_of_chakra_files_takes_it() -> None:
    data = workload(COMPUTE)
    assert sniff(data, "x.json") > 90
    files = [each for each in formats.loadable() if isinstance(each, FileImporter)]
    claims = [each.sniff(data, "x.json") for each in files]
    assert sorted(claims)[:-1] == [0] * (len(claims) - 1)


@pytest.mark.parametrize(
    ("node", "why"),
    [
        ([], "node 1 is not a JSON object"),
        ({"Name": "a"}, "node 1, 'a', has no integer Id"),
        (COLLECTIVE | {"Id": -1}, "node 1, 'all-reduce', has no integer Id"),
        (
            COLLECTIVE | {"data_deps": ["3"]},
            "node 5, 'all-reduce', has invalid dependencies: expected integer ids",
        ),
        (
            COLLECTIVE | {"runtime": 0.5},
            "node 5, 'all-reduce', has an invalid runtime: expected whole microseconds",
        ),
        (
            COLLECTIVE | {"NodeType": None},
            "node 5, 'all-reduce', has an invalid NodeType: expected an integer",
        ),
        (
            COLLECTIVE | {"comm_src": 2**31},
            "has an invalid comm_src: expected int32, got 2147483648",
        ),
        (COLLECTIVE | {"is_cpu_op": 1}, "has an invalid is_cpu_op: expected bool, got 1"),
    ],
)
def test_a_node_no_simulator_can_read_is_named(tmp_path: Path, node: Any, why: str) -> None:
    with pytest.raises(CorruptTrace) as caught:
        prepared(workload(COMPUTE, node), tmp_path / "scratch")
    assert why in str(caught.value)


def test_a_workload_that_is_cut_short_is_refused_with_the_place(tmp_path: Path) -> None:
    data = workload(COMPUTE, COLLECTIVE)
    with pytest.raises(CorruptTrace) as caught:
        prepared(data[:-20], tmp_path / "scratch")
    assert caught.value.offset is not None
