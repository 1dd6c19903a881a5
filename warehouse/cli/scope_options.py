"""Scope options: runs, traces, ranks and a time window; the same for every command."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

import click

from warehouse.cli.completion import run_names
from warehouse.query import scope as scopes
from warehouse.query.selection import Selection, parse_ranks
from warehouse.times import parse_time

Command = TypeVar("Command", bound=Callable[..., Any])


def scope(command: Command) -> Command:
    """Adds --run, --trace, --rank, --from and --to; the command gets `selection`."""

    @functools.wraps(command)
    def with_selection(
        *args: Any,
        runs: tuple[str, ...],
        traces: tuple[str, ...],
        ranks: tuple[str, ...],
        from_time: str | None,
        to_time: str | None,
        **kwargs: Any,
    ) -> Any:
        selection = Selection(
            runs=runs,
            traces=traces,
            ranks=tuple(sorted({n for text in ranks for n in parse_ranks(text)})),
            from_ns=None if from_time is None else parse_time(from_time),
            to_ns=None if to_time is None else parse_time(to_time),
        )
        return command(*args, selection=selection, **kwargs)

    wrapped: Any = with_selection
    for option in reversed(_OPTIONS):
        wrapped = option(wrapped)
    return wrapped  # type: ignore[no-any-return]


_OPTIONS = (
    click.option(
        "--run",
        "runs",
        multiple=True,
        metavar="RUN",
        shell_complete=run_names,
        help="NAME, ID, latest, all, tag:NAME or since:7d; repeatable.  "
        "[default: the only run, else the last imported]",
    ),
    click.option(
        "--trace", "traces", multiple=True, metavar="TRACE", help="NAME or ID; repeatable."
    ),
    click.option(
        "--rank",
        "ranks",
        multiple=True,
        metavar="RANKS",
        help="Ranks, e.g. 3 or 0,2-5; repeatable.",
    ),
    click.option(
        "--from",
        "from_time",
        metavar="TIME",
        help="Start of the time window: 1500 (ns), 1.5ms or 2s after the trace's base "
        "(slice.ts = 0).",
    ),
    click.option("--to", "to_time", metavar="TIME", help="End of the time window, exclusive."),
)


def announce(chosen: scopes.Scope, *, quiet: bool) -> None:
    """Prints to stderr which run was chosen by default, and which traces are damaged."""
    from warehouse.cli.emit import echo_sentence

    if quiet:
        return
    if chosen.notice:
        echo_sentence(f"Scope: {chosen.notice}")
    if chosen.damage:
        echo_sentence(f"WARNING: {chosen.damage}")
