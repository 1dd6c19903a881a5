"""Judges from rows of compare_summary whether side B of a comparison is slower than A.

B is slower if the change of one figure exceeds the limit and the 95 % interval of the change lies
above 0. Without an interval, as for recordings without steps, the limit alone decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from warehouse.errors import TwError

Row = dict[str, Any]
#: Figures that can be judged; by default the first that both sides have.
MEASURES = ("makespan", "step_time", "device_time", "operator_time")
#: Figures whose disagreement with the judged one is worth a warning.
_CHECKED = ("step_time", "device_time")
_LEAST_DISAGREEMENT = 0.05


@dataclass(frozen=True)
class Judgement:
    """The figure judged; its change and the ends of its interval are relative to A."""

    measure: str
    basis: str  # step or trace
    ratio: float
    interval: tuple[float, float] | None
    limit: float
    spread: str | None  # steps or runs: what the interval is based on
    no_interval: str | None
    warnings: tuple[str, ...] = ()

    @property
    def is_slower(self) -> bool:
        return self.ratio > self.limit and (self.interval is None or self.interval[0] > 0)

    def sentences(self) -> list[str]:
        """The verdict, what it does not cover, and warnings, a line each."""
        basis = {"step": "typical step", "trace": "mean a recording"}[self.basis]
        if self.no_interval == "steps":
            basis = "mean a step"
        word = "slower" if self.ratio > 0 else "faster"
        change = f"{abs(self.ratio):.2%} {word}" if self.ratio else "as fast as A"
        text = f"{self.measure} ({basis}): B is {change}"
        if self.interval is not None:
            text += f", 95 % interval {self.interval[0]:+.2%} to {self.interval[1]:+.2%}"
        verdict = "more than" if self.ratio > self.limit else "within"
        text += f"; {verdict} the limit of {self.limit:.2%}"
        if self.ratio > self.limit and not self.is_slower:
            text += ", but the interval includes 0: not judged slower"
        return [f"{text}.", *self._reservations(), *(f"WARNING: {each}" for each in self.warnings)]

    def _reservations(self) -> list[str]:
        if self.no_interval:
            reason = {"steps": "a side has fewer than two steps"}.get(self.no_interval, "no steps")
            return [f"Judged without an interval: {reason}."]
        if self.spread == "steps":
            return ["Within these two recordings; the spread between runs is unknown."]
        return []


def judge(rows: Sequence[Row], limit: float, measure: str | None = None) -> Judgement:
    """Judges `measure`, by default the first of MEASURES that both sides have.

    Raises TwError if a side has none of them.
    """
    by_name = {row["measure"]: row for row in rows}
    for name in [measure] if measure else MEASURES:
        row = by_name[name]
        if row["total_a"] and row["total_b"] and row["change_ratio"] is not None:
            return _judgement(row, by_name, limit)
    if measure:
        reason = by_name[measure]["not_compared"] or "A or B has none"
        raise TwError(f"{measure} is not compared: {reason}", hint="Choose another with --by.")
    raise TwError(
        "no measure to compare: A or B has no steps, device work or operators",
        hint="Compare other traces, or omit --fail-if-slower.",
    )


def _judgement(row: Row, by_name: dict[str, Row], limit: float) -> Judgement:
    ratio, interval = _change(row)
    no_interval = None if interval else row["no_p"] or "no steps"
    threshold = max(limit, _LEAST_DISAGREEMENT)
    warnings = [
        f"{name} changed by {other:+.2%}, {row['measure']} by {ratio:+.2%}."
        for name in _CHECKED
        if name != row["measure"]
        for other in [_certain_change(by_name[name])]
        if other is not None and abs(other - ratio) > threshold
    ]
    return Judgement(
        row["measure"], row["basis"], ratio, interval, limit, row["spread"], no_interval,
        tuple(warnings),
    )  # fmt: skip


def _change(row: Row) -> tuple[float, tuple[float, float] | None]:
    """Relative change and its interval: of the typical step where it is known, else of the mean."""
    if row["change_low"] is None or not row["typical_a"]:
        return row["change_ratio"], None
    a = row["typical_a"]
    return row["typical_change"] / a, (row["change_low"] / a, row["change_high"] / a)


def _certain_change(row: Row) -> float | None:
    """The relative change, if any, whose interval does not include 0."""
    if row["change_ratio"] is None:
        return None
    ratio, interval = _change(row)
    return None if interval and interval[0] <= 0 <= interval[1] and ratio else ratio
