"""Writes graphs as Chakra's protobuf streams (.et), one file a rank; reads the views only.

Library queries define the nodes of a file: `et_node` for the default set, `et_node_1_0` for the
rules of Chakra's own converter. An imported file is written as it was. A file whose dependencies
are cyclic, or lead to missing nodes, is not written.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import pyarrow as pa

from tw_importers.chakra_et.export import attributes, check, load, message
from tw_importers.chakra_et.export.summary import EtSummary
from tw_importers.chakra_et.export.text import Texts
from warehouse.errors import ExportError, UsageError
from warehouse.export import wire
from warehouse.files import file_stem, is_stream, make_folder, whole_file
from warehouse.link import linked_graph
from warehouse.store import database

if TYPE_CHECKING:
    from warehouse.query.session import Session

CHAKRA_1_0 = "chakra-1.0"
_BATCH_ROWS = 8_192
#: Numbers and texts of `graph_node.type`.
_NODE_TYPES = ["INVALID_NODE", "METADATA_NODE", "MEM_LOAD_NODE", "MEM_STORE_NODE", "COMP_NODE",
               "COMM_SEND_NODE", "COMM_RECV_NODE", "COMM_COLL_NODE"]  # fmt: skip
#: Attributes of nodes in the order of the file, with the kinds of their values.
_ATTRIBUTES = {
    "rf_id": "int64", "fw_parent": "int64", "seq_id": "int64", "scope": "int64", "tid": "int64",
    "fw_tid": "int64", "op_schema": "string", "is_cpu_op": "bool", "stream": "int64",
    "comm_type": "int64", "comm_size": "int64", "pg_name": "string", "comm_src": "int32",
    "comm_dst": "int32", "comm_tag": "int32", "num_ops": "int64", "tensor_size": "uint64",
    "duration_ns": "uint64",
}  # fmt: skip
#: Those from the execution trace, read with its texts in batches.
_LATER = "rf_id, fw_parent, seq_id, scope, tid, fw_tid, op_schema"
#: Consumers remove two characters from both ends of a metadata node's values and parse the rest as
#: JSON; Python's escapes would break this. A text is written unchanged.
_METADATA_INPUTS = """
CASE WHEN n.metadata_text IS NULL THEN t.inputs_json ELSE json_object(
  'values', n.metadata_text,
  'shapes', t.inputs_json -> 'shapes',
  'types', t.inputs_json -> 'types'
)::VARCHAR END
"""
#: Attributes of the first message, if the execution trace has them.
_METADATA = {"schema": "string", "pid": "uint64", "time": "string", "start_ts": "uint64",
             "finish_ts": "uint64"}  # fmt: skip


@dataclass(frozen=True)
class Options:
    """Options of the export."""

    link_set: str = "default"
    with_start_times: bool = False
    orders: tuple[str, ...] = ()  # stream, group: what else nodes wait for
    is_checked: bool = True  # of an imported graph: refuse it when it is cyclic or dangling


@dataclass(frozen=True)
class Graph:
    """A graph to write."""

    id: int
    kind: str
    label: str  # for messages
    run_name: str
    rank: int | None
    metadata: dict[str, Any]

    @property
    def is_imported(self) -> bool:
        """Whether the graph was imported from a Chakra file."""
        return self.kind == "chakra"


def export_chakra_et(
    session: Session, output: Path | None, options: Options | None = None
) -> list[EtSummary]:
    """Writes the graph of every rank in scope; `output` is a file or a folder.

    Raises ExportError if no graph is in scope, one cannot be converted or has no order, or a file
    cannot be written; UsageError when several graphs are meant for one file.
    """
    import duckdb

    options = options or Options()
    try:
        linked_graph.ensure(session, options.link_set)
        graphs = find_graphs(session, options)
        return [
            write_graph(session, graph, path, options)
            for graph, path in zip(graphs, _paths(graphs, output), strict=True)
        ]
    except duckdb.Error as error:
        raise ExportError(f"a graph cannot be read: {str(error).splitlines()[0]}") from error


def find_graphs(session: Session, options: Options) -> list[Graph]:
    """Returns the graph of each rank in scope."""
    rows = session.connection.execute(load("graphs"), {"link_set": options.link_set}).fetchall()
    if not rows:
        raise ExportError(
            "no graph to export: the traces in scope are timelines",
            hint="Import the PyTorch execution traces of the same run.",
        )
    graphs = []
    for graph_id, _, kind, trace, run, rank, metadata, n_alike in rows:
        label = f"rank {rank}" if rank is not None else f"trace {trace}"
        if n_alike > 1:
            raise UsageError(
                f"{label} of run {run} has {n_alike} graphs of kind {kind}",
                hint="Choose the traces with --trace.",
            )
        document = json.loads(metadata or "{}")
        graphs.append(Graph(int(graph_id), str(kind), label, str(run), rank, document))
    return graphs


def _paths(graphs: list[Graph], output: Path | None) -> list[Path]:
    """`<prefix>.<npu>.et` for each graph: npu is its rank, or its position if ranks are unknown."""
    if output is not None and _is_file(output):
        if len(graphs) > 1:
            raise UsageError(
                f"{len(graphs)} graphs do not fit into the one file {output}",
                hint="Name a folder with -o, or choose one by --rank.",
            )
        return [output]
    ranks = [graph.rank for graph in graphs]
    runs = {graph.run_name for graph in graphs}
    npus = ranks if None not in ranks and len({*ranks}) == len(ranks) else range(len(ranks))
    if len(runs) > 1:
        npus = [graph.rank or 0 for graph in graphs]
    folder = output or Path()
    if output is not None:
        make_folder(folder)
    paths = [
        folder / f"{file_stem(graph.run_name)}.{npu}.et"
        for graph, npu in zip(graphs, npus, strict=True)
    ]
    if len({*paths}) < len(paths):
        raise UsageError("several graphs would get the same name", hint="Choose with --trace.")
    return paths


def _is_file(output: Path) -> bool:
    is_named = output.name.endswith((".et", ".et.gz")) and not output.is_dir()
    return is_named or is_stream(output)


def write_graph(session: Session, graph: Graph, path: Path, options: Options) -> EtSummary:
    """Writes one graph; raises ExportError, see `export_chakra_et`."""
    written = EtSummary(path)
    _prepare(session, graph, options)
    check.check(session.connection, graph.label, written, is_imported=graph.is_imported,
                is_checked=options.is_checked)  # fmt: skip
    if options.link_set == "default" and not graph.is_imported:
        written.remarks += check.remarks(session.connection)
    head = _imported_head(graph) if graph.is_imported else _head(graph, options)
    with whole_file(path) as file:
        file.write(head)
        _write_nodes(session, graph, options, file)
    return written


def _prepare(session: Session, graph: Graph, options: Options) -> None:
    """Creates the nodes of the graph as the TEMP table "et nodes"."""
    if graph.is_imported:
        select = load("imported", graph_id=graph.id, node_types=_NODE_TYPES)
    else:
        _prepare_work(session, graph, options)
        select = _call(session, graph, options)
    session.connection.execute(f'CREATE OR REPLACE TEMP TABLE "et nodes" AS {select}')
    if options.link_set == CHAKRA_1_0 and not graph.is_imported:
        check.refuse(session.connection, graph.label, graph.metadata)


def _call(session: Session, graph: Graph, options: Options) -> str:
    """Returns the SELECT of a graph's nodes by the rules of a set."""
    if options.link_set == CHAKRA_1_0:
        query = _installed(session, "et_node_1_0")
        return f'SELECT * EXCLUDE ({_LATER}) FROM "{query}"({graph.id})'
    flags = (options.with_start_times, "stream" in options.orders, "group" in options.orders)
    given = ", ".join(str(each).lower() for each in flags)
    return (
        f"SELECT n.* EXCLUDE ({_LATER}), w.num_ops, w.tensor_size "
        f'FROM "{_installed(session, "et_node")}"({graph.id}, {given}) AS n '
        'LEFT JOIN "et work" AS w ON w.graph_node_id = n.graph_node_id AND n.type = 4 '
        "ORDER BY n.node_id, n.graph_node_id"
    )


