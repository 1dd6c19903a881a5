"""`tw query`: runs a library query, a file or a statement."""

from __future__ import annotations

import re
import sys
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from warehouse import config
from warehouse.cli import engine_options, many_ranks, memory_options, options
from warehouse.cli.completion import query_names, query_parameters
from warehouse.cli.emit import echo_sentence, emit, is_for_terminal, say_count
from warehouse.cli.query_export import with_exports
from warehouse.cli.scope_options import announce, scope
from warehouse.cli.table_options import TableOptions, table
from warehouse.errors import UsageError
from warehouse.query import encoding
from warehouse.query.selection import Selection

if TYPE_CHECKING:
    from warehouse.export.sections import Chart
    from warehouse.library.library import Library, Query
    from warehouse.query.encoding import Rows
    from warehouse.query.execute import Result
    from warehouse.query.rank_distribution import Layout
    from warehouse.query.result import QueryResult
    from warehouse.query.session import Session

_HEAT = "heat"
#: How a statement begins that is not the name of a query or file.
_STATEMENT = re.compile(r"\s*(SELECT|WITH|FROM|VALUES|DESCRIBE|SUMMARIZE|EXPLAIN)\s", re.IGNORECASE)


@click.command()
@click.argument("name", required=False, shell_complete=query_names)
@click.option("-c", "statement", metavar="SQL", help="Run this statement.")
@click.option(
    "-f",
    "file",
    type=click.Path(path_type=Path),
    help="Run the query in this file; - reads standard input.",
)
@click.option(
    "-p",
    "parameters",
    multiple=True,
    metavar="NAME=VALUE",
    shell_complete=query_parameters,
    help="Parameter value; repeatable. Times may have a unit, e.g. 1.5ms.",
)
@click.option(
    "--dialect",
    type=click.Choice(("duckdb", "perfetto")),
    default="duckdb",
    show_default=True,
    help="SQL dialect; perfetto: PerfettoSQL, with trace_processor's tables and functions.",
)
@click.option(
    "--format",
    "format",
    type=click.Choice([*encoding.FORMATS, _HEAT]),
    help="Output format.  [default: by the suffix of -o, where .xlsx writes a workbook and .html a "
    "page; else table]  heat draws a map of ranks by steps, of queries that have one in reports: "
    "rank_step.",
)
@options.output
@options.csv_safe
@click.option(
    "--rows",
    "max_rows",
    type=click.IntRange(min=-1),
    help="Maximum number of rows to print; -1 for all.  "
    f"[default: {encoding.DEFAULT_ROWS} in a table, else all]",
)
@table
@many_ranks.all_ranks_option
@click.option(
    "--timeout",
    "timeout_s",
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help="Maximum run time; exits with 4 when exceeded.",
)
@click.option(
    "--query-path",
    "query_path",
    type=click.Path(path_type=Path, file_okay=False),
    multiple=True,
    help="Folder of your own queries; repeatable.",
)
@click.option("-q", "--quiet", is_flag=True, help="Print only errors to stderr.")
@scope
@memory_options.memory_limit
@options.lake
@engine_options.engine
@memory_options.formulas
@options.database
@with_exports
def query(
    name: str | None,
    statement: str | None,
    file: Path | None,
    parameters: tuple[str, ...],
    dialect: str,
    format: str | None,
    target: Path | None,
    is_csv_safe: bool,
    max_rows: int | None,
    shown: TableOptions,
    all_ranks: bool,
    timeout_s: float | None,
    query_path: tuple[Path, ...],
    quiet: bool,
    selection: Selection,
    db: Path | None,
    wait_s: float,
) -> None:
    """Run a library query, a file or a statement.

    NAME is a library query (`tw queries list`), optionally with its version or .sql, the path of a
    file (with a slash), or a statement; - reads the statement from standard input.

    \b
    Example:
      tw query utilization -o busy.xlsx
      tw query rank_step --format heat
      tw query utilization_over_time@3 -p bucket_ns=1ms --rank 0
      tw query ./own.sql --lake /mnt/lake --format csv -o own.csv
      tw query kernel_summary --lake /mnt/lake --engine spark --master spark://host:7077
      tw query -c "SELECT category, count(*) FROM slice GROUP BY ALL"
      tw query --dialect perfetto -c "SELECT MAX(dur) / 1e6 FROM slice WHERE name GLOB 'aten*'"
    """
    from warehouse.library import library
    from warehouse.query import rank_distribution, session
    from warehouse.query.execute import is_plain

    place = memory_options.place(db, wait_s, query_path=query_path)
    chosen_format = encoding.format_of(target, format, config.load().format)
    queries = library.load(place.query_path)
    chosen = _choose(queries, name, statement, file, quiet=quiet)
    values = options.pairs(parameters)
    session.check(chosen, values, dialect)  # before the warehouse is opened
    on_spark = engine_options.check(chosen, place, dialect)
    output = _Output(chosen_format, target, max_rows, is_csv_safe, quiet, shown)
    drawn = _heat_map(chosen, target, place.query_path) if chosen_format == _HEAT else None
    is_listed = all_ranks or bool(selection.ranks) or not output.is_for_terminal
    as_tuples = output.takes_tuples and is_plain(chosen) and not on_spark
    with session.opened(place, selection, queries, reads_arrow=not as_tuples) as opened:
        layout = None if is_listed else rank_distribution.of_session(opened, chosen)
        run = engine_options.run_on_spark if on_spark else _run if quiet else _run_counted
        as_tuples &= layout is None
        with run(opened, chosen, values, dialect, timeout_s, as_tuples) as result:
            announce(opened.seen, quiet=quiet)
            if drawn is not None:
                return _draw(result, drawn)
            _write(result, layout, _about(opened, chosen, values, dialect), output)
            _explain(result, opened, chosen, values, quiet)


