"""`tw export dot`: part of a graph in Graphviz's DOT language, or drawn."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from warehouse.cli.export_options import scoped
from warehouse.cli.memory_options import memory_limit
from warehouse.cli.options import database, lake
from warehouse.cli.scope_options import scope
from warehouse.wording import counted

if TYPE_CHECKING:
    from warehouse.export.dot import Drawing
    from warehouse.query.selection import Selection


@click.command(short_help="Draw part of an execution graph.")
@lake
@database
@memory_limit
@scope
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="A .dot file, or .svg, .png or .pdf drawn by Graphviz.  [default: RUN.dot]",
)
@click.option("--root", metavar="NODE", help="Number or name of the node to start from.")
@click.option(
    "--depth",
    type=click.IntRange(0, 200),
    default=3,
    show_default=True,
    help="Number of edges to follow.",
)
@click.option(
    "--direction",
    type=click.Choice(["down", "up", "both"]),
    default="down",
    show_default=True,
    help="down: to dependents; up: to dependencies.",
)
@click.option(
    "--nodes",
    "max_nodes",
    type=click.IntRange(min=1),
    default=150,
    show_default=True,
    help="Maximum number of nodes, nearest first.",
)
@click.option(
    "--kind",
    metavar="KIND",
    help="Kind of graph: linked, or that of an importer, such as execution_trace.  "
    "[default: linked if there is one]",
)
def dot(
    db: Path | None,
    wait_s: float,
    selection: Selection,
    output: Path | None,
    root: str | None,
    depth: int,
    direction: str,
    max_nodes: int,
    kind: str | None,
) -> None:
    """Draw part of an execution graph, as Graphviz DOT.

    Host operators are blue, device work orange, communication red; the legend explains edge styles.
    The number of nodes left out is printed.

    \b
    Example:
      tw export dot --root aten::linear --depth 4 -o linear.svg
      tw export dot --kind execution_trace --nodes 50 -o top.dot
    """
    from warehouse.export import registry
    from warehouse.export.dot import Request
    from warehouse.files import file_stem

    with scoped(db, wait_s, selection, whole="an execution graph") as opened:
        names = opened.seen.run_names
        path = output or Path(f"{file_stem(names[0]) if len(names) == 1 else 'graph'}.dot")
        request = asdict(Request(root, depth, direction, max_nodes, kind))
        drawn: Drawing = registry.export(opened, "dot", path, request)
    for line in _summary(drawn, depth):
        click.echo(line, err=True)


def _summary(drawn: Drawing, depth: int) -> Iterator[str]:
    yield (
        f"Wrote {drawn.path}: {counted(drawn.n_nodes, 'node')} and "
        f"{counted(drawn.n_edges, 'edge')} of the "
        f"{drawn.graph_kind} graph of {drawn.trace_name}."
    )
    if drawn.n_left_out:
        yield (
            f"  {drawn.n_left_out:,} nodes within {depth} edges were left out; --nodes draws more."
        )
    if drawn.n_edges_beyond:
        yield f"  {counted(drawn.n_edges_beyond, 'edge')} beyond the drawing; --depth follows them."
