"""Formats values in the units that people read: 660.6 ms, 23.8 %, 2.8 GiB."""

from __future__ import annotations

import re
from typing import Any

#: What a value without a number shows.
MISSING = "-"
_TIMES = (("ns", 1.0), ("µs", 1e3), ("ms", 1e6), ("s", 1e9))
_BINARY = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")
_DECIMAL = ("", "k", "M", "G", "T", "P")
_IN_NS = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}
#: Columns that are places on the time axis, which need all digits to tell events apart.
_POSITION = re.compile(r"(^|_)(start|end)_ns$|^ts$")
_EXACT_BELOW = 1e15  # of numbers that are grouped by thousands


def shown(value: Any, unit: str | None, name: str = "") -> str:
    """Formats a value of a column `name` with this unit; texts and ids stay as they are."""
    if value is None:
        return MISSING
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, int | float):
        return str(value)
    if isinstance(value, float) and (value != value or abs(value) == float("inf")):
        return str(value)
    if unit in _IN_NS:
        ns = value * _IN_NS[unit]
        return f"{ns / 1e6:,.3f} ms" if _POSITION.search(name) else duration(ns)
    if unit == "byte":
        return size(value)
    if unit == "ratio":
        return percent(value)
    if unit in ("byte/s", "Hz", "1/s"):
        return rate(value, {"byte/s": "B/s", "1/s": "/s"}.get(unit, unit))
    if unit in ("GB/s", "MiB", "MiB/s", "W", "MHz", "C"):
        return f"{rounded(value)} {unit}"
    return number(value, is_grouped=unit is not None and "id" not in unit and unit != "address")


def duration(ns: float) -> str:
    """Formats a duration in the largest unit in which it is at least 1: 12.34 µs."""
    if ns == 0:
        return "0 ns"
    unit, factor = next(
        (each for each in reversed(_TIMES) if abs(ns) >= each[1] * 0.99995), _TIMES[0]
    )
    return f"{rounded(ns / factor)} {unit}"


def size(n_bytes: float) -> str:
    """Formats a size: 412 B, 2.8 GiB."""
    value, unit = float(n_bytes), _BINARY[0]
    for unit in _BINARY:
        if abs(value) < 1023.95 or unit == _BINARY[-1]:
            break
        value /= 1024
    return f"{value:,.0f} B" if unit == "B" else f"{value:,.1f} {unit}"


def percent(ratio: float) -> str:
    """Formats a ratio in percent, small ones with two significant digits: 23.8 %, 0.046 %."""
    value = ratio * 100
    if value == 0 or abs(value) >= 0.95:
        return f"{value:,.1f} %" if abs(value) < 1e6 else f"{value:,.3g} %"
    return f"{value:.2g} %" if abs(value) >= 1e-4 else f"{value:.1e} %"


def rate(value: float, unit: str) -> str:
    """Formats a rate with a decimal prefix: 1.555 TB/s."""
    scaled, prefix = float(value), _DECIMAL[0]
    for prefix in _DECIMAL:
        if abs(scaled) < 999.95 or prefix == _DECIMAL[-1]:
            break
        scaled /= 1000
    return f"{rounded(scaled)} {prefix}{unit}"


def number(value: float, *, is_grouped: bool) -> str:
    """Formats a count by groups of three digits, other numbers with four significant digits."""
    if isinstance(value, int):
        return f"{value:,}" if is_grouped else str(value)
    return rounded(value)


def rounded(value: float) -> str:
    """Rounds to four significant digits, and whole numbers to none: 660.6, 1,234,568."""
    magnitude = abs(value)
    if magnitude >= _EXACT_BELOW or 0 < magnitude < 1e-3:
        return f"{value:.4g}"
    if magnitude >= 999.95 or value == int(value):
        return f"{value:,.0f}"
    for limit, n_digits in ((99.995, 1), (9.9995, 2), (0.99995, 3)):
        if magnitude >= limit:
            return f"{value:,.{n_digits}f}"
    return f"{value:.4f}".rstrip("0")