def _installed(session: Session, name: str) -> str:
    query = session.queries.newest[name]
    for each in session.queries.closure([query]):
        each.install(session.connection)
    return str(query.key)


def _prepare_work(session: Session, graph: Graph, options: Options) -> None:
    """Creates operations and bytes of the nodes of a graph as the TEMP table "et work"."""
    if options.link_set == CHAKRA_1_0:
        return
    key = _installed(session, "et_work")
    session.connection.execute(
        f'CREATE OR REPLACE TEMP TABLE "et work" AS FROM "{key}"({graph.id})'
    )


def _imported_head(graph: Graph) -> bytes:
    encoded = [attributes.message(json.dumps(each)) for each in graph.metadata.get("attr", ())]
    return message.metadata(graph.metadata.get("version", ""), encoded)


def _head(graph: Graph, options: Options) -> bytes:
    encoded = [
        attributes.message(json.dumps({"name": name, "type": kind, "value": graph.metadata[name]}))
        for name, kind in _METADATA.items()
        if check.fits(graph.metadata.get(name), kind)
    ]
    return message.metadata("", encoded)


def _write_nodes(session: Session, graph: Graph, options: Options, file: BinaryIO) -> None:
    texts, from_json = Texts(), attributes.FromJson()
    for nodes in _batches(session, graph, options):
        if graph.is_imported:
            fields = from_json.fields(nodes["attributes_json"])
            others = attributes.others(nodes["unknown_json"])
            file.write(message.framed(nodes, fields, texts, others))
        else:
            file.write(message.framed(nodes, _attributes(nodes), texts))


