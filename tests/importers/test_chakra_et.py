"""Chakra's .et files: every kind of attribute, both packings, old and odd files, and damage."""

from __future__ import annotations

import ast
import base64
import gzip
import io
import json
import random
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support import chakra_wire as wire
from tests.support.chakra_wire import Attr, Graph, Node
from tests.support.sharing import integration
from tw_importers.chakra_et import CHAKRA_ET, sniff
from tw_importers.chakra_et.python_text import json_of
from warehouse.errors import CorruptTrace
from warehouse.ingest import decode, formats, pipeline
from warehouse.ingest.importer import FileImporter, Scratch, TraceFacts
from warehouse.store import database

Row = dict[str, Any]
SMALL = Graph(attrs=[Attr("schema", "string", "1.0.1")], nodes=[Node(1, "a"), Node(2, "b")])


def prepared(data: bytes, folder: Path) -> tuple[TraceFacts, duckdb.DuckDBPyConnection]:
    """A file through everything that needs no warehouse."""
    folder.mkdir(exist_ok=True)
    scratch = Scratch(folder, duckdb.connect())
    facts = CHAKRA_ET.read(io.BytesIO(data), scratch)
    decode.prepare(CHAKRA_ET, scratch, facts)
    return facts, scratch.connection


def nodes(connection: duckdb.DuckDBPyConnection) -> list[Row]:
    rows: list[Row] = connection.sql("FROM node ORDER BY seq").to_arrow_table().to_pylist()
    return rows


def read_bytes(data: bytes, tmp_path: Path) -> tuple[list[Row], list[Row]]:
    _, connection = prepared(data, tmp_path / "scratch")
    edges = connection.sql("FROM edge ORDER BY rowid").to_arrow_table().to_pylist()
    return nodes(connection), edges


def as_json(each: Attr) -> Row:
    """What the attributes of a node say, from the model of the test."""
    fields: Row = {"name": each.name}
    if each.doc:
        fields["doc_string"] = each.doc
    if each.kind is None:
        return fields
    value = each.value
    if each.kind == "bytes":
        value = base64.b64encode(value).decode()
    if each.kind == "bytes_list":
        value = [base64.b64encode(v).decode() for v in value]
    return fields | {"type": each.kind, "value": value}


@pytest.mark.parametrize("is_packed", [True, False], ids=["packed", "unpacked"])
def test_all_thirty_kinds_of_attributes_keep_their_kind_and_their_value(
    tmp_path: Path, is_packed: bool
) -> None:
    rng = random.Random(3)
    kinds = [*wire.KINDS, *(f"{kind}_list" for kind in wire.KINDS)]
    attrs = [
        Attr(f"a {kind}", kind, [wire.random_value(rng, kind.removesuffix("_list")) for _ in "12"]
             if kind.endswith("_list") else wire.random_value(rng, kind), "why")
        for kind in kinds
    ]  # fmt: skip
    data = wire.encode(Graph(nodes=[Node(1, "a", attrs=attrs)]), packed=is_packed)
    (row,), _ = read_bytes(data, tmp_path)
    assert json.loads(row["attributes"]) == [as_json(each) for each in attrs]


@pytest.mark.integration
def test_a_node_keeps_all_it_says_and_its_dependencies_in_their_order(tmp_path: Path) -> None:
    rng = random.Random(7)
    for number in range(10):
        graph = wire.random_graph(rng)
        rows, edges = read_bytes(wire.encode(graph, packed=number % 2 == 0), tmp_path)
        assert [(r["id"], r["name"]) for r in rows] == [(n.id, n.name) for n in graph.nodes]
        first = {node.id: at for at, node in reversed([*enumerate(graph.nodes)])}
        for at, (row, node) in enumerate(zip(rows, graph.nodes, strict=True)):
            assert json.loads(row["attributes"]) == [as_json(each) for each in node.attrs]
            deps = [*(("control", d) for d in node.ctrl), *(("data", d) for d in node.data)]
            expected = [
                (first[dep], at, kind, place)
                for place, (kind, dep) in enumerate(deps)
                if dep in first
            ]
            assert [tuple(e.values()) for e in edges if e["to_seq"] == at] == expected
            extra = json.loads(row["extra"] or "{}")
            if len(expected) < len(deps):
                assert (extra["ctrl_deps"], extra["data_deps"]) == (node.ctrl, node.data)
            assert row["dur_ns"] == (node.dur * 1000 if node.dur < 1 << 40 else None)


