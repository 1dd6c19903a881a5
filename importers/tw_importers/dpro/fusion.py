"""Searches which operators of a dPRO trial to compute as one.

Candidates are clusters that follow from contracting edges by the traffic that saves; replays of the
whole graph decide.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tw_importers.dpro.clusters import format_clusters
from tw_importers.dpro.contraction import (
    Clusters,
    Edge,
    Graph,
    contracted,
    neighbouring,
    saved_by_edge,
)
from tw_importers.dpro.layers import layers_of
from warehouse.errors import QueryError, UsageError
from warehouse.optimize import reading
from warehouse.optimize.search import (
    STEPS,
    Noise,
    Options,
    Outcome,
    Strategies,
    best_of_each,
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
from warehouse.wording import counted

if TYPE_CHECKING:
    from warehouse.query.session import Session
    from warehouse.replay.engines import Engine
    from warehouse.replay.graph import Graph as Replayed

NAME = "fusion"
_QUERIES = (
    "what_if_fuse",
    "what_if_fuse_edge",
    "fused_time",
    "fused_line",
    "fused_operator",
    "fusion_operator",
)
#: Most operators of a cluster that the sweep tries; None: any number.
_SIZES = (2, 3, 4, 8, 16, None)
#: Shares of the edges that the sweep contracts, those that save most first.
_SHARES = (0.25, 0.5, 0.75, 1.0)
#: Edges that dp tries one after the other.
_MOST_TRIED = 48
_UNSAFE = "unsafe_resource_deps_"
_LINE = re.compile(r"(\S+)(?: ([0-9]+))?")
_PAIR = re.compile(r"([0-9]+) ([0-9]+)")
_OPERATORS = """
SELECT node_id, operator, phase, is_able
FROM fusion_operator()
WHERE trace_id = (SELECT min(trace_id) FROM fusion_operator())
ORDER BY node_id
"""
_USES = """
SELECT any_value(producer_id), list(node_id ORDER BY node_id),
  any_value(n_elements) * 4e9 / any_value(rate_bytes_per_s)
FROM precision_use()
WHERE trace_id = (SELECT min(trace_id) FROM fusion_operator())
  AND NOT starts_with(tensor, 'gradient ')
