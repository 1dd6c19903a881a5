"""Number formats that show a value in a larger unit: the cell keeps the value as it is."""

from __future__ import annotations

import math
from typing import NamedTuple

#: Each a thousand times the one before.
_LARGER = {
    "ns": ("ns", "µs", "ms", "s"),
    "byte": ("byte", "kB", "MB", "GB", "TB"),
    "byte/s": ("byte/s", "kB/s", "MB/s", "GB/s", "TB/s"),
    "count": ("",),
}


class Scale(NamedTuple):
    """A larger unit: `commas` at the end of a number format divide by a thousand each."""

    unit: str
    commas: str
    value: float  # in this unit


def scale(unit: str, value: float) -> Scale:
    """The unit in which a value is best read, or the largest of several values."""
    units = _LARGER.get(unit, (unit,))
    n_steps = min(len(units) - 1, int(math.log10(max(abs(value), 1)) // 3))
    return Scale(units[n_steps], "," * n_steps, value / 1000**n_steps)


def number_format(scale: Scale, n_digits: int) -> str:
    """The number format with so many digits, where the integer has less."""
    n_decimals = max(0, n_digits - len(str(int(abs(scale.value)))))
    return "#,##0" + ("." + "0" * n_decimals if n_decimals else "") + scale.commas
