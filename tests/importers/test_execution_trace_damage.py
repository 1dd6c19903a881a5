"""Execution traces with defects: what can be read is read, and what is odd is counted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.execution_traces import Memory
from tw_importers.execution_trace import EXECUTION_TRACE
from warehouse.errors import CorruptTrace
from warehouse.ingest.decode import Settings, scratch_connection
from warehouse.ingest.importer import Scratch

Node = dict[str, Any]


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Memory:
    return Memory(tmp_path_factory.mktemp("memory"))


def node(number: int, parent: int = 1, **more: Any) -> Node:
    empty: Node = {"values": [], "shapes": [], "types": []}
    attributes = [{"name": "rf_id", "type": "uint64", "value": number}]
    return {
        "id": number,
        "name": f"n{number}",
        "ctrl_deps": parent,
        "inputs": empty,
        "outputs": empty,
        "attrs": attributes,
    } | more


ROOT = node(1) | {"name": "[pytorch|profiler|execution_trace|process]"}


def without(number: int, key: str) -> Node:
    return {name: value for name, value in node(number).items() if name != key}


def document(*nodes: Any, schema: str = "1.1.1-chakra.0.0.4") -> str:
    return json.dumps({"schema": schema, "pid": 5, "nodes": [ROOT, *nodes], "finish_ts": 1})


def found(memory: Memory, text: str | bytes) -> tuple[dict[str, int], int, int]:
    """Problems by kind; how many nodes and edges there are."""
    path = memory.folder / "damaged.json"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with memory.imported(path) as facts:
        problems = memory.problems() | {each.kind: each.count for each in facts.problems}
        (counts,) = memory.rows(
            "SELECT (SELECT count(*) FROM graph_node) AS n_nodes, "
            "(SELECT count(*) FROM graph_edge) AS n_edges"
        )
    return problems, counts["n_nodes"], counts["n_edges"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(document(node(2)), ({}, 2, 1), id="sound"),
        pytest.param(
            document(node(2), node(2), node(3, 2)), ({"duplicate_node_id": 1}, 4, 3),
            id="an id twice",
        ),
        pytest.param(
            document(node(2, 99)), ({"dangling_dependency": 1, "later_parent": 1}, 2, 0),
            id="a parent that is not there",
        ),
        pytest.param(
            document(without(2, "ctrl_deps")), ({"no_parent": 1}, 2, 0), id="no parent named"
        ),
        pytest.param(document(node(2, 2)), ({"own_parent": 1}, 2, 0), id="its own parent"),
        pytest.param(
            document(node(2**64)), ({"no_node_id": 1, "odd_value": 1}, 2, 1),
            id="an id beyond 64 bits",
        ),
        pytest.param(
            document(node(2) | {"id": -1}), ({"no_node_id": 1, "odd_value": 1}, 2, 1),
            id="a negative id",
        ),
        pytest.param(
            document(without(2, "attrs")), ({"no_attributes": 1}, 2, 1), id="no attributes"
        ),
        pytest.param(
            document(node(2, attrs={"rf_id": 1})), ({"no_attributes": 1, "odd_value": 1}, 2, 1),
            id="attributes that are no list",
        ),
        pytest.param(
            document(node(2, attrs=[1])), ({"odd_attributes": 1}, 2, 1), id="attributes of no name"
        ),
        pytest.param(
            document(node(2) | {"colour": 1, "cat": "kernel"}, node(3) | {"colour": 2, "size": 3}),
            ({"unknown_key": 3}, 3, 2), id="keys nobody knows",
        ),
        pytest.param(document(node(2), schema="2.0"), ({"unknown_schema": 1}, 2, 1), id="newer"),
        pytest.param(document(node(2), schema="1.0.4-chakra.0.0.4"), ({}, 2, 1), id="1.0.4"),
        pytest.param(
            document(node(2) | {"name": "## process_group:init ##"}),
            ({"odd_process_groups": 1}, 2, 1), id="no groups",
        ),
        pytest.param(document(node(2), 7), ({"not_an_event": 1}, 2, 1), id="no object"),
        pytest.param(
            document(node(2)).replace('"n2"', '"n' + "\\\\ud800" + '"'), ({}, 2, 1),
            id="an escaped backslash",
        ),
        pytest.param(
            document(node(2)).replace('"n2"', '"n\\ud800"'), ({"lone_surrogate": 1}, 2, 1),
            id="half a surrogate pair",
        ),
        pytest.param(
            document(node(2), node(3)).replace('"n2"', '"## a "b" ##"'),
            ({"unescaped_quote": 2}, 3, 2), id="quotes in a name",
        ),
        pytest.param(
            document(node(2, attrs=[{"name": "a", "type": "int"}] * 9), node(3), node(4))
            .replace('"n2"', '"n2" x'),
            ({"unreadable_event": 1}, 3, 2), id="attributes of an unreadable node",
        ),
        pytest.param(
            document(node(2, attrs=[{"name": "a", "value": json.loads("[" * 900 + "]" * 900)}])),
            ({}, 2, 1), id="deep nesting",
        ),
        pytest.param(
            document(node(2), node(3)).replace('"n3"', '[' * 5000 + ']' * 5000),
            ({"unreadable_event": 1}, 2, 1), id="nesting beyond measure",
        ),
        pytest.param('{"schema": "1.0.1", "nodes": []}', ({"no_node": 1}, 0, 0), id="empty"),
    ],
)  # fmt: skip
def test_what_is_odd_is_counted(
    memory: Memory, text: str, expected: tuple[dict[str, int], int, int]
) -> None:
    assert found(memory, text) == expected


def test_a_file_that_ends_early_gives_the_nodes_before_that(memory: Memory) -> None:
    whole = document(*[node(n) for n in range(2, 40)])
    problems, n_nodes, _ = found(memory, whole[: len(whole) // 2])
    assert problems == {"truncated": 1}
    assert 15 < n_nodes < 25


def test_text_of_another_kind_is_refused_with_a_place(memory: Memory) -> None:
    for text in (b"", b"{}", b'{"nodes": 5}', b'{"traceEvents": []}', b"\0\1\2", b"[[[["):
        with pytest.raises(CorruptTrace, match="nodes array not found") as caught:
            found(memory, text)
        assert caught.value.offset == 0


def test_strict_reading_refuses_the_first_defect_with_its_place(tmp_path: Path) -> None:
    text = document(node(2), node(3)).replace('"n3"', "NaN")
    (tmp_path / "t.json").write_text(text)
    place = text.index('{"id": 3')
    connection = scratch_connection(tmp_path, Settings())
    with (
        (tmp_path / "t.json").open("rb") as file,
        pytest.raises(CorruptTrace, match=f"at byte {place}"),
    ):
        EXECUTION_TRACE.read(file, Scratch(tmp_path, connection, is_strict=True))
    connection.close()
