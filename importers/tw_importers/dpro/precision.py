"""Searches which operators of a dPRO trial to compute in 16 bits.

Candidates are the lists of TensorFlow's automatic mixed precision, those of its variables in the
environment, and minimum cuts of a closed form (`labels`); replays of the whole graph decide.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tw_importers.dpro.labels import Operator, Program, Tensor
from warehouse.errors import UsageError
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
    from warehouse.replay.graph import Graph

NAME = "precision"
_VARIABLE = "TF_AUTO_MIXED_PRECISION_GRAPH_REWRITE_"
#: Shares of what communication gains that count in the closed form.
_WEIGHTS = (0.0, 0.25, 0.5, 0.75, 1.0)
_QUERIES = (
    "what_if_precision",
    "precision_operator",
    "precision_use",
    "precision_ratio",
    "gradient_sent",
)
_RATIOS = "SELECT model, type, ratio, fixed_ns, devices FROM precision_ratio()"
_OPERATORS = """
SELECT node_id, operator, type, op_class, is_float32, is_able
FROM precision_operator()
WHERE trace_id = (SELECT min(trace_id) FROM precision_operator())
ORDER BY node_id
"""
_USES = """
SELECT tensor, any_value(producer_id), list(node_id ORDER BY node_id), max(n_elements),
  max(least_ns), max(rate_bytes_per_s)
FROM precision_use()
WHERE trace_id = (SELECT min(trace_id) FROM precision_use())
GROUP BY tensor
ORDER BY tensor
"""


@dataclass(frozen=True)
class _Row:
    """An operator of the first rank."""

    node_id: int
    name: str
    type: str | None
    op_class: str
    is_float32: bool
    is_able: bool


@dataclass(frozen=True)
class _Ratio:
    """A line of a cost model: time in 16 bits by that in 32 bits."""

    ratio: float
    fixed_ns: float = 0.0
    devices: str = ""


@dataclass(frozen=True)
class _Candidate:
    search: str
    names: tuple[str, ...]  # in 16 bits
    predicted_ns: float


@dataclass(frozen=True)
class Lists:
    """Additions of the user to TensorFlow's lists, from environment variables."""

    prior: frozenset[str] = frozenset()  # names of operators that compute in 16 bits
    is_forced: bool = False  # no other lists than white and grey ones count

    def able(self, operators: Iterable[_Row]) -> frozenset[str]:
        """The operators that may compute in 16 bits."""
        found = set()
        for each in operators:
            is_black = each.op_class == "black" and not self.is_forced
            is_prior = each.name in self.prior and each.is_float32 and not is_black
            is_able = each.is_able and not (self.is_forced and each.op_class == "clear")
            if is_able or is_prior:
                found.add(each.name)
        return frozenset(found)


def lists() -> Lists:
    """Reads the variables PRIORLIST_FILE, PRIORLIST_ADD and FORCE; raises UsageError."""
    names = set(filter(None, os.environ.get(f"{_VARIABLE}PRIORLIST_ADD", "").split(",")))
    path = os.environ.get(f"{_VARIABLE}PRIORLIST_FILE")
    if path:
        try:
            names |= set(Path(path).read_text("utf-8").split())
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "it is not UTF-8"
            raise UsageError(f"cannot read {_VARIABLE}PRIORLIST_FILE {path}: {reason}") from None
    forced = os.environ.get(f"{_VARIABLE}FORCE", "").lower() not in ("", "0", "false")
    return Lists(frozenset(names), forced)


