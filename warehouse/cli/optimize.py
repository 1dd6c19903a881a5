"""`tw optimize`: searches for changes that make a run faster."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from warehouse import config
from warehouse.cli import options
from warehouse.cli.emit import emit, say_count
from warehouse.cli.scope_options import announce, scope
from warehouse.query import encoding
from warehouse.query.selection import Selection
from warehouse.wording import counted

if TYPE_CHECKING:
    from warehouse.optimize.search import Outcome


@click.command()
@click.argument("strategy", metavar="STRATEGY")
@click.option(
    "--search",
    "search_name",
    type=click.Choice(["sweep", "dp"]),
    default="dp",
    show_default=True,
    help="sweep: groups of one size or number; dp: also the best contiguous groups.",
)
@click.option(
    "--groups",
    "n_groups",
    type=click.IntRange(min=1),
    metavar="N",
    help="Number of groups.  [default: any]",
)
@click.option(
    "--bytes-per-s",
    "bytes_per_s",
    type=click.FloatRange(min=0, min_open=True),
    metavar="RATE",
    help="Rate of a send, for runs whose groups have too similar sizes to give one.",
)
@click.option(
    "--assume-aligned",
    is_flag=True,
    help="Take ranks whose clocks are not related as if their times were comparable.",
)
@click.option(
    "-o",
    "--output",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    help="Write the recommendation to a new folder: strategy.json, and files for other tools.",
)
@click.option(
    "--format",
    "format",
    type=click.Choice(encoding.FORMATS),
    help="Output format.  [default: table]",
)
@options.csv_safe
@click.option("-q", "--quiet", is_flag=True, help="Print only errors to stderr.")
@scope
@options.database
def optimize(
    strategy: str,
    search_name: str,
    n_groups: int | None,
    bytes_per_s: float | None,
    assume_aligned: bool,
    folder: Path | None,
    format: str | None,
    is_csv_safe: bool,
    quiet: bool,
    selection: Selection,
    db: Path | None,
    wait_s: float,
) -> None:
    """Search for changes that make a run faster.

    Judges candidates by replays of the run (`tw replay`), prints the best of each search beside the
    recorded run, and recommends one. A gain smaller than the error of the replay or than the spread
    of the steps is within the noise: then nothing is recommended.

    STRATEGY is what to change; buckets: which gradients are reduced together.

    \b
    Example:
      tw optimize buckets
      tw optimize buckets --groups 8 -o faster
      tw optimize buckets --search sweep --format json
    """
    from warehouse.files import refuse_occupied
    from warehouse.optimize import search
    from warehouse.optimize.strategy import write
    from warehouse.query import session
    from warehouse.replay import engines

    kind = search.find(strategy)
    chosen_format = encoding.format_of(None, format, config.load().format)
    options.refuse_binary_on_terminal(chosen_format, None)
    if folder is not None:
        refuse_occupied(folder)
    engine = engines.find(engines.DEFAULT)
    if assume_aligned:
        engine = engine.with_parameters(assume_aligned=True)
    with session.opened(session.Place.of(db, wait_s=wait_s), selection) as opened:
        announce(opened.seen, quiet=quiet)
        outcome = kind.search(opened, engine, search.Options(search_name, n_groups, bytes_per_s))
        names = [] if folder is None else write(opened, outcome.strategy, folder)
    rows = outcome.rows
    n_shown = emit(rows, chosen_format, None, about=rows.meta, is_csv_safe=is_csv_safe)
    say_count(n_shown, rows.n_rows, None, quiet=quiet)
    _say(outcome, folder, names, quiet)


def _say(outcome: Outcome, folder: Path | None, names: list[str], quiet: bool) -> None:
    if outcome.note and not quiet:
        click.echo(outcome.note, err=True)
    if folder is not None and not quiet:
        click.echo(f"Wrote {counted(len(names), 'file')} to {folder}: {', '.join(names)}", err=True)
