"""Parts of gradients: searches the sizes of the parts that servers reduce.

It applies to runs whose gradients servers reduce (`gradient_part_node`). What candidates gain is
measured against a replay of the recorded parts by the same rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from warehouse.errors import UsageError
from warehouse.optimize.search import (
    STEPS,
    Noise,
    Options,
    Outcome,
    best_of_each,
    is_interruption,
    noise,
    prediction_of,
    result,
    row,
    slowest_ns,
)
from warehouse.optimize.strategy import SearchStep, Strategy, provenance, step_rows, trajectory
from warehouse.replay import prediction, what_if
from warehouse.replay.graph import TABLES
from warehouse.replay.what_if import WhatIf

if TYPE_CHECKING:
    from warehouse.query.session import Session
    from warehouse.replay.engines import Engine
    from warehouse.replay.graph import Graph

#: Of more uniform sizes the sweep replays this many, evenly spaced in their order.
MOST_SIZES = 40
#: Candidates that the search tensor by tensor replays at most.
_MOST_STEPS = 80
_MOST_PARTS = 64
_WHAT_IF = "partitions"
_PARTS = "gradient_part_node"
_QUERIES = (_PARTS, "gradient_part_order", "gradient_part_rate", "what_if_partitions")

#: Numbers of parts, in the order of `_Run.names`.
_Counts = tuple[int, ...]


@dataclass(frozen=True)
class _Run:
    """The tensors of a run, in the order of their numbers."""

    names: tuple[str, ...]
    bytes: tuple[int, ...]
    recorded: _Counts
    rate: str | None  # bytes/s, if given

    def edit(self, counts: _Counts, size: int | None = None) -> WhatIf:
        """The change to so many parts; `size` is one that leads to them for all tensors."""
        sizes = ",".join(
            f"{name}={part_size(total, n)}"
            for name, total, n in zip(self.names, self.bytes, counts, strict=True)
        )
        given = {} if self.rate is None else {"bytes_per_s": self.rate}
        return WhatIf(_WHAT_IF, {"sizes": sizes if size is None else str(size)} | given)

    def counts_of(self, size: int) -> _Counts:
        """The parts of one size."""
        return tuple(max(-(-total // size), 1) for total in self.bytes)

    def extrapolated(self, counts: _Counts) -> float:
        """Share of the bytes in new parts that are smaller or larger than all recorded ones."""
        sizes = [total / n for total, n in zip(self.bytes, self.recorded, strict=True)]
        outside = sum(
            total
            for total, n, old in zip(self.bytes, counts, self.recorded, strict=True)
            if n != old and not min(sizes) <= total / n <= max(sizes)
        )
        return outside / sum(self.bytes)


@dataclass(frozen=True)
class _Candidate:
    search: str
    counts: _Counts
    edit: WhatIf
    predicted_ns: float


def part_size(total: int, n: int) -> int:
    """The size of `n` parts, a multiple of 4 bytes if it leads to as many."""
    size = -(-total // n)
    rounded = -(-size // 4) * 4
    return rounded if -(-total // rounded) == n else size


def applies(graph: Graph) -> bool:
    """Whether servers reduce the gradients of the run."""
    return bool(graph.rows(graph.queries.find(_PARTS), {}).num_rows)


def search(session: Session, engine: Engine, graph: Graph, options: Options) -> Outcome:
    """Searches the parts of the gradients of a graph that `prediction.replayed` returned.

    Raises QueryError if sizes or rates are not recorded, UsageError for options of other runs.
    """
    _check(options)
    rate = None if options.bytes_per_s is None else repr(options.bytes_per_s)
    what_if.refuse(graph, WhatIf(_WHAT_IF, {} if rate is None else {"bytes_per_s": rate}))
    run = _run(graph, rate)
    unchanged = prediction.scenario(graph, engine, [])
    judge = _judge(graph, engine)
    recorded = _Candidate("recorded", run.recorded, edit := run.edit(run.recorded), judge(edit))
    limit = noise(session, unchanged).relative_to(recorded.predicted_ns)
    judged: list[_Candidate] = []
    stopped = _searched(run, judge, recorded, judged, is_swept=options.search == "sweep")
    best = min([recorded, *judged], key=lambda each: each.predicted_ns)
    gain = 1 - best.predicted_ns / limit.replayed_ns
    chosen = recorded if limit.covers(gain) else best
    rows = [
        row(
            each.search,
            each.predicted_ns,
            limit,
            is_recommended=each is chosen,
            extrapolated=run.extrapolated(each.counts),
            edits=[] if each is recorded else [each.edit],
        )
        for each in (recorded, *best_of_each(judged))
    ]
    steps = trajectory(
        [(each.search, str(each.edit), each.predicted_ns, None) for each in judged],
        limit.replayed_ns,
    )
    edits = () if chosen is recorded else (chosen.edit,)
    strategy = _strategy(session, options, edits, rows, limit, steps, stopped is None)
    return Outcome(
        result(session, rows, TABLES["node"]),
        strategy,
        result(session, step_rows(steps), TABLES["node"], STEPS),
        note=limit.sentence(gain) if chosen is recorded else None,
        stopped=stopped,
        best=() if best is recorded else (best.edit,),
    )


def _strategy(
    session: Session,
    options: Options,
    edits: tuple[WhatIf, ...],
    rows: Sequence[dict[str, object]],
    limit: Noise,
    steps: tuple[SearchStep, ...],
    is_complete: bool,
) -> Strategy:
    about = {
        "search": options.search, "bytes_per_s": options.bytes_per_s,
        "candidates": len(steps), "is_complete": is_complete,
    }  # fmt: skip
    return Strategy(
        name="buckets",
        edits=edits,
        recorded_groups=(),
        groups=(),
        prediction=prediction_of(rows, limit),
        search=about,
        trajectory=steps,
        provenance=provenance(session, (*TABLES.values(), *_QUERIES)),
    )


def _check(options: Options) -> None:
    if options.search == "anneal":
        raise UsageError(
            "servers reduce the gradients of the run, whose parts have no search anneal",
            hint="Searches: sweep, dp.",
        )
    for is_given, name in (
        (options.n_groups is not None, "--groups"),
        (options.clusters is not None, "--from-clusters"),
    ):
        if is_given:
            raise UsageError(
                f"{name} is for groups of gradients, but servers reduce those of the run in parts",
                hint="Omit it: the search is for the sizes of parts.",
            )


def _run(graph: Graph, rate: str | None) -> _Run:
    found = {
        each["tensors"]: (each["tensor_bytes"], each["n_parts"])
        for each in graph.rows(graph.queries.find(_PARTS), {}).to_pylist()
    }
    names = sorted(found, key=lambda name: [int(each) for each in name.split("+")])
    return _Run(
        tuple(names),
        tuple(found[name][0] for name in names),
        tuple(found[name][1] for name in names),
        rate,
    )


def _judge(graph: Graph, engine: Engine) -> Callable[[WhatIf], float]:
    def predicted_ns(edit: WhatIf) -> float:
        found = slowest_ns(prediction.scenario(graph, engine, [edit]), "predicted_ns")
        assert found is not None
        return found

    return predicted_ns


def _searched(
    run: _Run,
    judge: Callable[[WhatIf], float],
    recorded: _Candidate,
    judged: list[_Candidate],
    *,
    is_swept: bool,
) -> str | None:
    """Adds the candidates with their times; returns why the last are missing: Ctrl-C."""
    known = {run.recorded}
    try:
        for counts, size in _uniform(run):
            if counts not in known:
                known.add(counts)
                edit = run.edit(counts, size)
                judged.append(_Candidate("sweep", counts, edit, judge(edit)))
        if not is_swept:
            _step_by_step(run, judge, [recorded, *judged], known, judged)
    except (KeyboardInterrupt, RuntimeError) as error:
        if not is_interruption(error):
            raise
        return f"The search was interrupted after {len(judged)} candidates."
    return None


def _uniform(run: _Run) -> Iterator[tuple[_Counts, int | None]]:
    """One size for all tensors, in different numbers of parts; and equally many parts of each."""
    most = max(run.bytes)
    sizes = {
        part_size(total, n)
        for total in set(run.bytes)
        for n in range(1, _MOST_PARTS + 1)
        if total > 0 and most <= _MOST_PARTS * part_size(total, n)
    }
    of_counts = {run.counts_of(size): size for size in sorted(sizes)}
    found = list(of_counts.items())
    if len(found) > MOST_SIZES:
        places = np.linspace(0, len(found) - 1, MOST_SIZES).astype(np.int64)
        found = [found[place] for place in places.tolist()]
    yield from found
    for n in (2, 3, 4, 8):
        yield tuple(n for _ in run.bytes), None


def _step_by_step(
    run: _Run,
    judge: Callable[[WhatIf], float],
    start: Sequence[_Candidate],
    known: set[_Counts],
    judged: list[_Candidate],
) -> None:
    """Changes the best candidate tensor by tensor, as long as a replay with it is faster."""
    best = min(start, key=lambda each: each.predicted_ns)
    n_tried, is_better = 0, True
    while is_better:
        is_better = False
        for place in sorted(range(len(run.names)), key=lambda each: -run.bytes[each]):
            n = best.counts[place]
            for other in (n + 1, n - 1, 2 * n, n // 2):
                counts = (*best.counts[:place], other, *best.counts[place + 1 :])
                if counts in known or not 1 <= other <= min(_MOST_PARTS, run.bytes[place]):
                    continue
                if n_tried == _MOST_STEPS:
                    return
                n_tried += 1
                known.add(counts)
                edit = run.edit(counts)
                judged.append(tried := _Candidate("dp", counts, edit, judge(edit)))
                if tried.predicted_ns < best.predicted_ns:
                    best, is_better = tried, True
