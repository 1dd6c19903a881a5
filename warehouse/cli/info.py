"""`tw info`: what the warehouse file is, how large, and what takes the space."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from warehouse.cli import options

if TYPE_CHECKING:
    from warehouse.info import Info


@click.command()
@click.option("--tables", "with_tables", is_flag=True, help="Rows and size of each table, too.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object, tables included.")
@options.database
def info(db: Path | None, wait_s: float, with_tables: bool, as_json: bool) -> None:
    """Say what the warehouse file is, and how large.

    \b
    Example:
      tw info --tables
    """
    import json
    from dataclasses import asdict

    from warehouse import info as facts
    from warehouse import scope, session

    place = session.Place.of(db, wait_s=wait_s)
    with session.opened(place, scope.Selection(runs=("all",))) as opened:
        found = facts.read(opened)
    if as_json:
        click.echo(json.dumps(asdict(found), indent=2))
        return
    click.echo("\n".join(_lines(found, with_tables)))


def _lines(found: Info, with_tables: bool) -> list[str]:
    from warehouse import describe

    state = "" if found.schema_version == found.latest_schema_version else " (`tw schema upgrade`)"
    rows = [
        ["file", found.path],
        ["size", f"{_bytes(found.n_bytes)}, {_bytes(found.n_free_bytes)} of it free inside"],
        ["schema", f"version {found.schema_version}{state}"],
        ["program", f"tw {found.tw_version}, duckdb {found.duckdb_version}"],
        ["runs", f"{found.n_runs:,}, of {found.n_traces:,} traces"],
        ["slices", f"{found.n_slices:,}, with {found.n_links:,} links"],
        ["imports", f"{found.first_import or 'none'} to {found.last_import or 'none'} (UTC)"],
    ]
    lines = describe.aligned(rows)
    if with_tables:
        filled = [each for each in found.tables if each.n_rows]
        sizes = [[each.name, f"{each.n_rows:>14,}", _bytes(each.n_bytes)] for each in filled]
        lines += ["", *describe.aligned([["table", f"{'rows':>14}", "size"], *sizes])]
    return lines


def _bytes(n: int) -> str:
    """1536 as "1.5 KiB"."""
    size, unit = float(n), "B"
    for unit in ("B", "KiB", "MiB", "GiB", "TiB"):
        if size < 1024 or unit == "TiB":
            break
        size /= 1024
    return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
