"""Options of trends: rows and runs that count; the same for `tw trend` and `tw schedule add`."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import click

from warehouse.cli import options
from warehouse.trend.change_point import LEVEL

Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass(frozen=True)
class TrendOptions:
    """How a column is followed over runs."""

    only: str | None
    aggregate: str
    by: str | None
    where: Mapping[str, str]
    level: float


def trend_options(of: str = "") -> Callable[[Command], Command]:
    """Adds --only, --aggregate, --by, --where and --level; the command gets them as `rules`.

    Their help begins with `of`.
    """

    def add(command: Command) -> Command:
        @functools.wraps(command)
        def with_rules(
            *args: Any,
            only: str | None,
            aggregate: str,
            by: str | None,
            where: tuple[str, ...],
            level: float,
            **kwargs: Any,
        ) -> Any:
            tags = options.pairs(where, "--where KEY=VALUE")
            return command(*args, rules=TrendOptions(only, aggregate, by, tags, level), **kwargs)

        wrapped: Any = with_rules
        for option in reversed(_options(of)):
            wrapped = option(wrapped)
        return wrapped  # type: ignore[no-any-return]

    return add


def _options(of: str) -> tuple[Callable[[Any], Any], ...]:
    return (
        click.option(
            "--only",
            metavar="SQL",
            help=f"{of}Only rows for which this SQL condition is true: \"name = 'aten::mm'\".",
        ),
        click.option(
            "--aggregate",
            type=click.Choice(("mean", "median", "sum", "min", "max")),
            default="mean",
            show_default=True,
            help=f"{of}How rows of a run become its value.",
        ),
        click.option(
            "--by",
            metavar="KEY",
            help=f"{of}Order runs by the value of this tag.  [default: by time]",
        ),
        click.option(
            "--where",
            multiple=True,
            metavar="KEY=VALUE",
            help=f"{of}Only runs with this tag (`tw tag KEY=VALUE`); repeatable.",
        ),
        click.option(
            "--level",
            type=click.FloatRange(0, 0.5, min_open=True),
            default=LEVEL,
            show_default=True,
            metavar="P",
            help=f"{of}Largest chance of a change point in runs that differ only by chance.",
        ),
    )
