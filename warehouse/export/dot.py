"""Writes part of a graph in the DOT language, or as a picture drawn by Graphviz.

The query graph_subgraph selects the nodes; this module adds shapes, colours and labels.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from warehouse.errors import ExportError, UsageError
from warehouse.export.exporter import Exporter
from warehouse.files import whole_file

if TYPE_CHECKING:
    from warehouse.query.session import Session

#: Suffixes drawn by Graphviz; any other file is DOT text.
PICTURES = (".svg", ".png", ".pdf")
_LAYOUT_S = 120
_NAME_WIDTH = 44
_DOT, _ADVICE = "dot", "Install Graphviz, or write a .dot file."

#: Shape and colour of nodes by kind.
_NODES = {
    "frame": 'shape=plaintext, fontcolor="#555555"',
    "host": 'shape=box, style="filled,rounded", fillcolor="#dbe9f6", color="#4a7aa8"',
    "device": 'shape=box, style=filled, fillcolor="#fbe3c0", color="#c07a1c"',
    "copy": 'shape=cds, style=filled, fillcolor="#eee8d0", color="#8f8550"',
    "communication": 'shape=octagon, style=filled, fillcolor="#f3cfd3", color="#b03a48"',
}
#: Style of edges by kind.
_EDGES = {
    "control": 'color="#9a9a9a"',
    "data": 'color="#222222"',
    "sync": 'color="#c0392b", style=dashed, penwidth=1.6',
    "inter_thread": 'color="#7d3cb5", style=dotted, penwidth=1.6',
    "stream_order": 'color="#c07a1c", penwidth=1.6',
    "group_order": 'color="#b03a48", penwidth=1.6, style=dashed',
}
_WORDS = {
    "control": "grey: a call and what it calls",
    "data": "black: data, or order on a thread",
    "sync": "red, dashed: a call that waited",
    "inter_thread": "violet, dotted: another thread",
    "stream_order": "orange: order on a stream",
    "group_order": "dark red, dashed: order in a group",
}


@dataclass(frozen=True)
class Request:
    """The part of a graph to draw."""

    root: str | None = None  # number or name of a node; None: the roots
    depth: int = 3
    direction: str = "down"
    max_nodes: int = 150
    kind: str | None = None  # a value of graph.kind; None: linked before all others


@dataclass(frozen=True)
class Drawing:
    """Numbers of nodes and edges drawn and omitted."""

    path: Path
    graph_kind: str
    trace_name: str
    n_nodes: int
    n_edges: int
    n_left_out: int  # nodes within `depth` beyond `max_nodes`
    n_edges_beyond: int  # edges to nodes beyond `depth`


class _Graph(NamedTuple):
    id: int
    kind: str
    link_set: str | None
    trace_id: int
    trace_name: str  # with its run


def export_dot(session: Session, path: Path, request: Request) -> Drawing:
    """Draws part of the graph in scope.

    Raises UsageError when the scope has no graph or several, or the node does not exist;
    ExportError when the file cannot be written, or Graphviz is missing or fails.
    """
    if path.suffix in PICTURES and shutil.which(_DOT) is None:
        raise ExportError(f"drawing requires Graphviz: {_DOT} not found on the path", hint=_ADVICE)
    graph = _graph(session, request.kind)
    rows = _nodes(session, graph, request)
    drawn, left_out = rows[: request.max_nodes], rows[request.max_nodes :]
    edges = _edges(session, {row["graph_node_id"] for row in drawn})
    text = "\n".join(_lines(graph, drawn, edges)) + "\n"
    with whole_file(path) as file:
        file.write(_picture(text, path.suffix) if path.suffix in PICTURES else text.encode())
    beyond = sum(row["n_more"] for row in drawn)
    return Drawing(
        path, graph.kind, graph.trace_name, len(drawn), len(edges), len(left_out), beyond
    )


def _graph(session: Session, kind: str | None) -> _Graph:
    """Returns the graph of the only trace in scope, of the requested or the preferred kind."""
    found = [
        _Graph(*row)
        for row in session.connection.execute(
            "SELECT g.id, g.kind, g.link_set, t.id, r.name || '/' || t.name FROM graph AS g "
            "JOIN trace AS t ON t.id = g.trace_id JOIN run AS r ON r.id = t.run_id "
            "WHERE coalesce($kind, g.kind) = g.kind "
            "ORDER BY g.kind = 'linked' DESC, g.kind DESC, g.link_set <> 'default', g.id",
            {"kind": kind},
        ).fetchall()
    ]
    if not found:
        what = f"graph of kind {kind}" if kind else "graph"
        raise UsageError(
            f"no {what} in scope",
            hint="Import an execution trace; `tw link --graphs` creates linked graphs.",
        )
    traces = {graph.trace_id: graph.trace_name for graph in found if graph.kind == found[0].kind}
    if len(traces) > 1:
        names = ", ".join(list(traces.values())[:5]) + (", ..." if len(traces) > 5 else "")
        raise UsageError(
            f"{len(traces)} traces in scope have such a graph: {names}",
            hint="Choose one with --run, --rank or --trace.",
        )
    return found[0]


def _nodes(session: Session, graph: _Graph, request: Request) -> list[dict[str, Any]]:
    """Returns the nodes in reach, nearest first."""
    roots = _roots(session, graph, request.root)
    rows = session.run(
        "graph_subgraph",
        {"root": roots, "depth": request.depth, "direction": request.direction},
    )
    table = rows.table()
    return [row for row in table.to_pylist() if row["graph_id"] == graph.id]


def _roots(session: Session, graph: _Graph, root: str | None) -> int | None:
    """Returns the id of the node of a number, or of the first node of a name."""
    if root is None:
        return None
    (found,) = session.connection.execute(
        "SELECT min_by(id, node_id) FROM graph_node WHERE graph_id = $graph "
        "AND CASE WHEN $number IS NULL THEN name = $root ELSE node_id = $number END",
        {"graph": graph.id, "root": root, "number": int(root) if root.isdecimal() else None},
    ).fetchall()[0]
    if found is None:
        what = f"number {root}" if root.isdecimal() else f"name {root!r}"
        raise UsageError(
            f"the {graph.kind} graph of {graph.trace_name} has no node with {what}",
            hint="`SELECT node_id, name FROM graph_node` lists them.",
        )
    return int(found)


def _edges(session: Session, nodes: set[int]) -> list[tuple[int, int, str]]:
    """Returns the distinct edges between drawn nodes."""
    return session.connection.execute(
        "SELECT DISTINCT from_node_id, to_node_id, kind FROM graph_edge "
        "WHERE from_node_id IN (SELECT unnest($nodes::BIGINT[])) "
        "AND to_node_id IN (SELECT unnest($nodes::BIGINT[])) AND from_node_id <> to_node_id "
        "ORDER BY ALL",
        {"nodes": sorted(nodes)},
    ).fetchall()


def _lines(
    graph: _Graph, rows: Sequence[dict[str, Any]], edges: Sequence[tuple[int, int, str]]
) -> Iterator[str]:
    kinds = [kind for kind in _WORDS if any(edge[2] == kind for edge in edges)]
    legend = "; ".join(_WORDS[kind] for kind in kinds)
    title = f"{graph.trace_name}: {graph.kind}" + (f", {graph.link_set}" if graph.link_set else "")
    yield "digraph graph_of_nodes {"
    yield '  rankdir=LR; ranksep=0.4; nodesep=0.12; fontname="Helvetica"; fontsize=11;'
    yield f"  label={_quoted(title, legend)}; labelloc=b;"
    yield '  node [fontname="Helvetica", fontsize=10]; edge [arrowsize=0.6];'
    for row in rows:
        style = _NODES[_what(row)] + (", peripheries=2" if row["distance"] == 0 else "")
        yield f"  n{row['graph_node_id']} [label={_quoted(*_label(row))}, {style}];"
    for first, then, kind in edges:
        yield f"  n{first} -> n{then} [{_EDGES.get(kind, _EDGES['data'])}];"
    yield "}"


def _what(row: dict[str, Any]) -> str:
    name, kind = (row["name"] or "").lower(), row["type"] or ""
    if kind.startswith("COMM") or re.match(r"c10d::|_c10d|record_param_comms|.*nccl|gloo:", name):
        return "communication"
    if row["side"] == "device":
        return "copy" if name.startswith(("memcpy", "memset")) else "device"
    is_frame = name.startswith(("[pytorch|", "## ")) or kind == "METADATA_NODE"
    return "frame" if is_frame else "host"


def _label(row: dict[str, Any]) -> Iterator[str]:
    name = row["name"] or "(no name)"
    yield name if len(name) <= _NAME_WIDTH else name[: _NAME_WIDTH - 1] + "\u2026"
    # only tensors: arguments without a shape are []
    shapes = re.findall(r"\[[\d, ]+\]", row["input_shapes"] or "")
    if shapes and row["side"] == "host":
        shown = " ".join("x".join(re.findall(r"\d+", each)) for each in shapes[:4])
        yield shown + (" \u2026" if len(shapes) > 4 else "")
    if row["dur_ns"]:
        yield f"{row['dur_ns'] / 1000:,.1f} \u00b5s"
    if row["n_more"]:
        yield f"+{row['n_more']} more"


def _quoted(*lines: str) -> str:
    """Returns a label of several lines, escaped for DOT."""
    clean = (re.sub(r"[\x00-\x1f\x7f]", " ", line) for line in lines if line)
    escaped = (line.replace("\\", "\\\\").replace('"', '\\"') for line in clean)
    return '"' + "\\n".join(escaped) + '"'


def _picture(text: str, suffix: str) -> bytes:
    """Runs Graphviz and returns the picture."""
    try:
        done = subprocess.run(
            [_DOT, f"-T{suffix[1:]}"], input=text.encode(), capture_output=True, timeout=_LAYOUT_S
        )
    except subprocess.TimeoutExpired:
        raise ExportError(
            f"Graphviz did not finish within {_LAYOUT_S} s", hint="Draw fewer nodes: --nodes."
        ) from None
    except OSError as error:
        raise ExportError(f"Graphviz cannot be run: {error}", hint=_ADVICE) from error
    if done.returncode:
        messages = done.stderr.decode(errors="replace").strip().splitlines()
        raise ExportError(f"Graphviz failed: {messages[0] if messages else done.returncode}")
    return done.stdout


def _write(opened: Session, path: Path, options: Mapping[str, Any]) -> Any:
    return export_dot(opened, path, Request(**options))


EXPORTER = Exporter(_write)
