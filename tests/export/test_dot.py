"""Pictures of graphs: what is drawn, what is reported of the rest, and that any name is valid."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import Tw
from tests.support.graphs import Graphs, io, scalar, tensor
from tests.support.sharing import kept_open
from warehouse.errors import ExportError, UsageError
from warehouse.export import dot
from warehouse.export.dot import Drawing, Request, export_dot
from warehouse.query import session
from warehouse.query.selection import Selection

HOSTILE = 'a "quoted" \\name\\n\n]; }'


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A host trace: a step that calls three operators; linked: two of these launch device work."""
    path = tmp_path_factory.mktemp("dot") / "w.duckdb"
    with Graphs(path) as graphs:
        host = graphs.graph()
        step = graphs.node(host, "step")
        shapes = io(tensor([2, 3]), scalar(7), tensor([3]))
        calls = [
            graphs.node(host, name, parent=step, inputs=shapes) for name in ("mm", "c10d::send")
        ]
        graphs.node(host, HOSTILE, parent=step, inputs="not JSON")
        graph = graphs.graph("linked", of=host, in_trace_of=host)
        top = graphs.node(graph, "step", of_node_id=step)
        mm = graphs.node(graph, "mm", parent=top, of_node_id=calls[0], dur_ns=1500)
        send = graphs.node(graph, "c10d::send", parent=top, of_node_id=calls[1])
        kernel = graphs.node(graph, "gemm", parent=mm, device_kind="gpu", dur_ns=20)
        copy = graphs.node(graph, "Memcpy DtoD", parent=send, device_kind="gpu")
        graphs.edge(graph, kernel, send, "sync")
        graphs.edge(graph, kernel, copy, "stream_order")
    with kept_open(path):
        yield path


def drawn(db: Path, target: Path, **request: object) -> tuple[Drawing, str]:
    with session.opened(session.Place(db), Selection(runs=("all",))) as opened:
        drawing = export_dot(opened, target, Request(**request))  # type: ignore[arg-type]
    return drawing, target.read_text()


def labels(text: str) -> dict[str, str]:
    """Of each node, the lines of its label."""
    return dict(re.findall(r'^  (n\d+) \[label="((?:[^"\\]|\\.)*)", shape=', text, re.MULTILINE))


def edges(text: str) -> set[tuple[str, str]]:
    named = {node: label.split("\\n")[0] for node, label in labels(text).items()}
    return {
        (named[a], named[b]) for a, b in re.findall(r"^  (n\d+) -> (n\d+) \[", text, re.MULTILINE)
    }


def test_nodes_have_shapes_times_and_edges(made: Path, tmp_path: Path) -> None:
    drawing, text = drawn(made, tmp_path / "a.dot")

    assert (drawing.graph_kind, drawing.n_nodes, drawing.n_edges) == ("linked", 5, 6)
    assert (drawing.n_left_out, drawing.n_edges_beyond) == (0, 0)
    assert set(labels(text).values()) == {
        "step", "mm\\n2x3 3\\n1.5 µs", "c10d::send\\n2x3 3", "gemm\\n0.0 µs", "Memcpy DtoD",
    }  # fmt: skip
    assert edges(text) == {
        ("step", "mm"), ("step", "c10d::send"), ("mm", "gemm"), ("c10d::send", "Memcpy DtoD"),
        ("gemm", "c10d::send"), ("gemm", "Memcpy DtoD"),
    }  # fmt: skip


def test_what_there_is_no_room_for_is_reported(made: Path, tmp_path: Path) -> None:
    drawing, text = drawn(made, tmp_path / "a.dot", max_nodes=3)
    assert (len(labels(text)), drawing.n_nodes, drawing.n_left_out) == (3, 3, 2)

    drawing, text = drawn(made, tmp_path / "a.dot", root="mm", depth=1)
    assert edges(text) == {("mm", "gemm")}
    assert drawing.n_edges_beyond == 2


def test_a_node_is_found_by_number_or_name(made: Path, tmp_path: Path) -> None:
    by_name, _ = drawn(made, tmp_path / "a.dot", root="gemm", direction="up")
    by_number, text = drawn(made, tmp_path / "b.dot", root="3", direction="up")

    assert by_name.n_nodes == by_number.n_nodes == 3
    assert edges(text) == {("step", "mm"), ("mm", "gemm")}
    with pytest.raises(UsageError, match="has no node with name 'nothing'"):
        drawn(made, tmp_path / "a.dot", root="nothing")
    with pytest.raises(UsageError, match="no graph of kind chakra"):
        drawn(made, tmp_path / "a.dot", kind="chakra")


def test_no_name_ends_its_label(made: Path, tmp_path: Path) -> None:
    _, text = drawn(made, tmp_path / "a.dot", kind="execution_trace")

    assert len(labels(text)) == 4
    assert r"a \"quoted\" \\name\\n ]; }" in labels(text).values()


def test_without_graphviz_there_is_no_picture_and_no_file(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dot, "_DOT", "no-such-program")

    with pytest.raises(ExportError, match="not found on the path"):
        drawn(made, tmp_path / "a.svg")

    assert not list(tmp_path.iterdir())


def test_a_picture_is_what_the_program_makes_of_the_text(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stand-in for Graphviz that says how it was called, and then fails."""
    program = tmp_path / "dot"
    program.write_text('#!/bin/sh\nread first\necho "<svg> $1 $first"\n')
    program.chmod(0o755)
    monkeypatch.setattr(dot, "_DOT", str(program))

    _, text = drawn(made, tmp_path / "a.svg")
    assert text == "<svg> -Tsvg digraph graph_of_nodes {\n"

    program.write_text("#!/bin/sh\ncat >/dev/null\necho broken >&2\nexit 1\n")
    with pytest.raises(ExportError, match="Graphviz failed: broken"):
        drawn(made, tmp_path / "b.svg")
    assert not (tmp_path / "b.svg").exists()


def test_the_command_says_what_it_wrote(made: Path, tw: Tw) -> None:
    ran = tw("export", "dot", "--db", made, "--run", "r", "--depth", 1, "-o", "top.dot")

    assert (ran.code, ran.out) == (0, "")
    assert "Wrote top.dot: 3 nodes and 2 edges of the linked graph of r/t1." in ran.err
    assert "2 edges beyond the drawing; --depth follows them." in ran.err
