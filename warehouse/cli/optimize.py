"""`tw optimize`: searches for changes that make a run faster."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from warehouse import config
from warehouse.cli import options
from warehouse.cli.emit import emit, say_count
from warehouse.cli.scope_options import announce, scope
from warehouse.errors import UsageError
from warehouse.query import encoding
from warehouse.query.selection import Selection
from warehouse.wording import counted

if TYPE_CHECKING:
    from warehouse.optimize.search import Annealing
    from warehouse.optimize.searching import Done, Request
    from warehouse.query.session import Place, Session


@click.command()
@click.argument("strategy", metavar="STRATEGY")
@click.option(
    "--search",
    "search_name",
    type=click.Choice(["sweep", "dp", "anneal"]),
    default="dp",
    show_default=True,
    help="sweep: groups of one size or number; dp: also the best contiguous groups; "
    "anneal: also random changes.",
)
@click.option(
    "--seed",
    type=int,
    metavar="N",
    help="anneal: number that random choices follow from.  [default: 0]",
)
@click.option(
    "--beta",
    type=click.FloatRange(min=0),
    metavar="B",
    help="anneal: the higher, the less likely slower candidates are accepted.  [default: 1]",
)
@click.option(
    "--steps",
    "n_candidates",
    type=click.IntRange(min=1),
    metavar="N",
    help="anneal: number of candidates.  [default: 10000]",
)
@click.option(
    "--budget",
    metavar="TIME",
    help="anneal: stop after this time, such as 30s.  [default: no limit]",
)
@click.option(
    "--processes",
    "n_processes",
    type=click.IntRange(min=1),
    metavar="N",
    help="anneal: processes; the result does not depend on it.  [default: 1]",
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
@click.option("-q", "--quiet", is_flag=True, help="Print only errors to stderr.")
@scope
@options.database
def optimize(
    strategy: str,
    search_name: str,
    seed: int | None,
    beta: float | None,
    n_candidates: int | None,
    budget: str | None,
    n_processes: int | None,
    n_groups: int | None,
    bytes_per_s: float | None,
    assume_aligned: bool,
    folder: Path | None,
    name: str | None,
    replace: bool,
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

    Ctrl-C after the sweep ends the search; the best candidate so far is recommended.

    \b
    Example:
      tw optimize buckets
      tw optimize buckets --groups 8 -o faster
      tw optimize buckets --as faster && tw compare RUN faster
      tw optimize buckets --search anneal --seed 7 --budget 1min
    """
    from warehouse.optimize.search import Options
    from warehouse.optimize.searching import Request, run
    from warehouse.query import session

    if replace and name is None:
        raise UsageError("--replace requires --as")
    chosen_format = encoding.format_of(None, format, config.load().format)
    options.refuse_binary_on_terminal(chosen_format, None)
    annealing = _annealing(
        search_name,
        seed=seed,
        beta=beta,
        n_candidates=n_candidates,
        budget=budget,
        n_processes=n_processes,
    )
    request = Request(
        strategy,
        Options(search_name, n_groups, bytes_per_s, annealing),
        folder,
        name,
        replace=replace,
        assume_aligned=assume_aligned,
    )
    place = session.Place.of(db, wait_s=wait_s)
    done = run(place, partial(_announced, place, selection, quiet), request)
    rows = done.outcome.rows
    n_shown = emit(rows, chosen_format, None, about=rows.meta, is_csv_safe=is_csv_safe)
    say_count(n_shown, rows.n_rows, None, quiet=quiet)
    if not quiet:
        _say(done, request)


def _annealing(search_name: str, *, budget: str | None, **given: float | None) -> Annealing:
    """The options of anneal; raises UsageError for one that the search does not have."""
    from warehouse.optimize.search import Annealing
    from warehouse.times import parse_time

    chosen: dict[str, Any] = {key: value for key, value in given.items() if value is not None}
    if budget is not None:
        chosen["budget_s"] = parse_time(budget) / 1e9
        if chosen["budget_s"] <= 0:
            raise UsageError(
                f"--budget {budget} leaves no time to search", hint="Write a time such as 30s."
            )
    if chosen and search_name != "anneal":
        raise UsageError(
            "--seed, --beta, --steps, --budget and --processes require --search anneal"
        )
    return Annealing(**chosen)


@contextmanager
def _announced(place: Place, selection: Selection, quiet: bool) -> Iterator[Session]:
    """A session whose scope is printed where the user did not choose it."""
    from warehouse.query import session

    with session.opened(place, selection) as found:
        announce(found.seen, quiet=quiet)
        yield found


def _say(done: Done, request: Request) -> None:
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
