"""Buckets of one size: searches the size at which a library closes a bucket of gradients.

It applies to runs whose gradients are reduced on the host (`replay_gradient`). The size is the only
parameter of the rule, so a sweep over all sizes that lead to different buckets is complete. What
candidates gain is measured against a replay of the recorded buckets, or of those most like them, by
the same rule.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from warehouse.errors import UsageError
from warehouse.optimize import groupings
from warehouse.optimize.search import (
    STEPS,
    Noise,
    Options,
    Outcome,
    Paired,
    is_interruption,
    noise,
    prediction_of,
    result,
    row,
    slowest_ns,
)
from warehouse.optimize.strategy import SearchStep, Strategy, provenance, step_rows, trajectory
from warehouse.replay import prediction
from warehouse.replay.graph import TABLES
from warehouse.replay.what_if import WhatIf

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from warehouse.query.session import Session
    from warehouse.replay.engines import Engine
    from warehouse.replay.graph import Graph

#: Of more sizes the sweep replays this many, evenly spaced in their order.
MOST_SIZES = 48
#: Share of the step by which sizes are nearly equal.
_NEARLY = 0.002
#: Of gains within the noise, most reductions by recorded ones.
_MORE = 2
_WHAT_IF = "buckets"
_GRADIENTS = "replay_gradient"
#: Sizes are given in fractions of a MiB where one of these leads to the same buckets.
_STEPS = (1 << 20, 1 << 18, 1 << 16, 1 << 10)


@dataclass(frozen=True)
class Size:
    """A size with the buckets that it leads to, as sums of bytes; the last may be smaller."""

    bytes: int
    buckets: tuple[int, ...]

    @property
    def edit(self) -> WhatIf:
        """The change as a what-if."""
        return WhatIf(_WHAT_IF, {"bytes": str(self.bytes)})


def applies(graph: Graph) -> bool:
    """Whether the run reduces its gradients in buckets of one size."""
    return bool(graph.rows(graph.queries.find(_GRADIENTS), {}).num_rows)


def search(session: Session, engine: Engine, graph: Graph, options: Options) -> Outcome:
    """Searches the size of the buckets of a graph that `prediction.replayed` returned.

    Raises UsageError for a number of buckets that no size leads to, or a search of other runs.
    """
    _check(options)
    gradients, recorded = _recorded(graph)
    unchanged = prediction.scenario(graph, engine, [])
    sizes = [each for each in sizes_of(gradients) if options.n_groups in (None, len(each.buckets))]
    if not sizes:
        raise UsageError(
            f"no size leads to {options.n_groups} buckets",
            hint=f"Request at most {len(gradients)} with --groups.",
        )
    base = closest(sizes_of(gradients), recorded)
    base_ns = _predicted_ns(graph, engine, base)
    limit = noise(session, unchanged).relative_to(base_ns)
    judged, stopped = _judged(graph, engine, _thinned(sizes), {base: base_ns})
    best, best_ns = _best(judged, base)
    gain = 1 - best_ns / limit.replayed_ns
    is_counted = best != base and not limit.covers(gain)
    steady = None if is_counted else _steady(graph, engine, judged, base)
    if steady is not None:
        best, best_ns = steady.size, steady.predicted_ns
        gain = 1 - best_ns / limit.replayed_ns
    is_chosen = is_counted or steady is not None
    rows = [
        row("recorded", limit.replayed_ns, limit, is_recommended=not is_chosen),
        row(
            "sweep",
            best_ns,
            limit,
            is_recommended=is_chosen,
            extrapolated=_extrapolated(best.buckets, recorded),
            edits=[best.edit] if best != base else [],
        ),
    ]
    steps = trajectory([("sweep", str(s.edit), ns, None) for s, ns in judged], limit.replayed_ns)
    chosen = best if is_chosen else None
    strategy = _strategy(session, options, rows, limit, steps, chosen, stopped is None)
    return Outcome(
        result(session, rows, TABLES["node"]),
        strategy,
        result(session, step_rows(steps), TABLES["node"], STEPS),
        note=None if is_counted else _note(limit.sentence(gain), steady),
        stopped=stopped,
        best=(best.edit,) if best != base else (),
    )


@dataclass(frozen=True)
class _Steady:
    """A size that is recommended although its gain is within the noise."""

    size: Size
    predicted_ns: float
    paired: Paired


def _steady(
    graph: Graph, engine: Engine, judged: Sequence[tuple[Size, float]], base: Size
) -> _Steady | None:
    """The best size if it is faster in replays of the same steps, else None.

    The fixed time of a reduction may be unknown, so it is a size with few more reductions.
    """
    few = [each for each in judged if len(each[0].buckets) <= _MORE * len(base.buckets)]
    best, best_ns = _best(few, base) if few else (base, 0.0)
    if best == base:
        return None
    without, changed = (prediction.scenario(graph, engine, [s.edit]) for s in (base, best))
    paired = Paired.of(without, changed)
    return _Steady(best, best_ns, paired) if paired.is_steady else None


def _note(noise: str, steady: _Steady | None) -> str:
    return noise if steady is None else f"{noise} {steady.paired.sentence}"


def _check(options: Options) -> None:
    if options.search == "anneal":
        raise UsageError(
            "the buckets of the run follow from one size, which leaves nothing to anneal",
            hint="Omit --search: the sweep tries every size.",
        )
    if options.clusters is not None:
        raise UsageError(
            "--from-clusters names groups of tensors, but the run has buckets of one size",
            hint="Omit it.",
        )
    if options.bytes_per_s is not None:
        raise UsageError(
            "--bytes-per-s is a rate of sends around a ring, which the run does not record",
            hint="Omit it, or scale the recorded rate: tw replay --what-if 'link(…)'.",
        )


def _strategy(
    session: Session,
    options: Options,
    rows: Sequence[dict[str, object]],
    limit: Noise,
    steps: tuple[SearchStep, ...],
    chosen: Size | None,
    is_complete: bool,
) -> Strategy:
    about = {"search": "sweep", "groups": options.n_groups, "candidates": len(steps)}
    return Strategy(
        name="buckets",
        edits=() if chosen is None else (chosen.edit,),
        recorded_groups=(),
        groups=(),
        prediction=prediction_of(rows, limit),
        search=about | {"is_complete": is_complete},
        trajectory=steps,
        provenance=provenance(session, (*TABLES.values(), "what_if_buckets", _GRADIENTS)),
    )


def _recorded(graph: Graph) -> tuple[NDArray[np.int64], tuple[int, ...]]:
    """Sizes of the gradients as they become ready, and of the recorded buckets, of one rank."""
    rows = graph.rows(graph.queries.find(_GRADIENTS), {}).to_pylist()
    first = min((each["track_id"], each["iteration"]) for each in rows)
    chosen = [each for each in rows if (each["track_id"], each["iteration"]) == first]
    chosen.sort(key=lambda each: each["place"])
    trace_id = chosen[0]["trace_id"]
    collectives = graph.connection.execute(
        "SELECT bytes FROM node WHERE kind = 'collective' AND trace_id = ? AND bytes IS NOT NULL "
        "ORDER BY measured_start_ns, node_id",
        [trace_id],
    ).fetchall()
    gradients = np.array([each["bytes"] for each in chosen], np.int64)
    return gradients, _first_iteration([n for (n,) in collectives], int(gradients.sum()))


def _first_iteration(buckets: Sequence[int], total: int) -> tuple[int, ...]:
    """The first buckets that make up all gradients; none if none do."""
    sums = np.cumsum(buckets)
    n = int(np.searchsorted(sums, total))
    return tuple(buckets[: n + 1]) if n < len(sums) and sums[n] == total else ()


def sizes_of(gradients: NDArray[np.int64]) -> list[Size]:
    """One size for each way in which a bucket closes once it reaches it, ascending."""
    before = np.concatenate([[0], np.cumsum(gradients)])
    n = len(gradients)
    caps = np.unique((before[None, :] - before[:, None])[np.triu_indices(n + 1, 1)])
    found: dict[tuple[int, ...], Size] = {}
    for cap in caps[caps > 0].tolist():
        ends = groupings.capped(before, cap, exceeds=True)
        if ends not in found:
            buckets = tuple(np.diff(before[[0, *ends]]).tolist())
            found[ends] = Size(_plain_size(gradients, ends, buckets), buckets)
    return sorted(found.values(), key=lambda each: each.bytes)


def _plain_size(gradients: NDArray[np.int64], ends: Sequence[int], buckets: Sequence[int]) -> int:
    """The roundest size that leads to these buckets."""
    # a bucket is below the size without its last gradient, and reaches it with it
    without_last = [
        total - int(gradients[end - 1]) for total, end in zip(buckets, ends, strict=True)
    ]
    least = max(without_last) + 1
    complete = buckets[:-1]
    most = min(complete) if complete else max(least, sum(buckets))
    for step in _STEPS:
        size = -(-least // step) * step
        if size <= most:
            return int(size)
    return int(most)


def _thinned(sizes: Sequence[Size]) -> list[Size]:
    if len(sizes) <= MOST_SIZES:
        return list(sizes)
    places = np.linspace(0, len(sizes) - 1, MOST_SIZES).astype(np.int64)
    return [sizes[place] for place in places.tolist()]


def _judged(
    graph: Graph, engine: Engine, sizes: Sequence[Size], known: Mapping[Size, float]
) -> tuple[list[tuple[Size, float]], str | None]:
    """The sizes with their times, and why the last are missing: Ctrl-C ends the search."""
    found: list[tuple[Size, float]] = []
    try:
        for each in sizes:
            found.append((each, known.get(each) or _predicted_ns(graph, engine, each)))
    except (KeyboardInterrupt, RuntimeError) as error:
        if not found or not is_interruption(error):
            raise
        return found, f"The search was interrupted after {len(found)} of {len(sizes)} sizes."
    return found, None


def closest(sizes: Sequence[Size], recorded: Sequence[int]) -> Size:
    """The size that leads to the recorded buckets; if none does, to those most like them.

    That is, to as equal a number as possible, and of these with the largest bucket closest in size.
    """
    largest = max(recorded, default=0)
    return min(
        sizes,
        key=lambda each: (
            each.buckets != tuple(recorded),
            abs(len(each.buckets) - len(recorded)),
            abs(max(each.buckets) - largest),
        ),
    )


def _best(judged: Sequence[tuple[Size, float]], recorded: Size) -> tuple[Size, float]:
    """The fastest; of nearly equal ones that closest to the recorded size.

    Buckets of one size say nothing about the fixed time of a reduction, which small ones add up.
    """
    least = min(predicted_ns for _, predicted_ns in judged)
    nearly = [each for each in judged if each[1] <= least * (1 + _NEARLY)]
    return min(nearly, key=lambda each: abs(np.log(each[0].bytes / recorded.bytes)))


def _predicted_ns(graph: Graph, engine: Engine, size: Size) -> float:
    predicted_ns = slowest_ns(prediction.scenario(graph, engine, [size.edit]), "predicted_ns")
    assert predicted_ns is not None
    return predicted_ns


def _extrapolated(buckets: Sequence[int], recorded: Sequence[int]) -> float:
    """Share of the bytes in buckets that are smaller or larger than all recorded ones."""
    if not recorded:
        return 1.0
    least, most = min(recorded), max(recorded)
    return sum(each for each in buckets if not least <= each <= most) / sum(buckets)