def _about(opened: Session, chosen: Query, values: dict[str, str], dialect: str) -> dict[str, str]:
    from warehouse.library.arguments import arguments

    return opened.manifest(chosen, arguments(chosen, values)) | {"dialect": dialect}


def _run(
    opened: Session, chosen: Query, values: dict[str, str], dialect: str,
    timeout_s: float | None, as_tuples: bool,
) -> AbstractContextManager[Result]:  # fmt: skip
    return opened.run(chosen, values, dialect=dialect, timeout_s=timeout_s, as_tuples=as_tuples)


def _run_counted(
    opened: Session, chosen: Query, values: dict[str, str], dialect: str,
    timeout_s: float | None, as_tuples: bool,
) -> AbstractContextManager[Result]:  # fmt: skip
    """As `_run`; also counts the rows that the parameter `top` leaves out, if the query can."""
    from warehouse.query import row_limit

    if row_limit.is_counted(chosen, values):
        return row_limit.run(opened, chosen, values, timeout_s=timeout_s, as_tuples=as_tuples)
    return _run(opened, chosen, values, dialect, timeout_s, as_tuples)


def _explain(
    result: Result | QueryResult,
    opened: Session,
    chosen: Query,
    values: dict[str, str],
    quiet: bool,
) -> None:
    """Says why a query of the library has no rows, or how many its parameter `top` left out."""
    from warehouse.query import emptiness
    from warehouse.query.execute import Result

    if quiet or chosen.header is None:
        return
    if not result.n_rows:
        echo_sentence(f"0 rows. {emptiness.reason(opened, chosen)}")
    elif (
        isinstance(result, Result)  # on Spark, the query would run a second time
        and (left_out := _left_out(result, opened, chosen, values)) is not None
    ):
        echo_sentence(left_out)


def _left_out(result: Result, opened: Session, chosen: Query, values: dict[str, str]) -> str | None:
    from warehouse.errors import QueryError
    from warehouse.query import row_limit

    shown, more = f"{result.n_rows:,}", f"-p {row_limit.PARAMETER}=N for more"
    try:
        n_rows = row_limit.rows_without_limit(opened, chosen, values, result)
    except QueryError:  # the rows are written, only their number is not known
        return f"({shown} rows or more; {more})"
    return None if n_rows is None else f"({shown} of {n_rows:,} rows; {more})"


@dataclass(frozen=True)
class _Output:
    """How rows are written; raises UsageError for rows that cannot be written there."""

    format: str
    target: Path | None
    max_rows: int | None
    is_csv_safe: bool
    quiet: bool
    table: TableOptions

    def __post_init__(self) -> None:
        options.refuse_binary_on_terminal(self.format, self.target)
        self.table.refuse_file(self.target, None if self.format == "table" else self.max_rows)

    @property
    def is_for_terminal(self) -> bool:
        return is_for_terminal(self.format, self.target)

    @property
    def takes_tuples(self) -> bool:
        """Whether rows can be written without Arrow."""
        return self.format == "table" and self.target is None and not self.table.selects


