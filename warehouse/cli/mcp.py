"""`tw mcp`: serves the warehouse to agents."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from warehouse.cli import memory_options, options
from warehouse.errors import UsageError


@click.command()
@click.option(
    "--max-rows",
    type=click.IntRange(min=1),
    default=1_000,
    show_default=True,
    help="Maximum number of rows of an answer.",
)
@click.option(
    "--max-bytes",
    type=click.IntRange(min=1_000),
    default=100_000,
    show_default=True,
    help="Maximum size of the rows of an answer.",
)
@click.option(
    "--timeout",
    "timeout_s",
    type=click.FloatRange(min=0, min_open=True),
    default=60.0,
    show_default=True,
    metavar="SECONDS",
    help="Maximum time of a call.",
)
@click.option(
    "--query-path",
    "query_path",
    type=click.Path(path_type=Path, file_okay=False),
    multiple=True,
    help="Folder of your own queries; repeatable.",
)
@memory_options.memory_limit
@options.database
def mcp(
    max_rows: int,
    max_bytes: int,
    timeout_s: float,
    query_path: tuple[Path, ...],
    db: Path | None,
    wait_s: float,
) -> None:
    """Serve the warehouse to agents by the Model Context Protocol, over stdin and stdout.

    Agents list runs, find, describe and run queries, diagnose and compare. They only read: nothing
    is written, no other file is opened, and each call has the limits given here. A client starts
    the command itself (docs/agents.md). Needs the extra `mcp`: pip install 'trace-warehouse[mcp]'.

    \b
    Example:
      tw mcp --db /data/traces.duckdb
      tw mcp --max-rows 200 --timeout 20
    """
    from warehouse.mcp.answers import Limits
    from warehouse.mcp.worker import Worker

    try:
        from warehouse.mcp import server
    except ImportError as error:
        raise UsageError(
            f"the server needs a package that is missing: {error.name}",
            hint="pip install 'trace-warehouse[mcp]'",
        ) from None
    if sys.stdin.isatty():
        click.echo("Waiting for a client on stdin, which usually starts this itself.", err=True)
    limits = Limits(max_rows, max_bytes, timeout_s)
    worker = Worker(memory_options.place(db, wait_s, query_path=query_path), limits)
    try:
        server.serve(worker, limits).run("stdio")
    finally:
        worker.close()
