"""Prices findings: what a replay of the run without them says that it would save."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from warehouse.errors import QueryError, UsageError
from warehouse.replay import prediction, what_if

if TYPE_CHECKING:
    import pyarrow as pa

    from warehouse.diagnose.findings import Finding
    from warehouse.query.session import Session
    from warehouse.replay.engines import Engine

MOST = 24  # changes that are replayed, those of the largest bounds
LEAST_COVERAGE = 0.5  # below it, a price is an upper bound only


@dataclass(frozen=True)
class Prices:
    """What changes save, in ns of the slowest rank, and what they are relative to."""

    saved_ns: dict[str, float]  # by what-if
    replayed_ns: float | None  # None: the run cannot be replayed
    measured_ns: float | None
    problem: str | None  # why it cannot be replayed


def price(
    session: Session, engine: Engine, findings: Sequence[Finding], step: int | None = None
) -> Prices:
    """Replays the run with the change of each finding; of one step, if given.

    Of more than `MOST` changes, those with the largest bounds are replayed. Raises QueryError if no
    rank has that step.
    """
    try:
        graph = prediction.replayed(session, engine)
        unchanged = prediction.scenario(graph, engine, ())
    except QueryError as error:
        return Prices({}, None, None, str(error))
    before = _slowest(unchanged, step)
    saved: dict[str, float] = {}
    by_bound = sorted(findings, key=lambda each: -(each.bound_ns or 0))
    for text in dict.fromkeys(each.what_if for each in by_bound if each.what_if):
        if len(saved) == MOST:
            break
        try:
            after = _slowest(prediction.scenario(graph, engine, [what_if.parse(text)]), step)
        except UsageError:  # it changes nothing
            saved[text] = 0.0
        else:
            saved[text] = max(before["predicted_ns"] - after["predicted_ns"], 0.0)
    return Prices(saved, before["predicted_ns"], before["measured_ns"], None)


def _slowest(rows: pa.Table, step: int | None) -> dict[str, Any]:
    """The row of the rank whose predicted time is longest: of the step, or of the whole."""
    mine = [row for row in rows.to_pylist() if row["step"] == step]
    if not mine:
        raise QueryError(f"no rank has a step {step}", hint="`tw query step_summary` lists them.")
    slowest: dict[str, Any] = max(mine, key=lambda row: row["predicted_ns"] or 0)
    return slowest
