"""Checks graphs before they are written as Chakra files: convertible and acyclic."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow.compute as pc

from warehouse.errors import ExportError
from warehouse.link import graph_order
from warehouse.store import database

if TYPE_CHECKING:
    import duckdb

    from tw_importers.chakra_et.export.summary import EtSummary

_MOST_SHOWN = 12  # nodes of a cycle that are named
_UPSTREAM_SCHEMAS = (
    "1.0.2-chakra.0.0.4", "1.0.3-chakra.0.0.4", "1.1.0-chakra.0.0.4", "1.1.1-chakra.0.0.4",
)  # fmt: skip


def refuse(connection: duckdb.DuckDBPyConnection, label: str, metadata: dict[str, Any]) -> None:
    """Raises ExportError with the node for graphs on which Chakra's converter fails."""
    hint = "--set default converts it."
    schema = metadata.get("schema")
    if schema not in _UPSTREAM_SCHEMAS:
        raise ExportError(f"{label}: Chakra's converter does not read schema {schema!r}", hint=hint)
    for name, kind in (("pid", "uint64"), ("time", "string"), ("start_ts", "uint64"),
                       ("finish_ts", "uint64")):  # fmt: skip
        if not fits(metadata.get(name), kind):
            raise ExportError(f"{label}: the execution trace has no usable {name}", hint=hint)
    rows = connection.execute(
        'SELECT node_id, name, trouble FROM "et nodes" WHERE trouble IS NOT NULL '
        "ORDER BY rowid LIMIT 1"
    ).fetchall()
    for node_id, name, trouble in rows:
        raise ExportError(
            f"{label}: Chakra's converter stops at node {node_id} {name!r}: {trouble}", hint=hint
        )


def remarks(connection: duckdb.DuckDBPyConnection) -> list[str]:
    """Returns remarks on nodes of the table "et nodes" that lack data, with counts."""
    (n_left_out,) = database.one(connection, 'SELECT coalesce(sum(n_left_out), 0) FROM "et nodes"')
    rows = connection.execute(
        'SELECT count(*), trouble FROM "et nodes" WHERE trouble IS NOT NULL GROUP BY trouble '
        "ORDER BY trouble"
    ).fetchall()
    found = [f"{n_nodes:,} {trouble}." for n_nodes, trouble in rows]
    if n_left_out:
        found.append(f"{n_left_out:,} dependencies point back in time: omitted.")
    return found


def fits(value: object, kind: str) -> bool:
    """Returns whether a value of an execution trace's header has the given kind."""
    if kind == "string":
        return isinstance(value, str)
    return type(value) is int and 0 <= value < 1 << 64


def check(
    connection: duckdb.DuckDBPyConnection,
    label: str,
    written: EtSummary,
    *,
    is_imported: bool,
    is_checked: bool,
) -> None:
    """Counts the nodes of the table "et nodes" and their dependencies, and checks for cycles.

    Raises ExportError if there is none, or if a node depends on a missing one.
    """
    table = connection.sql(
        'SELECT node_id, data_deps FROM "et nodes" ORDER BY rowid'
    ).to_arrow_table()
    ids = table["node_id"].fill_null(0).to_numpy().astype(np.uint64)
    lists = table["data_deps"].combine_chunks()
    deps = pc.list_flatten(lists).to_numpy(zero_copy_only=False).astype(np.uint64)
    after = pc.list_parent_indices(lists).to_numpy(zero_copy_only=False).astype(np.int64)
    written.n_nodes, written.n_data_deps = len(ids), len(deps)
    if is_imported and not is_checked:
        return
    by_id = np.argsort(ids, kind="stable")
    _refuse_repeated(ids[by_id], label)
    place = np.searchsorted(ids[by_id], deps)
    found = by_id[np.minimum(place, max(len(ids) - 1, 0))] if len(ids) else place
    is_absent = ids[found] != deps if len(ids) else np.zeros(0, np.bool_)
    if is_absent.any():
        at = int(np.argmax(is_absent))
        node = _named(connection, [int(after[at])])[0]
        raise ExportError(
            f"{label}: node {node} depends on node {int(deps[at])}, which is not there",
            hint="The file it came from is incomplete." if is_imported else None,
        )
    path = graph_order.cycle(len(ids), found, after)
    if path is not None:
        raise ExportError(f"{label}: nodes wait for each other: {_shown(connection, path)}")


def _refuse_repeated(ids: np.ndarray[Any, Any], label: str) -> None:
    is_repeated = ids[1:] == ids[:-1]
    if is_repeated.any():
        node_id = int(ids[int(np.argmax(is_repeated))])
        raise ExportError(f"{label}: several nodes have the id {node_id}")


def _shown(connection: duckdb.DuckDBPyConnection, path: list[int]) -> str:
    """Returns the nodes of a cycle in order; the last equals the first."""
    shown = _named(connection, path[:_MOST_SHOWN])
    left = len(path) - len(shown)
    if left:
        shown.append(f"{left:,} more")
    return " → ".join([*shown, shown[0]])


def _named(connection: duckdb.DuckDBPyConnection, places: list[int]) -> list[str]:
    rows = connection.execute(
        'SELECT rowid, node_id, name FROM "et nodes" WHERE rowid IN (SELECT unnest($places))',
        {"places": places},
    ).fetchall()
    names = {place: f"{node_id} {name!r}" for place, node_id, name in rows}
    return [names[place] for place in places]
