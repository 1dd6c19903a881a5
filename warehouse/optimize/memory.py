"""Searches which parts of a run to compute again so that its memory stays within a budget."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from warehouse.errors import UsageError
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
_QUERIES = ("what_if_recompute", "memory_recomputed", "memory_use", "memory_node")
#: Of plans within the budget each search replays this many, the cheapest by their closed form.
_MOST_REPLAYED = 12
_PEAK = Column("peak_bytes", "BIGINT", "byte", "Peak of memory, of the tensors that operators name")


@dataclass(frozen=True)
class _Candidate:
    search: str
    parts: Parts  # that are computed again
    peak_bytes: int
    predicted_ns: float

    @property
    def edits(self) -> tuple[WhatIf, ...]:
        return (_edit(self.parts),) if self.parts else ()


def search(session: Session, engine: Engine, options: Options) -> Outcome:
    """Searches what the run in scope computes again.

    Raises QueryError if the run cannot be replayed or does not record tensors; UsageError without a
    budget, for one below what no plan can save, and for options of other strategies.
    """
    budget = _budget(options)
    graph = prediction.replayed(session, engine)
    what_if.refuse(graph, WhatIf(_WHAT_IF, {"parts": "0-1@1"}))
    recorded = recorded_memory.read(session)
    _refuse_low(budget, recorded)
    limit = noise(session, graph, prediction.scenario(graph, engine, []))
    peak = recorded.lifetimes.plan().peak
    unchanged = _Candidate("recorded", (), peak, limit.replayed_ns)
    plans = _plans(Planner(recorded, budget), options) if peak > budget else []
    judged, stopped = _judged(session, graph, engine, recorded, plans)
    within = [each for each in judged if each.peak_bytes <= budget]
    chosen = min(within, key=lambda each: each.predicted_ns) if within else unchanged
    shown = [unchanged, *_best_of_each(judged, budget)]
    table = [_row(each, limit, is_chosen=each is chosen) for each in shown]
    steps = trajectory(
        [(each.search, str(_edit(each.parts)), each.predicted_ns, each is chosen)
         for each in judged], limit.replayed_ns,
    )  # fmt: skip
    strategy = Strategy(
        name=NAME,
        edits=chosen.edits,
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
        note=_note(chosen, judged, budget, peak, recorded),
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


def _refuse_low(budget: int, recorded: Recorded) -> None:
    floor = recorded.lifetimes.floor()
    if budget < floor:
        raise UsageError(
            f"--memory-budget {budget} is below the {floor} bytes that inputs of the graph and "
            f"those of one operator take on {recorded.device}",
            hint="No plan that computes parts again saves these: raise the budget.",
        )


def _plans(planner: Planner, options: Options) -> list[tuple[str, Parts]]:
    """The plans to replay, with the search that each is of, the cheapest of each search."""
    sweep = list(dict.fromkeys(planner.uniform()))
    found = [("sweep", parts) for parts in _cheapest(planner, sweep)]
    if options.search == "dp":
        greedy = list(planner.greedy())
        start = min([*sweep, *greedy], key=planner.score)
        improved = [*greedy, *planner.improved(start)]
        found += [("dp", parts) for parts in _cheapest(planner, improved)]
    return [each for each in found if each[1]]


def _cheapest(planner: Planner, plans: Iterable[Parts]) -> list[Parts]:
    return sorted(dict.fromkeys(plans), key=planner.score)[:_MOST_REPLAYED]


def _judged(
    session: Session,
    graph: Graph,
    engine: Engine,
    recorded: Recorded,
    plans: list[tuple[str, Parts]],
) -> tuple[list[_Candidate], str | None]:
    """The plans with their times, and why the last are missing: Ctrl-C ends the search."""
    found: list[_Candidate] = []
    try:
        for name, parts in plans:
            rows = prediction.scenario(graph, engine, [_edit(parts)])
            predicted_ns = slowest_ns(rows, "predicted_ns") or 0.0
            peak = _peak(session, recorded, parts)
            found.append(_Candidate(name, parts, peak, predicted_ns))
    except (KeyboardInterrupt, RuntimeError) as error:
        if not found or not is_interruption(error):
            raise
        return found, f"The search was interrupted after {len(found)} of {len(plans)} candidates."
    return found, None


def _peak(session: Session, recorded: Recorded, parts: Parts) -> int:
    """The peak of a plan on the device, by the query."""
    rows: list[Any] = session.run(
        "SELECT peak_bytes FROM memory_recomputed(p_parts := $parts::VARCHAR) "
        "WHERE graph_id = $graph_id::BIGINT AND device = $device::VARCHAR",
        {"parts": ",".join(map(str, parts)), "graph_id": recorded.graph_id,
         "device": recorded.device},
    ).rows()  # fmt: skip
    ((peak,),) = rows
    return int(peak)


def _best_of_each(judged: Iterable[_Candidate], budget: int) -> Iterator[_Candidate]:
    """The best candidate of each search: the fastest within the budget, or the smallest."""
    best: dict[str, _Candidate] = {}
    for each in judged:
        if each.search not in best or _rank(each, budget) < _rank(best[each.search], budget):
            best[each.search] = each
    yield from best.values()


def _rank(each: _Candidate, budget: int) -> tuple[int, float]:
    return max(each.peak_bytes - budget, 0), each.predicted_ns


def _edit(parts: Parts) -> WhatIf:
    return WhatIf(_WHAT_IF, {"parts": ",".join(map(str, parts))})


def _row(each: _Candidate, limit: Noise, *, is_chosen: bool) -> dict[str, object]:
    found = row(each.search, each.predicted_ns, limit, is_recommended=is_chosen, edits=each.edits)
    return found | {"n_edits": len(each.parts), "peak_bytes": each.peak_bytes}


def _note(
    chosen: _Candidate, judged: list[_Candidate], budget: int, peak: int, recorded: Recorded
) -> str | None:
    if chosen.parts:
        return None
    if peak <= budget:
        return f"The run takes {peak} bytes on {recorded.device}, which is within the budget."
    least = min([peak, *(each.peak_bytes for each in judged)])
    return (
        f"No plan is within the budget of {budget} bytes: the least found takes {least}, "
        f"and none can take less than {recorded.lifetimes.floor()}."
    )