GROUP BY tensor
"""
#: Operators of the first rank that compute gradients.
_GRADIENTS = """
SELECT DISTINCT o.operator
FROM dpro_gradient() AS g
JOIN dpro_operation() AS o ON o.trace_id = g.trace_id AND o.name = g.name
WHERE g.trace_id = (SELECT min(trace_id) FROM dpro_gradient())
"""
_MEASURED = """
SELECT model, operators FROM fused_line() WHERE operators IS NOT NULL
"""

Fused = tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class _Candidate:
    search: str
    clusters: Fused
    predicted_ns: float

    measured: float = 0.0  # share of the clusters whose time a program measured

    def edits(self, model: str | None) -> tuple[WhatIf, ...]:
        return (_edit(self.clusters, model),) if self.clusters else ()


@dataclass(frozen=True)
class Candidates:
    """Operators that a file allows to fuse, and pairs of them that must not be."""

    names: frozenset[str]
    unsafe: frozenset[Edge] = frozenset()


@dataclass
class _Search:
    """Candidates with their times, each judged once."""

    graph: Replayed
    engine: Engine
    model: str | None = None
    measured: frozenset[str] = frozenset()
    found: list[_Candidate] = field(default_factory=list)

    def judge(self, name: str, clusters: Fused) -> float:
        """Replays a candidate."""
        known = {each.clusters: each.predicted_ns for each in self.found}
        if clusters not in known:
            rows = prediction.scenario(self.graph, self.engine, [_edit(clusters, self.model)])
            known[clusters] = slowest_ns(rows, "predicted_ns") or 0.0
        share = sum(line_of(each) in self.measured for each in clusters) / len(clusters)
        self.found.append(_Candidate(name, clusters, known[clusters], share))
        return known[clusters]


def search(session: Session, engine: Engine, options: Options) -> Outcome:
    """Searches the operators of the run in scope that are faster as one.

    Raises QueryError if the run does not record types and shapes; UsageError for options of other
    strategies, and an invalid file of candidates.
    """
    _check(options)
    allowed = None if options.candidates is None else _candidates(options.candidates)
    replayed = prediction.replayed(session, engine, before=options.before)
    what_if.refuse(replayed, _edit((), options.model))
    limit = noise(session, prediction.scenario(replayed, engine, []))
    rows: list[Any] = session.run(_OPERATORS).rows()
    unknown = _unknown(options, allowed, rows)
    graph = _with_layers(session, _graph(session, replayed, rows, allowed), rows, options)
    judging = _Search(replayed, engine, options.model, _measured(session, options.model))
    stopped = _run(judging, graph, options, limit.replayed_ns)
    recorded = _Candidate("recorded", (), limit.replayed_ns)
    fastest = min([recorded, *judging.found], key=lambda each: each.predicted_ns)
    # by measurements, only what was measured is recommended
    found = [each for each in judging.found if each.measured == 1 or not judging.measured]
    best = min([recorded, *found], key=lambda each: each.predicted_ns)
    gain = 1 - best.predicted_ns / limit.replayed_ns
    chosen = recorded if limit.covers(gain) else best
    shown = [recorded, *best_of_each(found)]
    table = [_row(each, options.model, limit, is_chosen=each is chosen) for each in shown]
    steps = trajectory(
        [(each.search, str(_edit(each.clusters, options.model)), each.predicted_ns, None)
         for each in judging.found], limit.replayed_ns,
    )  # fmt: skip
    strategy = Strategy(
        name=NAME,
        edits=chosen.edits(options.model),
        recorded_groups=(),
        groups=(),
        prediction=prediction_of(table, limit),
        search={
            "search": options.search, "candidates": len(judging.found),
            "allowed": None if allowed is None else len(allowed.names),
            "model": options.model, "layers": options.n_layers, "by_layer": options.is_by_layer,
            "is_complete": stopped is None,
        },
        trajectory=steps,
        provenance=provenance(session, (*TABLES.values(), *_QUERIES)),
    )  # fmt: skip
    return Outcome(
        result(session, table, TABLES["node"]),
        strategy,
        result(session, step_rows(steps), TABLES["node"], STEPS),
        note=limit.sentence(gain) if chosen is recorded else None,
        stopped=stopped,
        warning=unknown,
        fastest=fastest.edits(options.model),
        best=best.edits(options.model),
    )


def files(edits: Sequence[WhatIf]) -> dict[str, str]:
    """The file of each cluster alone, by the name of its line in a model of measurements."""
    fused = [each.split("+") for edit in edits for each in edit.arguments["clusters"].split(",")]
    return {line_of(each): format_clusters("+".join(each)) for each in fused}


STRATEGY = Strategies(search, files, place=1)


def line_of(cluster: Iterable[str]) -> str:
    """The name of a cluster in a model of measurements."""
    return "+".join(sorted(cluster))


def _measured(session: Session, model: str | None) -> frozenset[str]:
    """The clusters that a model has measurements of."""
    rows: list[Any] = session.run(_MEASURED).rows()
    return frozenset(cluster for name, cluster in rows if name == model)


def _check(options: Options) -> None:
    """Refuses options that other strategies have."""
    if options.search == "anneal":
        raise UsageError("fusion has no search anneal", hint="Searches: sweep, dp.")
    options.refuse(
        NAME, "n_groups", "bytes_per_s", "clusters", "ratio", "cast_bytes_per_s",
        "memory_budget",
    )  # fmt: skip


def _candidates(path: Path) -> Candidates:
    return parse_candidates(path, reading.text_of(path))


def parse_candidates(path: Path, text: str) -> Candidates:
    """Reads a name a line, or a name and its number, with pairs of numbers that are unsafe.

    Raises UsageError for another line, and for numbers that are given twice or to no operator.
    """
    head, _, tail = text.partition(f"\n{_UNSAFE}")
    numbers: dict[str, str] = {}
    names = set()
    for n, line in enumerate(head.splitlines(), 1):
        match = _LINE.fullmatch(line.strip())
        if match is None:
            raise UsageError(
                f"line {n} of {path} is not an operator, or an operator and its number",
                hint="Write one of each a line: resnet50/conv1_conv/Conv2D 3.",
            )
        names.add(match[1])
        if match[2] is not None and numbers.setdefault(match[2], match[1]) != match[1]:
            raise UsageError(
                f"line {n} of {path} gives number {match[2]} a second time",
                hint="Number each operator once.",
            )
    if not names:
        raise UsageError(f"{path} names no operators", hint="Write one of each a line.")
    unsafe = set()
    for line in tail.splitlines()[1:]:
        match = _PAIR.fullmatch(line.strip())
        if match is None or match[1] not in numbers or match[2] not in numbers:
            raise UsageError(
                f"{path} contains {line.strip()!r} after {_UNSAFE}, which is not two numbers of "
                "its operators",
                hint="Write the numbers of two operators a line.",
            )
        unsafe.add((numbers[match[1]], numbers[match[2]]))
    return Candidates(frozenset(names), frozenset(unsafe))


def _unknown(options: Options, allowed: Candidates | None, rows: list[Any]) -> str | None:
    """Names of the file that the run does not have; raises UsageError with --strict."""
    if allowed is None:
        return None
    unknown = sorted(allowed.names - {operator for _, operator, *_ in rows})
    if not unknown:
        return None
    n = f"{len(unknown)} of {counted(len(allowed.names), 'operator')} in {options.candidates}"
    said = f"{n} are not in the run, such as {unknown[0]}"
    if options.is_strict:
        raise UsageError(said, hint="Omit --strict to ignore them.")
    return said


def _graph(
    session: Session, replayed: Replayed, rows: list[Any], allowed: Candidates | None
) -> Graph:
    """The operators of the first rank, and edges that may be contracted with what that saves.

    Raises QueryError if the run does not record what operators take from each other.
    """
    name_of = {node_id: operator for node_id, operator, *_ in rows}
    able = {
        operator: phase for _, operator, phase, is_able in rows
        if is_able and (allowed is None or operator in allowed.names)
    }  # fmt: skip
    unsafe = allowed.unsafe if allowed is not None else frozenset()
    followers: dict[str, set[str]] = {}
    pairs: list[Any] = replayed.connection.execute("SELECT from_id, to_id FROM edge").fetchall()
    for first, second in pairs:
        if first in name_of and second in name_of:
            followers.setdefault(name_of[first], set()).add(name_of[second])
    uses = [
        (name_of.get(producer), tuple(name_of[each] for each in takers if each in name_of), ns or 0)
        for producer, takers, ns in session.run(_USES).rows()
    ]
    if not uses:
        raise QueryError(
            "the run records no tensors that operators take from each other",
            hint="Fusing requires a dPRO trial with the metadata.json of its ranks.",
        )
    saved = {
        (first, second): ns for (first, second), ns in saved_by_edge(uses).items()
        if first in able and able[first] == able.get(second)
        and second in followers.get(first, ())
        and (first, second) not in unsafe and (second, first) not in unsafe
    }  # fmt: skip
    return Graph(tuple(name_of.values()), {k: frozenset(v) for k, v in followers.items()}, saved)


def _with_layers(session: Session, graph: Graph, rows: list[Any], options: Options) -> Graph:
    """The same graph with the layers of the backward pass, if an option concerns them."""
    if options.n_layers is None and not options.is_by_layer:
        return graph
    backward = [operator for _, operator, phase, _ in rows if phase == "BW"]
    gradients: list[Any] = session.run(_GRADIENTS).rows()
    layers = layers_of(backward, graph.followers, [operator for (operator,) in gradients])
    if not layers:
        raise QueryError(
            "the run has no operators that compute gradients, so it has no layers",
            hint="Omit --layers and --by-layer.",
        )
    return replace(graph, layers=layers, is_by_layer=options.is_by_layer)


def _run(judging: _Search, graph: Graph, options: Options, replayed_ns: float) -> str | None:
    """Judges all candidates; returns why the last are missing: Ctrl-C ends the search."""
    try:
        for clusters in dict.fromkeys(_swept(graph, options.n_layers)):
            judging.judge("sweep", clusters)
        if options.search == "dp":
            _walk(judging, graph, options.n_layers, replayed_ns)
    except (KeyboardInterrupt, RuntimeError) as error:
        if not judging.found or not is_interruption(error):
            raise
        return f"The search was interrupted after {len(judging.found)} candidates."
    return None


def _ordered(graph: Graph) -> list[Edge]:
    """The edges that may be contracted, those that save most first."""
    return sorted(graph.saved_ns, key=lambda edge: (-graph.saved_ns[edge], edge))


def _swept(graph: Graph, n_layers: int | None) -> Iterator[Fused]:
    """The edges that save most, with clusters of limited sizes; and each number of layers."""
    edges = _ordered(graph)
    start = Clusters(graph)
    by_traffic = (
        contracted(start, edges[: ceil(len(edges) * share)], most, n_layers)
        for share in _SHARES
        for most in _SIZES
    )
    by_layers = (neighbouring(start, graph, n) for n in range(1, (n_layers or 0) + 1))
    yield from filter(None, (each.fused() for each in chain(by_traffic, by_layers)))


def _walk(judging: _Search, graph: Graph, n_layers: int | None, best_ns: float) -> None:
    """Contracts edges one after the other, and keeps those that make the step shorter."""
    clusters = Clusters(graph)
    for edge in _ordered(graph)[:_MOST_TRIED]:
        tried = clusters.copy()
        if not tried.contract(edge, most_layers=n_layers):
            continue
        predicted_ns = judging.judge("dp", tried.fused())
        if predicted_ns < best_ns:
            clusters, best_ns = tried, predicted_ns


def _edit(clusters: Fused, model: str | None) -> WhatIf:
    text = ",".join("+".join(each) for each in clusters)
    return WhatIf("fuse", {"clusters": text} | ({"model": model} if model else {}))


def _row(
    each: _Candidate, model: str | None, limit: Noise, *, is_chosen: bool
) -> dict[str, object]:
    found = row(
        each.search,
        each.predicted_ns,
        limit,
        is_recommended=is_chosen,
        extrapolated=1.0 - each.measured if each.clusters else 0.0,
        edits=each.edits(model),
    )
    return found | {"n_edits": len(each.clusters)}
