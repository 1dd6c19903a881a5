"""Which gradients to reduce together: searches the groups of a run that reduces them on rings.

Runs that put gradients into buckets of one size are those of `warehouse.optimize.capped`, runs
whose gradients servers reduce those of `warehouse.optimize.partitions`.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from warehouse.errors import UsageError
from warehouse.optimize import capped, gradients, partitions, reading
from warehouse.optimize.passes import Candidate, Passes
from warehouse.optimize.reduction import Grouping, Reduction
from warehouse.optimize.search import (
    SEARCHES,
    STEPS,
    Noise,
    Options,
    Outcome,
    Strategies,
    noise,
    prediction_of,
    result,
    row,
)
from warehouse.optimize.strategy import (
    Strategy,
    TensorGroups,
    provenance,
    step_rows,
    trajectory,
)
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
    options.refuse(
        "buckets", "ratio", "model", "cast_bytes_per_s", "memory_budget", "candidates", "n_layers",
        "is_by_layer", "program",
    )  # fmt: skip
    fused = _clusters(session, options)
    graph = prediction.replayed(session, engine, before=options.before)
    if capped.applies(graph):
        return capped.search(session, engine, graph, options)
    if partitions.applies(graph):
        return partitions.search(session, engine, graph, options)
    what_if.refuse(graph, WhatIf(_WHAT_IF, _rate(options)))
    reduction = gradients.read(graph, options.bytes_per_s)
    _check(reduction, options)
    limit = noise(session, prediction.scenario(graph, engine, []))
    recorded = Candidate("recorded", reduction.grouping, limit.replayed_ns)
    edit = partial(_edit, reduction, options)
    passes = Passes(graph, engine, reduction, options, edit)
    passes.run(recorded, None if fused is None else _grouping(reduction, fused))
    best = min(passes.found, key=lambda each: each.predicted_ns)
    gain = 1 - best.predicted_ns / limit.replayed_ns
    chosen = recorded if limit.covers(gain) else best
    rows = [_row(each, reduction, options, limit, each is chosen) for each in passes.found]
    judged = [
        (each.search, str(edit(each.grouping)), each.evaluated_ns, each.is_accepted)
        for each in passes.evaluations
    ]
    steps = trajectory(judged, limit.replayed_ns)
    strategy = Strategy(
        name="buckets",
        edits=() if chosen is recorded else (edit(chosen.grouping),),
        recorded_groups=_names(reduction, reduction.grouping),
        groups=_names(reduction, chosen.grouping),
        prediction=prediction_of(rows, limit),
        search=_about(options, passes),
        trajectory=steps,
        provenance=provenance(session, (*TABLES.values(), "what_if_groups", "gradient_rate")),
    )
    return Outcome(
        result(session, rows, TABLES["node"]),
        strategy,
        result(session, step_rows(steps), TABLES["node"], STEPS),
        note=limit.sentence(gain) if chosen is recorded else None,
        stopped=passes.stopped,
        warning=_warning(options, fused),
        best=() if best is recorded else (edit(best.grouping),),
    )


STRATEGY = Strategies(search, searches=SEARCHES, place=2)


def _clusters(session: Session, options: Options) -> TensorGroups | None:
    """The groups that follow from a file of fused operators, if one is named."""
    if options.clusters is None:
        return None
    return reading.tensor_groups(session, options.clusters, is_strict=options.is_strict)


def _warning(options: Options, found: TensorGroups | None) -> str | None:
    if options.clusters is None or found is None or not found.unknown:
        return None
    return reading.unknown_names(options.clusters, found)


def _grouping(reduction: Reduction, found: TensorGroups) -> Grouping:
    """These groups by places; tensors that none of them has are alone."""
    place = {tensor_id: n for n, tensor_id in enumerate(reduction.tensor_ids)}
    groups = [
        [place[int(each)] for each in group.split("+") if int(each) in place]
        for group in found.groups
    ]
    named = {each for group in groups for each in group}
    groups += [[each] for each in place.values() if each not in named]
    return tuple(sorted((tuple(sorted(group)) for group in groups if group), key=max))


def _about(options: Options, passes: Passes) -> dict[str, Any]:
    """How the search was made."""
    known: dict[str, Any] = {
        "search": options.search, "groups": options.n_groups,
        "bytes_per_s": options.bytes_per_s, "candidates": passes.n_candidates,
        "is_complete": passes.stopped is None, "ranks": len(passes.reduction.begin),
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
    n_new = sum(tuple(sorted(group)) not in reduction.recorded for group in each.grouping)
    found = row(
        each.search,
        each.predicted_ns,
        limit,
        is_recommended=is_chosen,
        extrapolated=reduction.extrapolated_share(each.grouping),
        edits=[_edit(reduction, options, each.grouping)] if n_new else [],
    )
    return found | {"n_edits": n_new}
