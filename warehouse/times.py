"""Parses times and ages as users write them: `1.5ms`, `7d`."""

from __future__ import annotations

import re
from datetime import timedelta
from decimal import Decimal, InvalidOperation

from warehouse.errors import ScopeError

_NS = {"": 1, "ns": 1, "us": 1_000, "µs": 1_000, "ms": 1_000_000, "s": 1_000_000_000}
_NS |= {"min": 60_000_000_000, "h": 3_600_000_000_000}
_TIME = re.compile(r"([+-]?[0-9][0-9_.eE]*)\s*([a-zµ]*)")
_AGE = re.compile(r"([0-9]+)(min|h|d|w)")
_OLDEST = timedelta(days=36_500)
_AGES = {"min": "minutes", "h": "hours", "d": "days", "w": "weeks"}


def parse_time(text: str) -> int:
    """A time or duration in ns, from an integer or a number with ns, us, ms, s, min or h.

    Raises ScopeError if it is not a whole number of ns.
    """
    match = _TIME.fullmatch(text.strip())
    if not match or match[2] not in _NS:
        raise ScopeError(
            f"{text!r} is not a time", hint="Write nanoseconds, or a unit: 1500, 1.5ms, 2s."
        )
    try:
        value = Decimal(match[1]) * _NS[match[2]]
    except InvalidOperation:
        raise ScopeError(f"{text!r} is not a time", hint="Write 1500, 1.5ms or 2s.") from None
    if value != int(value) or abs(value) >= 2**63:
        raise ScopeError(f"{text!r} is not a whole number of nanoseconds below 2^63")
    return int(value)


def parse_age(text: str) -> timedelta:
    """A duration written as 90min, 24h, 7d or 2w; raises ScopeError."""
    match = _AGE.fullmatch(text)
    age = timedelta(**{_AGES[match[2]]: min(int(match[1]), 10**8)}) if match else None
    if age is None or age > _OLDEST:
        raise ScopeError(
            f"{text!r} is not an age", hint="Write a number and min, h, d or w, such as 7d."
        )
    return age


def shown_time(ns: int) -> str:
    """Formats nanoseconds exactly, in the largest unit that `parse_time` reads: 1.5ms, 2s."""
    unit = next((unit for unit in ("s", "ms", "us") if abs(ns) >= _NS[unit]), "ns")
    number = (Decimal(ns) / _NS[unit]).normalize()
    return f"{number:f}{unit}"
