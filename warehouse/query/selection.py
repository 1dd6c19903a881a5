"""The selection of a user, and the scope that scope.py resolves it to; parses ranks."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable
from dataclasses import dataclass

from warehouse.errors import ScopeError
from warehouse.times import parse_time

LISTED_RANKS = 16  # tables and charts of more ranks show a distribution


@dataclass(frozen=True)
class Selection:
    """The selected runs, traces, ranks and window; empty means the default."""

    runs: tuple[str, ...] = ()  # NAME, ID, latest, all, tag:NAME, since:7d
    traces: tuple[str, ...] = ()  # NAME or ID
    ranks: tuple[int, ...] = ()
    from_ns: int | None = None  # on the scale of slice.ts
    to_ns: int | None = None
    with_captures: bool = False  # also traces of captured graphs that are not named


def options_of(chosen: Selection) -> str:
    """The options of a command that select the same."""
    words = [word for run in chosen.runs for word in ("--run", run)]
    words += [word for trace in chosen.traces for word in ("--trace", trace)]
    if chosen.ranks:
        words += ["--rank", ",".join(map(str, chosen.ranks))]
    for name, ns in (("--from", chosen.from_ns), ("--to", chosen.to_ns)):
        words += [] if ns is None else [name, str(ns)]
    return shlex.join(words)


Names = str | int | Iterable[str | int]


def select(
    *,
    run: Names = (),
    trace: Names = (),
    rank: int | str | Iterable[int] = (),
    start: int | str | None = None,
    end: int | str | None = None,
) -> Selection:
    """Creates a selection from single values or sequences; raises ScopeError for invalid text."""
    if isinstance(rank, str):
        ranks = parse_ranks(rank)
    else:
        ranks = (rank,) if isinstance(rank, int) else tuple(sorted(set(rank)))
    return Selection(
        runs=_texts(run),
        traces=_texts(trace),
        ranks=ranks,
        from_ns=parse_time(start) if isinstance(start, str) else start,
        to_ns=parse_time(end) if isinstance(end, str) else end,
    )


def _texts(given: Names) -> tuple[str, ...]:
    return (str(given),) if isinstance(given, str | int) else tuple(str(each) for each in given)


def parse_ranks(text: str) -> tuple[int, ...]:
    """Parses ranks such as `3`, `0,2` or `0-3,8`; raises ScopeError."""
    ranks: set[int] = set()
    for part in text.split(","):
        match = re.fullmatch(r"\s*([0-9]{1,9})\s*(?:-\s*([0-9]{1,9})\s*)?", part)
        if not match or int(match[2] or match[1]) - int(match[1]) not in range(1_000_000):
            raise ScopeError(f"invalid rank {text!r}", hint="Write numbers and ranges: 0,2-5.")
        ranks.update(range(int(match[1]), int(match[2] or match[1]) + 1))
    return tuple(sorted(ranks))


@dataclass(frozen=True)
class Scope:
    """A resolved scope; ids are in ascending order."""

    run_ids: tuple[int, ...]
    trace_ids: tuple[int, ...]
    run_names: tuple[str, ...] = ()
    from_ns: int | None = None
    to_ns: int | None = None
    covers_all: bool = False  # every row of the warehouse: no filter is needed
    capture_ids: tuple[int, ...] = ()  # traces of captured graphs, seen as causes only
    notice: str | None = None  # printed when the run was chosen by default, or captures left out
    damage: str | None = None  # printed when traces were read from damaged files

    @property
    def has_window(self) -> bool:
        return self.from_ns is not None or self.to_ns is not None
