"""`tw tag`: tags of runs."""

from __future__ import annotations

from pathlib import Path

import click

from warehouse.cli import options
from warehouse.errors import UsageError


@click.command()
@click.argument("name", required=False)
@click.option(
    "--run", "runs", multiple=True, metavar="RUN",
    help="NAME, ID, latest, all, tag:NAME or since:7d; repeatable.  [default: latest]",
)  # fmt: skip
@click.option("--move", "moves", is_flag=True, help="Remove the tag from all other runs.")
@click.option(
    "--delete",
    "-d",
    "deletes",
    is_flag=True,
    help="Remove the tag, from all runs unless --run is given.",
)
@options.database
def tag(
    name: str | None,
    runs: tuple[str, ...],
    moves: bool,
    deletes: bool,
    db: Path | None,
    wait_s: float,
) -> None:
    """Tag runs, or list tags.

    A run may have several tags, and a tag several runs. Every command accepts `--run tag:NAME`; `tw
    prune --keep-tagged` keeps tagged runs. A tag such as commit=1a2b3c says what a run is of.

    \b
    Example:
      tw tag baseline --run nightly-2026-11-20 --move
      tw tag commit=1a2b3c
      tw tag
      tw tag baseline --delete
    """
    from warehouse import config
    from warehouse.query.selection import Selection
    from warehouse.store import tags

    path = config.database_path(db)
    if name is None:
        if runs or moves or deletes:
            raise UsageError("no tag given", hint="tw tag NAME --run RUN; `tw tag` lists them.")
        _list(path, wait_s)
        return
    if deletes:
        chosen = Selection(runs=runs) if runs else None
        done = tags.take(path, name, chosen, wait_s=wait_s)
        click.echo(f"Took {name} off {', '.join(done)}.", err=True)
        return
    chosen = Selection(runs=runs or ("latest",))
    done = tags.put(path, name, chosen, moves=moves, wait_s=wait_s)
    click.echo(f"Tagged {', '.join(done)} as {name}.", err=True)


def _list(path: Path, wait_s: float) -> None:
    from warehouse.library import describe
    from warehouse.store import tags

    found = tags.tags(path, wait_s=wait_s)
    if not found:
        click.echo("No tags; add one with `tw tag NAME --run RUN`.", err=True)
        return
    rows = [[each.name, each.run, each.tagged_at[:19]] for each in found]
    click.echo("\n".join(describe.aligned([["tag", "run", "since (UTC)"], *rows])))
