"""Searches several strategies together: each alone, each after the others, and all combinations.

The best combination is never slower than the best strategy alone, which is one of the candidates.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

from warehouse.errors import UsageError
from warehouse.optimize.search import (
    STEPS,
    Noise,
    Options,
    Outcome,
    RefusedOptionError,
    Strategies,
    find,
    noise,
    prediction_of,
    result,
    row,
    slowest_ns,
)
from warehouse.optimize.strategy import SearchStep, Strategy, step_rows, trajectory
from warehouse.replay import prediction
from warehouse.replay.graph import TABLES

if TYPE_CHECKING:
    from warehouse.query.session import Session
    from warehouse.replay.engines import Engine
    from warehouse.replay.graph import Graph
    from warehouse.replay.what_if import WhatIf


_GROUPS = "groups"  # the what-if


@dataclass(frozen=True, eq=False)
class _Part:
    """The best changes of one strategy, and the search that found them."""

    name: str
    kind: Strategies
    outcome: Outcome

    @property
    def edits(self) -> tuple[WhatIf, ...]:
        return self.outcome.best

    @property
    def row(self) -> dict[str, Any]:
        """The row of its best candidate."""
        text = " + ".join(map(str, self.edits)) or None
        rows: list[dict[str, Any]] = self.outcome.rows.arrow().to_pylist()
        return next((each for each in rows if each["edits"] == text), rows[0])

    def strategy(self, *, is_chosen: bool, steps: tuple[SearchStep, ...]) -> Strategy:
        """The strategy for its files: its best changes, or none."""
        found = self.outcome.strategy
        groups = [each.arguments["groups"] for each in self.edits if each.name == _GROUPS]
        new = tuple(groups[0].split(",")) if groups and is_chosen else found.recorded_groups
        return replace(found, edits=self.edits if is_chosen else (), groups=new, trajectory=steps)


@dataclass(frozen=True)
class _Candidate:
    parts: tuple[_Part, ...]  # in the order of their changes
    predicted_ns: float

    @property
    def edits(self) -> tuple[WhatIf, ...]:
        return tuple(edit for part in self.parts for edit in part.edits)

    @property
    def name(self) -> str:
        return " + ".join(part.name for part in self.parts) or "recorded"


def search(session: Session, engine: Engine, names: Sequence[str], options: Options) -> Outcome:
    """Searches these strategies together in the run in scope.

    Raises what the searches raise, and UsageError for an option that none of them has.
    """
    kinds = sorted(((name, find(name)) for name in names), key=lambda each: each[1].place)
    searched = _Searches(session, engine, kinds, options)
    alone = [searched.part(name, kind, ()) for name, kind in kinds]
    searched.refuse_rest()
    graph = prediction.replayed(session, engine)
    limit = noise(session, prediction.scenario(graph, engine, []))
    tried = [*_subsets(alone), searched.after_each_other(kinds, alone)]
    judged = _judged(graph, engine, tried)
    unchanged = _Candidate((), limit.replayed_ns)
    needed = {part.name for part in alone if part.kind.is_needed and part.edits}
    allowed = [each for each in judged if needed <= {part.name for part in each.parts}]
    best = min(allowed, key=lambda each: each.predicted_ns, default=unchanged)
    gain = 1 - best.predicted_ns / limit.replayed_ns
    is_noise = not needed and limit.covers(gain)
    chosen = unchanged if is_noise else best
    rows = [_row(each, limit, is_chosen=each is chosen) for each in _shown(unchanged, judged)]
    strategy = _strategy(options, alone, chosen, judged, rows, limit)
    notes = [part.outcome.note for part in alone if part.kind.is_needed]
    notes.append(limit.sentence(gain) if is_noise else None)
    return Outcome(
        result(session, rows, TABLES["node"]),
        strategy,
        result(session, step_rows(strategy.trajectory), TABLES["node"], STEPS),
        note=_joined(notes),
        stopped=_joined([part.outcome.stopped for part in alone]),
        warning=_joined([part.outcome.warning for part in alone]),
        best=best.edits,
    )


class _Searches:
    """Calls searches with the options that each has."""

    def __init__(
        self,
        session: Session,
        engine: Engine,
        kinds: Sequence[tuple[str, Strategies]],
        options: Options,
    ) -> None:
        self.session, self.engine, self.options = session, engine, options
        self.refused: dict[str, list[RefusedOptionError]] = {}
        self.n_kinds = len(kinds)

    def part(self, name: str, kind: Strategies, before: tuple[WhatIf, ...]) -> _Part:
        """The best of a strategy for the run with these changes."""
        options = replace(self.options, before=before)
        if options.search not in kind.searches:
            options = replace(options, search=kind.searches[-1])
        for _ in fields(Options):
            try:
                return _Part(name, kind, kind.search(self.session, self.engine, options))
            except RefusedOptionError as error:
                self.refused.setdefault(error.name, []).append(error)
                options = replace(options, **{error.name: getattr(Options(), error.name)})
        raise AssertionError(f"{name} refuses options that are not given")

    def refuse_rest(self) -> None:
        """Raises UsageError for an option that all strategies refused."""
        for errors in self.refused.values():
            if len(errors) == self.n_kinds:
                raise errors[0]

    def after_each_other(
        self, kinds: Sequence[tuple[str, Strategies]], alone: Sequence[_Part]
    ) -> tuple[_Part, ...]:
        """Each strategy searched again after the best changes of those before it."""
        found: list[_Part] = []
        for (name, kind), single in zip(kinds, alone, strict=True):
            before = tuple(edit for part in found for edit in part.edits)
            part = self.part(name, kind, before) if before else single
            if part.edits:
                found.append(part)
        return tuple(found)


def _subsets(alone: Sequence[_Part]) -> Iterator[tuple[_Part, ...]]:
    """Each strategy that has changes alone, and all combinations."""
    parts = [part for part in alone if part.edits]
    for n in range(1, len(parts) + 1):
        yield from combinations(parts, n)


def _judged(graph: Graph, engine: Engine, tried: Sequence[tuple[_Part, ...]]) -> list[_Candidate]:
    """The candidates with the times of replays; changes that cannot be combined are left out."""
    found = []
    for parts in dict.fromkeys(filter(None, tried)):
        edits = [edit for part in parts for edit in part.edits]
        try:
            rows = prediction.scenario(graph, engine, edits)
        except UsageError:
            if len(parts) == 1:
                raise
            continue
        found.append(_Candidate(parts, slowest_ns(rows, "predicted_ns") or 0.0))
    return found


def _shown(unchanged: _Candidate, judged: Sequence[_Candidate]) -> list[_Candidate]:
    """The fastest of each combination of strategies."""
    best: dict[str, _Candidate] = {}
    for each in judged:
        if each.name not in best or each.predicted_ns < best[each.name].predicted_ns:
            best[each.name] = each
    return [unchanged, *best.values()]


def _row(each: _Candidate, limit: Noise, *, is_chosen: bool) -> dict[str, object]:
    found = row(
        each.name,
        each.predicted_ns,
        limit,
        is_recommended=is_chosen,
        extrapolated=max((part.row["extrapolated"] for part in each.parts), default=0.0),
        edits=each.edits,
    )
    return found | {"n_edits": sum(part.row["n_edits"] for part in each.parts)}


def _strategy(
    options: Options,
    alone: Sequence[_Part],
    chosen: _Candidate,
    judged: Sequence[_Candidate],
    rows: Sequence[dict[str, object]],
    limit: Noise,
) -> Strategy:
    """The combination, with what each of its parts writes."""
    steps = trajectory(
        [(each.name, " + ".join(map(str, each.edits)), each.predicted_ns, None)
         for each in judged], limit.replayed_ns,
    )  # fmt: skip
    own = {part.name: part for part in (*alone, *chosen.parts)}
    is_chosen = {part.name for part in chosen.parts}
    parts = tuple(
        part.strategy(is_chosen=name in is_chosen, steps=steps) for name, part in own.items()
    )
    provenance: dict[str, Any] = dict(parts[0].provenance)
    provenance["queries"] = {
        key: digest for part in parts for key, digest in part.provenance["queries"].items()
    }
    return Strategy(
        name=" ".join(own),
        edits=chosen.edits,
        recorded_groups=(),
        groups=(),
        prediction=prediction_of(rows, limit),
        search={
            "search": options.search, "candidates": len(judged),
            "is_complete": all(part.outcome.stopped is None for part in alone),
            "parts": {name: dict(part.outcome.strategy.search) for name, part in own.items()},
        },
        trajectory=steps,
        provenance=provenance,
        parts=parts,
    )  # fmt: skip


def _joined(sentences: Sequence[str | None]) -> str | None:
    return " ".join(dict.fromkeys(each for each in sentences if each)) or None
