"""Which gradients to reduce together: searches the groups of a run that reduces them on rings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from warehouse.errors import UsageError
from warehouse.optimize import gradients
from warehouse.optimize.passes import Candidate, Judged, Passes
from warehouse.optimize.reduction import Grouping, Reduction
from warehouse.optimize.search import STEPS, Noise, Options, Outcome, Strategies, noise, result
from warehouse.optimize.strategy import SearchStep, Strategy, provenance
from warehouse.replay import prediction, what_if
from warehouse.replay.graph import TABLES
from warehouse.replay.what_if import WhatIf

if TYPE_CHECKING:
    from warehouse.query.session import Session
    from warehouse.replay.engines import Engine

_WHAT_IF = "groups"


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
    recorded = Candidate("recorded", reduction.grouping, limit.replayed_ns)
    edit = partial(_edit, reduction, options)
    passes = Passes(graph, engine, reduction, options, edit)
    passes.run(recorded)
    best = min(passes.found, key=lambda each: each.predicted_ns)
    gain = 1 - best.predicted_ns / limit.replayed_ns
    chosen = recorded if limit.covers(gain) else best
    rows = [_row(each, reduction, options, limit, each is chosen) for each in passes.found]
    trajectory = _trajectory(passes.judged, limit.replayed_ns, edit)
    strategy = Strategy(
        name="buckets",
        edits=() if chosen is recorded else (edit(chosen.grouping),),
        recorded_groups=_names(reduction, reduction.grouping),
        groups=_names(reduction, chosen.grouping),
        prediction=_prediction(rows, limit),
        search=_about(options, passes),
        trajectory=trajectory,
        provenance=provenance(session, (*TABLES.values(), "what_if_groups", "gradient_rate")),
    )
    return Outcome(
        result(session, rows, TABLES["node"]),
        strategy,
        result(session, _steps(trajectory), TABLES["node"], STEPS),
        note=limit.sentence(gain) if chosen is recorded else None,
        stopped=passes.stopped,
    )


STRATEGY = Strategies(search)


def _about(options: Options, passes: Passes) -> dict[str, Any]:
    """How the search was made."""
    known: dict[str, Any] = {
        "search": options.search, "groups": options.n_groups,
        "bytes_per_s": options.bytes_per_s, "candidates": passes.n_candidates,
        "is_complete": passes.stopped is None,
    }  # fmt: skip
    if options.search == "anneal":
        known |= {"seed": options.annealing.seed, "beta": options.annealing.beta}
    return known


def _check(reduction: Reduction, options: Options) -> None:
    n = len(reduction.tensor_ids)
    if options.n_groups is not None and options.n_groups > n:
        raise UsageError(
            f"{options.n_groups} groups are more than the {n} tensors of the run",
            hint=f"Request at most {n} with --groups.",
        )


def _rate(options: Options) -> dict[str, str]:
    return {} if options.bytes_per_s is None else {"bytes_per_s": repr(options.bytes_per_s)}


def _names(reduction: Reduction, grouping: Grouping) -> tuple[str, ...]:
    """The groups by the numbers of their tensors, in the order in which they are ready."""
    return tuple(
        "+".join(map(str, sorted(reduction.tensor_ids[place] for place in group)))
        for group in grouping
    )


def _edit(reduction: Reduction, options: Options, grouping: Grouping) -> WhatIf:
    return WhatIf(_WHAT_IF, {"groups": ",".join(_names(reduction, grouping)), **_rate(options)})


def _row(
    each: Candidate, reduction: Reduction, options: Options, limit: Noise, is_chosen: bool
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
        "edits": str(_edit(reduction, options, each.grouping)) if n_edits else None,
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


def _trajectory(
    judged: Sequence[Judged], replayed_ns: float, edit: Callable[[Grouping], WhatIf]
) -> tuple[SearchStep, ...]:
    best, found = replayed_ns, []
    for each in judged:
        is_better = each.evaluated_ns < best
        best = min(best, each.evaluated_ns)
        found.append(
            SearchStep(
                search=each.search,
                candidate=str(edit(each.grouping)),
                predicted_ns=each.evaluated_ns,
                gain=1 - each.evaluated_ns / replayed_ns,
                is_accepted=is_better if each.is_accepted is None else each.is_accepted,
                best_gain=1 - best / replayed_ns,
                best_ns=best,
            )
        )
    return tuple(found)


def _steps(trajectory: Sequence[SearchStep]) -> list[dict[str, object]]:
    names = [each.name for each in STEPS if each.name != "place"]
    return [
        {"place": n, **{name: getattr(each, name) for name in names}}
        for n, each in enumerate(trajectory)
    ]
