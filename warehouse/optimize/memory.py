"""Searches what keeps the memory of a run within a budget at the least cost of time.

Parts of the run are computed again, gradients of parts of the batch accumulated, or both; a smaller
batch is recommended only where neither is enough.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from warehouse.errors import UsageError
from warehouse.library.header import Column
from warehouse.optimize import memory_sources
from warehouse.optimize.memory_sources import Memory, Plan
from warehouse.optimize.search import (
    COLUMNS,
    STEPS,
    Noise,
    Options,
    Outcome,
    Strategies,
    is_interruption,
    noise,
    prediction_of,
    result,
    row,
    slowest_ns,
)
from warehouse.optimize.strategy import Strategy, provenance, step_rows, trajectory
from warehouse.replay import prediction
from warehouse.replay.graph import TABLES

if TYPE_CHECKING:
    from warehouse.query.session import Session
    from warehouse.replay.engines import Engine
    from warehouse.replay.graph import Graph

NAME = "memory"
_PEAK = Column("peak_bytes", "BIGINT", "byte", "Peak of memory, of the tensors that operators name")


@dataclass(frozen=True)
class _Candidate:
    plan: Plan
    peak_bytes: int
    predicted_ns: float

    def rank(self, budget: int) -> tuple[int, bool, float]:
        """The less the better: bytes above the budget, then less work, then time."""
        return max(self.peak_bytes - budget, 0), self.plan.is_smaller, self.predicted_ns


def search(session: Session, engine: Engine, options: Options) -> Outcome:
    """Searches what the run in scope computes again.

    Raises QueryError if the run cannot be replayed or does not record tensors; UsageError without a
    budget, for one below what no plan can save, and for options of other strategies.
    """
    budget = _budget(options)
    graph = prediction.replayed(session, engine, before=options.before)
    memory = memory_sources.read(session, graph)
    _refuse_low(budget, memory)
    limit = noise(session, prediction.scenario(graph, engine, []))
    peak = memory.peak(session, Plan("recorded"))
    unchanged = _Candidate(Plan("recorded"), peak, limit.replayed_ns)
    plans = memory.plans(budget, options) if peak > budget else []
    judged, stopped = _judged(session, graph, engine, memory, plans)
    within = [each for each in judged if each.peak_bytes <= budget]
    chosen = min(within, key=lambda each: each.rank(budget), default=unchanged)
    shown = [unchanged, *_best_of_each(judged, budget)]
    table = [_row(each, limit, is_chosen=each is chosen) for each in shown]
    steps = trajectory(
        [(each.plan.search, str(each.plan), each.predicted_ns, each is chosen)
         for each in judged], limit.replayed_ns,
    )  # fmt: skip
    strategy = Strategy(
        name=NAME,
        edits=chosen.plan.edits,
        recorded_groups=(),
        groups=(),
        prediction=prediction_of(table, limit)
        | {"recorded_peak_bytes": peak, "peak_bytes": chosen.peak_bytes},
        search={
            "search": options.search, "memory_budget": budget, "device": memory.device,
            "is_estimated": memory.remark is not None,
            "candidates": len(judged), "is_complete": stopped is None,
        },
        trajectory=steps,
        provenance=provenance(session, (*TABLES.values(), *memory.queries)),
    )  # fmt: skip
    return Outcome(
        result(session, table, TABLES["node"], (*COLUMNS, _PEAK)),
        strategy,
        result(session, step_rows(steps), TABLES["node"], STEPS),
        note=_note(chosen, judged, budget, memory, peak),
        stopped=stopped,
        best=chosen.plan.edits,
    )


STRATEGY = Strategies(search, place=3, is_needed=True)


def _budget(options: Options) -> int:
    if options.search == "anneal":
        raise UsageError("memory has no search anneal", hint="Searches: sweep, dp.")
    options.refuse(
        NAME,
        "n_groups",
        "bytes_per_s",
        "clusters",
        "ratio",
        "model",
        "cast_bytes_per_s",
        "candidates",
        "n_layers",
        "is_by_layer",
        "program",
    )
    if options.memory_budget is None:
        raise UsageError("memory requires --memory-budget", hint="Write bytes, as 402268 or 16GB.")
    return options.memory_budget


def _refuse_low(budget: int, memory: Memory) -> None:
    floor = memory.floor()
    if budget < floor:
        raise UsageError(
            f"--memory-budget {budget} is below the {floor} bytes that weights, inputs and what "
            f"one operator uses take on {memory.device}",
            hint="No plan saves these: raise the budget.",
        )


def _judged(
    session: Session, graph: Graph, engine: Engine, memory: Memory, plans: list[Plan]
) -> tuple[list[_Candidate], str | None]:
    """The plans with their times, and why the last are missing: Ctrl-C ends the search."""
    found: list[_Candidate] = []
    try:
        for plan in plans:
            predicted_ns = _predicted(graph, engine, plan)
            if predicted_ns is not None:
                found.append(_Candidate(plan, memory.peak(session, plan), predicted_ns))
    except (KeyboardInterrupt, RuntimeError) as error:
        if not found or not is_interruption(error):
            raise
        return found, f"The search was interrupted after {len(found)} of {len(plans)} candidates."
    return found, None


def _predicted(graph: Graph, engine: Engine, plan: Plan) -> float | None:
    """The time of a plan; None for a smaller batch that changes no work of the run."""
    try:
        rows = prediction.scenario(graph, engine, plan.edits)
    except UsageError:
        if plan.is_smaller:
            return None
        raise
    return slowest_ns(rows, "predicted_ns") or 0.0


def _best_of_each(judged: Iterable[_Candidate], budget: int) -> Iterator[_Candidate]:
    """The best candidate of each search: the fastest within the budget, or the smallest."""
    best: dict[str, _Candidate] = {}
    for each in judged:
        known = best.get(each.plan.search)
        if known is None or each.rank(budget) < known.rank(budget):
            best[each.plan.search] = each
    yield from best.values()


def _row(each: _Candidate, limit: Noise, *, is_chosen: bool) -> dict[str, object]:
    plan = each.plan
    found = row(
        plan.search,
        each.predicted_ns,
        limit,
        is_recommended=is_chosen,
        extrapolated=float(plan.batches > 1),
        edits=plan.edits,
    )
    n_edits = len(plan.parts) + (plan.batches > 1)
    return found | {"n_edits": n_edits, "peak_bytes": each.peak_bytes}


def _note(
    chosen: _Candidate, judged: list[_Candidate], budget: int, memory: Memory, peak: int
) -> str | None:
    """The sentence about the recommendation, and how memory is known."""
    least = min([peak, *(each.peak_bytes for each in judged)])
    text = None
    if chosen.plan.is_smaller:
        text = (
            "Of the plans found, only a smaller batch is within the budget: "
            f"1/{chosen.plan.batches} of it a step, so that training takes more steps."
        )
    elif peak <= budget:
        text = f"The run takes {peak} bytes on {memory.device}, which is within the budget."
    elif not chosen.plan.edits:
        text = (
            f"No plan within the budget of {budget} bytes was found: the least takes {least}, "
            f"and none can take less than {memory.floor()}."
        )
    return " ".join(each for each in (text, memory.remark) if each) or None
