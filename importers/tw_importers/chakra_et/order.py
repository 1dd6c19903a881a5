"""Looks whether the nodes of a Chakra trace have an order to run in; it repairs nothing."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

import numpy as np

from warehouse.ingest.importer import Problem
from warehouse.link.graph_order import cycle

if TYPE_CHECKING:
    import duckdb

_MOST_SHOWN = 8  # nodes of a cycle that are named


class Order:
    """Ids and data dependencies of all nodes read so far: some bytes a node."""

    def __init__(self) -> None:
        self._ids = array("Q")
        self._deps = array("Q")
        self._n_deps = array("Q")

    def add(self, node_id: int, data_deps: list[int]) -> None:
        """The next node of the file."""
        self._ids.append(node_id)
        self._deps.extend(data_deps)
        self._n_deps.append(len(data_deps))

    def problem(self, connection: duckdb.DuckDBPyConnection) -> Problem | None:
        """A circle of nodes that wait for each other, named from the view `raw_node`."""
        ids = np.array(self._ids, np.uint64)
        deps = np.array(self._deps, np.uint64)
        after = np.repeat(np.arange(len(ids)), np.array(self._n_deps, np.int64))
        if not len(deps):
            return None
        by_id = np.argsort(ids, kind="stable")
        found = by_id[np.minimum(np.searchsorted(ids[by_id], deps), len(ids) - 1)]
        is_there = ids[found] == deps
        path = cycle(len(ids), found[is_there], after[is_there])
        if path is None:
            return None
        meaning = "cyclic dependencies between nodes; a simulator cannot run them"
        return Problem("cyclic_dependencies", meaning, 1, None, _shown(connection, path))


def _shown(connection: duckdb.DuckDBPyConnection, path: list[int]) -> str:
    """The circle as ids and names, each before the next; the first again at the end."""
    places = path[:_MOST_SHOWN]
    rows = connection.execute(
        "SELECT seq, id, name FROM raw_node WHERE seq IN (SELECT unnest($places))",
        {"places": places},
    ).fetchall()
    names = {seq: f"{node_id} {name!r}" for seq, node_id, name in rows}
    shown = [names[place] for place in places]
    if len(path) > len(places):
        shown.append(f"{len(path) - len(places):,} more")
    return " → ".join([*shown, shown[0]])
