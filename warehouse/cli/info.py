"""`tw info`: size, contents and versions of the warehouse file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from warehouse.cli import options
from warehouse.query.selection import Selection
from warehouse.wording import counted

if TYPE_CHECKING:
    from warehouse.store.info import Info


@click.command()
@click.option("--tables", "with_tables", is_flag=True, help="Include rows and size of each table.")
@click.option("--traces", "with_traces", is_flag=True, help="Include rows and size of each trace.")
@click.option(
    "--coverage",
    "with_coverage",
    is_flag=True,
    help="Include the share of each device's time that has a launch, operator, module, "
    "Python line, category and FLOPs.",
)
@click.option(
    "--json", "as_json", is_flag=True, help="Print a JSON object that includes tables and traces."
)
@options.database
def info(
    db: Path | None,
    wait_s: float,
    with_tables: bool,
    with_traces: bool,
    with_coverage: bool,
    as_json: bool,
) -> None:
    """Show the size and contents of the warehouse file.

    \b
    Example:
      tw info --tables --traces
      tw info --coverage
    """
    import json
    from dataclasses import asdict

    from warehouse.query import session
    from warehouse.store import info as facts

    place = session.Place.of(db, wait_s=wait_s)
    with session.opened(place, Selection(runs=("all",), with_captures=True)) as opened:
        found = facts.read(
            opened, with_tables=with_tables or as_json, with_traces=with_traces or as_json
        )
        covered = opened.run("coverage").table().to_pylist() if with_coverage else []
    if as_json:
        more = {"coverage": covered} if with_coverage else {}
        click.echo(json.dumps(asdict(found) | more, indent=2))
        return
    lines = _lines(found)
    lines += ["", *_tables(found)] if with_tables else []
    lines += ["", *_traces(found)] if with_traces else []
    lines += ["", *_coverage(covered)] if with_coverage else []
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
        ["runs", f"{found.n_runs:,}, of {counted(found.n_traces, 'trace')}"],
        ["slices", f"{found.n_slices:,}, with {counted(found.n_links, 'link')}"],
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


def _coverage(rows: list[dict[str, Any]]) -> list[str]:
    from warehouse.library import describe

    if not rows:
        return ["coverage: no trace has device work"]
    shares = ("launch", "op", "module", "python", "category", "flops")
    cells = [
        [
            str(row["run_id"]),
            str(row["trace_id"]),
            "unknown" if row["device"] is None else str(row["device"]),
            f"{row['device_ns'] / 1e6:.3f} ms",
            *(_percent(row[f"{share}_share"]) for share in shares),
        ]
        for row in rows
    ]
    return describe.aligned([["run", "trace", "device", "device time", *shares], *cells])


def _percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.1f} %"
