"""`tw info`: size, contents and versions of the warehouse file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from warehouse.cli import options
from warehouse.query.selection import Selection

if TYPE_CHECKING:
    from warehouse.store.info import Info


@click.command()
@click.option("--tables", "with_tables", is_flag=True, help="Include rows and size of each table.")
@click.option("--traces", "with_traces", is_flag=True, help="Include rows and size of each trace.")
@click.option(
    "--json", "as_json", is_flag=True, help="Print a JSON object that includes tables and traces."
)
@options.database
def info(
    db: Path | None, wait_s: float, with_tables: bool, with_traces: bool, as_json: bool
) -> None:
    """Show the size and contents of the warehouse file.

    \b
    Example:
      tw info --tables --traces
    """
    import json
    from dataclasses import asdict

    from warehouse.query import session
    from warehouse.store import info as facts

    place = session.Place.of(db, wait_s=wait_s)
    with session.opened(place, Selection(runs=("all",))) as opened:
        found = facts.read(opened, with_traces=with_traces or as_json)
    if as_json:
        click.echo(json.dumps(asdict(found), indent=2))
        return
    lines = _lines(found)
    lines += ["", *_tables(found)] if with_tables else []
    lines += ["", *_traces(found)] if with_traces else []
    click.echo("\n".join(lines))


def _lines(found: Info) -> list[str]:
    from warehouse.library import describe

    state = "" if found.schema_version == found.latest_schema_version else " (`tw schema upgrade`)"
    free = describe.size(found.n_free_bytes)
    rows = [
        ["file", found.path],
        [
            "size",
            f"{describe.size(found.n_bytes)}, {free} of it free inside",
        ],
        ["schema", f"version {found.schema_version}{state}"],
        ["program", f"tw {found.tw_version}, duckdb {found.duckdb_version}"],
        ["runs", f"{found.n_runs:,}, of {found.n_traces:,} traces"],
        ["slices", f"{found.n_slices:,}, with {found.n_links:,} links"],
        ["imports", f"{found.first_import or 'none'} to {found.last_import or 'none'} (UTC)"],
    ]
    return describe.aligned(rows)


def _tables(found: Info) -> list[str]:
    from warehouse.library import describe

    sizes = [
        [each.name, f"{each.n_rows:>14,}", describe.size(each.n_bytes)]
        for each in found.tables
        if each.n_rows
    ]
    return describe.aligned([["table", f"{'rows':>14}", "size"], *sizes])


def _traces(found: Info) -> list[str]:
    from warehouse.library import describe

    sizes = [
        [each.name, f"{each.n_rows:>14,}", describe.size(each.n_bytes), each.imported_at[:19]]
        for each in found.traces
    ]
    head = ["run/trace", f"{'rows':>14}", "size", "imported (UTC)"]
    return describe.aligned([head, *sizes])
