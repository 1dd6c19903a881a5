"""Writes clusters, arguments, nodes and runs to raw tables of these names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec
import pyarrow as pa

from tw_importers.disc.log import Run
from tw_importers.disc.messages import type_name
from tw_importers.disc.pairs import Cluster, temporary
from tw_importers.disc.program import Node
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
    "node": pa.schema(
        [
            ("cluster_n", pa.int64()), ("node_n", pa.int64()), ("function", pa.string()),
            ("name", pa.string()), ("op", pa.string()), ("device", pa.string()),
            ("inputs", pa.list_(pa.string())),
        ]
    ),
    "dump_file": pa.schema(
        [("path", pa.string()), ("n_bytes", pa.int64()), ("sha256", pa.string())]
    ),
    "run": pa.schema(
        [
            ("run_n", pa.int64()), ("at_us", pa.int64()), ("thread", pa.int64()),
            ("shapes", pa.list_(pa.list_(pa.int64()))), ("types", pa.list_(pa.string())),
        ]
    ),
}  # fmt: skip


def create(
    scratch: Scratch, name: str, schema: pa.Schema, rows: Iterable[Mapping[str, Any]]
) -> None:
    """Creates a scratch table."""
    table = pa.Table.from_pylist(list(rows), schema)
    scratch.connection.register("rows", table)
    scratch.connection.execute(f"CREATE TABLE {name} AS FROM rows")
    scratch.connection.unregister("rows")


def of_clusters(
    clusters: Iterable[Cluster], utc_offset_us: int, *, keeps_environment: bool
) -> dict[str, list[dict[str, Any]]]:
    """Rows of clusters, arguments and nodes."""
    rows: dict[str, list[dict[str, Any]]] = {"cluster": [], "argument": [], "node": []}
    for n, cluster in enumerate(clusters):
        rows["cluster"].append(_cluster(n, cluster, utc_offset_us, keeps_environment))
        rows["argument"] += _arguments(n, cluster)
        if cluster.program is not None:
            rows["node"] += [_node(n, m, node) for m, node in enumerate(cluster.program.nodes)]
    return rows


def of_runs(runs: Iterable[Run], utc_offset_us: int) -> list[dict[str, Any]]:
    """Rows of executions that the log has."""
    return [
        {
            "run_n": n,
            "at_us": run.at - utc_offset_us if run.at else None,
            "thread": run.thread,
            "shapes": run.shapes,
            "types": run.types,
        }
        for n, run in enumerate(runs)
    ]


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
            "n_nodes": len(program.nodes),
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


def _node(cluster_n: int, n: int, node: Node) -> dict[str, Any]:
    return {
        "cluster_n": cluster_n,
        "node_n": n,
        "function": node.function,
        "name": node.name,
        "op": node.op,
        "device": node.device,
        "inputs": list(node.inputs),
    }
