"""Writes clusters, arguments, nodes and runs to raw tables of these names.

`run_inputs` has the shapes and types of runs once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import msgspec
import pyarrow as pa

from tw_importers.disc.messages import type_name
from tw_importers.disc.pairs import Cluster, temporary
from tw_importers.disc.program import Node
from tw_importers.disc.runs import NO_THREAD, Runs
from warehouse.ingest.importer import Scratch

TABLES: Final = {
    "cluster": pa.schema(
        [
            ("cluster_n", pa.int64()), ("function", pa.string()), ("device_type", pa.string()),
            ("func_hash", pa.string()), ("graph_hash", pa.string()),
            ("signature_hash", pa.string()), ("graph_def_version", pa.int64()),
            ("n_nodes", pa.int64()), ("program", pa.string()), ("program_sha256", pa.string()),
            ("data", pa.string()), ("data_sha256", pa.string()), ("host", pa.string()),
            ("pid", pa.int64()), ("thread", pa.int64()), ("dumped_us", pa.int64()),
            ("compiled_us", pa.int64()), ("pair_method", pa.string()), ("status", pa.string()),
            ("environment", pa.string()),
        ]
    ),
    "argument": pa.schema(
        [
            ("cluster_n", pa.int64()), ("ordinal", pa.int64()), ("kind", pa.string()),
            ("placement", pa.string()), ("data_type", pa.string()),
            ("shape", pa.list_(pa.int64())), ("n_bytes", pa.int64()), ("member", pa.string()),
            ("sha256", pa.string()), ("low", pa.float64()), ("high", pa.float64()),
            ("n_nan", pa.int64()), ("n_zero", pa.int64()),
        ]
    ),
    "dump_file": pa.schema(
        [("path", pa.string()), ("n_bytes", pa.int64()), ("sha256", pa.string())]
    ),
    "run_inputs": pa.schema(
        [
            ("inputs_n", pa.int64()), ("shapes", pa.list_(pa.list_(pa.int64()))),
            ("types", pa.list_(pa.string())),
        ]
    ),
}  # fmt: skip

_NODE: Final = pa.schema(
    [
        ("cluster_n", pa.int64()), ("node_n", pa.int64()), ("function", pa.string()),
        ("name", pa.string()), ("op", pa.string()), ("device", pa.string()),
        ("inputs", pa.list_(pa.string())),
    ]
)  # fmt: skip


def create(
    scratch: Scratch, name: str, schema: pa.Schema, rows: Iterable[Mapping[str, Any]]
) -> None:
    """Creates a scratch table."""
    _create(scratch, name, pa.Table.from_pylist(list(rows), schema))


def create_nodes(scratch: Scratch, clusters: Iterable[Cluster]) -> None:
    """Creates the table `node`."""
    batches = [each.nodes for each in clusters if each.nodes is not None]
    _create(scratch, "node", pa.Table.from_batches(batches, _NODE))


def _create(scratch: Scratch, name: str, table: pa.Table) -> None:
    scratch.connection.register("rows", table)
    scratch.connection.execute(f"CREATE TABLE {name} AS FROM rows")
    scratch.connection.unregister("rows")


def of_clusters(
    clusters: Iterable[Cluster], utc_offset_us: int, *, keeps_environment: bool
) -> dict[str, list[dict[str, Any]]]:
    """Rows of clusters and arguments."""
    rows: dict[str, list[dict[str, Any]]] = {"cluster": [], "argument": []}
    for n, cluster in enumerate(clusters):
        rows["cluster"].append(_cluster(n, cluster, utc_offset_us, keeps_environment))
        rows["argument"] += _arguments(n, cluster)
    return rows


def of_nodes(cluster_n: int, nodes: Sequence[Node]) -> pa.RecordBatch:
    """Rows of the nodes of a cluster, as columns: a long log has many."""
    columns = [
        [cluster_n] * len(nodes),
        range(len(nodes)),
        [node.function for node in nodes],
        [node.name for node in nodes],
        [node.op for node in nodes],
        [node.device for node in nodes],
        [node.inputs for node in nodes],
    ]
    arrays = [pa.array(each, kind) for each, kind in zip(columns, _NODE.types, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=_NODE)


def of_inputs(runs: Runs) -> list[dict[str, Any]]:
    """Rows of the shapes and types that runs have."""
    return [
        {"inputs_n": n, "shapes": shapes, "types": types}
        for (shapes, types), n in runs.distinct.items()
    ]


def create_runs(scratch: Scratch, runs: Runs, utc_offset_us: int) -> None:
    """Creates the table `run`, in the order of the log."""
    columns = {
        "stamp": pa.array(runs.at, pa.int64()),
        "thread": pa.array(runs.thread, pa.int64()),
        "inputs_n": pa.array(runs.inputs, pa.int64()),
    }
    scratch.connection.register("runs", pa.table(columns))
    scratch.connection.execute(
        "CREATE TABLE run AS SELECT row_number() OVER () - 1 AS run_n, "
        f"nullif(stamp, 0) - ({utc_offset_us}) AS at_us, nullif(thread, {NO_THREAD}) AS thread, "
        "inputs_n FROM runs"
    )
    scratch.connection.unregister("runs")


def _cluster(n: int, cluster: Cluster, offset_us: int, keeps: bool) -> dict[str, Any]:
    program, archive = cluster.program, cluster.archive
    own = temporary(cluster.name) or temporary(archive.name if archive else None) or {}
    row = {
        "cluster_n": n,
        "program": cluster.name,
        "program_sha256": cluster.sha256,
        "data": archive.name if archive else None,
        "data_sha256": archive.sha256 if archive else None,
        "host": own.get("host"),
        "pid": own.get("pid"),
        "thread": own.get("thread"),
        "dumped_us": own.get("micros"),
        "compiled_us": cluster.logged_at - offset_us if cluster.logged_at else None,
        "pair_method": cluster.pair_method,
        "status": cluster.status,
    }
    if program is not None:
        row |= {
            "function": program.function,
            "device_type": program.device_type,
            "func_hash": str(program.func_hash) if program.func_hash else None,
            "graph_hash": program.graph_hash,
            "signature_hash": program.signature_hash,
            "graph_def_version": program.graph_def_version,
            "n_nodes": cluster.nodes.num_rows if cluster.nodes is not None else None,
            "environment": msgspec.json.encode(program.environment).decode() if keeps else None,
        }
    return row


def _arguments(n: int, cluster: Cluster) -> list[dict[str, Any]]:
    """Shapes are those of the values, where there are some: a program may know the rank alone."""
    found = cluster.archive.values if cluster.archive else {}
    rows = []
    for ordinal, each in enumerate(cluster.program.arguments if cluster.program else []):
        value = found.get(each.member)
        good = value if value is not None and value.why is None else None
        rows.append(
            {
                "cluster_n": n,
                "ordinal": ordinal,
                "kind": each.kind,
                "placement": each.placement,
                "data_type": type_name(each.type),
                "shape": good.shape if good else each.shape,
                "n_bytes": good.n_bytes if good else None,
                "member": each.member or None,
                "sha256": value.sha256 or None if value else None,
                "low": good.low if good else None,
                "high": good.high if good else None,
                "n_nan": good.n_nan if good else None,
                "n_zero": good.n_zero if good else None,
            }
        )
    return rows
