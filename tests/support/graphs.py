"""Graphs made in a test: rows of graph, graph_node and graph_edge without an importer.

    with Graphs(tmp_path / "w.duckdb") as made:
        graph = made.graph("linked")
        call = made.node(graph, "aten::mm", inputs=io(([2, 3], "float"), ([3, 4], "float")))
        made.edge(graph, call, other, "data")

Ids are those of the warehouse; `run` gives the rows of a query over it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

import duckdb

from tests.support.databases import attached
from warehouse.query import execute
from warehouse.store import database

Row = dict[str, Any]
_NODE = (
    "id", "trace_id", "graph_id", "node_id", "parent_node_id", "name", "type", "thread_id",
    "slice_id", "start_ns", "dur_ns", "device_kind", "of_node_id", "exclusive_us", "inputs_json",
    "outputs_json", "attributes_json",
)  # fmt: skip


def io(*arguments: tuple[Any, str] | tuple[Any, str, Any]) -> str:
    """Inputs or outputs as an execution trace writes them: shape, type, and perhaps value."""
    return json.dumps(
        {
            "values": [argument[2] if len(argument) > 2 else 0 for argument in arguments],
            "shapes": [argument[0] for argument in arguments],
            "types": [argument[1] for argument in arguments],
        }
    )


def tensor(dims: Sequence[int], kind: str = "float") -> tuple[list[int], str]:
    """A tensor argument."""
    return list(dims), f"Tensor({kind})"


def scalar(value: object, kind: str = "Int") -> tuple[Any, str, object]:
    """An argument that is no tensor: a number, or a list of numbers."""
    if isinstance(value, list):
        return [[] for _ in value], f"GenericList[{','.join([kind] * len(value))}]", value
    return [], kind, value


def tensors(*dims: Sequence[int], kind: str = "float") -> tuple[list[list[int]], str]:
    """An argument that is a list of tensors."""
    return [
        list(each) for each in dims
    ], f"GenericList[{','.join([f'Tensor({kind})'] * len(dims))}]"


class Graphs:
    """A warehouse of graphs under construction; written when the block ends."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._graphs: list[tuple[Any, ...]] = []
        self._nodes: list[tuple[Any, ...]] = []
        self._edges: list[tuple[Any, ...]] = []
        self._groups: list[tuple[Any, ...]] = []
        self._numbers: dict[int, int] = {}

    def graph(
        self,
        kind: str = "execution_trace",
        *,
        of: int | None = None,
        in_trace_of: int | None = None,
    ) -> int:
        """A new graph, in a trace of its own by default; `of`, the graph it was linked from."""
        trace_id = in_trace_of >> 32 if in_trace_of else len(self._graphs) + 1
        graph = trace_id << 32 | (1 << 20 if in_trace_of else 0)
        link_set = "default" if kind == "linked" else None
        self._graphs.append((graph, trace_id, kind, link_set, of))
        return graph

    def node(self, graph: int, name: str, *, parent: int | None = None, **columns: Any) -> int:
        """A node below `parent`; `inputs`, `outputs`, `attributes` are JSON."""
        number = self._numbers[graph] = self._numbers.get(graph, -1) + 1
        row = {
            "id": graph + number, "trace_id": graph >> 32, "graph_id": graph, "node_id": number,
            "name": name, "thread_id": 1, "device_kind": "cpu",
        } | {f"{k}_json" if k in ("inputs", "outputs", "attributes") else k: v
             for k, v in columns.items()}  # fmt: skip
        self._nodes.append(tuple(row.get(column) for column in _NODE))
        if parent is not None:
            self.edge(graph, parent, graph + number, "control")
        return graph + number

    def edge(self, graph: int, first: int, then: int, kind: str) -> None:
        """An edge: `then` depends on `first`."""
        n = len(self._edges)
        self._edges.append((n, graph >> 32, graph, first, then, kind, n))

    def group(self, graph: int, name: str, n_ranks: int) -> None:
        """A process group the graph knows."""
        n = len(self._groups)
        self._groups.append((n, graph >> 32, graph, name, n_ranks))

    def __enter__(self) -> Graphs:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if error is not None:
            return
        database.create_empty(self.path)
        with attached(self.path) as connection:
            self._write(connection)

    def _write(self, connection: duckdb.DuckDBPyConnection) -> None:
        connection.execute(
            "INSERT INTO run (id, name, kind, created_at) "
            "VALUES (1, 'r', 'measured', now()::TIMESTAMP)"
        )
        connection.executemany(
            "INSERT INTO trace (id, run_id, name, format, importer, importer_version, tw_version, "
            "imported_at, base_ns, source_base_ns) "
            "VALUES ($1, 1, 't' || $1, 'x', 'x', 1, '0', now()::TIMESTAMP, 0, 0)",
            sorted({(graph[1],) for graph in self._graphs}),
        )
        for table, columns, rows in (
            ("graph", ("id", "trace_id", "kind", "link_set", "of_graph_id"), self._graphs),
            ("graph_node", _NODE, self._nodes),
            (
                "graph_edge",
                ("id", "trace_id", "graph_id", "from_node_id", "to_node_id", "kind", "ordinal"),
                self._edges,
            ),
            ("process_group", ("id", "trace_id", "graph_id", "name", "n_ranks"), self._groups),
        ):
            _insert(connection, table, columns, rows)


def _insert(
    connection: duckdb.DuckDBPyConnection,
    table: str,
    columns: Sequence[str],
    rows: list[tuple[Any, ...]],
) -> None:
    """All rows at once, as JSON: a statement a row takes seconds."""
    text = json.dumps([dict(zip(columns, row, strict=True)) for row in rows])
    kinds = {
        name: kind
        for name, kind, *_ in connection.execute(f"DESCRIBE {table}").fetchall()
        if name in columns
    }
    connection.execute(
        f"INSERT INTO {table} BY NAME SELECT unnest(from_json($text, $kinds), max_depth := 2)",
        {"text": text, "kinds": json.dumps([{name: kinds[name] for name in columns}])},
    )


def run(path: Path, query: str, **parameters: object) -> list[Row]:
    """The rows of a query over all traces of a warehouse."""
    with database.Reader(path) as reader:
        found: list[Row] = execute.run(reader.connection, query, parameters).table().to_pylist()
    return found