def test_inputs_and_outputs_become_json_where_python_would_write_the_same_text_again(
    tmp_path: Path,
) -> None:
    rng = random.Random(5)
    graph = Graph(nodes=[Node(at + 1, "n", inputs=wire.random_io(rng)) for at in range(200)])
    rows, _ = read_bytes(wire.encode(graph), tmp_path)
    for row, node in zip(rows, graph.nodes, strict=True):
        if node.inputs is None:
            assert row["inputs"] is None
            continue
        fields = json.loads(row["inputs"])
        names = ("values", "shapes", "types")
        assert [
            str(fields[name]) if name in fields else "" for name in names
        ] == [*node.inputs]  # fmt: skip


json_lists = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4),
    max_leaves=8,
).map(lambda value: value if isinstance(value, list) else [value])


@given(json_lists)
@settings(max_examples=15, deadline=None)
def test_the_json_of_a_list_s_text_is_that_list(value: list[Any]) -> None:
    text = str(value)
    found = json_of(text)
    assert found is None or str(json.loads(found)) == text
    if not any(character in text for character in ("inf", "\\ud")) and len(text) < 500:
        assert found is not None or any(
            isinstance(each, int) and abs(each) > 1 << 63 for each in _leaves(value)
        )


def _leaves(value: Any) -> list[Any]:
    return [leaf for each in value for leaf in _leaves(each)] if type(value) is list else [value]


@settings(deadline=None)
@given(st.text(alphabet="[]()'\"\\,. 0123456789abTrueFalsNon-+einf", max_size=40))
def test_any_other_text_is_left_as_it_is(text: str) -> None:
    found = json_of(text)
    assert found is None or json.loads(found) == ast.literal_eval(text)


def test_numbers_of_any_size_are_exact(tmp_path: Path) -> None:
    node = Node((1 << 64) - 1, "n", attrs=[Attr("x", "uint64", (1 << 64) - 1)])
    ((row,), _) = read_bytes(wire.encode(Graph(nodes=[node])), tmp_path)
    assert row["id"] == (1 << 64) - 1
    assert json.loads(row["attributes"])[0]["value"] == (1 << 64) - 1


def test_fields_nobody_knows_are_kept_and_counted(tmp_path: Path) -> None:
    graph = Graph(nodes=[Node(1, "n", unknown=b"\x58\x05\x62\x03abc")])
    facts, connection = prepared(wire.encode(graph), tmp_path / "scratch")
    (row,) = nodes(connection)
    assert json.loads(row["extra"])["unknown"] == [
        {"field": 11, "wire_type": 0, "value": 5},
        {"field": 12, "wire_type": 2, "value": "YWJj"},
    ]
    assert [(p.kind, p.count) for p in facts.problems] == [("unknown_field", 2)]


def test_texts_that_are_no_utf8_do_not_stop_an_import(tmp_path: Path) -> None:
    data = wire.encode(Graph(nodes=[Node(1, "abc")])).replace(b"abc", b"a\xffc")
    facts, connection = prepared(data, tmp_path / "scratch")
    assert nodes(connection)[0]["name"] == "a�c"
    assert [p.kind for p in facts.problems] == ["invalid_utf8"]


def test_a_circle_of_dependencies_and_absent_nodes_are_told_on_import(tmp_path: Path) -> None:
    graph = Graph(nodes=[Node(1, "a"), Node(2, "b", data=[1, 3]), Node(3, "c", data=[2], ctrl=[8]),
                         Node(4, "d", data=[9])])  # fmt: skip
    facts, _ = prepared(wire.encode(graph), tmp_path / "scratch")
    circle, *absent = facts.problems
    assert (circle.kind, circle.example) == ("cyclic_dependencies", "2 'b' → 3 'c' → 2 'b'")
    assert [(problem.kind, problem.severity, problem.count) for problem in absent] == [
        ("dangling_control", "note", 1), ("dangling_data", "warning", 1)
    ]  # fmt: skip


