"""What a user can choose to see, and how times, ages and ranks are written; scope.py finds it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal, InvalidOperation

from warehouse.errors import ScopeError

_NS = {"": 1, "ns": 1, "us": 1_000, "µs": 1_000, "ms": 1_000_000, "s": 1_000_000_000}
_NS |= {"min": 60_000_000_000, "h": 3_600_000_000_000}
_TIME = re.compile(r"([+-]?[0-9][0-9_.eE]*)\s*([a-zµ]*)")
_AGE = re.compile(r"([0-9]+)(min|h|d|w)")
_OLDEST = timedelta(days=36_500)
_AGES = {"min": "minutes", "h": "hours", "d": "days", "w": "weeks"}


@dataclass(frozen=True)
class Selection:
    """What the user chose; empty means the default. Choices of one kind add up."""

    runs: tuple[str, ...] = ()  # NAME, ID, latest, all, tag:NAME, since:7d
    traces: tuple[str, ...] = ()  # NAME or ID
    ranks: tuple[int, ...] = ()
    from_ns: int | None = None  # on the scale of slice.ts
    to_ns: int | None = None


Names = str | int | Iterable[str | int]


def select(
    *,
    run: Names = (),
    trace: Names = (),
    rank: int | str | Iterable[int] = (),
    start: int | str | None = None,
    end: int | str | None = None,
) -> Selection:
    """A selection from one value or several; raises ScopeError for a text that is none."""
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


def parse_time(text: str) -> int:
    """A time or length in ns: an integer, or a number with ns, us, ms, s, min or h.

    Raises ScopeError for anything that is not a whole number of ns.
    """
    match = _TIME.fullmatch(text.strip())
    if not match or match[2] not in _NS:
        raise ScopeError(
            f"{text!r} is no time", hint="Write nanoseconds, or a unit: 1500, 1.5ms, 2s."
        )
    try:
        value = Decimal(match[1]) * _NS[match[2]]
    except InvalidOperation:
        raise ScopeError(f"{text!r} is no time", hint="Write 1500, 1.5ms or 2s.") from None
    if value != int(value) or abs(value) >= 2**63:
        raise ScopeError(f"{text!r} is no whole number of nanoseconds below 2^63")
    return int(value)


def parse_age(text: str) -> timedelta:
    """A length of time as 90min, 24h, 7d or 2w; raises ScopeError."""
    match = _AGE.fullmatch(text)
    age = timedelta(**{_AGES[match[2]]: min(int(match[1]), 10**8)}) if match else None
    if age is None or age > _OLDEST:
        raise ScopeError(
            f"{text!r} is no age", hint="Write a number and min, h, d or w, such as 7d."
        )
    return age


def parse_ranks(text: str) -> tuple[int, ...]:
    """Ranks as in "3", "0,2" or "0-3,8"; raises ScopeError."""
    ranks: set[int] = set()
    for part in text.split(","):
        match = re.fullmatch(r"\s*([0-9]{1,9})\s*(?:-\s*([0-9]{1,9})\s*)?", part)
        if not match or int(match[2] or match[1]) - int(match[1]) not in range(1_000_000):
            raise ScopeError(f"{text!r} is no rank", hint="Write numbers and ranges: 0,2-5.")
        ranks.update(range(int(match[1]), int(match[2] or match[1]) + 1))
    return tuple(sorted(ranks))
