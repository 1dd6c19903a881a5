"""`tw queries`: list, describe, check, test and document queries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from warehouse import config
from warehouse.cli import options
from warehouse.cli.completion import query_names
from warehouse.cli.emit import echo_lines
from warehouse.cli.scope_options import scope
from warehouse.errors import ContractError, TwError, UsageError
from warehouse.library import describe, macros
from warehouse.query.selection import Selection
from warehouse.wording import counted

if TYPE_CHECKING:
    from warehouse.library.library import Library, Query
    from warehouse.query.cases import Case, CaseRunner

_INDENT = "  "
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
    click.echo("Stored." if is_new else "Already stored.", err=True)


@queries.command("list")
@click.option(
    "--format",
    "format",
    type=click.Choice(("table", "csv", "json")),
    default="table",
    show_default=True,
    help="How to print the list.",
)
@click.option("--group", metavar="NAME", help="List only the queries of this group, as summary.")
@click.option("--all", "is_all", is_flag=True, help="Also list the queries that others run.")
@_QUERY_PATH
def list_(format: str, group: str | None, is_all: bool, query_path: tuple[Path, ...]) -> None:
    """List the queries by group: name, newest version, scale and title.

    The scale is what Spark computes apart: each trace, each run, or nothing (sql: the query is
    translated); once is for blocks that are computed before the tasks, and - for queries that Spark
    does not run.

    The table leaves out those that other queries and commands run (groups lib, link, quality and
    whatif). csv and json have all of them, with the group and, for a deprecated name, the query to
    use instead.

    \b
    Example:
      tw queries list
      tw queries list --group memory --format json
    """
    found = _load(query_path)
    entries = describe.entries(found, group, helpers=is_all or format != "table")
    if group is not None and not entries:
        groups = sorted({each.layer for each in found.newest.values()})
        raise UsageError(f"group {group!r} not found", hint=f"Groups: {', '.join(groups)}.")
    click.echo(describe.formatted(entries, format))


@queries.command()
@click.argument("words", nargs=-1, required=True)
@click.option(
    "--rows",
    "max_rows",
    type=click.IntRange(min=-1),
    default=10,
    show_default=True,
    help="Maximum number of queries; -1 for all.",
)
@click.option("--all", "is_all", is_flag=True, help="Also search the queries that others run.")
@_QUERY_PATH
def find(words: tuple[str, ...], max_rows: int, is_all: bool, query_path: tuple[Path, ...]) -> None:
    """Find queries by words of their names, titles, columns and help, best first.

    Words of the field stand for those of this library: MFU finds roofline, dataloader finds idle
    time by cause.

    \b
    Example:
      tw queries find exposed communication
      tw queries find launch-bound
    """
    from warehouse.library import search

    found = search.find(_load(query_path), words, helpers=is_all)
    if not found:
        raise UsageError(
            f"no query matches {' '.join(words)!r}", hint="`tw queries list` lists the queries."
        )
    shown = found if max_rows < 0 else found[:max_rows]
    echo_lines(describe.aligned([describe.heading(each) for each in shown]))
    if len(shown) < len(found):
        click.echo(f"({len(shown)} of {len(found)} queries; --rows -1 for all)", err=True)


@queries.command()
@click.argument("name", shell_complete=query_names)
@click.option("--sql", "show_sql", is_flag=True, help="Print the text of the file.")
@_QUERY_PATH
def show(name: str, show_sql: bool, query_path: tuple[Path, ...]) -> None:
    """Describe a query: parameters, columns with units, the queries it calls, and its changes.

    An example follows: a call, and the first rows it returns on small traces that belong to the
    program.

    \b
    Example:
      tw queries show utilization_over_time
    """
    found = _load(query_path)
    query = found.find(name)
    if show_sql:
        click.echo(query.sql.rstrip("\n"))
        return
    echo_lines(describe.query(query))
    if lines := _example(query, found):
        click.echo("\n".join(["", *lines]))


def _example(query: Query, found: Library) -> list[str]:
    """A call of the query, and the first rows it returns on reference tables that have any."""
    from warehouse.cli.emit import terminal_view
    from warehouse.export.query_docs import examples
    from warehouse.query.terminal import table

    example = examples.run(found, [query]).get(query.header.name) if query.header else None
    if example is None or query.header is None:
        return []
    columns = {column.name: column for column in query.header.columns}
    shown = [columns[name] for name in example.columns]
    view = terminal_view()
    view = replace(view, width=view.width - len(_INDENT), is_coloured=False)
    layout = table.lay_out(shown, example.rows, view)
    n_rows = f"{len(example.rows)} of {counted(example.n_rows, 'row')}"
    return [
        f"Example, {n_rows} of the reference set {example.set}:",
        f"{_INDENT}$ {example.command}",
        *(f"{_INDENT}{line}" for line in layout.text.splitlines()),
    ]


@queries.command()
@click.argument("names", nargs=-1, shell_complete=query_names)
@click.option("--write-lock", is_flag=True, help="Add new versions to LOCK.toml and digests.csv.")
@click.option("--all-sets", is_flag=True, help="Compare the rows of all reference sets.")
@click.option("--rows", "on_rows", is_flag=True, help="Check the rows of the warehouse too.")
@_QUERY_PATH
@scope
@options.database
def check(
    names: tuple[str, ...],
    write_lock: bool,
    all_sets: bool,
    on_rows: bool,
    query_path: tuple[Path, ...],
    selection: Selection,
    db: Path | None,
    wait_s: float,
) -> None:
    """Check queries against their headers, and their versions against the lock.

    Checks the text and the exact types on an empty warehouse; that the contract of each version is
    the one in queries/LOCK.toml; and that its rows on the reference tables have the digests in
    queries/reference/digests.csv. Without NAMES, public queries are run on one reference set each,
    which takes about 20 s of processor time; --all-sets runs all queries on all sets. --rows also
    checks unique keys, NULLs and the checks of columns on the rows of the warehouse.

    \b
    Example:
      tw queries check
      tw queries check utilization --rows --run latest
    """
    from warehouse.library import contract, lock
    from warehouse.query import row_digests

    found = _load(query_path)
    chosen = [found.find(name) for name in names] or list(found.queries.values())
    problems = contract.check(found, chosen)
    if write_lock and not problems:
        for key in lock.write(found, lock.lock_path()):
            click.echo(f"Locked {key}", err=True)
        for key in row_digests.write(found):
            click.echo(f"Added digests of {key}", err=True)
    keys = {str(query.key) for query in chosen}
    for problem in lock.problems(found, lock.read(lock.lock_path())):
        if not names or problem.partition(": ")[0] in keys:
            problems.append(problem)
    if not problems:
        problems += row_digests.problems(found, chosen, all_sets=all_sets or bool(names))
    if on_rows and not problems:
        problems += _check_rows(found, chosen, config.database_path(db), selection, wait_s)
    for problem in problems:
        click.echo(problem)
    if problems:
        raise ContractError(f"{len(problems)} problem{'s' * (len(problems) > 1)} found")
    verb = "queries keep their contracts" if len(chosen) != 1 else "query keeps its contract"
    click.echo(f"{len(chosen)} {verb}", err=True)


def _check_rows(
    found: Library, chosen: Sequence[Query], path: Path, selection: Selection, wait_s: float
) -> list[str]:
    from warehouse.library import contract
    from warehouse.library.installed import Macros
    from warehouse.query import execute, scope
    from warehouse.store import database

    problems = []
    installed = Macros()
    kept: set[str] = set()
    with database.Reader(path, wait_s=wait_s) as reader:
        scope.apply(reader.connection, scope.resolve(reader.connection, selection))
        runnable = [each for each in chosen if all(p.has_default for p in each.parameters)]
        if n_left := len(chosen) - len(runnable):
            left = counted(n_left, "query", "queries")
            click.echo(f"Rows of {left} with required parameters were not checked", err=True)
        for query in runnable:
            try:
                execute.prepare(reader.connection, query, found, installed=installed, kept=kept)
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
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False, exists=True))
@_QUERY_PATH
def test(folder: Path, query_path: tuple[Path, ...]) -> None:
    """Run the cases of queries in a folder: rows to insert, and the rows a query must return.

    A case is a folder QUERY/CASE with input.sql, which fills an empty warehouse, and expected.csv,
    as `tw query --format csv` writes it. input.sql may start with the lines
    `-- parameters: top=3` and `-- input: shared/rows.sql`. Exit code 1 if a case differs.

    \b
    Example:
      tw queries test cases --query-path queries
    """
    from warehouse.query import cases

    found = cases.find_cases(folder)
    if not found:
        raise UsageError(
            f"{folder} has no cases", hint="A case is QUERY/CASE/input.sql with expected.csv."
        )
    n_failed = 0
    with cases.case_runner(_load(query_path)) as runner:
        for case in found:
            n_failed += not _passes(runner, case)
    if n_failed:
        raise ContractError(f"{n_failed} of {len(found)} case{'s' * (len(found) != 1)} failed")
    click.echo(f"{len(found)} case{'s' * (len(found) != 1)} passed", err=True)


def _passes(runner: CaseRunner, case: Case) -> bool:
    try:
        result = runner.run(case)
    except TwError as error:
        click.echo(f"{case.query}/{case.name}: {error.message}")
        return False
    if not result.passed:
        click.echo(result.difference())
    return result.passed


@queries.command()
@click.option(
    "-o",
    "--output",
    "target",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    help="Folder to write to; pages of an earlier call are replaced.",
)
@_QUERY_PATH
def docs(target: Path, query_path: tuple[Path, ...]) -> None:
    """Write a reference of all queries as HTML pages that need no network.

    Each page has the title, parameters, columns with units, callers and callees of a query, and an
    example with rows of the reference tables; index.html lists and searches them.

    \b
    Example:
      tw queries docs -o reference
    """
    from warehouse.export import query_docs

    n_pages = query_docs.write(_load(query_path), target)
    click.echo(f"Wrote {n_pages} pages to {target}; open {target / 'index.html'}", err=True)


@queries.command()
def changelog() -> None:
    """Print the changes of the program's queries as Markdown.

    \b
    Example:
      tw queries changelog > changes.md
    """
    from warehouse.library import contract, library

    click.echo(contract.changelog(library.load()), nl=False)