def whole(graph: Graph = SMALL) -> bytes:
    return wire.encode(graph)


@pytest.mark.parametrize(
    ("data", "offset", "why"),
    [
        (b"", 0, "empty: no message found"),
        (whole() + b"\xff" * 11, len(whole()), "expected a varint"),
        (whole() + b"\x80", len(whole()), "ends inside the length"),
        (whole() + b"\x05ab", len(whole()), "5 bytes long, and 2 are left"),
        (whole() + b"\x80\x80\x80\x80\x08", len(whole()), "2,147,483,648 bytes"),
        (whole() + b"\x05\x62\x03abc", len(whole()), "invalid node"),
        (whole() + b"\x05\x0a\x03abc", len(whole()), "invalid node"),
        (whole() + b"\x03\x12\x09a", len(whole()), "invalid node"),
        (b"\x02\x08\x01" + whole(), 0, "invalid global metadata"),
        (whole()[:-1], len(whole()) - 8, "long, and"),
    ],
)  # fmt: skip
def test_damage_is_told_in_one_sentence_with_its_offset(
    tmp_path: Path, data: bytes, offset: int, why: str
) -> None:
    with pytest.raises(CorruptTrace) as caught:
        prepared(data, tmp_path / "scratch")
    assert why in str(caught.value)
    assert caught.value.offset == offset
    assert str(caught.value).endswith(f"at byte {offset:,}")


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(st.randoms(use_true_random=False), st.integers(1, 4))
def test_bytes_changed_or_cut_anywhere_are_read_or_refused(
    rng: random.Random, n_changes: int
) -> None:
    data = bytearray(whole(wire.random_graph(rng, 4)))
    for _ in range(n_changes):
        data[rng.randrange(len(data))] = rng.randrange(256)
    data = data[: rng.randrange(1, len(data) + 1)]
    sniff(bytes(data), "x.et")
    _read_or_refused(bytes(data))


def _read_or_refused(data: bytes) -> None:
    from tw_importers.chakra_et.read import _Trace

    trace = _Trace(io.BytesIO(data))
    try:
        list(trace.nodes())
    except CorruptTrace as refused:
        assert refused.offset is not None
        return
    trace.batch()


def test_a_file_is_known_by_its_first_two_messages() -> None:
    assert sniff(whole(), "trace") > 90
    assert sniff(wire.encode(Graph(nodes=[Node(0, "first")])), "trace") > 90
    assert sniff(whole()[:4], "trace") == 0
    assert 0 < sniff(wire.encode(Graph(attrs=SMALL.attrs)), "trace") < 90
    for other in (b"", b"{}", b"\0" * 50, b"\n\x05hello", b'{"traceEvents": []}', b"PK\3\4" * 9):
        assert sniff(other, "trace.et") == 0


def test_no_other_importer_takes_such_a_file() -> None:
    files = [each for each in formats.loadable() if isinstance(each, FileImporter)]
    claims = [each.sniff(whole(), "x.json") for each in files]
    assert sorted(claims)[:-1] == [0] * (len(claims) - 1)


def test_rows_of_a_graph_are_in_the_warehouse(tmp_path: Path) -> None:
    known = [Attr("rf_id", "int64", 5), Attr("seq_id", "int64", -1), Attr("tid", "int64", 2),
             Attr("op_schema", "string", "s"), Attr("is_cpu_op", "bool", False)]  # fmt: skip
    graph = Graph("2.0", SMALL.attrs, [Node(3, "a"), Node(4, "b", 7, [3], [3], 2, 9, attrs=known)])
    source = tmp_path / "graph.et.gz"
    source.write_bytes(gzip.compress(wire.encode(graph)))
    (outcome,) = pipeline.import_paths(
        [source], db=tmp_path / "w.duckdb", options=pipeline.Options()
    )
    assert outcome.error is None
    with database.Reader(tmp_path / "w.duckdb") as reader:
        ask = reader.connection.execute
        (kind, version) = database.one(reader.connection, "SELECT kind, format_version FROM graph")
        assert (kind, version) == ("chakra", "2.0")
        assert ask(
            "SELECT node_id, parent_node_id, name, type, op_schema, record_function_id, "
            "sequence_number, thread_id, start_ns, dur_ns, device_kind FROM graph_node WHERE "
            "name = 'b'"
        ).fetchall() == [(4, 3, "b", "COMM_COLL_NODE", "s", 5, -1, 2, 2000, 9000, "gpu")]
        assert ask(
            "SELECT kind, ordinal, to_node_id - from_node_id FROM graph_edge ORDER BY id"
        ).fetchall() == [("control", 0, 1), ("data", 1, 1)]