def _attributes(nodes: pa.RecordBatch) -> wire.Column:
    return wire.join(
        *(
            attributes.column(name, kind, nodes[name])
            for name, kind in _ATTRIBUTES.items()
            if name in nodes.schema.names and nodes[name].null_count < len(nodes)
        )
    )


def _batches(session: Session, graph: Graph, options: Options) -> Iterator[pa.RecordBatch]:
    """Yields the nodes in order with their texts, in batches."""
    (n_nodes,) = database.one(session.connection, 'SELECT count(*) FROM "et nodes"')
    key = _installed(session, "et_attribute")
    for first in range(0, n_nodes, _BATCH_ROWS):
        rows = f"n.rowid BETWEEN {first} AND {first + _BATCH_ROWS - 1}"
        source = (
            '"et nodes" AS n' if graph.is_imported else _with_texts(session, rows, options, key)
        )
        table = session.connection.sql(f"FROM {source} WHERE {rows} ORDER BY n.rowid")
        yield from table.to_arrow_table().combine_chunks().to_batches()


def _with_texts(session: Session, rows: str, options: Options, attributes_of: str) -> str:
    """The FROM clause: nodes with their texts and attributes in the execution trace.

    `attributes_of` is the query of the attributes, limited to the nodes from the first to the last.
    """
    first, last = database.one(
        session.connection, f'SELECT min(text_id), max(text_id) FROM "et nodes" AS n WHERE {rows}'
    )
    inputs = _METADATA_INPUTS if options.link_set == "default" else "t.inputs_json"
    return (
        f"(SELECT n.rowid, n.*, a.* EXCLUDE (graph_node_id), {inputs} AS inputs_json, "
        't.outputs_json FROM "et nodes" AS n '
        f"JOIN (FROM graph_node WHERE id BETWEEN {first} AND {last}) AS t ON t.id = n.text_id "
        f'JOIN "{attributes_of}"({first}, {last}) AS a '
        "ON a.graph_node_id = n.text_id) AS n"
    )
