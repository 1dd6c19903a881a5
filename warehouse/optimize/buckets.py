"""Which gradients to reduce together: searches the groups of a run that reduces them on rings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from warehouse.errors import UsageError
from warehouse.optimize import gradients, groupings
from warehouse.optimize.reduction import Grouping, Reduction
from warehouse.optimize.search import (
    Noise,
    Options,
    Outcome,
    Strategies,
    noise,
    result,
    slowest_ns,
)
from warehouse.optimize.strategy import SearchStep, Strategy, provenance
from warehouse.replay import prediction, what_if
from warehouse.replay.graph import TABLES
from warehouse.replay.what_if import WhatIf

if TYPE_CHECKING:
    from warehouse.query.session import Session
    from warehouse.replay.engines import Engine
    from warehouse.replay.graph import Graph

#: Candidates of a search that are evaluated rank by rank, after all by closed form.
N_EVALUATED = 50
#: The best of these are replayed with the whole graph, until one is as predicted, so that none
#: behind it can be better.
N_REPLAYED = 5
_AS_PREDICTED = 1e-6
_WHAT_IF = "groups"


@dataclass(frozen=True)
class _Candidate:
    """Groups with the time of a replay of the whole graph."""

    search: str
    grouping: Grouping
    predicted_ns: float


def search(session: Session, engine: Engine, options: Options) -> Outcome:
    """Searches the groups of the run in scope.

    Raises QueryError if the run cannot be replayed, or its gradients cannot be regrouped;
    UsageError for more groups than tensors.
    """
    graph = prediction.replayed(session, engine)
    what_if.refuse(graph, WhatIf(_WHAT_IF, _rate(options)))
    reduction = gradients.read(graph, options.bytes_per_s)
    _check(reduction, options)
    limit = noise(session, graph, prediction.scenario(graph, engine, []))
    recorded = _Candidate("recorded", reduction.grouping, limit.replayed_ns)
    found, steps, n_candidates = [recorded], [], 0
    for name, candidates in _candidates(reduction, options):
        n_candidates += len(candidates)
        evaluated = _evaluated(reduction, candidates)
        steps += [(name, ns) for ns, _ in evaluated]
        found.append(_replayed(graph, engine, reduction, options, name, evaluated))
    best = min(found, key=lambda each: each.predicted_ns)
    gain = 1 - best.predicted_ns / limit.replayed_ns
    chosen = recorded if limit.covers(gain) else best
    rows = [_row(each, reduction, options, limit, each is chosen) for each in found]
    strategy = Strategy(
        name="buckets",
        edits=() if chosen is recorded else (_edit(reduction, chosen.grouping, options),),
        recorded_groups=_names(reduction, reduction.grouping),
        groups=_names(reduction, chosen.grouping),
        prediction=_prediction(rows, limit),
        search={
            "search": options.search, "groups": options.n_groups,
            "bytes_per_s": options.bytes_per_s, "candidates": n_candidates,
        },
        trajectory=_trajectory(steps, limit.replayed_ns),
        provenance=provenance(session, (*TABLES.values(), "what_if_groups", "gradient_rate")),
    )  # fmt: skip
    note = limit.sentence(gain) if chosen is recorded else None
    return Outcome(result(session, rows, TABLES["node"]), strategy, note)


STRATEGY = Strategies(search)


def _check(reduction: Reduction, options: Options) -> None:
    n = len(reduction.tensor_ids)
    if options.n_groups is not None and options.n_groups > n:
        raise UsageError(
            f"{options.n_groups} groups are more than the {n} tensors of the run",
            hint=f"Request at most {n} with --groups.",
        )


def _rate(options: Options) -> dict[str, str]:
    return {} if options.bytes_per_s is None else {"bytes_per_s": repr(options.bytes_per_s)}


def _candidates(
    reduction: Reduction, options: Options
) -> Iterable[tuple[str, list[tuple[int, ...]]]]:
    """Candidates of each search, the most promising by closed form first, as ends of groups."""
    form = groupings.closed_form(reduction)
    uniform = [
        ends for ends in groupings.sweep(reduction.bytes) if options.n_groups in (None, len(ends))
    ]
    yield "sweep", sorted(uniform, key=form.evaluate)
    if options.search == "dp":
        yield "dp", groupings.programme(form, options.n_groups)


def _evaluated(
    reduction: Reduction, candidates: Sequence[tuple[int, ...]]
) -> list[tuple[float, Grouping]]:
    """The first candidates with their times rank by rank, in the order of candidates."""
    found = [groupings.grouping_of(ends) for ends in candidates[:N_EVALUATED]]
    return [(reduction.evaluate(grouping), grouping) for grouping in found]


def _replayed(
    graph: Graph,
    engine: Engine,
    reduction: Reduction,
    options: Options,
    name: str,
    evaluated: Sequence[tuple[float, Grouping]],
) -> _Candidate:
    """The best candidate by replays of the whole graph."""
    best: _Candidate | None = None
    for evaluated_ns, grouping in sorted(evaluated, key=lambda each: each[0])[:N_REPLAYED]:
        changes = [_edit(reduction, grouping, options)] if _is_new(reduction, grouping) else []
        predicted_ns = slowest_ns(prediction.scenario(graph, engine, changes), "predicted_ns")
        assert predicted_ns is not None
        if best is None or predicted_ns < best.predicted_ns:
            best = _Candidate(name, grouping, predicted_ns)
        if abs(predicted_ns - evaluated_ns) <= _AS_PREDICTED * evaluated_ns:
            break
    assert best is not None
    return best


def _is_new(reduction: Reduction, grouping: Grouping) -> bool:
    return any(tuple(sorted(group)) not in reduction.recorded for group in grouping)


def _names(reduction: Reduction, grouping: Grouping) -> tuple[str, ...]:
    """The groups by the numbers of their tensors, in the order in which they are ready."""
    return tuple(
        "+".join(map(str, sorted(reduction.tensor_ids[place] for place in group)))
        for group in grouping
    )


def _edit(reduction: Reduction, grouping: Grouping, options: Options) -> WhatIf:
    return WhatIf(_WHAT_IF, {"groups": ",".join(_names(reduction, grouping)), **_rate(options)})


def _row(
    each: _Candidate, reduction: Reduction, options: Options, limit: Noise, is_chosen: bool
) -> dict[str, object]:
    n_edits = sum(tuple(sorted(group)) not in reduction.recorded for group in each.grouping)
    return {
        "search": each.search,
        "predicted_ns": each.predicted_ns,
        "change": each.predicted_ns / limit.replayed_ns - 1,
        "replay_error": limit.replay_error,
        "step_spread": limit.step_spread,
        "extrapolated": reduction.extrapolated_share(each.grouping),
        "is_recommended": is_chosen,
        "n_edits": n_edits,
        "edits": str(_edit(reduction, each.grouping, options)) if n_edits else None,
    }


def _prediction(rows: Sequence[dict[str, object]], limit: Noise) -> dict[str, float | None]:
    (row,) = (each for each in rows if each["is_recommended"])
    names = ("predicted_ns", "change", "replay_error", "step_spread", "extrapolated")
    values = {name: row[name] for name in names}
    known = {"measured_ns": limit.measured_ns, "replayed_ns": limit.replayed_ns}
    return known | {
        name: float(value) if isinstance(value, (int, float)) else None
        for name, value in values.items()
    }


def _trajectory(steps: Sequence[tuple[str, float]], replayed_ns: float) -> tuple[SearchStep, ...]:
    best, found = 0.0, []
    for name, ns in steps:
        gain = 1 - ns / replayed_ns
        is_accepted = gain > best
        best = max(best, gain)
        found.append(SearchStep(name, ns, gain, is_accepted, best))
    return tuple(found)
