"""GraphDef: a recorded graph against its lines, and both encodings of one written by hand."""

from __future__ import annotations

import gzip
import json
import re
import struct
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.support.gpu_profiles import error, imported
from tests.support.xplane_wire import field, integer
from tw_importers.tf_graph.certainty import sniff
from warehouse.errors import CorruptTrace

DATA = Path(__file__).parents[1] / "data"
RECORDED = gzip.decompress((DATA / "tf_graph" / "graph.pbtxt.gz").read_bytes())
TEXT = rb"""# a graph
node {
  name: "x" op: 'Placeholder'
  attr { key: "dtype" value { type: DT_FLOAT } }
  attr { key: "shape" value { shape { dim { size: -1 } dim { size: 64 } } } }
}
node <
  name: "w" op: "Const"; device: "/job:localhost/replica:0/task:0/device:GPU:0"
  attr { key: "value" value { tensor { dtype: DT_HALF tensor_shape { dim { size: 2 } }
    tensor_content: "a\000\"\xff}" } } }
>
node {
  name: "mul" op: "MatMul" input: ["x", "w:1"] input: "^x" input: "gone"
  attr { key: "a" value { b: true } }
  attr { key: "f" value { f: 0.1 } }
  attr { key: "g" value { func { name: "body" } } }
  attr { key: "l" value { list { i: 1 i: -2 } } }
  attr { key: "s" value { s: "caf\303\251" ' x' } }
}
library { function { signature { name: "body" } } }
versions { producer: 21 }
"""


def attribute(key: str, value: bytes) -> bytes:
    return field(5, field(1, key.encode()) + field(2, value))


def node(name: str, op: str, *more: bytes) -> bytes:
    return field(1, field(1, name.encode()) + field(2, op.encode()) + b"".join(more))


def dims(*sizes: int) -> bytes:
    return b"".join(field(2, integer(1, size)) for size in sizes)


BINARY = b"".join([
    node("x", "Placeholder", attribute("dtype", integer(6, 1)),
         attribute("shape", field(7, dims(-1, 64)))),
    node("w", "Const", field(4, b"/job:localhost/replica:0/task:0/device:GPU:0"),
         attribute("value", field(8, integer(1, 19) + field(2, dims(2)) + field(4, b"\0\xff")))),
    node("mul", "MatMul", *(field(3, each) for each in (b"x", b"w:1", b"^x", b"gone")),
         attribute("a", integer(5, 1)), attribute("f", b"\x25" + struct.pack("<f", 0.1)),
         attribute("g", field(10, field(1, b"body"))),
         attribute("l", field(1, integer(3, 1) + integer(3, -2))),
         attribute("s", field(2, "café x".encode()))),
    field(2, field(1, field(1, field(1, b"body")))), field(4, integer(1, 21)),
])  # fmt: skip
ATTRIBUTES = [
    ("x", [("dtype", "type", "float32"), ("shape", "shape", [-1, 64])]),
    ("w", [("device", "s", "/job:localhost/replica:0/task:0/device:GPU:0"),
           ("value", "tensor", {"type": "float16", "shape": [2]})]),
    ("mul", [("a", "b", True), ("f", "f", 0.10000000149011612), ("g", "func", "body"),
             ("l", "list", [1, -2]), ("s", "s", "café x")]),
]  # fmt: skip


def nodes(db: duckdb.DuckDBPyConnection) -> list[Any]:
    return db.execute(
        "SELECT name, type, device_kind, inputs_json, attributes_json FROM graph_node ORDER BY id"
    ).fetchall()


def edges(db: duckdb.DuckDBPyConnection) -> list[Any]:
    return db.execute(
        "SELECT a.name, b.name, e.kind, e.ordinal, e.attributes_json FROM graph_edge AS e "
        "JOIN graph_node AS a ON a.id = e.from_node_id JOIN graph_node AS b ON b.id = e.to_node_id "
        "ORDER BY e.id"
    ).fetchall()


