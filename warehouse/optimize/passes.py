"""The searches for groups of gradients, one after another: which candidates each judges, and how.

All candidates are judged by closed form or rank by rank, the best by a replay of the whole graph.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from warehouse.optimize import chains, groupings
from warehouse.optimize.folding import folded
from warehouse.optimize.reduction import Grouping, Reduction
from warehouse.optimize.search import Options, is_interruption, slowest_ns
from warehouse.replay import prediction
from warehouse.wording import counted

if TYPE_CHECKING:
    from warehouse.replay.engines import Engine
    from warehouse.replay.graph import Graph
    from warehouse.replay.what_if import WhatIf

#: Candidates of a search that are evaluated rank by rank, after all by closed form.
N_EVALUATED = 50
#: The best of these are replayed with the whole graph, until one is as predicted, so that none
#: behind it can be better.
N_REPLAYED = 5
_AS_PREDICTED = 1e-6


@dataclass(frozen=True)
class Candidate:
    """Groups with the time of a replay of the whole graph."""

    search: str
    grouping: Grouping
    predicted_ns: float


@dataclass(frozen=True)
class Evaluation:
    """Groups that were evaluated rank by rank; of lists, `is_accepted` is None."""

    search: str
    grouping: Grouping
    evaluated_ns: float
    is_accepted: bool | None = None


class Passes:
    """Runs the searches; `found` has the best of each, `evaluations` all in order."""

    def __init__(
        self,
        graph: Graph,
        engine: Engine,
        reduction: Reduction,
        options: Options,
        edit: Callable[[Grouping], WhatIf],
    ) -> None:
        self.graph, self.engine = graph, engine
        #: Candidates are evaluated with one rank if all are equal; replays have all ranks.
        self.reduction = folded(reduction)
        self.options, self.edit = options, edit
        self.form = groupings.closed_form(reduction)
        self.found: list[Candidate] = []
        self.evaluations: list[Evaluation] = []
        self.n_candidates = 0
        self.stopped: str | None = None

    def run(self, recorded: Candidate, given: Grouping | None = None) -> None:
        """Sweeps, tries given groups, then searches as requested; Ctrl-C ends the latter."""
        self.found.append(recorded)
        self._list("sweep", self._uniform())
        if given is not None:
            self.n_candidates += 1
            self.evaluations.append(Evaluation("clusters", given, self.reduction.evaluate(given)))
            self._replay("clusters")
        try:
            if self.options.search == "dp":
                self._list("dp", groupings.programme(self.form, self.options.n_groups))
            elif self.options.search == "anneal":
                self._anneal(recorded)
        except (KeyboardInterrupt, RuntimeError) as error:
            if not is_interruption(error):
                raise
            self.stopped = "The search was interrupted."

    def _uniform(self) -> list[tuple[int, ...]]:
        """The groups of a sweep, the most promising by closed form first."""
        n_groups = self.options.n_groups
        found = [e for e in groupings.sweep(self.reduction.bytes) if n_groups in (None, len(e))]
        return sorted(found, key=self.form.evaluate)

    def _list(self, name: str, candidates: Sequence[tuple[int, ...]]) -> None:
        """Evaluates the first candidates, in their order."""
        self.n_candidates += len(candidates)
        for ends in candidates[:N_EVALUATED]:
            grouping = groupings.grouping_of(ends)
            self.evaluations.append(Evaluation(name, grouping, self.reduction.evaluate(grouping)))
        self._replay(name)

    def _anneal(self, recorded: Candidate) -> None:
        """Anneals from the best of the sweep."""
        swept = [each for each in self.evaluations if each.search == "sweep"]
        best = min(swept, key=lambda each: each.evaluated_ns)
        start = tuple(group[-1] + 1 for group in best.grouping)
        annealing = self.options.annealing
        found = chains.run(
            self.reduction, start, recorded.predicted_ns, annealing,
            keeps_count=self.options.n_groups is not None,
        )  # fmt: skip
        for each in (attempt for chain in found for attempt in chain.attempts):
            grouping = groupings.grouping_of(each.ends)
            self.evaluations.append(
                Evaluation("anneal", grouping, each.evaluated_ns, each.is_accepted)
            )
        n = sum(len(chain.attempts) for chain in found)
        self.n_candidates += n
        if any(chain.is_stopped for chain in found):
            self.stopped = f"The search was stopped after {counted(n, 'candidate')}."
        self._replay("anneal", best)

    def _replay(self, name: str, start: Evaluation | None = None) -> None:
        """Replays the best of a search, and of where it started, with the whole graph."""
        evaluated = [each for each in self.evaluations if each.search == name]
        distinct = {each.grouping: each for each in ([start] if start else []) + evaluated}
        best: Candidate | None = None
        for each in sorted(distinct.values(), key=lambda each: each.evaluated_ns)[:N_REPLAYED]:
            predicted_ns = self._predicted(each.grouping)
            if best is None or predicted_ns < best.predicted_ns:
                best = Candidate(name, each.grouping, predicted_ns)
            if abs(predicted_ns - each.evaluated_ns) <= _AS_PREDICTED * each.evaluated_ns:
                break
        if best is not None:
            self.found.append(best)

    def _predicted(self, grouping: Grouping) -> float:
        changes = [self.edit(grouping)] if is_new(self.reduction, grouping) else []
        rows = prediction.scenario(self.graph, self.engine, changes)
        predicted_ns = slowest_ns(rows, "predicted_ns")
        assert predicted_ns is not None
        return predicted_ns


def is_new(reduction: Reduction, grouping: Grouping) -> bool:
    """Whether a group of these was not recorded."""
    return any(tuple(sorted(group)) not in reduction.recorded for group in grouping)
