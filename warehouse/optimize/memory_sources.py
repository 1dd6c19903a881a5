"""The memory of a run: recorded tensors, or an estimate from shapes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from math import ceil
from typing import TYPE_CHECKING, Any

from warehouse.errors import QueryError
from warehouse.optimize import recorded_memory
from warehouse.optimize.memory_plans import Parts, Planner
from warehouse.replay import what_if
from warehouse.replay.what_if import WhatIf

if TYPE_CHECKING:
    from warehouse.optimize.recorded_memory import Recorded
    from warehouse.optimize.search import Options
    from warehouse.query.session import Session
    from warehouse.replay.graph import Graph

#: Parts of the batch that are tried.
BATCHES = (2, 4, 8, 16)
#: Of plans within the budget each search replays this many, the cheapest by their closed form.
_MOST_REPLAYED = 12
#: Of each division of the batch, this many plans that also compute parts again.
_MOST_DIVIDED = 2
_ESTIMATES = "SELECT activation_bytes, weight_bytes FROM memory_estimate()"


@dataclass(frozen=True)
class Plan:
    """The parts of the graph to compute again, and the number of parts of the batch."""

    search: str
    parts: Parts = ()
    batches: int = 1
    is_smaller: bool = False  # the batch of a step is one part of it

    @property
    def edits(self) -> tuple[WhatIf, ...]:
        """The plan as what-ifs: what runs again runs for each part of the batch."""
        found = [WhatIf("recompute", {"parts": self.text})] if self.parts else []
        if self.is_smaller:
            found.append(WhatIf("batch", {"ratio": repr(1 / self.batches)}))
        elif self.batches > 1:
            found.append(WhatIf("accumulate", {"batches": str(self.batches)}))
        return tuple(found)

    @property
    def text(self) -> str:
        """The parts that run again, as the queries take them."""
        return ",".join(map(str, self.parts))

    def __str__(self) -> str:
        return " + ".join(map(str, self.edits))


_DIVISIONS = (
    *(Plan("accumulate", batches=n) for n in BATCHES),
    *(Plan("batch", batches=n, is_smaller=True) for n in BATCHES),
)


class Memory(ABC):
    """The memory of a run; `device` says which."""

    device: str
    queries: tuple[str, ...]
    #: Added to each result; None: the memory is that of recorded tensors.
    remark: str | None = None

    @abstractmethod
    def floor(self) -> int:
        """Bytes that no plan can save."""

    @abstractmethod
    def peak(self, session: Session, plan: Plan) -> int:
        """The peak of a plan."""

    @abstractmethod
    def plans(self, budget: int, options: Options) -> list[Plan]:
        """The plans to replay, the cheapest of each search."""


def read(session: Session, graph: Graph) -> Memory:
    """Reads the tensors of a run, or estimates them; raises QueryError if neither is possible."""
    try:
        what_if.refuse(graph, WhatIf("recompute", {"parts": "0-1@1"}))
    except QueryError:
        found: list[Any] = session.run(_ESTIMATES).rows()
        if not found:
            raise
        return _Estimate(*max(found, key=sum))
    return _Tensors(session, graph)


class _Tensors(Memory):
    """The tensors that operators of a graph name."""

    queries = (
        "what_if_recompute",
        "what_if_accumulate",
        "memory_recomputed",
        "memory_accumulated",
        "memory_node",
    )

    def __init__(self, session: Session, graph: Graph) -> None:
        self.recorded = recorded_memory.read(session)
        self.device = self.recorded.device
        self.divided = list(self._divided(session, graph))

    def _divided(self, session: Session, graph: Graph) -> Iterator[tuple[Plan, Recorded]]:
        """The run by parts of its batch, if it has a backward pass."""
        try:
            what_if.refuse(graph, WhatIf("accumulate", {"batches": "2"}))
        except QueryError:
            return
        for each in _DIVISIONS:
            is_accumulated = not each.is_smaller
            found = self.recorded.divided(session, each.batches, is_accumulated=is_accumulated)
            yield each, found

    def floor(self) -> int:
        """Storages that no operator produces, and those that one operator uses."""
        known = [self.recorded, *(each for _, each in self.divided)]
        return min(each.lifetimes.floor() for each in known)

    def peak(self, session: Session, plan: Plan) -> int:
        """The peak on the device, by the query."""
        rows: list[Any] = session.run(
            "SELECT peak_bytes FROM memory_recomputed(p_parts := $parts::VARCHAR, "
            "p_batches := $batches::BIGINT, p_is_accumulated := $is_accumulated::BOOLEAN) "
            "WHERE graph_id = $graph_id::BIGINT AND device = $device::VARCHAR",
            {"parts": plan.text, "batches": plan.batches, "is_accumulated": not plan.is_smaller,
             "graph_id": self.recorded.graph_id, "device": self.device},
        ).rows()  # fmt: skip
        ((peak,),) = rows
        return int(peak)

    def plans(self, budget: int, options: Options) -> list[Plan]:
        """Parts that run again, and divisions of the batch."""
        planner = Planner(self.recorded, budget)
        sweep = list(dict.fromkeys(planner.uniform()))
        found = [Plan("sweep", parts) for parts in _cheapest(planner, sweep)]
        if options.search == "dp":
            greedy = list(planner.greedy())
            start = min([*sweep, *greedy], key=planner.score)
            improved = [*greedy, *planner.improved(start)]
            found += [Plan("dp", parts) for parts in _cheapest(planner, improved)]
        return [*(each for each in found if each.parts), *self._divisions(budget)]

    def _divisions(self, budget: int) -> Iterator[Plan]:
        """The fewest parts of the batch that the budget allows; fewer that compute some again."""
        fits: set[str] = set()
        for plan, recorded in self.divided:
            if plan.search in fits:
                continue
            if recorded.lifetimes.plan().peak <= budget:
                fits.add(plan.search)
                yield plan
            elif not plan.is_smaller and recorded.lifetimes.floor() <= budget:
                planner = Planner(recorded, budget)
                parts = [each for each in planner.uniform() if each]
                for each in _cheapest(planner, parts)[:_MOST_DIVIDED]:
                    yield replace(plan, parts=each)


class _Estimate(Memory):
    """An estimate from shapes, of a run without tensors."""

    device = "each rank"
    queries = ("what_if_accumulate", "what_if_batch", "memory_estimate")
    remark = "The memory is an estimate from shapes of operators, not a measurement."

    def __init__(self, activation_bytes: int, weight_bytes: int) -> None:
        self.activation_bytes, self.weight_bytes = activation_bytes, weight_bytes

    def _of(self, batches: int) -> int:
        return self.weight_bytes + ceil(self.activation_bytes / batches)

    def floor(self) -> int:
        """Weights, and the least part of the batch."""
        return self._of(BATCHES[-1])

    def peak(self, session: Session, plan: Plan) -> int:
        """Weights, and activations of a part of the batch."""
        return self._of(plan.batches)

    def plans(self, budget: int, options: Options) -> list[Plan]:
        """The fewest parts of the batch that the budget allows."""
        enough = [each for each in _DIVISIONS if self._of(each.batches) <= budget]
        return [
            next(each for each in enough if each.search == search)
            for search in ("accumulate", "batch")
        ]


def _cheapest(planner: Planner, plans: Iterable[Parts]) -> list[Parts]:
    return sorted(dict.fromkeys(plans), key=planner.score)[:_MOST_REPLAYED]
