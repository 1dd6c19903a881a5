"""`tw optimize`: searches for changes that make a run faster."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from warehouse import config
from warehouse.cli import options, table_options
from warehouse.cli.emit import emit, say_count
from warehouse.cli.scope_options import announce, scope
from warehouse.cli.search_options import searched
from warehouse.errors import UsageError
from warehouse.query import encoding
from warehouse.query.selection import Selection
from warehouse.wording import counted

if TYPE_CHECKING:
    from warehouse.optimize.search import Options
    from warehouse.optimize.searching import Done, Request
    from warehouse.query.session import Place, Session


@click.command()
@click.argument("strategies", metavar="STRATEGY...", nargs=-1, required=True)
@searched
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
    "--as",
    "name",
    metavar="NAME",
    help="Store the predicted run, for queries, exports and comparisons.",
)
@click.option("--replace", is_flag=True, help="With --as: replace the prediction of that name.")
@click.option(
    "--format",
    "format",
    type=click.Choice(encoding.FORMATS),
    help="Output format.  [default: table]",
)
@options.csv_safe
@table_options.raw
@click.option("-q", "--quiet", is_flag=True, help="Print only errors to stderr.")
@scope
@options.database
def optimize(
    strategies: tuple[str, ...],
    how: Options,
    assume_aligned: bool,
    folder: Path | None,
    name: str | None,
    replace: bool,
    format: str | None,
    is_csv_safe: bool,
    is_raw: bool,
    quiet: bool,
    selection: Selection,
    db: Path | None,
    wait_s: float,
) -> None:
    """Search for changes that make a run faster.

    Judges candidates by replays of the run (`tw replay`), prints the best of each search beside the
    recorded run, and recommends one. A gain smaller than the error of the replay or than the spread
    of the steps is within the noise: then nothing is recommended, but for buckets of PyTorch that
    are faster in replays of the same steps.

    STRATEGY is what to change; buckets: which gradients are reduced together; precision: which
    operators compute in 16 bits; memory: what is computed again, or accumulated, to save memory;
    fusion: which operators are computed as one.

    Several are searched together: each alone, each after the changes of the others, and all
    combinations. The recommendation is never slower than the best of them alone.

    Ctrl-C after the sweep ends the search; the best candidate so far is recommended.

    \b
    Example:
      tw optimize buckets --groups 8 -o faster
      tw optimize buckets --as faster && tw compare RUN faster
      tw optimize buckets --search anneal --seed 7 --budget 1min
      tw optimize precision --model ratios -o mixed
      tw optimize memory --memory-budget 16GB
      tw optimize buckets fusion -o both
    """
    from warehouse.optimize.searching import Request, run
    from warehouse.query import session

    if replace and name is None:
        raise UsageError("--replace requires --as")
    chosen_format = encoding.format_of(None, format, config.load().format)
    options.refuse_binary_on_terminal(chosen_format, None)
    request = Request(strategies, how, folder, name, replace=replace, assume_aligned=assume_aligned)
    place = session.Place.of(db, wait_s=wait_s)
    done = run(place, partial(_announced, place, selection, quiet), request)
    rows = done.outcome.rows
    n_shown = emit(
        rows, chosen_format, None, about=rows.meta, is_csv_safe=is_csv_safe, is_raw=is_raw
    )
    say_count(n_shown, rows.n_rows, None, quiet=quiet)
    if not quiet:
        _say(done, request)


@contextmanager
def _announced(place: Place, selection: Selection, quiet: bool) -> Iterator[Session]:
    """A session whose scope is printed where the user did not choose it."""
    from warehouse.query import session

    with session.opened(place, selection) as found:
        announce(found.seen, quiet=quiet)
        yield found


def _say(done: Done, request: Request) -> None:
    if done.outcome.warning:
        click.echo(f"Warning: {done.outcome.warning}", err=True)
    if done.outcome.stopped:
        click.echo(f"{done.outcome.stopped} The rows are the best so far.", err=True)
    if done.outcome.note:
        click.echo(done.outcome.note, err=True)
    if request.folder is not None:
        files = f"{counted(len(done.files), 'file')} to {request.folder}: {', '.join(done.files)}"
        click.echo(f"Wrote {files}", err=True)
    if done.run is not None:
        count = counted(done.run.n_slices, "slice")
        click.echo(f"{done.run.parent_name} → run {done.run.name}, predicted: {count}", err=True)
    elif request.name is not None:
        click.echo(f"Nothing is recommended: run {request.name} is not stored.", err=True)
