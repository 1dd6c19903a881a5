"""What all oracles of TPU captures count with."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tests.support.tpu_captures import DDR_GB_PER_S, L2_GB_PER_S, Command

Row = dict[str, Any]
MEMORIES = {"DDR": "ddr", "L2M": "l2", "LMEM": "lmem"}
PEAKS = {"DDR": DDR_GB_PER_S * 1e9, "L2M": L2_GB_PER_S * 1e9, "LMEM": None}


def covered(commands: Iterable[Command]) -> set[int]:
    """The nanoseconds in which some of the commands runs."""
    return {ns for command in commands for ns in command.ns}


def ratio(a: float | None, b: float | None) -> float | None:
    """a / b, or nothing where there is nothing to divide by."""
    return None if a is None or not b else a / b


def total(values: Iterable[int | None]) -> int | None:
    """The sum of what is known; None where nothing is."""
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def named(unit: tuple[str, int | None, int | None]) -> Row:
    return dict(zip(("engine", "core", "port"), unit, strict=True))
