"""`tw drop`: removes runs or traces, in one transaction."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from warehouse.cli import options
from warehouse.errors import UsageError
from warehouse.wording import counted


@click.command()
@click.option(
    "--run", "runs", multiple=True, metavar="RUN",
    help="NAME, ID, latest, all, tag:NAME or since:7d; repeatable.",
)  # fmt: skip
@click.option("--trace", "traces", multiple=True, metavar="TRACE", help="NAME or ID; repeatable.")
@click.option("--yes", "-y", "is_agreed", is_flag=True, help="Do not ask for confirmation.")
@options.database
def drop(
    db: Path | None,
    wait_s: float,
    runs: tuple[str, ...],
    traces: tuple[str, ...],
    is_agreed: bool,
) -> None:
    """Remove runs or traces from the warehouse.

    With both --run and --trace, only the named traces of the named runs are removed. A link is
    removed with either of its ends, a run with its last trace. Trace files are not touched.

    \b
    Example:
      tw drop --run baseline
      tw drop --run baseline --trace rank-3 --yes
    """
    from warehouse import config
    from warehouse.query.selection import Selection
    from warehouse.store import removal

    if not runs and not traces:
        raise UsageError("nothing selected", hint="Give --run NAME or --trace NAME.")
    path, selection = config.database_path(db), Selection(runs=runs, traces=traces)
    agreed = removal.plan(path, wait_s, selection)
    if not agreed.names:
        raise UsageError("no trace matches", hint="`tw runs` lists them.")
    if not is_agreed:
        ask(agreed.names)
    removal.remove(path, wait_s, selection, agreed)
    click.echo(f"Removed {count(agreed.names)}: {', '.join(agreed.names)}.", err=True)


def ask(names: Sequence[str]) -> None:
    """Asks for confirmation on the terminal; ends the program unless the answer is yes."""
    import sys

    if not sys.stdin.isatty():
        raise UsageError(
            f"this would remove {count(names)}: {', '.join(names)}", hint="Add --yes to confirm."
        )
    click.confirm(f"Remove {count(names)}: {', '.join(names)}?", abort=True, err=True)


def count(names: Sequence[str]) -> str:
    """Formats a count: `1 trace`, `2 traces`."""
    return counted(len(names), "trace")
