"""`tw queries`: what the library has, whether it keeps its promises, and how to add to it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from warehouse import config
from warehouse.cli import options
from warehouse.cli.completion import query_names
from warehouse.cli.scope_options import scope
from warehouse.errors import ContractError, TwError
from warehouse.library import describe, macros
from warehouse.query.selection import Selection

if TYPE_CHECKING:
    from warehouse.library.library import Library, Query

_QUERY_PATH = click.option(
    "--query-path",
    "query_path",
    type=click.Path(path_type=Path, file_okay=False),
    multiple=True,
    help="Folder of your own queries; repeatable.",
)


@click.group()
def queries() -> None:
    """List, show, check and create queries.

    \b
    Example:
      tw queries list
      tw queries show utilization
    """


def _load(query_path: tuple[Path, ...]) -> Library:
    from warehouse.library import library

    found = library.load([*config.load().query_path, *query_path])
    for notice in found.notices:
        click.echo(f"Note: {notice}", err=True)
    return found


@queries.command()
@options.database
def install(db: Path | None, wait_s: float) -> None:
    """Store the library's queries in the warehouse, as macros for other DuckDB clients.

    `FROM utilization()` then works in any DuckDB that opens the file. Imports and `tw schema
    upgrade` keep them up to date. `tw` itself needs none of it, and opens the file faster without.

    \b
    Example:
      tw queries install
      duckdb traces.duckdb "FROM utilization()"
    """
    from warehouse.store import database

    with database.writer(config.database_path(db), wait_s=wait_s) as connection:
        is_new = macros.store_macros(connection)
    click.echo("Stored." if is_new else "They are there already.", err=True)


@queries.command("list")
@_QUERY_PATH
def list_(query_path: tuple[Path, ...]) -> None:
    """List the queries: name, newest version and title.

    \b
    Example:
      tw queries list
    """
    for line in describe.library(_load(query_path)):
        click.echo(line)


@queries.command()
@click.argument("name", shell_complete=query_names)
@click.option("--sql", "show_sql", is_flag=True, help="Print the file itself instead.")
@_QUERY_PATH
def show(name: str, show_sql: bool, query_path: tuple[Path, ...]) -> None:
    """Show a query: parameters, columns with their units, what it calls, its changes.

    \b
    Example:
      tw queries show utilization_over_time
    """
    found = _load(query_path)
    query = found.find(name)
    if show_sql:
        click.echo(query.sql.rstrip("\n"))
        return
    click.echo("\n".join(describe.query(query, found)))


@queries.command()
@click.argument("names", nargs=-1)
@click.option("--write-lock", is_flag=True, help="Enter new versions into queries/LOCK.toml.")
@click.option("--rows", "on_rows", is_flag=True, help="Check the rows of the warehouse too.")
@_QUERY_PATH
@scope
@options.database
def check(
    names: tuple[str, ...],
    write_lock: bool,
    on_rows: bool,
    query_path: tuple[Path, ...],
    selection: Selection,
    db: Path | None,
    wait_s: float,
) -> None:
    """Check that queries keep what their headers promise.

    Their text, their exact types on an empty warehouse and the lock of versions are checked; with
    --rows also unique keys, NULLs and the checks of columns on the rows of the warehouse.

    \b
    Example:
      tw queries check
      tw queries check utilization --rows --run latest
    """
    from warehouse.library import contract, lock

    found = _load(query_path)
    chosen = [found.find(name) for name in names] or list(found.queries.values())
    problems = contract.check(found, chosen)
    if write_lock:
        for key in lock.write(found, lock.lock_path()):
            click.echo(f"Locked {key}", err=True)
    keys = {str(query.key) for query in chosen}
    for problem in lock.problems(found, lock.read(lock.lock_path())):
        if not names or problem.partition(": ")[0] in keys:
            problems.append(problem)
    if on_rows and not problems:
        problems += _check_rows(found, chosen, config.database_path(db), selection, wait_s)
    for problem in problems:
        click.echo(problem)
    if problems:
        raise ContractError(f"{len(problems)} problem{'s' * (len(problems) > 1)} found")
    click.echo(f"{len(chosen)} queries keep their contracts", err=True)


def _check_rows(
    found: Library, chosen: Sequence[Query], path: Path, selection: Selection, wait_s: float
) -> list[str]:
    from warehouse.library import contract
    from warehouse.query import scope
    from warehouse.store import database

    problems = []
    with database.Reader(path, wait_s=wait_s) as reader:
        scope.apply(reader.connection, scope.resolve(reader.connection, selection))
        for query in found.closure(chosen):
            query.install(reader.connection)
        for query in chosen:
            try:
                wrong = contract.check_rows(reader.connection, query)
            except TwError as error:
                wrong = [error.message]
            problems += [f"{query.key}: {problem}" for problem in wrong]
    return problems


@queries.command()
@click.argument("name")
@click.option(
    "--folder",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    default=Path(),
    help="Where to put it.  [default: the working folder]",
)
def new(name: str, folder: Path) -> None:
    """Write an example query to start from.

    \b
    Example:
      tw queries new long_slices
    """
    from warehouse.library import contract

    path = contract.new_query(name, folder)
    written = path if path.is_absolute() else f"./{path}"  # without a slash it would be a name
    click.echo(f"Wrote {path}; run it with `tw query {written}`", err=True)


@queries.command()
def changelog() -> None:
    """Print the changes of our queries as Markdown.

    \b
    Example:
      tw queries changelog > queries/CHANGELOG.md
    """
    from warehouse.library import contract, library

    click.echo(contract.changelog(library.load()), nl=False)
