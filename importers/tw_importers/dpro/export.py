"""Writes the global graph of a dPRO trial as GML, as dPRO's `trail_dag.gml`: for dPRO and NetworkX.

Durations are milliseconds, gaps microseconds. Labels are ASCII; other characters are HTML entities.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warehouse.errors import ExportError
from warehouse.export.exporter import Exporter
from warehouse.files import whole_file

if TYPE_CHECKING:
    from warehouse.query.session import Session

_SPECIAL = re.compile(r'[^ -~]|[&"]')
#: Attributes in dPRO's order: which column of dpro_node, in which unit, of which nodes.
_NODES = """
SELECT
  n.name,
  list_filter([
    CASE WHEN stage = 'Sync' THEN 'avg 0' ELSE 'avg ' || (dur_ns / 1e6) END,
    CASE WHEN is_link THEN 'CommGAPComm ' ELSE 'operatorGAPoperator ' END || (gap_ns / 1e3),
    'cnt ' || n_gaps,
    CASE WHEN is_link THEN 'INTERNODEGAP ' ELSE 'operatorGAPComm ' END || (negotiation_ns / 1e3)
  ], lambda each: each IS NOT NULL) AS attributes
FROM (
  SELECT *, coalesce(stage IN ('PUSH_REQ', 'PUSH_RES', 'PULL_REQ', 'PULL_RES'), false) AS is_link
  FROM dpro_node()
) AS n
ORDER BY n.place
"""
_EDGES = "SELECT from_place, to_place FROM dpro_edge() ORDER BY from_place, ordinal"


@dataclass(frozen=True)
class WrittenGraph:
    """A written graph and its size."""

    path: Path
    n_nodes: int
    n_edges: int


def export_gml(opened: Session, path: Path) -> WrittenGraph:
    """Writes the graph of the run in scope; raises ExportError if there is none, or several."""
    if len(opened.seen.run_ids) > 1:
        raise ExportError("a GML file holds one graph", hint="Choose one run with --run.")
    nodes, edges = opened.run(_NODES).rows(), opened.run(_EDGES).rows()
    if not nodes:
        raise ExportError(
            "the run has no graph of dPRO", hint="Only dPRO trials have one (docs/dpro.md)."
        )
    with whole_file(path) as file:
        for line in _lines(nodes, edges):
            file.write(line.encode())
    return WrittenGraph(path, len(nodes), len(edges))


def _lines(nodes: list[Any], edges: list[Any]) -> Iterator[str]:
    # A loop over rows: each is a block of lines, and labels are escaped.
    yield "graph [\n  directed 1\n"
    for n, (name, attributes) in enumerate(nodes):
        lines = "".join(f"    {each}\n" for each in attributes)
        yield f'  node [\n    id {n}\n    label "{_escaped(name)}"\n{lines}  ]\n'
    for source, target in edges:
        yield f"  edge [\n    source {source}\n    target {target}\n  ]\n"
    yield "]\n"


def _escaped(label: str) -> str:
    return _SPECIAL.sub(lambda found: f"&#{ord(found[0])};", label)


def _write(opened: Session, path: Path, options: Mapping[str, Any]) -> WrittenGraph:
    return export_gml(opened, path)


GML = Exporter(_write)
