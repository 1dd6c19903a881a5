"""`tw prune`: removes old runs."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import click

from warehouse.cli import options
from warehouse.errors import UsageError


def _age(ctx: click.Context, param: click.Parameter, value: str | None) -> timedelta | None:
    from warehouse.times import parse_age

    return None if value is None else parse_age(value)


@click.command()
@click.option(
    "--older-than",
    "older_than",
    callback=_age,
    metavar="AGE",
    help="Minimum age: a number and min, h, d or w, e.g. 30d.",
)
@click.option("--keep-tagged", is_flag=True, help="Keep runs that have a tag.")
@click.option(
    "--keep-last",
    type=click.IntRange(min=0),
    default=0,
    metavar="N",
    help="Keep the newest N runs.",
)
@click.option(
    "--run", "runs", multiple=True, metavar="RUN",
    help="Runs to consider: NAME, ID, all, tag:NAME; repeatable.  [default: all]",
)  # fmt: skip
@click.option("--dry-run", is_flag=True, help="Print what would be removed, and remove nothing.")
@click.option("--yes", "-y", "is_agreed", is_flag=True, help="Do not ask for confirmation.")
@options.database
def prune(
    older_than: timedelta | None,
    keep_tagged: bool,
    keep_last: int,
    runs: tuple[str, ...],
    dry_run: bool,
    is_agreed: bool,
    db: Path | None,
    wait_s: float,
) -> None:
    """Remove old runs with all their traces, in one transaction.

    The age of a run counts from the last import into it. Later imports reuse the space; `tw vacuum`
    returns it to the file system.

    \b
    Example:
      tw prune --older-than 30d --keep-tagged --dry-run
      tw prune --keep-last 20 --keep-tagged --yes
    """
    from warehouse import config
    from warehouse.cli.drop import ask, count
    from warehouse.query.selection import Selection
    from warehouse.store import removal

    if older_than is None and not keep_last:
        raise UsageError(
            "no age or number of runs given", hint="Give --older-than 30d or --keep-last 20."
        )
    path, selection = config.database_path(db), Selection(runs=runs or ("all",))
    age = removal.Age(older_than, keep_tagged, keep_last)
    agreed = removal.plan(path, wait_s, selection, age)
    if not agreed.names:
        click.echo("No runs to remove.", err=True)
        return
    if dry_run:
        click.echo("\n".join(agreed.names))
        click.echo(f"{count(agreed.names)} would be removed.", err=True)
        return
    if not is_agreed:
        ask(agreed.names)
    removal.remove(path, wait_s, selection, agreed, age)
    click.echo(f"Removed {count(agreed.names)}: {', '.join(agreed.names)}.", err=True)
