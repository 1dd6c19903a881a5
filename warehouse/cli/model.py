"""`tw model`: cost models, fitted to recorded work."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

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
    from warehouse.model.models import Model
    from warehouse.query.result import QueryResult
    from warehouse.query.session import Place

_format = click.option(
    "--format",
    "format",
    type=click.Choice(encoding.FORMATS),
    help="Output format.  [default: table]",
)


@click.group()
def model() -> None:
    """Fit, list and show cost models: how long work takes by its size.

    \b
    Example:
      tw model fit communication
      tw model show communication
      tw query model_prediction -p model=communication -p features='{"bytes": 1e6}'
    """


@model.command()
@click.argument("kind")
@click.argument("path", required=False, type=click.Path(path_type=Path))
@click.option("--as", "name", metavar="NAME", help="Name of the model.  [default: KIND]")
@click.option("--replace", is_flag=True, help="Replace the model of that name.")
@_format
@options.csv_safe
@click.option("-q", "--quiet", is_flag=True, help="Print only errors to stderr.")
@scope
@options.database
def fit(
    kind: str,
    path: Path | None,
    name: str | None,
    replace: bool,
    format: str | None,
    is_csv_safe: bool,
    quiet: bool,
    selection: Selection,
    db: Path | None,
    wait_s: float,
) -> None:
    """Fit a model to the runs in scope, store it, and print its lines.

    KIND is communication (by library, kind, number of ranks and link), operator (by operator, data
    type and device), precision (16 bits by 32, of operators recorded in both), fused (clusters that
    `tw optimize fusion --measure` measured), device (operators on several devices, by their peak
    rates), or a query of samples. Coefficients are not negative, and have the least squares of
    relative errors. The column error is that on samples which were held out.

    PATH, with the kind device: fit to measurements of operators in folders by GPU instead, each
    with name.txt, avg.txt and metadata.json.

    \b
    Example:
      tw model fit operator
      tw model fit communication --run all --as cluster --replace
      tw model fit device measured-by-gpu --as gpus
    """
    from warehouse.model import models
    from warehouse.query import session

    place = session.Place.of(db, wait_s=wait_s)

    @contextmanager
    def announced() -> Iterator[session.Session]:
        with session.opened(place, selection) as found:
            announce(found.seen, quiet=quiet)
            yield found

    if path is None:
        made = models.fit_and_store(place, announced, kind, name=name, replace=replace)
    else:
        if selection != Selection():
            raise UsageError(
                "PATH cannot be combined with a choice of runs", hint="Omit --run, or PATH."
            )
        made = _of_folders(place, kind, path, name, replace=replace)
    with session.opened(place, selection) as opened:
        _print(models.lines(opened, made.name), format, is_csv_safe, quiet=quiet)
    if quiet:
        return
    if made.n_unusable:
        rows = counted(made.n_unusable, "row")
        click.echo(f"Left out {rows} without a time or with an unknown feature.", err=True)
    n_problems = sum(each.problem is not None for each in made.groups)
    if n_problems:
        groups = f"{n_problems} of {counted(len(made.groups), 'group')}"
        click.echo(f"{groups} cannot extrapolate: see the column problem.", err=True)


def _of_folders(place: Place, kind: str, path: Path, name: str | None, *, replace: bool) -> Model:
    from warehouse.model import files, models

    reader = files.find(kind)
    if reader is None:
        raise UsageError(
            f"a model of kind {kind} takes no path", hint="`tw model fit device PATH` does."
        )
    made = reader.fit(path, name or kind)
    models.store(place, made, replace=replace)
    return made


@model.command("list")
@_format
@options.csv_safe
@options.database
def list_(format: str | None, is_csv_safe: bool, db: Path | None, wait_s: float) -> None:
    """List the models of the warehouse.

    \b
    Example:
      tw model list
    """
    from warehouse.model import models
    from warehouse.query import session

    with session.opened(session.Place.of(db, wait_s=wait_s)) as opened:
        _print(models.all_models(opened), format, is_csv_safe)


@model.command()
@click.argument("name")
@_format
@options.csv_safe
@options.database
def show(name: str, format: str | None, is_csv_safe: bool, db: Path | None, wait_s: float) -> None:
    """Print the lines of a model: coefficients, ranges and errors of each group.

    \b
    Example:
      tw model show communication
    """
    from warehouse.model import models
    from warehouse.query import session

    with session.opened(session.Place.of(db, wait_s=wait_s)) as opened:
        _print(models.lines(opened, name), format, is_csv_safe)


def _print(
    rows: QueryResult, format: str | None, is_csv_safe: bool, *, quiet: bool = False
) -> None:
    chosen = encoding.format_of(None, format, config.load().format)
    n_shown = emit(rows, chosen, None, about=rows.meta, is_csv_safe=is_csv_safe)
    say_count(n_shown, rows.n_rows, None, quiet=quiet)
