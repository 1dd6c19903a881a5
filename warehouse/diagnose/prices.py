"""What `warehouse.diagnose.pricing` returns; apart from it, so that it loads without a replay."""

from __future__ import annotations

from dataclasses import dataclass

LEAST_COVERAGE = 0.5  # below it, a cost is an estimate only


@dataclass(frozen=True)
class Prices:
    """What changes save, in ns of the slowest rank, and what they are relative to."""

    saved_ns: dict[str, float]  # by what-if
    replayed_ns: float | None  # None: the run cannot be replayed
    measured_ns: float | None
    problem: str | None  # why the run cannot be replayed, or the replay is not usable
    are_of_step: bool = False  # of one step, or of the mean of steps
