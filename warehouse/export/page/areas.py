"""Computes stacked areas: lines with the same x, of which each stays at a value until the next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

Numbers = np.ndarray[Any, np.dtype[np.float64]]


def at(x: Numbers, lines: Sequence[tuple[Numbers, Numbers]]) -> Iterator[Numbers]:
    """Yields the value of each line, given by its x and y, at each x; 0 before it begins."""
    for own, y in lines:
        place = np.searchsorted(own, x, side="right") - 1
        yield np.where(place >= 0, np.nan_to_num(y)[np.maximum(place, 0)], 0.0)