def test_tensors_and_process_groups_are_those_of_the_texts(tmp_path: Path) -> None:
    tensor = "[37, 38, 5, 9, 4, 'cuda:0']"
    groups = '[\'[{"pg_name": "1", "ranks": [0, 2]}]\']'
    # As simulators want it, who cut two characters off both ends: no list that Python would write.
    unescaped = groups.replace('"1"', '"rank 0\'s"').replace("0, 2", "0")
    graph = Graph(nodes=[
        Node(1, "a", inputs=(f"[{tensor}, True, [{tensor}, {tensor}]]", "[[3, 3], [], [[9], [9]]]",
                             "['Tensor(float)', 'Bool', 'GenericList[Tensor(int),Tensor(int)]']"),
             outputs=("[" + tensor, "[]", "[]")),
        Node(2, "## process_group:init ##", 1, inputs=(groups, "[[]]", "['String']")),
        Node(3, "## process_group:init ##", 1, inputs=(unescaped, "[[]]", "['String']")),
    ])  # fmt: skip
    _, connection = prepared(wire.encode(graph), tmp_path / "scratch")
    assert connection.execute(
        "SELECT tensor_id, storage_id, storage_offset, n_elements, element_bytes, device, "
        "data_type, shape FROM tensor ORDER BY n"
    ).fetchall() == [
        (37, 38, 5, 9, 4, "cuda:0", "float", "[3,3]"), (37, 38, 5, 9, 4, "cuda:0", "int", "[9]")
    ]  # fmt: skip
    assert connection.execute(
        "SELECT seq, is_output, argument, ordinal, type FROM use ORDER BY ALL"
    ).fetchall() == [
        (0, False, 0, 0, "Tensor(float)"), (0, False, 2, 0, "Tensor(int)"),
        (0, False, 2, 1, "Tensor(int)"),
    ]  # fmt: skip
    assert connection.execute("SELECT name, ranks FROM process_group ORDER BY n").fetchall() == [
        ("1", "[0,2]"), ("rank 0's", "[0]")
    ]  # fmt: skip


CASES = [
    "own_cpu_cnn", "own_cpu_ddp_r0", "own_gpu_cnn", "own_gpu_ddp_r0", "real_h100_vit",
    "real_a100_alexnet_sync", "real_mi250_train",
]  # fmt: skip


@pytest.mark.parametrize("case", [*CASES[:2], *map(integration, CASES[2:])])
def test_files_of_the_converter_are_read_whole(case: str, data_dir: Path, tmp_path: Path) -> None:
    data = gzip.decompress((data_dir / "chakra" / case / "chakra.et.gz").read_bytes())
    expected = wire.decode(data)
    facts, connection = prepared(data, tmp_path / "scratch")
    rows = nodes(connection)
    assert facts.format_version == expected.attrs[0].value
    assert [(r["id"], r["name"], r["dur_ns"], r["rf_id"]) for r in rows] == [
        (n.id, n.name, n.dur * 1000, n.attr("rf_id")) for n in expected.nodes
    ]
    assert all(json.loads(row["inputs"])["values"] is not None for row in rows)
    for row, node in zip(rows, expected.nodes, strict=True):
        assert str(json.loads(row["inputs"])["values"]) == (node.inputs or ("",))[0]
    (n_edges,) = database.one(connection, "SELECT count(*) FROM edge WHERE kind = 'data'")
    assert n_edges == sum(len(node.data) for node in expected.nodes)
