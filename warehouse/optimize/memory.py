"""Searches what keeps the memory of a run within a budget at the least cost of time.

Parts of the run are computed again, gradients of parts of the batch accumulated, or both; a smaller
batch is recommended only where neither is enough.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from warehouse.errors import QueryError, UsageError
from warehouse.library.header import Column
from warehouse.optimize import recorded_memory
from warehouse.optimize.memory_plans import Parts, Planner
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
from warehouse.replay import prediction, what_if
from warehouse.replay.graph import TABLES
from warehouse.replay.what_if import WhatIf

if TYPE_CHECKING:
    from warehouse.optimize.recorded_memory import Recorded
    from warehouse.query.session import Session
    from warehouse.replay.engines import Engine
    from warehouse.replay.graph import Graph

NAME = "memory"
_WHAT_IF = "recompute"
_QUERIES = (
    "what_if_recompute",
    "what_if_accumulate",
    "memory_recomputed",
    "memory_accumulated",
    "memory_node",
)
#: Parts of the batch that are tried.
_BATCHES = (2, 4, 8, 16)
#: Of plans within the budget each search replays this many, the cheapest by their closed form.
_MOST_REPLAYED = 12
#: Of each division of the batch, this many plans that also compute parts again.
_MOST_DIVIDED = 2
_PEAK = Column("peak_bytes", "BIGINT", "byte", "Peak of memory, of the tensors that operators name")


@dataclass(frozen=True)
class _Plan:
    """What to compute again, and the parts of the batch."""

    search: str
    parts: Parts = ()
    batches: int = 1
    is_smaller: bool = False  # the batch of a step is one part of it

    @property
    def edits(self) -> tuple[WhatIf, ...]:
        found = [WhatIf(_WHAT_IF, {"parts": _text(self.parts)})] if self.parts else []
        if self.is_smaller:
            found.append(WhatIf("batch", {"ratio": repr(1 / self.batches)}))
        elif self.batches > 1:
            found.append(WhatIf("accumulate", {"batches": str(self.batches)}))
        return tuple(found)

    def __str__(self) -> str:
        return " + ".join(map(str, self.edits))


@dataclass(frozen=True)
class _Candidate:
    plan: _Plan
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
    graph = prediction.replayed(session, engine)
    what_if.refuse(graph, WhatIf(_WHAT_IF, {"parts": "0-1@1"}))
    recorded = recorded_memory.read(session)
    divided = _divided(session, graph, recorded)
    _refuse_low(budget, [recorded, *(each for _, each in divided)])
    limit = noise(session, graph, prediction.scenario(graph, engine, []))
    peak = recorded.lifetimes.plan().peak
    unchanged = _Candidate(_Plan("recorded"), peak, limit.replayed_ns)
    plans: list[_Plan] = []
    if peak > budget:
        plans = [*_plans(recorded, budget, options), *_divisions(divided, budget)]
    judged, stopped = _judged(session, graph, engine, recorded, plans)
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
            "search": options.search, "memory_budget": budget, "device": recorded.device,
            "candidates": len(judged), "is_complete": stopped is None,
        },
        trajectory=steps,
        provenance=provenance(session, (*TABLES.values(), *_QUERIES)),
    )  # fmt: skip
    return Outcome(
        result(session, table, TABLES["node"], (*COLUMNS, _PEAK)),
        strategy,
        result(session, step_rows(steps), TABLES["node"], STEPS),
        note=_note(chosen, judged, budget, recorded),
        stopped=stopped,
    )


STRATEGY = Strategies(search)


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
    )
    if options.memory_budget is None:
        raise UsageError("memory requires --memory-budget", hint="Write bytes, as 402268 or 16GB.")
    return options.memory_budget


def _divided(session: Session, graph: Graph, recorded: Recorded) -> list[tuple[_Plan, Recorded]]:
    """The run by parts of its batch, if it has a backward pass."""
    try:
        what_if.refuse(graph, WhatIf("accumulate", {"batches": "2"}))
    except QueryError:
        return []
    plans = [_Plan("accumulate", batches=n) for n in _BATCHES]
    plans += [_Plan("batch", batches=n, is_smaller=True) for n in _BATCHES]
    return [
        (each, recorded.divided(session, each.batches, is_accumulated=not each.is_smaller))
        for each in plans
    ]


def _divisions(divided: Iterable[tuple[_Plan, Recorded]], budget: int) -> Iterator[_Plan]:
    """The fewest parts of the batch that the budget allows; fewer ones that compute some again."""
    fits: set[str] = set()
    for plan, recorded in divided:
        if plan.search in fits:
            continue
        if recorded.lifetimes.plan().peak <= budget:
            fits.add(plan.search)
            yield plan
        elif not plan.is_smaller and recorded.lifetimes.floor() <= budget:
            parts = [each for each in Planner(recorded, budget).uniform() if each]
            for each in _cheapest(Planner(recorded, budget), parts)[:_MOST_DIVIDED]:
                yield replace(plan, parts=each)


def _refuse_low(budget: int, recorded: list[Recorded]) -> None:
    floor = min(each.lifetimes.floor() for each in recorded)
    if budget < floor:
        raise UsageError(
            f"--memory-budget {budget} is below the {floor} bytes that inputs of the graph and "
            f"those of one operator take on {recorded[0].device}",
            hint="No plan saves these: raise the budget.",
        )


def _plans(recorded: Recorded, budget: int, options: Options) -> list[_Plan]:
    """The plans that compute parts again, the cheapest of each search."""
    planner = Planner(recorded, budget)
    sweep = list(dict.fromkeys(planner.uniform()))
    found = [_Plan("sweep", parts) for parts in _cheapest(planner, sweep)]
    if options.search == "dp":
        greedy = list(planner.greedy())
        start = min([*sweep, *greedy], key=planner.score)
        improved = [*greedy, *planner.improved(start)]
        found += [_Plan("dp", parts) for parts in _cheapest(planner, improved)]
    return [each for each in found if each.parts]


def _cheapest(planner: Planner, plans: Iterable[Parts]) -> list[Parts]:
    return sorted(dict.fromkeys(plans), key=planner.score)[:_MOST_REPLAYED]


def _judged(
    session: Session, graph: Graph, engine: Engine, recorded: Recorded, plans: list[_Plan]
) -> tuple[list[_Candidate], str | None]:
    """The plans with their times, and why the last are missing: Ctrl-C ends the search."""
    found: list[_Candidate] = []
    try:
        for plan in plans:
            predicted_ns = _predicted(graph, engine, plan)
            if predicted_ns is not None:
                found.append(_Candidate(plan, _peak(session, recorded, plan), predicted_ns))
    except (KeyboardInterrupt, RuntimeError) as error:
        if not found or not is_interruption(error):
            raise
        return found, f"The search was interrupted after {len(found)} of {len(plans)} candidates."
    return found, None


def _predicted(graph: Graph, engine: Engine, plan: _Plan) -> float | None:
    """The time of a plan; None for a smaller batch that changes no work of the run."""
    try:
        rows = prediction.scenario(graph, engine, plan.edits)
    except UsageError:
        if plan.is_smaller:
            return None
        raise
    return slowest_ns(rows, "predicted_ns") or 0.0


def _peak(session: Session, recorded: Recorded, plan: _Plan) -> int:
    """The peak of a plan on the device, by the query."""
    rows: list[Any] = session.run(
        "SELECT peak_bytes FROM memory_recomputed(p_parts := $parts::VARCHAR, "
        "p_batches := $batches::BIGINT, p_is_accumulated := $is_accumulated::BOOLEAN) "
        "WHERE graph_id = $graph_id::BIGINT AND device = $device::VARCHAR",
        {"parts": _text(plan.parts), "batches": plan.batches,
         "is_accumulated": not plan.is_smaller, "graph_id": recorded.graph_id,
         "device": recorded.device},
    ).rows()  # fmt: skip
    ((peak,),) = rows
    return int(peak)


def _best_of_each(judged: Iterable[_Candidate], budget: int) -> Iterator[_Candidate]:
    """The best candidate of each search: the fastest within the budget, or the smallest."""
    best: dict[str, _Candidate] = {}
    for each in judged:
        known = best.get(each.plan.search)
        if known is None or each.rank(budget) < known.rank(budget):
            best[each.plan.search] = each
    yield from best.values()


def _text(parts: Parts) -> str:
    return ",".join(map(str, parts))


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
    chosen: _Candidate, judged: list[_Candidate], budget: int, recorded: Recorded
) -> str | None:
    peak = recorded.lifetimes.plan().peak
    if chosen.plan.is_smaller:
        return (
            f"Only a smaller batch is within the budget: 1/{chosen.plan.batches} of it a step, so "
            "that training takes more steps."
        )
    if chosen.plan.edits:
        return None
    if peak <= budget:
        return f"The run takes {peak} bytes on {recorded.device}, which is within the budget."
    least = min([peak, *(each.peak_bytes for each in judged)])
    return (
        f"No plan is within the budget of {budget} bytes: the least found takes {least}, "
        f"and none that only computes parts again can take less than {recorded.lifetimes.floor()}."
    )
