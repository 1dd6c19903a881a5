"""Writes linked graphs as ET+ files: execution traces with times, and with the device work.

This is what Chakra's linker writes and its converter reads. The text is built in SQL; what the
nodes of the execution trace hold is copied verbatim. Nodes are in the order of their ids.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from tw_importers.chakra_et.export import load
from warehouse.errors import ExportError, UsageError
from warehouse.files import file_stem, is_stream, whole_file, whole_folder
from warehouse.link import link_sets, linked_graph
from warehouse.store import database

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

    from warehouse.query.session import Session

#: Nodes whose texts are assembled at a time, which bounds memory.
_CHUNK_NODES = 8192
#: The oldest schema with this layout of nodes.
_NESTED_SCHEMA = "1.0.2-chakra.0.0.4"
_ORDERS = {"stream": "stream_order", "group": "group_order"}


@dataclass(frozen=True)
class WrittenRank:
    """A written file, with counts."""

    path: Path
    trace_name: str
    n_nodes: int
    n_device_nodes: int
    n_unlinked: int  # host nodes without a time
    n_flagged: int  # device nodes that hang elsewhere than under the operator that launched them
    old_schema: str | None  # of the execution trace, where the file has another


class _Graph(NamedTuple):
    id: int
    trace_name: str
    rank: int | None
    header: str | None
    is_flat: bool


def export_etplus(
    session: Session,
    output: Path,
    link_set: str = link_sets.DEFAULT,
    orders: Sequence[str] = (),
) -> list[WrittenRank]:
    """Writes the linked graphs of a set in scope: one to a file, several to a new folder.

    `orders` adds the order of streams or process groups as the key order_dep. Raises UsageError
    when nothing can be linked or several graphs are for one file, ExportError when a file cannot be
    written, TwError when the rules of the set refuse the traces.
    """
    import duckdb

    linked_graph.ensure(session, link_set)
    graphs = _graphs(session.connection, link_set)
    try:
        session.connection.execute(load("etplus_macros"))
        if is_file(output):
            if len(graphs) > 1:
                raise UsageError(
                    f"{output} is one file, and {len(graphs)} execution traces are chosen",
                    hint="Choose one with --rank or --trace, or name a folder: -o FOLDER/.",
                )
            return [_write(session.connection, graphs[0], output, link_set, orders)]
        return _write_folder(session.connection, graphs, output, link_set, orders)
    except duckdb.Error as error:
        raise ExportError(f"a graph cannot be read: {str(error).splitlines()[0]}") from error


def is_file(output: Path) -> bool:
    """Returns whether a path names a file, or stdout, and is not an existing folder."""
    is_named = output.name.endswith((".json", ".json.gz")) and not output.is_dir()
    return is_named or is_stream(output)


def count(session: Session, link_set: str) -> int:
    """Returns the number of files of a link set."""
    linked_graph.ensure(session, link_set)
    return len(_graphs(session.connection, link_set))


def _graphs(connection: duckdb.DuckDBPyConnection, link_set: str) -> list[_Graph]:
    rows = connection.execute(
        "SELECT g.id, t.name, t.rank, h.attributes_json, h.node_layout IS NOT DISTINCT FROM 'flat' "
        "FROM graph AS g JOIN trace AS t ON t.id = g.trace_id "
        "LEFT JOIN graph AS h ON h.id = g.of_graph_id "
        "WHERE g.link_set = ? ORDER BY t.rank NULLS LAST, g.id",
        [link_set],
    ).fetchall()
    if not rows:
        raise UsageError(
            "no execution trace in scope has a timeline of its rank in its run",
            hint="Import both into one run: `tw import --run NAME HOST DEVICE`.",
        )
    return [_Graph(*row) for row in rows]


def _write_folder(
    connection: duckdb.DuckDBPyConnection,
    graphs: Sequence[_Graph],
    folder: Path,
    link_set: str,
    orders: Sequence[str],
) -> list[WrittenRank]:
    written = []
    with whole_folder(folder) as part:
        for graph, name in zip(graphs, _names(graphs), strict=True):
            one = _write(connection, graph, part / name, link_set, orders)
            written.append(WrittenRank(**{**one.__dict__, "path": folder / name}))
    return written


def _names(graphs: Sequence[_Graph]) -> list[str]:
    """Returns file names by rank if ranks are distinct, else by trace, numbered if these repeat."""
    ranks = [graph.rank for graph in graphs]
    if None not in ranks and len(set(ranks)) == len(ranks):
        return [f"etplus.{rank}.json" for rank in ranks]
    stems = [file_stem(graph.trace_name) for graph in graphs]
    return [
        f"{stem}.{n}.json" if stems.count(stem) > 1 else f"{stem}.json"
        for n, stem in enumerate(stems)
    ]


def _write(
    connection: duckdb.DuckDBPyConnection,
    graph: _Graph,
    path: Path,
    link_set: str,
    orders: Sequence[str],
) -> WrittenRank:
    connection.execute(
        load(
            "etplus_node",
            graph_id=graph.id,
            orders=[_ORDERS[each] for each in orders] or "[]::VARCHAR[]",
            is_flagged=link_set == link_sets.DEFAULT,
        )
    )
    header = json.loads(graph.header or "{}")
    old_schema = header.get("schema") if graph.is_flat else None
    if graph.is_flat:
        header["schema"] = _NESTED_SCHEMA
    with whole_file(path) as file:
        file.write(json.dumps(header)[:-1].encode())
        file.write(b', "nodes": [\n' if header else b'"nodes": [\n')
        _write_nodes(connection, file)
        file.write(b"\n]}\n")
    return WrittenRank(path, graph.trace_name, *_counts(connection, graph), old_schema)


def _write_nodes(connection: duckdb.DuckDBPyConnection, file: BinaryIO) -> None:
    chunks = connection.execute(
        "SELECT node_id // $n AS chunk, coalesce(min(text_id), 0), coalesce(max(text_id), 0) "
        'FROM "etplus node" GROUP BY chunk ORDER BY chunk',
        {"n": _CHUNK_NODES},
    ).fetchall()
    for n, first_text, last_text in chunks:
        lines = connection.sql(
            load(
                "etplus_text",
                first=n * _CHUNK_NODES,
                end=(n + 1) * _CHUNK_NODES,
                first_text=first_text,
                last_text=last_text,
            )
        ).to_arrow_table()
        for part in lines.column(0).chunks:
            file.write(_text(part))


def _text(lines: pa.StringArray) -> memoryview:
    """Returns all lines as one buffer, which is how an Arrow array stores them."""
    _, offsets, data = lines.buffers()
    ends = memoryview(offsets).cast("i")
    return memoryview(data)[ends[lines.offset] : ends[lines.offset + len(lines)]]


def _counts(connection: duckdb.DuckDBPyConnection, graph: _Graph) -> tuple[int, int, int, int]:
    n_nodes, n_device, n_unlinked, n_flagged = database.one(
        connection,
        "SELECT count(*), count(*) FILTER (device_kind = 'gpu'), "
        "count(*) FILTER (device_kind = 'cpu' AND slice_id IS NULL), "
        "count(*) FILTER (device_kind = 'gpu' AND unlinked_reason IS NOT NULL) "
        "FROM graph_node WHERE graph_id = ?",
        [graph.id],
    )
    return int(n_nodes), int(n_device), int(n_unlinked), int(n_flagged)