def _write(
    result: Result | QueryResult, layout: Layout | None, about: dict[str, str], output: _Output
) -> None:
    """Writes the rows; with a layout, how they are distributed over the ranks."""
    rows: Rows = result
    if layout is not None:
        rows = many_ranks.distribution(
            result, layout, about, quiet=output.quiet, more=" or --rank 3,8-11"
        )
    rows = applied = output.table.applied(rows, about)
    max_rows = encoding.DEFAULT_ROWS if output.max_rows is None else output.max_rows
    if output.max_rows is not None and max_rows >= 0 and output.format != "table":
        rows = _first(applied, max_rows, about)
    n_shown = emit(
        rows, output.format, output.target, max_rows=max_rows, about=about,
        is_csv_safe=output.is_csv_safe, is_raw=output.table.is_raw, quiet=output.quiet,
        view=output.table.view() if output.is_for_terminal else None,
        remedy="--columns NAMES or --raw shows them",
    )  # fmt: skip
    say_count(n_shown, applied.n_rows, output.target, quiet=output.quiet)


def _first(rows: Rows, max_rows: int, about: dict[str, str]) -> Rows:
    """The first rows, having read all, so that their number is known."""
    import pyarrow as pa

    from warehouse.query.result import QueryResult

    kept, n_kept = [], 0
    for batch in rows.batches():
        if n_kept < max_rows:
            kept.append(batch.slice(0, max_rows - n_kept))
            n_kept += kept[-1].num_rows
    return QueryResult(pa.Table.from_batches(kept, rows.schema), rows.columns, about)


def _heat_map(query: Query, target: Path | None, query_path: tuple[Path, ...]) -> Chart:
    from warehouse.cli import heat

    if target is not None:
        raise UsageError(
            "a heat map cannot be written to a file", hint="Omit -o, or write rows: --format csv."
        )
    return heat.chart_of(str(query.header.name if query.header else query.key), query_path)


def _draw(result: Result | QueryResult, drawn: Chart) -> None:
    import pyarrow as pa

    from warehouse.cli import heat
    from warehouse.query.result import QueryResult

    table = pa.Table.from_batches(list(result.batches()), result.schema)
    rows = QueryResult(table, result.columns, {})
    click.echo("\n".join(heat.lines(rows, drawn)), color=True)


def _choose(
    queries: Library, name: str | None, statement: str | None, file: Path | None, *, quiet: bool
) -> Query:
    from warehouse.library import library

    if sum(each is not None for each in (name, statement, file)) != 1:
        raise UsageError(
            "exactly one of NAME, -c SQL and -f FILE is required",
            hint="`tw queries list` lists library queries.",
        )
    if statement is not None:
        return library.from_text(statement)
    if name == "-" or file == Path("-"):
        return library.from_text(sys.stdin.read(), "standard input")
    if file is not None:
        return library.from_file(file)
    assert name is not None
    if _STATEMENT.match(name):
        return library.from_text(name)
    return _named(queries, name, quiet=quiet)


def _named(queries: Library, name: str, *, quiet: bool) -> Query:
    """Resolves NAME: with a slash a file, else a library query or, if there is none, a file."""
    from warehouse.library import library

    is_file = Path(name).is_file()
    if "/" in name or "\\" in name:
        return library.from_file(Path(name))
    try:
        found = queries.find(name)
    except UsageError:
        if is_file:
            return library.from_file(Path(name))
        _say_notices(queries)  # the query may be one that could not be loaded
        raise
    if is_file and not quiet:
        click.echo(f"Running the library query; for the file use ./{name}", err=True)
    if not quiet:
        _say_notices(queries)
        _warn_of_alias(found)
    return found


def _warn_of_alias(query: Query) -> None:
    from warehouse.library import aliases

    if query.header is not None and query.header.alias_of is not None:
        name, instead = query.header.name, aliases.replacement(query.header)
        click.echo(f"Warning: query {name} is deprecated; use {instead}", err=True)


def _say_notices(queries: Library) -> None:
    for notice in queries.notices:
        click.echo(f"Note: {notice}", err=True)
