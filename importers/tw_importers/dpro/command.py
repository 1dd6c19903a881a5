"""`tw export gml`: the global graph of a dPRO trial."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from warehouse.cli.export_options import output_option, run_stem, say, scoped
from warehouse.cli.memory_options import memory_limit
from warehouse.cli.options import database
from warehouse.cli.scope_options import scope
from warehouse.wording import counted

if TYPE_CHECKING:
    from warehouse.query.selection import Selection


@click.command("gml", short_help="Write the graph of a dPRO trial (.gml).")
@database
@memory_limit
@scope
@output_option("A .gml file.  [default: RUN.gml]")
def gml(db: Path | None, wait_s: float, selection: Selection, output: Path | None) -> None:
    """Write the global graph of a dPRO trial, as dPRO's trail_dag.gml.

    Nodes have mean durations and gaps; NetworkX and dPRO read the file.

    \b
    Example:
      tw export gml --run trial -o trail_dag.gml
    """
    from warehouse.export import registry

    with scoped(db, wait_s, selection) as opened:
        path = output or Path(f"{run_stem(opened.seen)}.gml")
        done = registry.export(opened, "gml", path)
    say(f"Wrote {path}: {counted(done.n_nodes, 'node')}, {counted(done.n_edges, 'edge')}.")