def search(session: Session, engine: Engine, options: Options) -> Outcome:
    """Searches the operators of the run in scope that are faster in 16 bits.

    Raises QueryError if the run does not record types and shapes; UsageError for options of other
    strategies.
    """
    _check(options)
    user = lists()
    graph = prediction.replayed(session, engine, before=options.before)
    what_if.refuse(graph, WhatIf(NAME, _arguments(options, ())))
    limit = noise(session, prediction.scenario(graph, engine, []))
    rows = [_Row(*each) for each in session.run(_OPERATORS).rows()]
    able = user.able(rows)
    program = _program(session, graph, rows, able, options)
    sets = dict.fromkeys(_sets(rows, able, user, program))
    if options.search == "sweep":
        sets = {each: None for each in sets if each[0] == "sweep"}
    judged, stopped = _judged(graph, engine, options, list(sets))
    recorded = _Candidate("recorded", (), limit.replayed_ns)
    best = min([recorded, *judged], key=lambda each: each.predicted_ns)
    gain = 1 - best.predicted_ns / limit.replayed_ns
    chosen = recorded if limit.covers(gain) else best
    shown = [recorded, *best_of_each(judged)]
    table = [_row(each, options, program, limit, is_chosen=each is chosen) for each in shown]
    steps = trajectory(
        [(each.search, _text(each), each.predicted_ns, None) for each in judged], limit.replayed_ns
    )
    strategy = Strategy(
        name=NAME,
        edits=(_edit(options, chosen.names),) if chosen.names else (),
        recorded_groups=(),
        groups=(),
        prediction=prediction_of(table, limit),
        search={
            "search": options.search, "ratio": options.ratio, "model": options.model,
            "cast_bytes_per_s": options.cast_bytes_per_s, "prior": sorted(user.prior),
            "is_forced": user.is_forced, "candidates": len(judged), "is_complete": stopped is None,
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
        warning="; ".join(filter(None, (_unknown(user, rows), _device(session, options)))) or None,
        best=(_edit(options, best.names),) if best.names else (),
    )


STRATEGY = Strategies(search)


def _check(options: Options) -> None:
    """Refuses options that other strategies have."""
    if options.search == "anneal":
        raise UsageError("precision has no search anneal", hint="Searches: sweep, dp.")
    options.refuse(
        NAME, "n_groups", "bytes_per_s", "clusters", "memory_budget", "candidates", "n_layers",
        "is_by_layer", "program",
    )  # fmt: skip


def _unknown(user: Lists, rows: Iterable[_Row]) -> str | None:
    """Names of the user's list that the run does not have."""
    unknown = sorted(user.prior - {each.name for each in rows})
    if not unknown:
        return None
    n = f"{len(unknown)} of {counted(len(user.prior), 'operator')} in {_VARIABLE}PRIORLIST"
    return f"{n} are not in the run, such as {unknown[0]}"


def _device(session: Session, options: Options) -> str | None:
    """What the cost model was fitted on: a trial does not record the model of its device."""
    devices = ", ".join(sorted({each.devices for each in _ratios(session, options).values()}))
    if not devices:
        return None
    return f"cost model {options.model} was fitted on {devices}; the run does not record its device"


def _ratios(session: Session, options: Options) -> dict[str, _Ratio]:
    """The lines of the cost model, by type."""
    rows: list[Any] = session.run(_RATIOS).rows()
    return {kind: _Ratio(*rest) for model, kind, *rest in rows if model == options.model}


def _sets(
    rows: Iterable[_Row], able: frozenset[str], user: Lists, program: Program
) -> Iterator[tuple[str, frozenset[str]]]:
    """The candidates, with the search that each is of."""
    white = {each.name for each in rows if each.op_class == "white"}
    for names in (able & white, able & user.prior, able & (white | user.prior), able):
        if names:
            yield "sweep", frozenset(names)
    for weight in _WEIGHTS:
        names = program.best(weight)
        if names:
            yield "dp", names


def _program(
    session: Session, graph: Graph, rows: list[_Row], able: frozenset[str], options: Options
) -> Program:
    """The closed form of the first rank."""
    times = dict(graph.connection.execute("SELECT node_id, dur_ns FROM node").fetchall())
    ratios = _ratios(session, options)
    name_of = {each.node_id: each.name for each in rows}
    uses: list[Any] = session.run(_USES).rows()
    saved = _saved(graph, uses)
    operators = []
    for each in rows:
        line = ratios.get(each.type or "", _Ratio(options.ratio))
        ns = times[each.node_id]
        gain = round(saved.get(each.node_id, 0.0))
        half_ns = round(ns * line.ratio + line.fixed_ns)
        is_assumed = each.type not in ratios
        operators.append(
            Operator(each.name, round(ns), half_ns, each.name in able, gain, is_assumed)
        )
    tensors = [
        Tensor(
            name_of.get(producer),
            tuple(name_of[consumer] for consumer in consumers),
            round(max(least, n * 6e9 / (options.cast_bytes_per_s or rate))),
        )
        for _, producer, consumers, n, least, rate in uses
    ]
    return Program(operators, tensors)


def _saved(graph: Graph, uses: Iterable[Any]) -> dict[int, float]:
    """Communication time saved by sending the gradients of an operator in 16 bits."""
    gradient = {
        tensor.removeprefix("gradient "): (producer, n)
        for tensor, producer, _, n, *_ in uses
        if tensor.startswith("gradient ")
    }
    found: dict[int, float] = defaultdict(float)
    sent = graph.rows(graph.queries.find("gradient_sent"), {}).to_pylist()
    first_id = min((each["trace_id"] for each in sent), default=None)
    for each in (each for each in sent if each["trace_id"] == first_id):
        members = [gradient[name] for name in each["tensors"].split("+") if name in gradient]
        total = sum(n for _, n in members)
        for producer, n in members:
            found[producer] += each["dur_ns"] / 2 * n / total if total else 0.0
    return found


def _judged(
    graph: Graph, engine: Engine, options: Options, sets: list[tuple[str, frozenset[str]]]
) -> tuple[list[_Candidate], str | None]:
    """The candidates with their times, and why the last are missing: Ctrl-C ends the search."""
    found: list[_Candidate] = []
    known: dict[frozenset[str], float] = {}
    try:
        for name, names in sets:
            ordered = tuple(sorted(names))
            if names not in known:
                rows = prediction.scenario(graph, engine, [_edit(options, ordered)])
                known[names] = slowest_ns(rows, "predicted_ns") or 0.0
            found.append(_Candidate(name, ordered, known[names]))
    except (KeyboardInterrupt, RuntimeError) as error:
        if not found or not is_interruption(error):
            raise
        return found, f"The search was interrupted after {len(found)} of {len(sets)} candidates."
    return found, None


def _arguments(options: Options, names: Iterable[str]) -> dict[str, str]:
    """Arguments of the what-if; those with their default are omitted."""
    found = {"operators": ",".join(names) or "*"}
    if options.ratio != Options.ratio:
        found["ratio"] = repr(options.ratio)
    if options.model is not None:
        found["model"] = options.model
    if options.cast_bytes_per_s is not None:
        found["cast_bytes_per_s"] = repr(options.cast_bytes_per_s)
    return found


def _edit(options: Options, names: Iterable[str]) -> WhatIf:
    return WhatIf(NAME, _arguments(options, names))


def _text(each: _Candidate) -> str:
    return str(WhatIf(NAME, {"operators": ",".join(each.names)}))


def _row(
    each: _Candidate, options: Options, program: Program, limit: Noise, *, is_chosen: bool
) -> dict[str, object]:
    found = row(
        each.search,
        each.predicted_ns,
        limit,
        is_recommended=is_chosen,
        extrapolated=program.assumed_share(each.names),
        edits=[_edit(options, each.names)] if each.names else [],
    )
    return found | {"n_edits": len(each.names)}