@pytest.fixture(scope="module")
def warehouses(tmp_path_factory: pytest.TempPathFactory) -> dict[str, duckdb.DuckDBPyConnection]:
    folder = tmp_path_factory.mktemp("graphs")
    found = {}
    for name, content in (("graph.pbtxt", TEXT), ("graph.pb", BINARY), ("real.pbtxt", RECORDED)):
        (folder / name).write_bytes(content)
        found[name] = imported([folder / name], folder / f"{name}.duckdb")
    return found


@pytest.mark.parametrize("name", ["graph.pbtxt", "graph.pb"])
def test_both_encodings_become_the_same_rows(
    name: str, warehouses: dict[str, duckdb.DuckDBPyConnection]
) -> None:
    db = warehouses[name]
    rows = nodes(db)
    assert [row[:3] for row in rows] == [
        ("x", "Placeholder", None), ("w", "Const", "gpu"), ("mul", "MatMul", None)
    ]  # fmt: skip
    assert [json.loads(row[3]) for row in rows] == [[], [], ["x", "w:1", "^x", "gone"]]
    found = [
        (row[0], [(a["name"], a["type"], a["value"]) for a in json.loads(row[4])]) for row in rows
    ]
    assert found == ATTRIBUTES
    assert edges(db) == [
        ("x", "mul", "data", 0, None), ("w", "mul", "data", 1, '{"output":1}'),
        ("x", "mul", "control", 2, None),
    ]  # fmt: skip
    problems = db.execute("SELECT kind, count FROM import_problem").fetchall()
    assert problems == [("missing_input", 1)]


def test_a_recorded_graph_has_the_nodes_and_inputs_of_its_lines(
    warehouses: dict[str, duckdb.DuckDBPyConnection],
) -> None:
    expected: list[tuple[str, str, list[str]]] = []
    for block in re.split(r"^node \{$", RECORDED.decode(), flags=re.MULTILINE)[1:]:
        own = {key: re.findall(rf'^  {key}: "(.*)"$', block, re.MULTILINE)
               for key in ("name", "op", "input")}  # fmt: skip
        expected.append((own["name"][0], own["op"][0], own["input"]))
    db = warehouses["real.pbtxt"]
    assert [(row[0], row[1], json.loads(row[3])) for row in nodes(db)] == expected
    wanted = [
        (re.sub(r"^\^|:\d+$", "", each), name, "control" if each[0] == "^" else "data")
        for name, _, inputs in expected for each in inputs
    ]  # fmt: skip
    assert [row[:3] for row in edges(db)] == wanted


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'node { name: "x" op: "NoOp"\nattr {', "in line 2: expected the name of a field"),
        (b'node { name: "x" op: "NoOp"\n  input: }', "in line 2: expected a value, found '}'"),
        (b'node { name: "x" ' + b"a { b { " * 40, "messages are nested more than 64 deep"),
        (BINARY + b"\x7a\x01x", "field 15 is not one of GraphDef"),
        (BINARY[:90], "bytes, "),
    ],
)
def test_damage_is_one_sentence_with_its_place(
    content: bytes, message: str, tmp_path: Path
) -> None:
    (tmp_path / "graph.pb").write_bytes(content)
    found = error(tmp_path / "graph.pb", tmp_path / "w.duckdb")
    assert isinstance(found, CorruptTrace)
    assert message in found.message
    assert found.offset is not None


def test_other_files_are_not_taken() -> None:
    run_metadata = (DATA / "tf_run_metadata" / "local" / "run_metadata.pb").read_bytes()
    plane = next((DATA / "xplane").rglob("*.xplane.pb")).read_bytes()
    caffe = b'name: "net"\nlayer { name: "x" type: "Input" }\n'
    assert [sniff(each, "graph.pb") for each in (run_metadata, plane, caffe, b"")] == [0] * 4
    assert [sniff(each, "x") for each in (TEXT, RECORDED, BINARY)] == [97, 97, 95]
