"""Writes an execution trace as imported: the same header and nodes, in the same order.

Numbers keep their digits and texts their content; white space, and the order of keys within a
node, may differ. Nodes come back in the layout they had, flat (schema 1.0.1) or with lists of
attributes, and with every key a linker added.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

import msgspec

from tw_importers.execution_trace.export import load
from warehouse.errors import ExportError
from warehouse.files import file_stem, whole_file, whole_folder

if TYPE_CHECKING:
    import duckdb

_BATCH_ROWS = 4_000
_INPUTS = (b"inputs", b"input_shapes", b"input_types")
_OUTPUTS = (b"outputs", b"output_shapes", b"output_types")


@dataclass(frozen=True)
class WrittenGraph:
    """A written file, with its number of nodes."""

    path: Path
    trace_name: str
    n_nodes: int


class _Graph(NamedTuple):
    id: int
    trace_name: str
    rank: int | None
    node_layout: str | None
    header_json: str | None
    document_json: str | None  # the same with an empty list at the nodes' place


class _Attribute(msgspec.Struct):
    name: str
    value: msgspec.Raw


class _Arguments(msgspec.Struct):
    values: msgspec.Raw
    shapes: msgspec.Raw
    types: msgspec.Raw


_ATTRIBUTES = msgspec.json.Decoder(list[_Attribute])
_ARGUMENTS = msgspec.json.Decoder(_Arguments)
_OBJECT = msgspec.json.Decoder(dict[str, msgspec.Raw])


def export_execution_trace(connection: duckdb.DuckDBPyConnection, path: Path) -> WrittenGraph:
    """Writes the only execution trace in scope to a `.json` or `.json.gz` file.

    Raises ExportError when the scope has none, or several, as a file holds one.
    """
    graphs = _graphs(connection)
    if len(graphs) != 1:
        raise ExportError(
            f"a file holds one execution trace, and {len(graphs)} are chosen",
            hint="Choose one with --rank or --trace, or name a folder: -o FOLDER/.",
        )
    with whole_file(path) as file:
        return _write(connection, graphs[0], file, path)


def export_execution_trace_folder(
    connection: duckdb.DuckDBPyConnection, folder: Path
) -> list[WrittenGraph]:
    """Writes each execution trace in scope to a `.json.gz` file in a new folder."""
    graphs = _graphs(connection)
    written = []
    with whole_folder(folder) as part:
        for graph, name in zip(graphs, _file_names(graphs), strict=True):
            with whole_file(part / name) as file:
                written.append(_write(connection, graph, file, folder / name))
    return written


def _graphs(connection: duckdb.DuckDBPyConnection) -> list[_Graph]:
    rows = connection.execute("""
        SELECT g.id, t.name, t.rank, g.node_layout, g.attributes_json, t.metadata_json
        FROM graph AS g
        JOIN trace AS t ON t.id = g.trace_id
        WHERE g.kind = 'execution_trace'
        ORDER BY g.id
    """).fetchall()
    if not rows:
        raise ExportError(
            "no execution trace in scope",
            hint="`tw runs --traces` says what each trace was read as.",
        )
    return [_Graph._make(row) for row in rows]


def _file_names(graphs: list[_Graph]) -> list[str]:
    """Returns names by rank if ranks are distinct; imports derive ranks from names."""
    ranks = {graph.rank for graph in graphs}
    if None not in ranks and len(ranks) == len(graphs):
        return [f"rank{graph.rank}.json.gz" for graph in graphs]
    stems = [file_stem(graph.trace_name) for graph in graphs]
    return [
        f"{stem}.json.gz" if stems.count(stem) == 1 else f"{stem}_{n + 1}.json.gz"
        for n, stem in enumerate(stems)
    ]


def _write(
    connection: duckdb.DuckDBPyConnection, graph: _Graph, file: BinaryIO, path: Path
) -> WrittenGraph:
    is_flat = graph.node_layout == "flat"
    query = load(
        "trace",
        graph_id=graph.id,
        is_flat=str(is_flat).lower(),
        parent="parent" if is_flat else "ctrl_deps",
    )
    head, tail = _document(graph)
    n_nodes = 0
    file.write(head)
    for batch in connection.sql(query).to_arrow_reader(_BATCH_ROWS):
        if batch.num_rows:
            texts = _flat(batch) if is_flat else _plain(batch)
            file.write((b",\n    " if n_nodes else b"\n    ") + b",\n    ".join(texts))
            n_nodes += batch.num_rows
    file.write(tail)
    return WrittenGraph(path, graph.trace_name, n_nodes)


def _document(graph: _Graph) -> tuple[bytes, bytes]:
    """Returns the texts before and after the nodes: the header's keys, in order."""
    header = _OBJECT.decode(graph.document_json or graph.header_json or "{}")
    header.setdefault("nodes", msgspec.Raw(b"[]"))
    keys = list(header)
    before = keys[: keys.index("nodes")]
    after = keys[len(before) + 1 :]
    head = b"".join(_item(key, header[key]) + b", " for key in before)
    tail = b"".join(b", " + _item(key, header[key]) for key in after)
    return b"{\n  " + head + b'"nodes": [', b"\n  ]" + tail + b"\n}\n"


def _item(key: str, value: msgspec.Raw) -> bytes:
    return msgspec.json.encode(key) + b": " + bytes(value)


def _plain(batch: Any) -> list[bytes]:
    return [text.encode() for text in batch.column(0).to_pylist()]


def _flat(batch: Any) -> list[bytes]:
    return [_flat_node(*row) for row in zip(*(c.to_pylist() for c in batch.columns), strict=True)]


def _flat_node(text: str, inputs: str | None, outputs: str | None, attributes: str | None) -> bytes:
    """Converts a node to the flat form, with attributes, inputs and outputs as its keys."""
    items = [text[1:-1].encode()] if text != "{}" else []
    items += [_item(each.name, each.value) for each in _ATTRIBUTES.decode(attributes or "[]")]
    for part, names in ((inputs, _INPUTS), (outputs, _OUTPUTS)):
        if part is not None:
            found = _ARGUMENTS.decode(part)
            values = (found.values, found.shapes, found.types)
            items += [b'"%b": %b' % pair for pair in zip(names, values, strict=True)]
    return b"{" + b", ".join(items) + b"}"
