"""The options --engine and --master of `tw query`, and a query that runs on Spark."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import click

from warehouse.errors import UsageError

if TYPE_CHECKING:
    from warehouse.library.library import Query
    from warehouse.query.result import QueryResult
    from warehouse.query.session import Place, Session

Command = TypeVar("Command", bound=Callable[..., Any])

_ENGINE, _MASTER = "warehouse.engine", "warehouse.master"
SPARK = "spark"


def engine(command: Command) -> Command:
    """Adds --engine and --master; `is_spark` and `rows` use their values."""
    command = click.option(
        "--master",
        metavar="URL",
        callback=_keep(_MASTER),
        expose_value=False,
        help="Master of Spark, such as spark://HOST:7077.  [default: local[*], this machine]",
    )(command)
    return click.option(
        "--engine",
        type=click.Choice(("duckdb", SPARK)),
        default="duckdb",
        show_default=True,
        callback=_keep(_ENGINE),
        expose_value=False,
        help="Engine that runs the query; spark: Apache Spark, over a lake (--lake).",
    )(command)


def _keep(key: str) -> Callable[[click.Context, click.Parameter, str | None], None]:
    def keep(context: click.Context, _: click.Parameter, value: str | None) -> None:
        context.meta[key] = value

    return keep


def is_spark() -> bool:
    """Whether the query runs on Spark. Raises UsageError for a master without it."""
    meta = click.get_current_context().meta
    if meta[_ENGINE] == SPARK:
        return True
    if meta[_MASTER] is not None:
        raise UsageError("--master requires --engine spark", hint="Add --engine spark.")
    return False


def check(query: Query, place: Place, dialect: str) -> bool:
    """Whether the query runs on Spark. Raises UsageError for one that Spark does not run."""
    if not is_spark():
        return False
    from warehouse.spark import run, statement

    run.check(query, is_lake=place.is_lake, dialect=dialect)
    if query.header is not None and query.header.scale == "sql":
        statement.check(str(place.path))
    return True


@contextmanager
def run_on_spark(
    opened: Session, chosen: Query, values: Mapping[str, str], _: str,
    timeout_s: float | None, __: bool,
) -> Iterator[QueryResult]:  # fmt: skip
    """Runs a query on Spark, which has ended when the rows are there."""
    from warehouse.spark import cluster, run

    master = click.get_current_context().meta[_MASTER] or cluster.DEFAULT_MASTER
    with cluster.started(master) as spark:
        found = run.run(opened, chosen, values, spark, timeout_s=timeout_s)
    yield found
