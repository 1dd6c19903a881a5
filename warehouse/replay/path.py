"""The critical path of a simulation: what each node on it started after, back from the last end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pyarrow as pa

    from warehouse.replay.graph import Graph

#: Slices and pieces of threads that stand for the nodes, in each step.
_ROWS = """
SELECT
  row_number() OVER (ORDER BY o.step, p.place, o.slice_id, o.track_id) - 1 AS place,
  n.kind,
  n.name,
  o.trace_id,
  o.track_id,
  o.slice_id,
  o.from_ts,
  o.from_end_ts,
  o.to_ts,
  o.to_end_ts
FROM path_node AS p
JOIN node AS n ON n.node_id = p.node_id
JOIN ({placed}) AS o ON o.node_id = p.node_id
ORDER BY 1
"""


def nodes(graph: Graph) -> list[int]:
    """The nodes of the path of the last simulation, in order; a loop over the path, not the graph.

    It ends with the node that ends last, of several with the one of the highest number.
    """
    # in the order of the nodes, as `Graph.store` has them
    times = graph.connection.sql("SELECT end_ns, cause_id FROM time").fetchnumpy()
    end, cause = times["end_ns"], times["cause_id"]
    at = len(end) - 1 - int(np.argmax(end[::-1]))
    found = []
    while at >= 0:
        found.append(at)
        at = int(cause[at])
    return found[::-1]


def rows(graph: Graph, placed: str) -> pa.Table:
    """What stands for the path of the last simulation, measured (from_…) and moved (to_…).

    `placed` is the SELECT of where occurrences are moved.
    """
    import pyarrow as pa

    found = nodes(graph)
    graph.replace("path_node", pa.table({
        "place": pa.array(range(len(found)), pa.int64()), "node_id": pa.array(found, pa.int64()),
    }))  # fmt: skip
    return graph.connection.sql(_ROWS.format(placed=placed)).to_arrow_table()
